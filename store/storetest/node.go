package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

func testNodes(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.conversation()
	var author store.Author
	var greeting, user, reply, swipe store.Node
	f.write(func(tx *store.Tx) (err error) {
		if author, err = tx.SaveAuthor(store.Author{World: f.world, Name: "Jo"}); err != nil {
			return err
		}
		if greeting, err = tx.AppendNode(store.Node{Conversation: c.ID, Role: lore.RoleAssistant, Kind: store.NodeGreeting, Name: "Ilse", Content: "Cold day."}); err != nil {
			return err
		}
		if user, err = tx.AppendNode(store.Node{Conversation: c.ID, Parent: greeting.ID, Name: "Jo", Author: author.ID, External: "m1", Content: "It is.", Ext: json.RawMessage(`{"k":[1]}`)}); err != nil {
			return err
		}
		reply, err = tx.AppendNode(store.Node{Conversation: c.ID, Parent: user.ID, Role: lore.RoleAssistant, Content: "A"})
		return err
	})
	f.write(func(tx *store.Tx) (err error) {
		swipe, err = tx.AppendNode(store.Node{Conversation: c.ID, Parent: user.ID, Role: lore.RoleAssistant, Content: "B", Hidden: true})
		return err
	})
	if user.Role != lore.RoleUser || user.Kind != store.NodeMessage || user.Depth != 1 || reply.Kind != store.NodeMessage {
		t.Errorf("defaults: %+v, %+v", user, reply)
	}
	if swipe.Kind != store.NodeSwipe || swipe.Swipe != 1 || !swipe.Hidden {
		t.Errorf("a second reply: %+v", swipe)
	}
	f.view(func(tx *store.Tx) error {
		for _, want := range []store.Node{greeting, user, reply, swipe} {
			got, err := tx.Node(want.ID)
			if err != nil {
				return err
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("read back (-written +read):\n%s", d)
			}
		}
		got, err := tx.NodeByExternal(f.world, "m1")
		if err != nil || got.ID != user.ID {
			t.Errorf("by external id: %q (%v)", got.ID, err)
		}
		siblings, err := tx.Siblings(swipe.ID)
		if d := cmp.Diff([]store.Node{reply, swipe}, siblings); d != "" || err != nil {
			t.Errorf("siblings (-want +got), %v:\n%s", err, d)
		}
		children, err := tx.Children(c.ID, user.ID)
		if len(children) != 2 || err != nil {
			t.Errorf("%d children (%v)", len(children), err)
		}
		roots, err := tx.Children(c.ID, "")
		if len(roots) != 1 || err != nil {
			t.Errorf("%d roots (%v)", len(roots), err)
		}
		tree, err := tx.Tree(c.ID)
		if err != nil {
			return err
		}
		if d := cmp.Diff([]string{greeting.ID, user.ID, reply.ID, swipe.ID}, ids(tree)); d != "" {
			t.Errorf("the tree (-want +got):\n%s", d)
		}
		if tree[1].Parent != greeting.ID || tree[1].Content != "" {
			t.Errorf("a node of the tree: %+v", tree[1])
		}
		return nil
	})
}

func testNodesRefused(t *testing.T, b Backend) {
	f := setup(t, b)
	c, other := f.conversation(), f.conversation()
	a := f.chain(c, "", 2)
	f.chain(other, "", 1)
	f.write(func(tx *store.Tx) error {
		_, err := tx.AppendNode(store.Node{Conversation: c.ID, External: "m1"})
		return err
	})
	for name, x := range map[string]struct {
		kind store.Kind
		node store.Node
	}{
		"an unknown conversation":          {store.NotFound, store.Node{Conversation: "none"}},
		"an unknown parent":                {store.NotFound, store.Node{Conversation: c.ID, Parent: "none"}},
		"a parent in another conversation": {store.Invalid, store.Node{Conversation: other.ID, Parent: a[0].ID}},
		"itself as parent":                 {store.NotFound, store.Node{Conversation: c.ID, ID: "self", Parent: "self"}},
		"an id twice":                      {store.Exists, store.Node{Conversation: c.ID, ID: a[0].ID}},
		"an external id twice":             {store.Exists, store.Node{Conversation: other.ID, External: "m1"}},
		"an unknown author":                {store.NotFound, store.Node{Conversation: c.ID, Author: "none"}},
		"an edit elsewhere":                {store.Invalid, store.Node{Conversation: c.ID, EditOf: a[1].ID}},
		"ext that is no JSON":              {store.Invalid, store.Node{Conversation: c.ID, Ext: json.RawMessage("{")}},
		"a name with a zero byte":          {store.Invalid, store.Node{Conversation: c.ID, Name: "a\x00b"}},
		"a name that is not UTF-8":         {store.Invalid, store.Node{Conversation: c.ID, Name: "a\xff"}},
	} {
		f.refused(x.kind, name, func(tx *store.Tx) error {
			_, err := tx.AppendNode(x.node)
			return err
		})
	}
	f.view(func(tx *store.Tx) error {
		tree, err := tx.Tree(c.ID)
		if len(tree) != 3 {
			t.Errorf("%d nodes, want 3: something refused was written", len(tree))
		}
		return err
	})
}

