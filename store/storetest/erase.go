package storetest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/weaver"
)

// fill puts a word into every place that holds something of a conversation.
func (f *fixture) fill(word string) store.Conversation {
	f.t.Helper()
	var c store.Conversation
	f.write(func(tx *store.Tx) (err error) {
		settings := json.RawMessage(fmt.Sprintf("{%q:1}", word))
		if c, err = tx.CreateConversation(store.Conversation{World: f.world, Title: word, Settings: settings, External: word + "-c"}); err != nil {
			return err
		}
		n, err := tx.AppendNode(store.Node{
			Conversation: c.ID, Role: lore.RoleAssistant, Name: word, Content: word + " said", External: word + "-m", Ext: settings,
		})
		if err != nil {
			return err
		}
		if n, err = tx.AppendNode(store.Node{Conversation: c.ID, Parent: n.ID, Role: lore.RoleAssistant, Content: strings.Repeat(word+" ", 2000)}); err != nil {
			return err
		}
		edit, err := tx.EditNode(n.ID, store.Node{Content: word + " edited"}, true)
		if err != nil {
			return err
		}
		if err := tx.MarkNodes(store.Mark{Deleted: ptr(true)}, edit.ID); err != nil {
			return err
		}
		if err := tx.PutState(n.ID, engine.State{}.With("state", "v", weaver.String(word))); err != nil {
			return err
		}
		if err := tx.PutRecord(store.AssemblyRecord{Node: n.ID, Options: settings}); err != nil {
			return err
		}
		ops, _, err := tx.AppendOperations(f.remember(memory.LayerStory, n, "gate", word), f.remember(memory.LayerWorld, n, "gate", word))
		if err != nil {
			return err
		}
		if _, err := tx.Retract(ops[1].ID); err != nil {
			return err
		}
		if err := tx.SetCategories(f.world, c.ID, []store.Category{{ID: "a", Name: word, Summary: word, Entries: []string{word}}}); err != nil {
			return err
		}
		if err := tx.PutHeadView(store.HeadView{Conversation: c.ID, Body: []byte(word)}); err != nil {
			return err
		}
		if _, err := tx.AppendEvent(store.Event{World: f.world, Conversation: c.ID, Kind: "x", Payload: settings}); err != nil {
			return err
		}
		if err := tx.PutResponse(store.Response{Scope: "u", Key: word, World: f.world, Conversation: c.ID, Body: []byte(word)}); err != nil {
			return err
		}
		if err := tx.SetSetting("conversation:"+c.ID, word, settings); err != nil {
			return err
		}
		_, _, err = tx.AddWork(store.Work{World: f.world, Conversation: c.ID, Node: n.ID, Kind: "write", Key: word, Payload: settings}, 0, false)
		if err != nil {
			return err
		}
		_, err = tx.AddActivity(store.Activity{World: f.world, Conversation: c.ID, Node: n.ID, Type: "search", Phase: "pre-gen", Reason: word, Detail: settings})
		if err != nil {
			return err
		}
		if err := tx.SetBinding(f.world, lore.Binding{Scope: lore.ScopeChat, Name: c.ID, Books: []string{word}}); err != nil {
			return err
		}
		return tx.SetHead(c.ID, n.ID)
	})
	return c
}

// rowsWith returns the tables with a row in which the word stands, packed
// texts unpacked.
func (f *fixture) rowsWith(word string) (tables []string) {
	f.t.Helper()
	var dump bytes.Buffer
	if err := f.Backup(f.ctx, &dump); err != nil {
		f.t.Fatal(err)
	}
	zip, err := gzip.NewReader(&dump)
	if err != nil {
		f.t.Fatal(err)
	}
	text, err := io.ReadAll(zip)
	if err != nil {
		f.t.Fatal(err)
	}
	table := ""
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, `{"table"`) {
			table, _, _ = strings.Cut(strings.TrimPrefix(line, `{"table":"`), `"`)
			continue
		}
		var row []any
		if json.Unmarshal([]byte(line), &row) != nil {
			continue
		}
		for _, v := range row {
			if holds(v, word) && (len(tables) == 0 || tables[len(tables)-1] != table) {
				tables = append(tables, table)
			}
		}
	}
	return tables
}

