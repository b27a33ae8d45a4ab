package storetest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/store"
)

func book(id string, entries ...string) *lore.Book {
	b := &lore.Book{ID: id, Name: "The " + id, Policy: lore.PolicyWeaver(), Ext: map[string]json.RawMessage{"x_note": json.RawMessage(`{"kept":true}`)}}
	for i, text := range entries {
		b.Entries = append(b.Entries, &lore.Entry{ID: fmt.Sprintf("e%d", i), Name: fmt.Sprintf("Entry %d", i), Content: text})
	}
	return b
}

func testBooks(t *testing.T, b Backend) {
	f := setup(t, b)
	var one store.Book
	f.write(func(tx *store.Tx) (err error) {
		one, err = tx.SaveBook(f.world, book("ford", "The ford freezes."), store.SaveBook{Author: "Ilse", Note: "first", Source: ptr("/books/ford")})
		return err
	})
	if one.Revision != 1 || one.Entries != 1 || one.Source != "/books/ford" || one.Name != "The ford" || len(one.Hash) != 64 {
		t.Errorf("a new book is %+v", one)
	}
	f.write(func(tx *store.Tx) error {
		same, err := tx.SaveBook(f.world, book("ford", "The ford freezes."), store.SaveBook{})
		if d := cmp.Diff(one, same); d != "" {
			t.Errorf("the same book again (-first +second):\n%s", d)
		}
		return err
	})
	f.write(func(tx *store.Tx) error {
		two, err := tx.SaveBook(f.world, book("ford", "The ford freezes.", "Wolves."), store.SaveBook{IfRevision: 1})
		if err == nil && (two.Revision != 2 || two.Created != one.Created || two.Source != one.Source || two.Version <= one.Version) {
			t.Errorf("a second revision is %+v", two)
		}
		return err
	})
	f.refused(store.Conflict, "a change of an old revision", func(tx *store.Tx) error {
		_, err := tx.SaveBook(f.world, book("ford", "x"), store.SaveBook{IfRevision: 1})
		return err
	})
	f.refused(store.Exists, "a new book that is there", func(tx *store.Tx) error {
		_, err := tx.SaveBook(f.world, book("ford", "x"), store.SaveBook{New: true})
		return err
	})
	for _, id := range []string{"", " ", "~story", "~world"} {
		f.refused(store.Invalid, "the id "+id, func(tx *store.Tx) error {
			_, err := tx.SaveBook(f.world, book(id), store.SaveBook{})
			return err
		})
	}
	f.view(func(tx *store.Tx) error {
		for revision, want := range map[int64]int{1: 1, 2: 2, 0: 2} {
			got, err := tx.BookContent(f.world, "ford", revision)
			if err != nil {
				return err
			}
			if len(got.Entries) != want || got.ID != "ford" || string(got.Ext["x_note"]) != `{"kept":true}` {
				t.Errorf("revision %d: %d entries, ext %s; want %d entries", revision, len(got.Entries), got.Ext["x_note"], want)
			}
		}
		list, _, err := tx.BookRevisions(f.world, "ford", store.Page{})
		if len(list) != 2 || list[0].Revision != 2 || list[1].Author != "Ilse" || list[1].Note != "first" {
			t.Errorf("revisions: %+v", list)
		}
		return err
	})
	f.refused(store.NotFound, "a revision that is not there", func(tx *store.Tx) error {
		_, err := tx.BookJSON(f.world, "ford", 7)
		return err
	})
	f.write(func(tx *store.Tx) error { return tx.DeleteBook(f.world, "ford", 0) })
	f.view(func(tx *store.Tx) error {
		list, err := tx.Books(f.world)
		if err != nil || len(list) > 0 {
			t.Errorf("a deleted book is listed: %+v", list)
		}
		if _, err := tx.BookContent(f.world, "ford", 1); err != nil {
			t.Errorf("the revision of a deleted book: %v", err)
		}
		return nil
	})
	f.write(func(tx *store.Tx) error {
		back, err := tx.RestoreBook(f.world, "ford")
		if back.Deleted != 0 || back.Revision != 2 {
			t.Errorf("brought back: %+v", back)
		}
		return err
	})
	f.write(func(tx *store.Tx) error { return tx.EraseBook(f.world, "ford") })
	f.refused(store.NotFound, "an erased book", func(tx *store.Tx) error {
		_, err := tx.Book(f.world, "ford")
		return err
	})
	f.view(func(tx *store.Tx) error {
		w, err := tx.World(f.world)
		if w.Usage.Bytes != 0 {
			t.Errorf("%d bytes are counted, want 0", w.Usage.Bytes)
		}
		return err
	})
}