func testAnyBytes(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.conversation()
	for _, text := range []string{"", "a\x00b", "\xff\xfe", "\r\n \t", "😀 東京 \u2028", longText(300_000)} {
		var n store.Node
		f.write(func(tx *store.Tx) (err error) {
			n, err = tx.AppendNode(store.Node{Conversation: c.ID, Content: text})
			return err
		})
		if got := f.path(n.ID, store.PathOptions{}); len(got) != 1 || got[0].Content != text {
			t.Errorf("%.20q came back changed", text)
		}
	}
}

func testPaths(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.conversation()
	n := f.chain(c, "", 300)
	last := n[len(n)-1].ID
	all := f.path(last, store.PathOptions{})
	if d := cmp.Diff(n, all); d != "" {
		t.Fatalf("the path (-want +got):\n%s", d)
	}
	for _, k := range []int{1, 2, 63, 299, 300, 301} {
		want := n[max(0, len(n)-k):]
		if d := cmp.Diff(ids(want), ids(f.path(last, store.PathOptions{Last: k}))); d != "" {
			t.Errorf("the last %d (-want +got):\n%s", k, d)
		}
	}
	if got := f.path("", store.PathOptions{}); len(got) != 0 {
		t.Errorf("the path to nowhere has %d nodes", len(got))
	}

	var before int64
	f.view(func(tx *store.Tx) (err error) {
		before, err = tx.Seq(f.world)
		return err
	})
	f.write(func(tx *store.Tx) error {
		if err := tx.MarkNodes(store.Mark{Deleted: ptr(true)}, n[10].ID, n[298].ID); err != nil {
			return err
		}
		return tx.MarkNodes(store.Mark{Hidden: ptr(true)}, n[5].ID, n[5].ID)
	})
	without := slices.Concat(n[:10], n[11:298], n[299:])
	got := f.path(last, store.PathOptions{})
	if d := cmp.Diff(ids(without), ids(got)); d != "" {
		t.Errorf("without two (-want +got):\n%s", d)
	}
	if !got[5].Hidden || got[4].Hidden {
		t.Error("the wrong message is hidden")
	}
	if d := cmp.Diff(ids(without[len(without)-5:]), ids(f.path(last, store.PathOptions{Last: 5}))); d != "" {
		t.Errorf("the last 5, one deleted (-want +got):\n%s", d)
	}
	if got := f.path(last, store.PathOptions{Deleted: true}); len(got) != 300 || !got[10].Deleted {
		t.Errorf("with deleted ones: %d nodes", len(got))
	}
	if d := cmp.Diff(n, f.path(last, store.PathOptions{AsOf: before})); d != "" {
		t.Errorf("as it was before (-want +got):\n%s", d)
	}
	f.view(func(tx *store.Tx) error {
		after, err := tx.Seq(f.world)
		if after != before+3 {
			t.Errorf("three changes raised the number from %d to %d", before, after)
		}
		return err
	})
	f.write(func(tx *store.Tx) error { return tx.MarkNodes(store.Mark{Deleted: ptr(false)}, n[10].ID) })
	if got := f.path(last, store.PathOptions{}); len(got) != 299 {
		t.Errorf("one brought back: %d nodes, want 299", len(got))
	}
	if got := f.path(last, store.PathOptions{AsOf: before + 3}); len(got) != 298 {
		t.Errorf("as it was between: %d nodes, want 298", len(got))
	}
}