// files returns the content of all files of a SQLite database.
func (f *fixture) files() (all []byte) {
	for _, end := range []string{"", "-wal", "-shm", ".lock", "-journal"} {
		text, err := os.ReadFile(f.Path() + end)
		if err == nil {
			all = append(all, text...)
		}
	}
	return all
}

func testErasure(t *testing.T, b Backend) {
	f := setup(t, b)
	const canary, kept = "quizzicalcanary", "keptword"
	f.fill(kept)
	c := f.fill(canary)
	wide := f.rowsWith(canary)
	for _, table := range []string{
		"conversations", "nodes", "node_states", "records", "operations", "categories", "category_entries", "head_views", "events", "responses", "settings", "bindings", "work", "activity",
	} {
		if !strings.Contains(strings.Join(wide, " ")+" ", table+" ") {
			t.Errorf("the test puts nothing into %s (only into %v)", table, wide)
		}
	}
	if !f.Postgres() && !bytes.Contains(f.files(), []byte(canary)) {
		t.Error("the files do not hold the word: the test would prove nothing")
	}
	f.write(func(tx *store.Tx) error { return tx.EraseConversation(c.ID) })
	if err := f.Purge(f.ctx); err != nil {
		t.Fatal(err)
	}
	if left := f.rowsWith(canary); len(left) > 0 {
		t.Errorf("the word is left in %v", left)
	}
	if !f.Postgres() && bytes.Contains(f.files(), []byte(canary)) {
		t.Error("the word is left in the files")
	}
	// Of the other conversation all is left but the view, which may have rested
	// on operations that are gone.
	if got := f.rowsWith(kept); len(got) != len(wide)-1 {
		t.Errorf("the other conversation has rows in %v, want %v without head_views", got, wide)
	}
	if problems, err := f.Check(f.ctx, true); len(problems) > 0 || err != nil {
		t.Errorf("check: %v (%v)", problems, err)
	}

	f.write(func(tx *store.Tx) error {
		if err := tx.SetSetting("world:"+f.world, kept, json.RawMessage("1")); err != nil {
			return err
		}
		if _, err := tx.SaveBook(f.world, book("ford", kept), store.SaveBook{}); err != nil {
			return err
		}
		if _, err := tx.SaveAuthor(store.Author{World: f.world, Name: kept}); err != nil {
			return err
		}
		if _, _, err := tx.AddWork(store.Work{World: f.world, Kind: "write", Payload: json.RawMessage(`"` + kept + `"`)}, 0, false); err != nil {
			return err
		}
		_, err := tx.SaveCharacter(store.Character{World: f.world, Name: kept}, 0)
		return err
	})
	f.update(func(tx *store.Tx) error { return tx.EraseWorld(f.world) })
	if err := f.Purge(f.ctx); err != nil {
		t.Fatal(err)
	}
	if left := f.rowsWith(kept); len(left) > 0 {
		t.Errorf("of the world, something is left in %v", left)
	}
	if left := f.rowsWith(f.world); len(left) > 0 {
		t.Errorf("of the world's id, something is left in %v", left)
	}
	if !f.Postgres() && bytes.Contains(f.files(), []byte(kept)) {
		t.Error("the world is left in the files")
	}
}

