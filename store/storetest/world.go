package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/store"
)

func testWorlds(t *testing.T, b Backend) {
	f := setup(t, b)
	var w store.World
	f.update(func(tx *store.Tx) (err error) {
		w, err = tx.CreateWorld(store.World{ID: "harbour", Name: "Harbour", Settings: json.RawMessage(`{"tone":"grim"}`)})
		return err
	})
	if w.Revision != 1 || w.Version != 1 || w.Seq != 1 || w.Created == 0 || w.Created != w.Changed {
		t.Errorf("a new world is %+v", w)
	}
	var again store.World
	f.view(func(tx *store.Tx) (err error) {
		again, err = tx.World("harbour")
		return err
	})
	if d := cmp.Diff(w, again); d != "" {
		t.Errorf("read back (-written +read):\n%s", d)
	}
	f.refused(store.Exists, "a world twice", func(tx *store.Tx) error {
		_, err := tx.CreateWorld(store.World{ID: "harbour", Name: "Another"})
		return err
	})
	f.refused(store.Invalid, "a world without a name", func(tx *store.Tx) error {
		_, err := tx.CreateWorld(store.World{Name: " "})
		return err
	})
	f.refused(store.Invalid, "settings that are no JSON", func(tx *store.Tx) error {
		_, err := tx.CreateWorld(store.World{Name: "x", Settings: json.RawMessage("{")})
		return err
	})
	f.refused(store.NotFound, "a world that is not there", func(tx *store.Tx) error {
		_, err := tx.World("nowhere")
		return err
	})
	if err := f.UpdateWorld(t.Context(), "nowhere", func(*store.Tx) error { return nil }); store.KindOf(err) != store.NotFound {
		t.Errorf("UpdateWorld of none: %v", err)
	}

	f.update(func(tx *store.Tx) error {
		w.Name = "The harbour"
		next, err := tx.UpdateWorld(w, store.If(w.Version))
		if err == nil && (next.Name != "The harbour" || next.Version != 2 || next.Revision != 2) {
			t.Errorf("after an update: %+v", next)
		}
		return err
	})
	f.refused(store.Conflict, "an update of an old version", func(tx *store.Tx) error {
		_, err := tx.UpdateWorld(w, store.If(w.Version))
		return err
	})
	f.refused(store.NotFound, "an update of the system", func(tx *store.Tx) error {
		_, err := tx.UpdateWorld(store.World{ID: store.System, Name: "x"}, 0)
		return err
	})
	f.view(func(tx *store.Tx) error {
		list, _, err := tx.Worlds(store.AnyOwner, store.Page{})
		if len(list) != 2 {
			t.Errorf("%d worlds are listed, want 2 (and not the system)", len(list))
		}
		return err
	})
	if err := f.View(f.ctx, func(tx *store.Tx) error {
		_, err := tx.CreateWorld(store.World{Name: "x"})
		return err
	}); store.KindOf(err) != store.Invalid {
		t.Errorf("a View that writes: %v", err)
	}
}

func testPaging(t *testing.T, b Backend) {
	f := setup(t, b)
	f.update(func(tx *store.Tx) error {
		for i := range 25 {
			if _, err := tx.CreateWorld(store.World{ID: fmt.Sprintf("w%02d", i), Name: "x", Owner: ""}); err != nil {
				return err
			}
		}
		return nil
	})
	var seen []string
	f.view(func(tx *store.Tx) error {
		for p := (store.Page{Limit: 7}); ; {
			list, next, err := tx.Worlds(store.AnyOwner, p)
			if err != nil {
				return err
			}
			if len(list) > 7 {
				t.Fatalf("a page has %d rows, want 7 at most", len(list))
			}
			for _, w := range list {
				seen = append(seen, w.ID)
			}
			if p.Cursor = next; next == "" {
				return nil
			}
		}
	})
	if len(seen) != 26 {
		t.Errorf("%d worlds on all pages, want 26: %v", len(seen), seen)
	}
	sorted := slices.Clone(seen[1:])
	slices.Sort(sorted)
	if !slices.Equal(sorted, seen[1:]) {
		t.Errorf("pages are out of order: %v", seen)
	}
	f.refused(store.Invalid, "a wrong cursor", func(tx *store.Tx) error {
		_, _, err := tx.Worlds(store.AnyOwner, store.Page{Cursor: "???"})
		return err
	})
	f.refused(store.Invalid, "another list's cursor", func(tx *store.Tx) error {
		_, _, err := tx.Worlds(store.AnyOwner, store.Page{Cursor: "WyJhIl0"})
		return err
	})
}