func testEdits(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.conversation()
	n := f.chain(c, "", 4)
	f.write(func(tx *store.Tx) error {
		_, err := tx.AppendNode(store.Node{Conversation: c.ID, External: "m9", Content: "elsewhere"})
		return err
	})
	var before int64
	f.view(func(tx *store.Tx) (err error) {
		before, err = tx.Seq(f.world)
		return err
	})
	var edit, again, fork store.Node
	f.write(func(tx *store.Tx) (err error) {
		edit, err = tx.EditNode(n[1].ID, store.Node{Content: "line one"}, true)
		return err
	})
	if edit.Kind != store.NodeEdit || edit.EditOf != n[1].ID || edit.Parent != n[0].ID || edit.Role != lore.RoleAssistant {
		t.Errorf("an edit: %+v", edit)
	}
	path := f.path(n[3].ID, store.PathOptions{})
	if d := cmp.Diff([]string{"line 0", "line one", "line 2", "line 3"}, contents(path)); d != "" {
		t.Errorf("after an edit in place (-want +got):\n%s", d)
	}
	if path[1].ID != edit.ID || path[1].Depth != 1 || path[2].Parent != edit.ID {
		t.Errorf("the edit on the path: %+v, behind it %+v", path[1], path[2])
	}
	// Who has seen the edit uses its id: it means the message.
	f.write(func(tx *store.Tx) (err error) {
		again, err = tx.EditNode(edit.ID, store.Node{Content: "line 1!"}, true)
		return err
	})
	if again.EditOf != n[1].ID {
		t.Errorf("an edit of an edit is one of %q, want %q", again.EditOf, n[1].ID)
	}
	if got := contents(f.path(n[3].ID, store.PathOptions{})); got[1] != "line 1!" {
		t.Errorf("after a second edit: %v", got)
	}
	var child store.Node
	f.write(func(tx *store.Tx) (err error) {
		if child, err = tx.AppendNode(store.Node{Conversation: c.ID, Parent: again.ID, Content: "another way"}); err != nil {
			return err
		}
		return tx.SetHead(c.ID, again.ID)
	})
	if child.Parent != n[1].ID || child.Swipe != 1 {
		t.Errorf("a child of an edit in place: %+v", child)
	}
	f.view(func(tx *store.Tx) error {
		got, err := tx.Conversation(c.ID)
		if got.Head != n[1].ID {
			t.Errorf("the head is %q, want the message %q", got.Head, n[1].ID)
		}
		return err
	})
	if got := contents(f.path(again.ID, store.PathOptions{})); !slices.Equal(got, []string{"line 0", "line 1!"}) {
		t.Errorf("the path to an edit in place: %v", got)
	}
	f.write(func(tx *store.Tx) (err error) {
		fork, err = tx.EditNode(n[1].ID, store.Node{Content: "a fork"}, false)
		return err
	})
	if got := contents(f.path(fork.ID, store.PathOptions{})); !slices.Equal(got, []string{"line 0", "a fork"}) {
		t.Errorf("the path to a fork: %v", got)
	}
	f.write(func(tx *store.Tx) error { return tx.MarkNodes(store.Mark{Deleted: ptr(true)}, again.ID) })
	if got := contents(f.path(n[3].ID, store.PathOptions{})); !slices.Equal(got, []string{"line 0", "line 2", "line 3"}) {
		t.Errorf("after the edited message was deleted: %v", got)
	}
	f.write(func(tx *store.Tx) error {
		return tx.MarkNodes(store.Mark{Deleted: ptr(false), ShownAs: ptr("")}, n[1].ID)
	})
	for asOf, want := range map[int64]string{before: "line 1", before + 1: "line one", before + 2: "line 1!", 0: "line 1"} {
		if got := contents(f.path(n[3].ID, store.PathOptions{AsOf: asOf})); got[1] != want {
			t.Errorf("as of %d: %q, want %q", asOf, got[1], want)
		}
	}
	f.refused(store.Invalid, "to show a message as one that is no edit", func(tx *store.Tx) error {
		return tx.MarkNodes(store.Mark{ShownAs: ptr(n[2].ID)}, n[1].ID)
	})
}

func testMemoryPaths(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.conversation()
	n := f.chain(c, "", 3)
	var typo, anew store.Node
	f.write(func(tx *store.Tx) (err error) {
		typo, err = tx.EditNode(n[1].ID, store.Node{Content: "typo"}, true)
		return err
	})
	path := func() (p memory.Path) {
		f.view(func(tx *store.Tx) (err error) {
			p, err = tx.MemoryPath(n[2].ID, 0)
			return err
		})
		return p
	}
	want := memory.Path{Conversation: c.ID, Steps: []memory.Step{
		{Node: n[0].ID, User: true}, {Node: typo.ID, Keeps: []string{n[1].ID}}, {Node: n[2].ID, User: true},
	}}
	if d := cmp.Diff(want, path()); d != "" {
		t.Errorf("an edit (-want +got):\n%s", d)
	}
	f.write(func(tx *store.Tx) (err error) {
		anew, err = tx.EditNode(n[1].ID, store.Node{Content: "anew", Reread: true}, true)
		return err
	})
	want.Steps[1] = memory.Step{Node: anew.ID}
	if d := cmp.Diff(want, path()); d != "" {
		t.Errorf("an edit that was read anew (-want +got):\n%s", d)
	}
	f.write(func(tx *store.Tx) error { return tx.MarkNodes(store.Mark{Deleted: ptr(true)}, n[1].ID) })
	want.Steps = slices.Delete(want.Steps, 1, 2)
	if d := cmp.Diff(want, path()); d != "" {
		t.Errorf("a deleted message (-want +got):\n%s", d)
	}
}

