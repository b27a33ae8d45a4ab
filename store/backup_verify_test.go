package store_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/weft-memory/weft/store"
)

func TestVerifyBackup(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "weft.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.CreateWorld(store.World{ID: "north", Name: "Northmark"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := db.Backup(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	whole := out.Bytes()
	info, err := store.VerifyBackup(t.Context(), bytes.NewReader(whole), store.Options{})
	if err != nil || info.Rows == 0 || info.Time == 0 {
		t.Errorf("of a good backup: %+v, %v", info, err)
	}
	for n := range whole {
		if n%7 != 0 {
			continue
		}
		if _, err := store.VerifyBackup(t.Context(), bytes.NewReader(whole[:n]), store.Options{}); store.KindOf(err) != store.Corrupt {
			t.Fatalf("of the first %d of %d bytes: %v", n, len(whole), err)
		}
	}
	for _, text := range []string{"", "no backup at all", "\x1f\x8b\x08\x00"} {
		if _, err := store.VerifyBackup(t.Context(), bytes.NewReader([]byte(text)), store.Options{}); store.KindOf(err) != store.Corrupt {
			t.Errorf("of %q: %v", text, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := store.VerifyBackup(ended, bytes.NewReader(whole), store.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("when it is told to stop: %v", err)
	}
}