func testUsers(t *testing.T, b Backend) {
	f := setup(t, b)
	hash, err := store.HashPassword("a long road north")
	if err != nil {
		t.Fatal(err)
	}
	if !store.CheckPassword(hash, "a long road north") || store.CheckPassword(hash, "a long road") || store.CheckPassword("", "") {
		t.Error("CheckPassword takes a wrong password, or refuses the right one")
	}
	if _, err := store.HashPassword(""); store.KindOf(err) != store.Invalid {
		t.Errorf("an empty password: %v", err)
	}
	var u store.User
	f.update(func(tx *store.Tx) (err error) {
		u, err = tx.CreateUser(store.User{Name: "Ilse", Admin: true, Password: hash, Quota: store.QuotaLimits{Worlds: 2}})
		return err
	})
	f.view(func(tx *store.Tx) error {
		for _, read := range []func() (store.User, error){
			func() (store.User, error) { return tx.User(u.ID) },
			func() (store.User, error) { return tx.UserByName("Ilse") },
		} {
			again, err := read()
			if err != nil {
				return err
			}
			if d := cmp.Diff(u, again); d != "" {
				t.Errorf("read back (-written +read):\n%s", d)
			}
		}
		return nil
	})
	f.refused(store.Exists, "a name twice", func(tx *store.Tx) error {
		_, err := tx.CreateUser(store.User{Name: "Ilse"})
		return err
	})
	f.update(func(tx *store.Tx) error {
		u.Disabled = true
		next, err := tx.UpdateUser(u, store.If(u.Version))
		if err == nil && (!next.Disabled || next.Version <= u.Version) {
			t.Errorf("after an update: %+v", next)
		}
		return err
	})
	f.refused(store.Conflict, "an update of an old version", func(tx *store.Tx) error {
		_, err := tx.UpdateUser(u, store.If(u.Version))
		return err
	})
	f.update(func(tx *store.Tx) error {
		_, err := tx.CreateWorld(store.World{ID: "hers", Name: "x", Owner: u.ID})
		return err
	})
	f.refused(store.Invalid, "to delete a user who owns a world", func(tx *store.Tx) error { return tx.DeleteUser(u.ID) })
	f.update(func(tx *store.Tx) error {
		if err := tx.EraseWorld("hers"); err != nil {
			return err
		}
		if err := tx.SetSetting("user:"+u.ID, "theme", json.RawMessage(`"dark"`)); err != nil {
			return err
		}
		if _, _, err := tx.CreateToken(u.ID, "phone", 0); err != nil {
			return err
		}
		return tx.DeleteUser(u.ID)
	})
	f.view(func(tx *store.Tx) error {
		if _, err := tx.User(u.ID); store.KindOf(err) != store.NotFound {
			t.Errorf("a deleted user: %v", err)
		}
		settings, err := tx.Settings("user:" + u.ID)
		if len(settings) > 0 {
			t.Errorf("a deleted user has settings: %v", settings)
		}
		return err
	})
}