func testBranches(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.conversation()
	n := f.chain(c, "", 4)
	branch := f.chain(c, n[1].ID, 5)
	deeper := f.chain(c, branch[2].ID, 2)
	f.write(func(tx *store.Tx) error {
		count, err := tx.DeleteBranch(branch[0].ID)
		if count != 7 {
			t.Errorf("%d messages of a branch were deleted, want 7", count)
		}
		return err
	})
	if got := f.path(n[3].ID, store.PathOptions{}); len(got) != 4 {
		t.Errorf("the other branch has %d messages, want 4", len(got))
	}
	if got := f.path(deeper[1].ID, store.PathOptions{}); len(got) != 2 {
		t.Errorf("the deleted branch shows %d messages, want the 2 before it", len(got))
	}
	f.write(func(tx *store.Tx) error {
		count, err := tx.DeleteBranch(branch[0].ID)
		if count != 0 {
			t.Errorf("again: %d were deleted", count)
		}
		return err
	})
}

func testRollback(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.conversation()
	n := f.chain(c, "", 1)
	stop := errors.New("stop")
	called := false
	err := f.UpdateWorld(f.ctx, f.world, func(tx *store.Tx) error {
		tx.OnCommit(func() { called = true })
		for i := range 3 {
			if _, err := tx.AppendNode(store.Node{Conversation: c.ID, Parent: n[0].ID, Content: fmt.Sprint(i)}); err != nil {
				return err
			}
		}
		if _, err := tx.AppendEvent(store.Event{World: f.world, Kind: "x"}); err != nil {
			return err
		}
		return stop
	})
	if !errors.Is(err, stop) || called {
		t.Errorf("got %v (OnCommit ran: %v), want the function's error and no OnCommit", err, called)
	}
	f.view(func(tx *store.Tx) error {
		tree, err := tx.Tree(c.ID)
		if len(tree) != 1 {
			t.Errorf("%d nodes, want 1", len(tree))
		}
		w, err2 := tx.World(f.world)
		if w.Event != 0 || w.Usage.Messages != 1 || err2 != nil {
			t.Errorf("the world: %+v (%v)", w, err2)
		}
		return err
	})
	f.write(func(tx *store.Tx) error {
		tx.OnCommit(func() { called = true })
		return nil
	})
	if !called {
		t.Error("OnCommit did not run")
	}
}

// What a View reads is of one moment.
func testSnapshots(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.conversation()
	n := f.chain(c, "", 1)
	f.view(func(tx *store.Tx) error {
		before, err := tx.Revision(f.world)
		if err != nil {
			return err
		}
		f.chain(c, n[0].ID, 3) // while the view is open
		tree, err := tx.Tree(c.ID)
		if err != nil {
			return err
		}
		after, err := tx.Revision(f.world)
		if len(tree) != 1 || after != before {
			t.Errorf("a view saw %d nodes and the revisions %d and %d", len(tree), before, after)
		}
		return err
	})
	f.view(func(tx *store.Tx) error {
		tree, err := tx.Tree(c.ID)
		if len(tree) != 4 {
			t.Errorf("the next view sees %d nodes, want 4", len(tree))
		}
		return err
	})
}

// After an error of the database nothing of the transaction is kept, also if
// the function swallows the error: PostgreSQL could not go on, so SQLite does
// not either.
func testRefusedStatement(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.conversation()
	err := f.UpdateWorld(f.ctx, f.world, func(tx *store.Tx) error {
		if _, err := tx.AppendNode(store.Node{Conversation: c.ID}); err != nil {
			return err
		}
		// A view of a conversation that is not there breaks a foreign key.
		if err := tx.PutHeadView(store.HeadView{Conversation: "none"}); err == nil {
			t.Error("a row without its parent was taken")
		}
		_, _ = tx.AppendNode(store.Node{Conversation: c.ID})
		return nil
	})
	if store.KindOf(err) != store.Invalid {
		t.Errorf("got %v, want the error that was swallowed", err)
	}
	f.view(func(tx *store.Tx) error {
		tree, err := tx.Tree(c.ID)
		if len(tree) != 0 {
			t.Errorf("%d nodes were kept", len(tree))
		}
		return err
	})
}
