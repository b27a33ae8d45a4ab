package world

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

func TestBooksHaveRevisions(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		again := must(f.SaveBook(f.ctx, f.world, vale(), SaveBook{}))(t)
		if again.Fresh || again.Revision != 1 {
			t.Errorf("the same book again: %+v", again)
		}
		saved := must(f.PatchBookEntry(f.ctx, f.world, "vale", "mill", []byte(`{"content": "A new mill.", "tags": ["place"]}`), SaveBook{IfRevision: 1}))(t)
		if saved.Revision != 2 {
			t.Errorf("revision %d, want 2", saved.Revision)
		}
		_, err := f.PatchBookEntry(f.ctx, f.world, "vale", "mill", []byte(`{"content": "x"}`), SaveBook{IfRevision: 1})
		f.fails(err, store.Conflict)
		_, err = f.PatchBookEntry(f.ctx, f.world, "vale", "mill", []byte(`{"id": "x"}`), SaveBook{})
		f.fails(err, store.Invalid)
		_, err = f.PatchBookEntry(f.ctx, f.world, "vale", "none", []byte(`{}`), SaveBook{})
		f.fails(err, store.NotFound)
		if got := f.text(c, "vale", "mill"); got != "A new mill." {
			t.Errorf("the next assembly sees %q", got)
		}
		must(f.PutBookEntry(f.ctx, f.world, "vale", lore.NewEntry("inn", "The inn is open."), SaveBook{}))(t)
		must(f.DeleteBookEntry(f.ctx, f.world, "vale", "luck", SaveBook{}))(t)
		must(f.PatchBook(f.ctx, f.world, "vale", []byte(`{"name": "The dale"}`), SaveBook{}))(t)
		// What is kept in memory after edits of single entries is what the
		// database has.
		a := must(f.Assemble(f.ctx, f.world, c, "", Assemble{}))(t)
		fresh := must(Open(f.db, f.opts))(t)
		b := must(fresh.Assemble(f.ctx, f.world, c, "", Assemble{}))(t)
		if d := cmp.Diff(bytesOf(t, &b), bytesOf(t, &a)); d != "" {
			t.Errorf("(-anew +kept)\n%s", d)
		}
		list, _, err := f.BookRevisions(f.ctx, f.world, "vale", store.Page{})
		f.ok(err)
		if len(list) != 5 {
			t.Errorf("%d revisions, want 5", len(list))
		}
		must(f.RevertBook(f.ctx, f.world, "vale", 1, SaveBook{}))(t)
		if got := f.text(c, "vale", "mill"); !strings.HasPrefix(got, "The mill burned") {
			t.Errorf("reverted: %q", got)
		}
		f.ok(f.DeleteBook(f.ctx, f.world, "vale", 0))
		if f.text(c, "vale", "mill") != "" {
			t.Error("a deleted book takes part")
		}
		must(f.RestoreBook(f.ctx, f.world, "vale"))(t)
		if f.text(c, "vale", "mill") == "" {
			t.Error("a restored book takes no part")
		}
	})
}

func TestBookJSONThatLosesEntriesIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, filepath.Join(t.TempDir(), "weft.db"), Options{})
	_, err := f.SaveBookJSON(f.ctx, f.world, "vale", []byte(`{"entries": [{"id": "a", "priority": "high"}]}`), SaveBook{})
	f.fails(err, store.Invalid)
	saved := must(f.SaveBookJSON(f.ctx, f.world, "vale", []byte(`{"entries": [{"id": "a", "content": "{{state:"}]}`), SaveBook{}))(t)
	if len(saved.Findings) == 0 || saved.Entries != 1 {
		t.Errorf("saved %+v", saved)
	}
}

