package store_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/weft-memory/weft/internal/pgtest"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/store/storetest"
)

// crashEnv makes the test program a child that writes and is killed, or that
// only opens a database.
const crashEnv = "WEFT_STORE_CRASH"

func TestMain(m *testing.M) {
	if os.Getenv(crashEnv) != "" {
		crashChild()
		return
	}
	code := m.Run()
	pgtest.Stop()
	os.Exit(code)
}

func sqliteURL(t testing.TB) string { return filepath.Join(t.TempDir(), "weft.db") }

// readyURL returns the URL of a PostgreSQL database whose schema is made.
func readyURL(t testing.TB) string {
	return pgtest.DatabaseFrom(t, "ready", func(url string) error {
		db, err := store.Open(context.Background(), url, store.Options{})
		if err != nil {
			return err
		}
		return db.Close()
	})
}

var (
	sqliteBackend   = storetest.Backend{URL: sqliteURL}
	postgresBackend = storetest.Backend{URL: pgtest.Database, Ready: readyURL, Shared: true}
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, sqliteBackend)
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	pgtest.Database(t) // skips, or fails, once instead of everywhere
	storetest.Run(t, postgresBackend)
}