func testTokens(t *testing.T, b Backend) {
	f := setup(t, b)
	var u store.User
	var key, short string
	var token store.Token
	f.update(func(tx *store.Tx) (err error) {
		if u, err = tx.CreateUser(store.User{Name: "Ilse"}); err != nil {
			return err
		}
		if token, key, err = tx.CreateToken(u.ID, "phone", 0); err != nil {
			return err
		}
		_, short, err = tx.CreateToken(u.ID, "guest", tx.Now()+int64(time.Hour/time.Microsecond))
		return err
	})
	who := func(key string) (store.User, error) {
		var u store.User
		err := f.View(f.ctx, func(tx *store.Tx) (err error) {
			u, _, err = tx.UserByToken(key)
			return err
		})
		return u, err
	}
	for _, k := range []string{key, short} {
		if got, err := who(k); err != nil || got.ID != u.ID {
			t.Errorf("the owner of a key is %q (%v), want %q", got.ID, err, u.ID)
		}
	}
	f.clock.move(2 * time.Hour)
	for name, k := range map[string]string{"an expired key": short, "no key": "", "another key": key + "x"} {
		if _, err := who(k); store.KindOf(err) != store.NotFound {
			t.Errorf("%s: %v, want not_found", name, err)
		}
	}
	for range 2 {
		f.update(func(tx *store.Tx) error { return tx.TokenUsed(token.ID) })
	}
	f.view(func(tx *store.Tx) error {
		list, err := tx.Tokens(u.ID)
		if len(list) != 2 || list[0].Used == 0 || list[1].Used != 0 {
			t.Errorf("tokens: %+v", list)
		}
		return err
	})
	f.refused(store.Exists, "a key twice", func(tx *store.Tx) error {
		_, err := tx.CreateTokenWithKey(u.ID, "again", key, 0)
		return err
	})
	f.refused(store.Invalid, "a short key", func(tx *store.Tx) error {
		_, err := tx.CreateTokenWithKey(u.ID, "again", "short", 0)
		return err
	})
	f.update(func(tx *store.Tx) error {
		u.Disabled = true
		_, err := tx.UpdateUser(u, 0)
		return err
	})
	if _, err := who(key); store.KindOf(err) != store.NotFound {
		t.Errorf("the key of a disabled user: %v", err)
	}
	f.update(func(tx *store.Tx) error { return tx.DeleteToken(token.ID) })
	f.refused(store.NotFound, "a token that is gone", func(tx *store.Tx) error { return tx.DeleteToken(token.ID) })
}