func TestBindings(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		own := vale()
		own.ID = "ilkas"
		must(f.SaveBook(f.ctx, f.world, own, SaveBook{}))(t)
		must(f.SaveCharacter(f.ctx, f.world, &lore.Character{ID: "ilka", Name: "Ilka", Greeting: "Well met, traveller.", Greetings: []string{"You again."}}, 0))(t)
		f.ok(f.SetBinding(f.ctx, f.world, lore.Binding{Scope: lore.ScopeCharacter, Name: "ilka", Books: []string{"ilkas"}}))
		with := must(f.CreateConversation(f.ctx, f.world, NewConversation{Settings: Settings{Characters: []string{"ilka"}, Greeting: 1}}))(t)
		alone := f.chat()
		if d := cmp.Diff([]string{"You again."}, f.contents(with.ID)); d != "" {
			t.Error(d)
		}
		path := must(f.Path(f.ctx, f.world, with.ID, PathOptions{}))(t)
		if path[0].Kind != store.NodeGreeting || path[0].Name != "Ilka" || len(path[0].Swipes) != 2 || path[0].At != 1 {
			t.Errorf("the greeting: %+v", path[0])
		}
		for c, want := range map[string][]string{with.ID: {"ilkas", "vale"}, alone: {"vale"}} {
			l := must(f.Lore(f.ctx, f.world, Place{Conversation: c}))(t)
			var ids []string
			for _, b := range l.Books {
				ids = append(ids, b.ID)
			}
			if d := cmp.Diff(want, ids); d != "" {
				t.Error(d)
			}
		}
		_, err := f.CreateConversation(f.ctx, f.world, NewConversation{Settings: Settings{Characters: []string{"nobody"}}})
		f.fails(err, store.NotFound)
	})
}

// Another program keeps its own ids: a bot with channels, members and messages.
func TestExternalIDs(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		channel := NewConversation{External: "channel-1", IfNew: true}
		c := must(f.CreateConversation(f.ctx, f.world, channel))(t)
		if again := must(f.CreateConversation(f.ctx, f.world, channel))(t); again.ID != c.ID {
			t.Error("the channel was made twice")
		}
		said := Append{IfNew: true, Messages: []Message{
			{External: "m1", Author: "external:u1", Name: "Mara", Content: "Hello."},
			{External: "m2", Author: "external:u2", Name: "Tom", Content: "Hi."},
		}}
		must(f.Append(f.ctx, f.world, "external:channel-1", said))(t)
		said.Messages = append(said.Messages, Message{External: "m3", Author: "external:u1", Content: "Bye."})
		nodes := must(f.Append(f.ctx, f.world, "external:channel-1", said))(t)
		if len(nodes) != 3 || nodes[2].Name != "Mara" || nodes[2].Parent != nodes[1].ID {
			t.Errorf("nodes: %+v", nodes)
		}
		_, err := f.Append(f.ctx, f.world, "external:channel-1", Append{Messages: []Message{{External: "m1"}}})
		f.fails(err, store.Exists)
		must(f.Edit(f.ctx, f.world, "external:m2", Edit{Content: "Hey."}))(t)
		must(f.Edit(f.ctx, f.world, "external:m2", Edit{Content: "Hey!"}))(t)
		f.ok(f.Delete(f.ctx, f.world, "external:m1"))
		if d := cmp.Diff([]string{"Hey!", "Bye."}, f.contents(c.ID)); d != "" {
			t.Error(d)
		}
		// Several messages came before one reply.
		turn, _ := f.turn("external:channel-1", TurnRequest{}, "Farewell.")
		if len(turn.Messages) != 2 {
			t.Errorf("the chat has %d messages, want 2", len(turn.Messages))
		}
		_, err = f.Conversation(f.ctx, f.world, "external:channel-2")
		f.fails(err, store.NotFound)
	})
}

