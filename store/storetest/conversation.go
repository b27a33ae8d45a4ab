package storetest

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/store"
)

func testConversations(t *testing.T, b Backend) {
	f := setup(t, b)
	var c store.Conversation
	f.write(func(tx *store.Tx) (err error) {
		c, err = tx.CreateConversation(store.Conversation{
			World: f.world, Title: "The ford", Seed: 1<<63 + 5, External: "chan:1", Settings: json.RawMessage(`{"a":1}`),
		})
		return err
	})
	f.view(func(tx *store.Tx) error {
		for _, read := range []func() (store.Conversation, error){
			func() (store.Conversation, error) { return tx.Conversation(c.ID) },
			func() (store.Conversation, error) { return tx.ConversationByExternal(f.world, "chan:1") },
		} {
			got, err := read()
			if err != nil {
				return err
			}
			if d := cmp.Diff(c, got); d != "" {
				t.Errorf("read back (-written +read):\n%s", d)
			}
		}
		return nil
	})
	if other := f.conversation(); other.Seed == 0 || other.Seed == f.conversation().Seed {
		t.Errorf("conversations get no seeds of their own: %d", other.Seed)
	}
	f.refused(store.Exists, "an external id twice", func(tx *store.Tx) error {
		_, err := tx.CreateConversation(store.Conversation{World: f.world, External: "chan:1"})
		return err
	})
	f.refused(store.Exists, "an id twice", func(tx *store.Tx) error {
		_, err := tx.CreateConversation(store.Conversation{World: f.world, ID: c.ID})
		return err
	})
	f.update(func(tx *store.Tx) error { // in another world it may be used
		if _, err := tx.CreateWorld(store.World{ID: "other", Name: "x"}); err != nil {
			return err
		}
		_, err := tx.CreateConversation(store.Conversation{World: "other", External: "chan:1"})
		return err
	})
	n := f.chain(c, "", 2)
	f.write(func(tx *store.Tx) error { return tx.SetHead(c.ID, n[1].ID) })
	f.write(func(tx *store.Tx) error {
		c.Title, c.External = "The frozen ford", ""
		next, err := tx.UpdateConversation(c, store.If(c.Version)) // messages and heads are no new version
		if next.Head != n[1].ID || next.Title != "The frozen ford" || next.External != "" || next.Nodes != 2 || next.Seed != c.Seed {
			t.Errorf("after an update: %+v", next)
		}
		return err
	})
	f.refused(store.Conflict, "an old version", func(tx *store.Tx) error {
		_, err := tx.UpdateConversation(c, store.If(c.Version))
		return err
	})
	other := f.conversation()
	f.refused(store.Invalid, "a head of another conversation", func(tx *store.Tx) error { return tx.SetHead(other.ID, n[0].ID) })
	f.refused(store.NotFound, "a head that is not there", func(tx *store.Tx) error { return tx.SetHead(c.ID, "none") })

	list := func() (titles []string) {
		f.view(func(tx *store.Tx) error {
			list, _, err := tx.Conversations(f.world, store.Page{})
			for _, c := range list {
				titles = append(titles, c.ID)
			}
			return err
		})
		return titles
	}
	f.write(func(tx *store.Tx) error { return tx.SetHead(c.ID, n[0].ID) })
	if got := list(); len(got) != 4 || got[0] != c.ID {
		t.Errorf("%v: want 4, the last changed first", got)
	}
	f.write(func(tx *store.Tx) error { return tx.DeleteConversation(c.ID, 0) })
	if got := list(); len(got) != 3 {
		t.Errorf("%d conversations are listed, want 3", len(got))
	}
	f.write(func(tx *store.Tx) error { return tx.RestoreConversation(c.ID) })
	if got := list(); len(got) != 4 || len(f.path(n[1].ID, store.PathOptions{})) != 2 {
		t.Errorf("a conversation did not come back whole: %v", got)
	}
}

func testAuthors(t *testing.T, b Backend) {
	f := setup(t, b)
	var a store.Author
	f.write(func(tx *store.Tx) (err error) {
		a, err = tx.SaveAuthor(store.Author{World: f.world, External: "user:7", Name: "Jo", Settings: json.RawMessage(`{"x":1}`)})
		return err
	})
	f.write(func(tx *store.Tx) error {
		same, err := tx.SaveAuthor(store.Author{World: f.world, External: "user:7", Name: "Jo"})
		if d := cmp.Diff(a, same); d != "" {
			t.Errorf("the same author again (-first +second):\n%s", d)
		}
		next, err2 := tx.SaveAuthor(store.Author{World: f.world, External: "user:7", Name: "Joanna"})
		if next.ID != a.ID || next.Name != "Joanna" || string(next.Settings) != `{"x":1}` || err2 != nil {
			t.Errorf("a new name: %+v (%v)", next, err2)
		}
		return err
	})
	f.view(func(tx *store.Tx) error {
		byID, err := tx.Author(a.ID)
		if err != nil {
			return err
		}
		byExternal, err := tx.AuthorByExternal(f.world, "user:7")
		if byID.Name != "Joanna" || cmp.Diff(byID, byExternal) != "" {
			t.Errorf("%+v and %+v", byID, byExternal)
		}
		list, _, err2 := tx.Authors(f.world, store.Page{})
		if len(list) != 1 || err2 != nil {
			t.Errorf("%d authors (%v)", len(list), err2)
		}
		return err
	})
	f.refused(store.NotFound, "an unknown external id", func(tx *store.Tx) error {
		_, err := tx.AuthorByExternal(f.world, "user:8")
		return err
	})
	f.write(func(tx *store.Tx) error {
		_, err := tx.SaveAuthor(store.Author{World: f.world, External: "user:8", Name: "Max"})
		return err
	})
	f.refused(store.Exists, "an external id of somebody else", func(tx *store.Tx) error {
		_, err := tx.SaveAuthor(store.Author{World: f.world, ID: a.ID, External: "user:8", Name: "Jo"})
		return err
	})
}