// Large books are stored as differences; every revision has to come back.
func testBookChains(t *testing.T, b Backend) {
	f := setup(t, b)
	entries := make([]string, 300)
	for i := range entries {
		entries[i] = longText(200 + i)
	}
	const revisions = 270 // more than there are differences in a row
	var want []string
	big := book("big", entries...)
	for r := range revisions {
		var base *lore.Book
		f.view(func(tx *store.Tx) (err error) {
			if r%3 > 0 { // made from the revision before
				base, err = tx.BookContent(f.world, "big", 0)
			}
			return err
		})
		next := *big
		if base != nil {
			next = *base
		}
		next.Entries = slices.Clone(next.Entries)
		e := &lore.Entry{ID: fmt.Sprint("new", r), Content: fmt.Sprintf("changed %d", r)}
		switch {
		case r%17 == 0:
			next.Entries = slices.Insert(next.Entries, r%2*len(next.Entries), e)
		case r%19 == 0:
			next.Entries = slices.Delete(next.Entries, 0, 1)
		default:
			next.Entries[(r*37)%len(next.Entries)] = e
		}
		text, err := lore.MarshalBook(&next)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, string(text))
		big = &next
		f.write(func(tx *store.Tx) error {
			b, err := tx.SaveBook(f.world, big, store.SaveBook{IfRevision: int64(r), Base: base})
			if sum := sha256.Sum256(text); err == nil && (b.Hash != hex.EncodeToString(sum[:]) || b.Size != int64(len(text)) || b.Entries != len(big.Entries)) {
				t.Errorf("revision %d is %+v", r+1, b)
			}
			return err
		})
	}
	f.view(func(tx *store.Tx) error {
		for i, w := range want {
			got, err := tx.BookJSON(f.world, "big", int64(i)+1)
			if err != nil {
				return err
			}
			if string(got) != w {
				t.Fatalf("revision %d came back changed", i+1)
			}
		}
		var stored int64
		err := tx.SQL().QueryRowContext(tx.Context(), "SELECT sum(length(body)) FROM book_revisions").Scan(&stored)
		if whole := int64(len(want[0])); stored > 6*whole {
			t.Errorf("%d revisions take %d bytes, a single one %d: they should be stored as differences", revisions, stored, whole)
		}
		return err
	})
}

func testCharacters(t *testing.T, b Backend) {
	f := setup(t, b)
	card := &lore.Character{
		ID: "ilse", Name: "Ilse", Nickname: "Il", Description: strings.Repeat("A ferrywoman. ", 20), Greetings: []string{"Cold day.", "Who goes?"},
		DepthPrompt: &lore.DepthPrompt{Text: "short words", Depth: 4}, Tags: []string{"north"}, Books: []string{"ford"},
		Origin: lore.Origin{Format: "chara_card_v3", Raw: []byte("\x89PNG\x00\xff")},
		Ext:    map[string]json.RawMessage{"x": json.RawMessage(`[1,2]`)},
	}
	var c store.Character
	f.write(func(tx *store.Tx) (err error) {
		c, err = tx.SaveCharacter(store.Character{World: f.world, Card: card}, 0)
		return err
	})
	if c.ID != "ilse" || c.Name != "Ilse" {
		t.Errorf("id and name of the card: %q, %q", c.ID, c.Name)
	}
	f.view(func(tx *store.Tx) error {
		got, err := tx.Character(f.world, "ilse")
		if d := cmp.Diff(c, got); d != "" {
			t.Errorf("read back (-written +read):\n%s", d)
		}
		list, _, err2 := tx.Characters(f.world, store.Page{})
		if len(list) != 1 || err2 != nil {
			t.Errorf("%d characters (%v), want 1", len(list), err2)
		}
		return err
	})
	f.write(func(tx *store.Tx) error {
		c.Name = "Ilse of the ford"
		next, err := tx.SaveCharacter(c, store.If(c.Version))
		if next.Created != c.Created {
			t.Error("an update changed the time of creation")
		}
		return err
	})
	f.refused(store.Conflict, "an old version", func(tx *store.Tx) error {
		_, err := tx.SaveCharacter(c, store.If(c.Version))
		return err
	})
	f.refused(store.Invalid, "no name", func(tx *store.Tx) error {
		_, err := tx.SaveCharacter(store.Character{World: f.world}, 0)
		return err
	})
	f.write(func(tx *store.Tx) error {
		if err := tx.SetBinding(f.world, lore.Binding{Scope: lore.ScopeCharacter, Name: "ilse", Books: []string{"ford"}}); err != nil {
			return err
		}
		return tx.DeleteCharacter(f.world, "ilse", 0)
	})
	f.view(func(tx *store.Tx) error {
		list, err := tx.Bindings(f.world)
		if len(list) > 0 {
			t.Errorf("the bindings of a deleted character: %+v", list)
		}
		w, err2 := tx.World(f.world)
		if w.Usage.Bytes != 0 || err2 != nil {
			t.Errorf("%d bytes are counted (%v), want 0", w.Usage.Bytes, err2)
		}
		return err
	})
	f.refused(store.NotFound, "a deleted character", func(tx *store.Tx) error { return tx.DeleteCharacter(f.world, "ilse", 0) })
}

func testBindings(t *testing.T, b Backend) {
	f := setup(t, b)
	want := []lore.Binding{
		{Scope: lore.ScopeCharacter, Name: "ilse", Books: []string{"ford", "birds"}},
		{Scope: lore.ScopeChat, Name: "c1", Books: []string{"chat"}},
		{Scope: lore.ScopeGlobal, Books: []string{"world"}},
	}
	f.write(func(tx *store.Tx) error {
		for _, b := range want {
			if err := tx.SetBinding(f.world, lore.Binding{Scope: b.Scope, Name: b.Name, Books: []string{"old"}}); err != nil {
				return err
			}
			if err := tx.SetBinding(f.world, b); err != nil {
				return err
			}
		}
		if err := tx.SetBinding(f.world, lore.Binding{Scope: lore.ScopePersona, Name: "me", Books: []string{"x"}}); err != nil {
			return err
		}
		return tx.SetBinding(f.world, lore.Binding{Scope: lore.ScopePersona, Name: "me"})
	})
	f.view(func(tx *store.Tx) error {
		got, err := tx.Bindings(f.world)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("bindings (-want +got):\n%s", d)
		}
		return err
	})
	f.refused(store.Invalid, "an unknown scope", func(tx *store.Tx) error {
		return tx.SetBinding(f.world, lore.Binding{Scope: "moon", Books: []string{"x"}})
	})
}