func TestWhatBelongsToOthersIsNotThere(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		f.ok(f.db.Update(f.ctx, func(tx *store.Tx) error {
			_, err := tx.CreateUser(store.User{ID: "ana", Name: "Ana"})
			return err
		}))
		ana := As(f.ctx, Caller{User: "ana", Name: "Ana"})
		_, err := f.World(ana, f.world)
		f.fails(err, store.NotFound)
		_, err = f.Append(ana, f.world, c, Append{Messages: []Message{{Content: "x"}}})
		f.fails(err, store.NotFound)
		_, _, err = f.Worlds(ana, "*", store.Page{})
		f.fails(err, Forbidden)
		_, err = f.CreateWorld(ana, NewWorld{Name: "x", Owner: "bo"})
		f.fails(err, Forbidden)
		w := must(f.CreateWorld(ana, NewWorld{Name: "Ana's"}))(t)
		list, _, err := f.Worlds(ana, "", store.Page{})
		f.ok(err)
		if len(list) != 1 || list[0].ID != w.ID {
			t.Errorf("worlds: %v", list)
		}
		// A conversation of another world is none of this one.
		_, err = f.Conversation(ana, w.ID, c)
		f.fails(err, store.NotFound)
		if _, err := f.World(As(f.ctx, Caller{User: "root", Admin: true}), w.ID); err != nil {
			t.Error(err)
		}
		saved := must(f.SaveBook(ana, w.ID, vale(), SaveBook{}))(t)
		revisions, _, err := f.BookRevisions(ana, w.ID, saved.ID, store.Page{})
		f.ok(err)
		if revisions[0].Author != "Ana" {
			t.Errorf("author %q", revisions[0].Author)
		}
	})
}

func TestARequestIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		c := f.chat()
		key := Once{Scope: "ana", Key: "k1", Request: "h1"}
		say := func(o Once) ([]store.Node, error) {
			return f.Append(WithOnce(f.ctx, o), f.world, c, Append{Messages: []Message{{Content: "Hello."}}})
		}
		first := must(say(key))(t)
		_, err := say(key)
		var repeated *Repeated
		if !errors.As(err, &repeated) {
			t.Fatalf("asked again: %v", err)
		}
		var nodes []store.Node
		f.ok(json.Unmarshal(repeated.Response.Body, &nodes))
		if len(nodes) != 1 || nodes[0].ID != first[0].ID {
			t.Errorf("the answer: %s", repeated.Response.Body)
		}
		key.Request = "h2"
		_, err = say(key)
		f.fails(err, store.Conflict)
		if got := f.contents(c); len(got) != 1 {
			t.Errorf("messages: %q", got)
		}
		must(f.Answered(f.ctx, Once{Scope: "ana", Key: "k1", Request: "h1"}))(t)
		// A request that failed may be tried again.
		bad := Once{Scope: "ana", Key: "k2", Request: "h"}
		f.fails(f.Delete(WithOnce(f.ctx, bad), f.world, "nothing"), store.NotFound)
		f.ok(f.Delete(WithOnce(f.ctx, bad), f.world, first[0].ID))
	})
}

func TestEventsTellOfEverything(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		after := must(f.World(f.ctx, f.world))(t).Event
		_, n := f.turn(c, user("Who?"), "Ilka.")
		f.apply(remember(c, n.ID, "Ilka", "Ilka."))
		must(f.Edit(f.ctx, f.world, n.ID, Edit{Content: "Ilka!"}))(t)
		f.ok(f.Hide(f.ctx, f.world, true, n.ID))
		f.ok(f.Delete(f.ctx, f.world, n.ID))
		list, _, err := f.Events(f.ctx, f.world, after, 100)
		f.ok(err)
		var kinds []string
		for i, e := range list {
			kinds = append(kinds, e.Kind)
			if e.ID != after+int64(i)+1 {
				t.Errorf("event %d has the id %d", i, e.ID)
			}
			if strings.Contains(string(e.Payload), "Ilka") && e.Kind != EventOperation {
				t.Errorf("a text in an event: %s", e.Payload)
			}
		}
		want := []string{
			EventNodeCreated, EventHeadMoved, EventTurnBegun, EventNodeCreated, EventHeadMoved, EventTurnFinished,
			EventOperation, EventNodeEdited, EventNodeHidden, EventNodeDeleted, EventHeadMoved,
		}
		if d := cmp.Diff(want, kinds); d != "" {
			t.Error(d)
		}
	})
}