func testEraseMessage(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.conversation()
	n := f.chain(c, "", 4)
	const canary = "quizzicalcanary"
	var secret store.Node
	f.write(func(tx *store.Tx) (err error) {
		if secret, err = tx.AppendNode(store.Node{Conversation: c.ID, Parent: n[3].ID, Name: canary, Content: canary, External: canary}); err != nil {
			return err
		}
		if _, err := tx.EditNode(secret.ID, store.Node{Content: canary + "!"}, true); err != nil {
			return err
		}
		if _, _, err := tx.AddWork(store.Work{World: f.world, Conversation: c.ID, Node: secret.ID, Kind: "write", Payload: json.RawMessage(`"` + canary + `"`)}, 0, false); err != nil {
			return err
		}
		_, err = tx.AddActivity(store.Activity{World: f.world, Conversation: c.ID, Node: secret.ID, Type: "search", Phase: "pre-gen", Reason: canary})
		if err != nil {
			return err
		}
		_, _, err = tx.AppendOperations(f.remember(memory.LayerStory, secret, "gate", canary))
		return err
	})
	after := f.chain(c, secret.ID, 2)
	f.write(func(tx *store.Tx) error { return tx.EraseMessage(secret.ID) })
	if left := f.rowsWith(canary); len(left) > 0 {
		t.Errorf("the word is left in %v", left)
	}
	if d := cmp.Diff(append(ids(n), ids(after)...), ids(f.path(after[1].ID, store.PathOptions{}))); d != "" {
		t.Errorf("the path (-want +got):\n%s", d)
	}
	if problems, err := f.Check(f.ctx, true); len(problems) > 0 || err != nil {
		t.Errorf("check: %v (%v)", problems, err)
	}
	f.view(func(tx *store.Tx) error {
		w, err := tx.World(f.world)
		if want := int64(6 * len("line 0")); w.Usage.Bytes != want {
			t.Errorf("%d bytes are counted, want %d", w.Usage.Bytes, want)
		}
		return err
	})
}

func testPrune(t *testing.T, b Backend) {
	f := setup(t, b)
	c, doomed, restored := f.conversation(), f.conversation(), f.conversation()
	n := f.chain(c, "", 3)
	f.write(func(tx *store.Tx) error {
		for range 5 {
			if _, err := tx.AppendEvent(store.Event{World: f.world, Kind: "old"}); err != nil {
				return err
			}
		}
		if err := tx.PutResponse(store.Response{Scope: "u", Key: "old", World: f.world}); err != nil {
			return err
		}
		for _, id := range []string{"old", "open"} {
			if _, _, err := tx.AddWork(store.Work{ID: id, World: f.world, Kind: "write"}, 0, false); err != nil {
				return err
			}
		}
		if _, err := tx.CancelWork("old"); err != nil {
			return err
		}
		if err := tx.DeleteConversation(doomed.ID, 0); err != nil {
			return err
		}
		if err := tx.DeleteConversation(restored.ID, 0); err != nil {
			return err
		}
		if err := tx.RestoreConversation(restored.ID); err != nil {
			return err
		}
		return tx.MarkNodes(store.Mark{Deleted: ptr(true)}, n[1].ID)
	})
	prune := func(r store.Retention, want store.Pruned) {
		t.Helper()
		got, err := f.Prune(f.ctx, r)
		if got != want || err != nil {
			t.Errorf("pruned %+v (%v), want %+v", got, err, want)
		}
	}
	prune(store.Retention{}, store.Pruned{})
	f.clock.move(25 * time.Hour)
	f.write(func(tx *store.Tx) error {
		_, err := tx.AppendEvent(store.Event{World: f.world, Kind: "new"})
		return err
	})
	prune(store.Retention{Events: -1, Responses: -1, Deleted: -1, Work: -1}, store.Pruned{})
	prune(store.Retention{}, store.Pruned{Responses: 1})
	prune(store.Retention{Events: time.Hour}, store.Pruned{Events: 8})
	f.clock.move(31 * 24 * time.Hour)
	prune(store.Retention{}, store.Pruned{Work: 1, Conversations: 1, Messages: 1})
	prune(store.Retention{}, store.Pruned{})
	f.view(func(tx *store.Tx) error {
		first, err := tx.FirstEvent(f.world)
		if first != 9 {
			t.Errorf("the first event is %d, want 9: the newest one stays", first)
		}
		if _, err := tx.Conversation(doomed.ID); store.KindOf(err) != store.NotFound {
			t.Errorf("a conversation deleted long ago: %v", err)
		}
		if got, err := tx.Node(n[1].ID); got.Content != "" || !got.Deleted || err != nil {
			t.Errorf("a message deleted long ago: %+v (%v)", got, err)
		}
		_, err2 := tx.Conversation(restored.ID)
		if err2 != nil {
			t.Errorf("a conversation that was brought back: %v", err2)
		}
		return err
	})
	if got := f.path(n[2].ID, store.PathOptions{}); len(got) != 2 {
		t.Errorf("the path has %d messages, want 2", len(got))
	}
}
