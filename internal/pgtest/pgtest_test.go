package pgtest

import (
	"database/sql"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	code := m.Run()
	Stop()
	os.Exit(code)
}

func TestDatabasesAreApartAndCopied(t *testing.T) {
	t.Parallel()
	calls := 0
	prepare := func(url string) error {
		calls++
		db, err := sql.Open("pgx", url)
		if err != nil {
			return err
		}
		defer db.Close()
		_, err = db.Exec("CREATE TABLE words (w text); INSERT INTO words VALUES ('loom')")
		return err
	}
	for range 2 {
		db, err := sql.Open("pgx", DatabaseFrom(t, "words", prepare))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		var n int
		if err := db.QueryRow("SELECT count(*) FROM words").Scan(&n); err != nil || n != 1 {
			t.Fatalf("the copy has %d rows (%v), want 1", n, err)
		}
		if _, err := db.Exec("INSERT INTO words VALUES ('weft')"); err != nil {
			t.Fatal(err)
		}
	}
	if calls != 1 {
		t.Errorf("the template was made %d times, want once", calls)
	}
}