// watcher notes what it is told.
type watcher struct{ moves []HeadMove }

func (w *watcher) HeadMoved(_ *store.Tx, m HeadMove) error {
	w.moves = append(w.moves, m)
	return nil
}

func TestWatchersAreTold(t *testing.T) {
	t.Parallel()
	w := &watcher{}
	f := newFixture(t, filepath.Join(t.TempDir(), "weft.db"), Options{Watchers: []Watcher{w}})
	c := f.chat()
	_, a := f.turn(c, user("Who?"), "Ilka.")
	q := a.Parent
	_, b := f.turn(c, TurnRequest{Assemble: Assemble{Kind: lore.KindSwipe}}, "Brann.")
	must(f.Edit(f.ctx, f.world, b.ID, Edit{Content: "Brann!"}))(t) // nothing left
	f.ok(f.Delete(f.ctx, f.world, q))
	want := []HeadMove{
		{World: f.world, Conversation: c, New: q, Entered: []string{q}},
		{World: f.world, Conversation: c, Old: q, New: a.ID, Entered: []string{a.ID}, Reply: a.ID},
		{World: f.world, Conversation: c, Old: a.ID, New: b.ID, Left: []string{a.ID}, Entered: []string{b.ID}, Reply: b.ID},
		{World: f.world, Conversation: c, Old: b.ID, New: b.ID, Left: []string{q}},
	}
	for i := range w.moves {
		if len(w.moves[i].Left) == 0 {
			w.moves[i].Left = nil
		}
		if len(w.moves[i].Entered) == 0 {
			w.moves[i].Entered = nil
		}
	}
	if d := cmp.Diff(want, w.moves); d != "" {
		t.Error(d)
	}
}

const tavern = `{"user_name":"Mara","character_name":"Ilka","create_date":"2026-3-1","chat_metadata":{"note_prompt":"","odd":1}}
{"name":"Ilka","is_user":false,"mes":"Well met.","send_date":"x","swipes":["You again.","Well met."],"swipe_id":1,"extra":{"api":"z"}}
{"name":"Mara","is_user":true,"mes":"  To the mill. \u00e9","send_date":"y","extra":{}}
{"name":"Ilka","is_user":false,"mes":"Follow me.","send_date":"z","swipes":["Follow me.","No.","Later."],"swipe_id":0,"swipe_info":[{"a":1},{"b":2},{}]}
`

// A file of Weft's own is read wherever files are.
func TestImportOfAnOwnBook(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		text := must(lore.MarshalBook(&lore.Book{ID: "almanac", Policy: lore.PolicyWeaver(), Entries: []*lore.Entry{lore.NewEntry("tide", "High at noon.")}}))(t)
		for _, name := range []string{"", "weft"} {
			in := must(f.Import(f.ctx, f.world, format.Bytes("almanac.json", text), Import{Format: name, Replace: true}))(t)
			if len(in.Books) != 1 || in.Books[0].ID != "almanac" || in.Report.From != "weft" {
				t.Errorf("imported as %q: %+v", name, in)
			}
		}
	})
}