func testQuotas(t *testing.T, b Backend) {
	f := setup(t, b)
	var u store.User
	var c store.Conversation
	f.update(func(tx *store.Tx) (err error) {
		if u, err = tx.CreateUser(store.User{Name: "Ilse", Quota: store.QuotaLimits{Worlds: 2, Conversations: 3, Messages: 4, Bytes: 1000}}); err != nil {
			return err
		}
		for _, w := range []string{"one", "two"} {
			if _, err := tx.CreateWorld(store.World{ID: w, Name: w, Owner: u.ID}); err != nil {
				return err
			}
			if c, err = tx.CreateConversation(store.Conversation{World: w}); err != nil {
				return err
			}
			for range 2 {
				if _, err := tx.AppendNode(store.Node{Conversation: c.ID, Content: "0123456789"}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	f.view(func(tx *store.Tx) error {
		got, err := tx.Usage(u.ID)
		if want := (store.Usage{Worlds: 2, Conversations: 2, Messages: 4, Bytes: 40}); got != want {
			t.Errorf("usage %+v, want %+v", got, want)
		}
		return err
	})
	f.refused(store.Quota, "a world too many", func(tx *store.Tx) error {
		_, err := tx.CreateWorld(store.World{Name: "three", Owner: u.ID})
		return err
	})
	f.refused(store.Quota, "a message too many", func(tx *store.Tx) error {
		_, err := tx.AppendNode(store.Node{Conversation: c.ID, Content: "x"})
		return err
	})
	f.refused(store.Quota, "two conversations, of which one is too many", func(tx *store.Tx) error {
		for range 2 {
			if _, err := tx.CreateConversation(store.Conversation{World: "one"}); err != nil {
				return err
			}
		}
		return nil
	})
	f.refused(store.Quota, "bytes too many", func(tx *store.Tx) error {
		_, err := tx.SaveCharacter(store.Character{World: "one", ID: "x", Name: longText(4000)}, 0)
		return err
	})
	f.refused(store.Quota, "a world given away to somebody who is full", func(tx *store.Tx) error {
		w, err := tx.World(f.world)
		if err != nil {
			return err
		}
		w.Owner = u.ID
		_, err = tx.UpdateWorld(w, 0)
		return err
	})
	f.refused(store.NotFound, "an owner who is not there", func(tx *store.Tx) error {
		_, err := tx.CreateWorld(store.World{Name: "three", Owner: "nobody"})
		return err
	})
	f.update(func(tx *store.Tx) error { return tx.EraseConversation(c.ID) })
	f.view(func(tx *store.Tx) error {
		got, err := tx.Usage(u.ID)
		if want := (store.Usage{Worlds: 2, Conversations: 1, Messages: 2, Bytes: 20}); got != want {
			t.Errorf("usage after an erasure %+v, want %+v", got, want)
		}
		return err
	})
}

// longText is a text that does not compress well.
func longText(n int) string {
	text := make([]byte, n)
	x := uint32(1)
	for i := range text {
		x = x*1664525 + 1013904223
		text[i] = 'a' + byte(x>>24)%26
	}
	return string(text)
}

func testRevisions(t *testing.T, b Backend) {
	f := setup(t, b)
	revision := func() (n int64) {
		f.view(func(tx *store.Tx) (err error) {
			n, err = tx.Revision(f.world)
			return err
		})
		return n
	}
	before := revision()
	c := f.conversation()
	if got := revision(); got != before+1 {
		t.Errorf("one transaction raised the revision from %d to %d", before, got)
	}
	var inside int64
	f.write(func(tx *store.Tx) error {
		for range 3 {
			if _, err := tx.AppendNode(store.Node{Conversation: c.ID}); err != nil {
				return err
			}
		}
		var err error
		inside, err = tx.Revision(f.world)
		return err
	})
	if got := revision(); got != before+2 || got != inside {
		t.Errorf("the revision is %d, inside the transaction it was %d, want %d", got, inside, before+2)
	}
	f.write(func(*store.Tx) error { return nil })
	if got := revision(); got != before+2 {
		t.Errorf("a transaction that changed nothing raised the revision to %d", got)
	}
	f.write(func(tx *store.Tx) error { return tx.Touch(f.world) })
	if got := revision(); got != before+3 {
		t.Errorf("Touch: the revision is %d, want %d", got, before+3)
	}
	stop := errors.New("stop")
	if err := f.UpdateWorld(f.ctx, f.world, func(tx *store.Tx) error {
		if err := tx.Touch(f.world); err != nil {
			return err
		}
		return stop
	}); !errors.Is(err, stop) {
		t.Errorf("got %v, want the error of the function", err)
	}
	if got := revision(); got != before+3 {
		t.Errorf("a transaction that failed raised the revision to %d", got)
	}
}

func testClockRunsBack(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.conversation()
	first := f.chain(c, "", 1)[0]
	f.clock.move(-48 * time.Hour)
	second := f.chain(c, first.ID, 1)[0]
	if second.Created < first.Created {
		t.Errorf("a message is older by %d µs than the one before it", first.Created-second.Created)
	}
	if second.ID <= first.ID {
		t.Errorf("ids do not rise: %s after %s", second.ID, first.ID)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f.DB = open(t, f.url, options(t, f.clock)) // a new process knows nothing of the ids of the old one
	third := f.chain(c, second.ID, 1)[0]
	if third.Created < second.Created {
		t.Errorf("after a restart a message is older than the one before it")
	}
	if d := cmp.Diff([]string{first.ID, second.ID, third.ID}, ids(f.path(third.ID, store.PathOptions{}))); d != "" {
		t.Errorf("the path (-want +got):\n%s", d)
	}
	f.view(func(tx *store.Tx) error {
		list, err := tx.Tree(c.ID)
		if d := cmp.Diff([]string{first.ID, second.ID, third.ID}, ids(list)); d != "" {
			t.Errorf("the tree (-want +got):\n%s", d)
		}
		return err
	})
}