func TestImportAndExportOfAChat(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		in := must(f.Import(f.ctx, f.world, format.Bytes("chat.jsonl", []byte(tavern)), Import{External: "file"}))(t)
		if len(in.Conversations) != 1 {
			t.Fatalf("imported %+v", in)
		}
		c := in.Conversations[0].ID
		if d := cmp.Diff([]string{"Well met.", "  To the mill. é", "Follow me."}, f.contents(c)); d != "" {
			t.Error(d)
		}
		path := must(f.Path(f.ctx, f.world, c, PathOptions{}))(t)
		if len(path[0].Swipes) != 2 || path[0].At != 1 || len(path[2].Swipes) != 3 || path[2].At != 0 {
			t.Errorf("swipes: %v", path)
		}
		out, _, err := f.ExportConversation(f.ctx, f.world, c, in.Report.From)
		f.ok(err)
		if d := cmp.Diff(tavern, string(out.Bytes())); d != "" {
			t.Errorf("(-file +export)\n%s", d)
		}
		// With changes: another swipe, an edit, a new turn.
		_, err = f.SwitchSwipe(f.ctx, f.world, path[2].Swipes[1])
		f.ok(err)
		must(f.Edit(f.ctx, f.world, path[1].ID, Edit{Content: "To the ford."}))(t)
		f.turn(c, user("Why?"), "Because.")
		out, _, err = f.ExportConversation(f.ctx, f.world, c, in.Report.From)
		f.ok(err)
		text := string(out.Bytes())
		if !has(text, `"odd":1`, `"mes":"No."`, `"swipe_id":1`, `"To the ford."`, `"Because."`, `"api":"z"`) || has(text, "To the mill") {
			t.Errorf("exported:\n%s", text)
		}
		again := must(f.Import(f.ctx, f.world, format.Bytes("chat.jsonl", out.Bytes()), Import{}))(t)
		if d := cmp.Diff(f.contents(c), f.contents(again.Conversations[0].ID)); d != "" {
			t.Error(d)
		}
		_, err = f.Import(f.ctx, f.world, format.Bytes("x.bin", []byte("\x00\x01")), Import{})
		f.fails(err, Unreadable)
	})
}

func TestExportOfAConversationMadeHere(t *testing.T) {
	t.Parallel()
	f := newFixture(t, filepath.Join(t.TempDir(), "weft.db"), Options{})
	c := f.chat()
	f.turn(c, user("One."), "1")
	f.turn(c, TurnRequest{Assemble: Assemble{Kind: lore.KindSwipe}}, "2")
	for _, info := range f.Formats() {
		if !info.Chats || info.ReadOnly || info.Books || info.Characters || strings.HasSuffix(info.Name, "-log") {
			continue // a log of plain text has no roles: names have to say who speaks
		}
		out, _, err := f.ExportConversation(f.ctx, f.world, c, info.Name)
		if err != nil {
			t.Errorf("%s: %v", info.Name, err)
			continue
		}
		in, err := f.Import(f.ctx, f.world, format.Bytes("back"+info.Extensions[0], out.Bytes()), Import{Format: info.Name})
		if err != nil {
			t.Errorf("%s: %v", info.Name, err)
			continue
		}
		if d := cmp.Diff([]string{"One.", "2"}, f.contents(in.Conversations[0].ID)); d != "" {
			t.Errorf("%s: %s", info.Name, d)
		}
	}
	_, _, err := f.ExportConversation(f.ctx, f.world, c, "nothing")
	f.fails(err, store.Invalid)
}

func TestAFolderIsFollowed(t *testing.T) {
	t.Parallel()
	f := newFixture(t, filepath.Join(t.TempDir(), "weft.db"), Options{})
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		f.ok(os.MkdirAll(filepath.Dir(path), 0o755))
		f.ok(os.WriteFile(path, []byte(text), 0o600))
	}
	sync := func() SyncReport {
		t.Helper()
		return must(f.SyncDir(f.ctx, f.world, dir))(t)
	}
	c := f.chat()
	write("vale/lorebook.yaml", "id: vale\n")
	write("vale/mill.weaver", "---\nid: mill\nkeywords: [mill]\n---\nThe mill burned.\n")
	write("vale/ford.weaver", "---\nid: ford\nkeywords: [ford]\n---\nThe ford is low.\n")
	coast := &lore.Book{ID: "coast", Policy: lore.PolicyWeaver(), Entries: []*lore.Entry{lore.NewEntry("pier", "The pier rots.")}}
	write("coast.json", string(must(lore.MarshalBook(coast))(t)))
	write("notes.txt", "not a book")
	if r := sync(); len(r.Saved) != 2 {
		t.Fatalf("saved %v, findings %v", r.Saved, r.Findings)
	}
	if r := sync(); len(r.Saved) != 0 || len(r.Unchanged) != 2 {
		t.Errorf("again: %+v", r)
	}
	write("vale/mill.weaver", "---\nid: mill\nkeywords: [mill]\n---\nThe mill was rebuilt.\n")
	sync()
	if got := f.text(c, "vale", "mill"); !has(got, "rebuilt") {
		t.Errorf("the next turn sees %q", got)
	}
	write("vale/mill.weaver", "---\nid: mill\nkeywords: [mill\n---\nThe mill is\n")
	write("coast.json", `{"entries": [`)
	r := sync()
	slices.Sort(r.Kept)
	if d := cmp.Diff([]string{"coast", "vale"}, r.Kept); d != "" || len(r.Findings) == 0 {
		t.Errorf("kept %v, findings %v", r.Kept, r.Findings)
	}
	if got := f.text(c, "vale", "mill"); !has(got, "rebuilt") {
		t.Errorf("a broken file cost its last good version: %q", got)
	}
	if f.text(c, "coast", "pier") == "" {
		t.Error("a broken book cost its last good version")
	}
	write("coast.json", `{"entries": [{"id": "quay", "content": "New."}, {"id": "pier", "priority": "high"}]}`)
	if r := sync(); !slices.Contains(r.Kept, "coast") || f.text(c, "coast", "pier") == "" {
		t.Errorf("an entry that cannot be read was lost: kept %v", r.Kept)
	}
	f.ok(os.Remove(filepath.Join(dir, "coast.json")))
	write("vale/mill.weaver", "---\nid: mill\nkeywords: [mill]\n---\nThe mill hums.\n")
	if r := sync(); len(r.Deleted) != 1 || r.Deleted[0] != "coast" {
		t.Errorf("deleted %v", r.Deleted)
	}
	if got := f.text(c, "vale", "mill"); !has(got, "hums") {
		t.Errorf("mended: %q", got)
	}
	_, err := f.SyncDir(f.ctx, f.world, filepath.Join(dir, "none"))
	f.fails(err, Unreadable)
}

func TestErasure(t *testing.T) {
	t.Parallel()
	f := newFixture(t, filepath.Join(t.TempDir(), "weft.db"), Options{})
	f.book()
	other := f.chat()
	const canary = "xyzzy-canary"
	in := must(f.Import(f.ctx, f.world, format.Bytes("chat.jsonl", []byte(strings.ReplaceAll(tavern, "Follow", canary))), Import{Settings: Settings{Note: canary}}))(t)
	c := in.Conversations[0].ID
	_, n := f.turn(c, user(canary), canary)
	op := remember(c, n.ID, "fire", canary)
	op.Layer = memory.LayerWorld
	f.apply(op, addTo(c, n.ID, "vale", "mill", canary))
	f.say(c, "One.", "Two.")
	must(f.Append(WithOnce(f.ctx, Once{Key: "k", Request: "r"}), f.world, c, Append{Messages: []Message{{Content: canary}}}))(t)
	must(f.BeginTurn(f.ctx, f.world, c, user(canary)))(t)
	if f.text(other, "~world", "fire") == "" {
		t.Fatal("the world does not know")
	}
	f.ok(f.EraseConversation(f.ctx, f.world, c))
	if f.text(other, "~world", "fire") != "" {
		t.Error("the world remembers what was erased")
	}
	_, err := f.Conversation(f.ctx, f.world, c)
	f.fails(err, store.NotFound)
	files, err := filepath.Glob(f.url + "*")
	f.ok(err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		f.ok(err)
		if strings.Contains(string(data), canary) {
			t.Errorf("%s holds what was erased", filepath.Base(file))
		}
	}
	f.ok(f.EraseWorld(f.ctx, f.world))
	_, err = f.World(f.ctx, f.world)
	f.fails(err, store.NotFound)
}

// Two services on one database never answer from what the other has changed.
func TestTwoServicesOnOneDatabase(t *testing.T) {
	t.Parallel()
	f := newFixture(t, postgres(t), Options{})
	f.book()
	db, err := store.Open(f.ctx, f.url, store.Options{})
	f.ok(err)
	defer db.Close()
	second := must(Open(db, Options{}))(t)
	c := f.chat()
	for i := range 30 {
		a, b := f.Service, second
		if i%2 == 1 {
			a, b = b, a
		}
		turn := must(a.BeginTurn(f.ctx, f.world, c, user(fmt.Sprintf("Question %d about the mill?", i))))(t)
		n := must(b.FinishTurn(f.ctx, f.world, turn.ID, Reply{Content: "Answer."}))(t)
		op := remember(c, n.ID, fmt.Sprintf("fact-%d", i), "True.")
		must(a.Apply(f.ctx, f.world, op))(t)
		if i%5 == 4 {
			must(a.PatchBookEntry(f.ctx, f.world, "vale", "mill", fmt.Appendf(nil, `{"content": "Mill %d."}`, i), SaveBook{}))(t)
			f.ok(a.Delete(f.ctx, f.world, n.ID))
		}
		x := must(a.Assemble(f.ctx, f.world, c, "", Assemble{}))(t)
		y := must(b.Assemble(f.ctx, f.world, c, "", Assemble{}))(t)
		if d := cmp.Diff(bytesOf(t, &x), bytesOf(t, &y)); d != "" {
			t.Fatalf("round %d: (-a +b)\n%s", i, d)
		}
		if x.View.Fingerprint() != y.View.Fingerprint() {
			t.Fatalf("round %d: the views differ", i)
		}
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	f := newFixture(t, filepath.Join(t.TempDir(), "weft.db"), Options{})
	for _, tt := range []struct {
		patch string
		ok    bool
	}{
		{`{"user": "Mara", "budget": "800", "later": {"x": 1}}`, true},
		{`{"budget": "lots"}`, false},
		{`{"budget": "101%"}`, false},
		{`{"context": -1}`, false},
		{`{"slots": ["no slot!"]}`, false},
		{`{"user": 3}`, false},
		{`[]`, false},
		{`{"user": `, false},
		{`{"budget": null}`, true},
	} {
		_, err := f.UpdateWorld(f.ctx, f.world, WorldPatch{Settings: json.RawMessage(tt.patch)}, 0)
		if (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.patch, err)
		}
		if err != nil && KindOf(err) != store.Invalid {
			t.Errorf("%s: kind %q", tt.patch, KindOf(err))
		}
	}
	w := must(f.World(f.ctx, f.world))(t)
	if !has(string(w.Settings), `"later":{"x":1}`, `"Mara"`) || has(string(w.Settings), "budget") {
		t.Errorf("settings: %s", w.Settings)
	}
	stale := w.Version - 1
	_, err := f.UpdateWorld(f.ctx, f.world, WorldPatch{}, store.If(stale))
	f.fails(err, store.Conflict)
}

func TestACancelledContextEndsARequest(t *testing.T) {
	t.Parallel()
	f := newFixture(t, filepath.Join(t.TempDir(), "weft.db"), Options{})
	c := f.chat()
	ctx, cancel := context.WithCancel(f.ctx)
	cancel()
	if _, err := f.Assemble(ctx, f.world, c, "", Assemble{}); err == nil {
		t.Error("a request whose context ended was answered")
	}
}
