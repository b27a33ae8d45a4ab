package storetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

// remember is an operation of a sidecar that appends a sentence.
func (f *fixture) remember(layer memory.Layer, n store.Node, entry, text string) memory.Operation {
	return memory.Operation{
		World: f.world, Layer: layer, Conversation: n.Conversation, Node: n.ID, Book: "ford", Entry: entry, Kind: memory.KindPatch,
		Author: memory.Author{Kind: memory.BySidecar, Name: "scribe"}, Phase: "write", Model: "m1", Reason: "said so",
		Quotes: []memory.Quote{{Node: n.ID, Text: "line"}}, Change: memory.Append(text),
		Inverse: &memory.Change{Fields: map[string]memory.Field{"priority": {Old: json.RawMessage("1"), New: json.RawMessage("null")}}},
		Extra:   memory.Extra{"x_later": json.RawMessage(`{"kept":1}`)},
	}
}

func (f *fixture) append(ops ...memory.Operation) []memory.Operation {
	f.t.Helper()
	var out []memory.Operation
	f.write(func(tx *store.Tx) (err error) {
		out, _, err = tx.AppendOperations(ops...)
		return err
	})
	return out
}

var sameOperation = cmpopts.EquateEmpty()

func testOperations(t *testing.T, b Backend) {
	f := setup(t, b)
	c, other := f.conversation(), f.conversation()
	n := f.chain(c, "", 4)
	m := f.chain(other, "", 2)
	ops := f.append(
		f.remember(memory.LayerStory, n[1], "gate", "It froze."),
		f.remember(memory.LayerWorld, n[1], "gate", "It is known."),
		f.remember(memory.LayerStory, m[1], "gate", "Elsewhere."),
		memory.Operation{
			World: f.world, Layer: memory.LayerCanon, Book: "ford", Kind: memory.KindCreate, Author: memory.Author{Kind: memory.ByPerson},
			Change: memory.Change{Entry: &lore.Entry{ID: "wolf", Name: "Wolf", Content: "Grey."}},
		},
	)
	for i, op := range ops {
		if op.Seq != int64(i)+2 || op.ID == "" || op.Time == 0 || op.Digest == "" {
			t.Errorf("operation %d: seq %d, id %q, time %d, digest %q", i, op.Seq, op.ID, op.Time, op.Digest)
		}
	}
	f.view(func(tx *store.Tx) error {
		for _, want := range ops {
			got, err := tx.Operation(want.ID)
			if err != nil {
				return err
			}
			if d := cmp.Diff(want, got, sameOperation, cmpopts.IgnoreFields(lore.Entry{}, "Origin")); d != "" {
				t.Errorf("read back (-written +read):\n%s", d)
			}
			if got, err = tx.OperationByDigest(f.world, want.Digest); err != nil || got.ID != want.ID {
				t.Errorf("by digest: %q (%v)", got.ID, err)
			}
		}
		return nil
	})

	// The same again, with another id and at another time, is once.
	f.write(func(tx *store.Tx) error {
		again, fresh, err := tx.AppendOperations(f.remember(memory.LayerStory, n[1], "gate", "It froze."), f.remember(memory.LayerStory, n[3], "gate", "New."))
		if err != nil {
			return err
		}
		if fresh[0] || !fresh[1] || again[0].ID != ops[0].ID || again[1].Seq != 6 {
			t.Errorf("fresh %v, ids %q and %q, seq %d", fresh, again[0].ID, ops[0].ID, again[1].Seq)
		}
		return nil
	})

	f.view(func(tx *store.Tx) error {
		for name, x := range map[string]struct {
			filter store.OperationFilter
			want   []int64
		}{
			"all":             {store.OperationFilter{}, []int64{2, 3, 4, 5, 6}},
			"layer":           {store.OperationFilter{Layer: memory.LayerStory}, []int64{2, 4, 6}},
			"conversation":    {store.OperationFilter{Conversation: c.ID}, []int64{2, 3, 6}},
			"node":            {store.OperationFilter{Node: n[1].ID}, []int64{2, 3}},
			"entry":           {store.OperationFilter{Book: "ford", Entry: "wolf"}, []int64{5}},
			"kind and author": {store.OperationFilter{Kind: memory.KindPatch, Author: memory.BySidecar}, []int64{2, 3, 4, 6}},
			"bounds":          {store.OperationFilter{After: 2, Before: 5}, []int64{3, 4}},
			"as of":           {store.OperationFilter{AsOf: 3}, []int64{2, 3}},
			"nothing":         {store.OperationFilter{Kind: memory.KindMerge}, nil},
		} {
			list, err := tx.Operations(f.world, x.filter)
			if err != nil {
				return err
			}
			if d := cmp.Diff(x.want, seqs(list)); d != "" {
				t.Errorf("%s (-want +got):\n%s", name, d)
			}
		}
		list, err := tx.ViewOperations(f.world, c.ID, 0)
		if d := cmp.Diff([]int64{2, 3, 5, 6}, seqs(list)); d != "" || err != nil {
			t.Errorf("what a view takes (-want +got), %v:\n%s", err, d)
		}
		var log []int64
		for p := (store.Page{Limit: 2}); ; {
			list, next, err := tx.OperationLog(f.world, store.OperationFilter{Author: memory.BySidecar}, p)
			if err != nil {
				return err
			}
			log = append(log, seqs(list)...)
			if p.Cursor = next; next == "" {
				break
			}
		}
		if d := cmp.Diff([]int64{6, 4, 3, 2}, log); d != "" {
			t.Errorf("the log (-want +got):\n%s", d)
		}
		return nil
	})
}

func seqs(ops []memory.Operation) (list []int64) {
	for _, op := range ops {
		list = append(list, op.Seq)
	}
	return list
}

// The log as of a number is what it was then, retractions included.
func testOperationsAsOf(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.conversation()
	n := f.chain(c, "", 2)
	type snapshot map[int64]bool // seq → retracted
	take := func(asOf int64) (seq int64, s snapshot) {
		s = snapshot{}
		f.view(func(tx *store.Tx) error {
			var err error
			if seq, err = tx.Seq(f.world); err != nil {
				return err
			}
			list, err := tx.ViewOperations(f.world, c.ID, asOf)
			for _, op := range list {
				s[op.Seq] = op.Retracted
			}
			return err
		})
		return seq, s
	}
	past := map[int64]snapshot{}
	var ids []string
	for i := range 12 {
		op := f.append(f.remember(memory.LayerWorld, n[1], "gate", fmt.Sprint("fact ", i)))[0]
		ids = append(ids, op.ID)
		seq, s := take(0)
		past[seq] = s
		f.write(func(tx *store.Tx) error {
			changed, err := tx.Retract(ids[i/2], ids[i/3])
			if err == nil && changed > 0 && i%4 == 3 {
				_, err = tx.Return(ids[i/2])
			}
			return err
		})
		seq, s = take(0)
		past[seq] = s
	}
	for asOf, want := range past {
		if _, got := take(asOf); cmp.Diff(want, got) != "" {
			t.Errorf("as of %d (-want +got):\n%s", asOf, cmp.Diff(want, got))
		}
	}
	f.write(func(tx *store.Tx) error {
		if _, err := tx.Return(ids[0]); err != nil {
			return err
		}
		before, err := tx.Seq(f.world)
		if err != nil {
			return err
		}
		changed, err := tx.Return(ids[0])
		after, err2 := tx.Seq(f.world)
		if changed != 0 || before != after || err2 != nil {
			t.Errorf("returned twice: %d changed, number %d and %d", changed, before, after)
		}
		return err
	})
	f.refused(store.NotFound, "to retract what is not there", func(tx *store.Tx) error {
		_, err := tx.Retract("none")
		return err
	})
}

// Random sequences of operations, repeated ones, retractions and erasures: the
// log is what a plain list says, now and as of every number before.
func testOperationsProperty(t *testing.T, b Backend) {
	f := setup(t, b)
	type entry struct {
		Text      string
		Retracted bool
	}
	rapid.Check(t, func(rt *rapid.T) {
		var world string
		f.update(func(tx *store.Tx) error {
			w, err := tx.CreateWorld(store.World{Name: "Random"})
			world = w.ID
			return err
		})
		var talks []store.Node // a message of each conversation
		for range 2 {
			f.update(func(tx *store.Tx) error {
				c, err := tx.CreateConversation(store.Conversation{World: world})
				if err != nil {
					return err
				}
				n, err := tx.AppendNode(store.Node{Conversation: c.ID, Role: lore.RoleAssistant})
				talks = append(talks, n)
				return err
			})
		}
		log := map[int64]entry{}
		ids := map[int64]string{}
		from := map[int64]string{} // conversation
		known := map[string]int64{}
		past := map[int64]map[int64]entry{}
		pick := func() int64 { return rapid.SampledFrom(slices.Sorted(maps.Keys(log))).Draw(rt, "operation") }
		for range rapid.IntRange(1, 20).Draw(rt, "steps") {
			action := rapid.SampledFrom([]string{"append", "append", "append", "retract", "return", "erase"}).Draw(rt, "action")
			if len(log) == 0 {
				action = "append"
			}
			switch action {
			case "append":
				n := rapid.SampledFrom(talks).Draw(rt, "message")
				text := fmt.Sprintf("Fact %d.", rapid.IntRange(0, 7).Draw(rt, "fact"))
				op := f.remember(memory.LayerWorld, n, "gate", text)
				op.World = world
				f.update(func(tx *store.Tx) error {
					out, fresh, err := tx.AppendOperations(op)
					if err != nil {
						return err
					}
					seq, again := known[n.ID+text]
					if fresh[0] == again || again && out[0].Seq != seq {
						rt.Fatalf("%s: fresh %v with number %d, known as %d (%v)", text, fresh[0], out[0].Seq, seq, again)
					}
					if !again {
						seq = out[0].Seq
						known[n.ID+text], log[seq], ids[seq], from[seq] = seq, entry{Text: text}, out[0].ID, n.Conversation
					}
					return nil
				})
			case "retract", "return":
				seq := pick()
				want := action == "retract"
				f.update(func(tx *store.Tx) error {
					mark := tx.Return
					if want {
						mark = tx.Retract
					}
					changed, err := mark(ids[seq])
					if err == nil && (changed == 1) != (log[seq].Retracted != want) {
						rt.Fatalf("%s: %d changed, it was retracted: %v", action, changed, log[seq].Retracted)
					}
					return err
				})
				log[seq] = entry{log[seq].Text, want}
			case "erase":
				if len(talks) == 1 {
					continue
				}
				gone := talks[0]
				talks = talks[1:]
				f.update(func(tx *store.Tx) error { return tx.EraseConversation(gone.Conversation) })
				for _, then := range append(slices.Collect(maps.Values(past)), log) { // from the past, too
					maps.DeleteFunc(then, func(seq int64, _ entry) bool { return from[seq] == gone.Conversation })
				}
				maps.DeleteFunc(known, func(_ string, seq int64) bool { return from[seq] == gone.Conversation })
			}
			var seq int64
			f.view(func(tx *store.Tx) (err error) {
				seq, err = tx.Seq(world)
				return err
			})
			past[seq] = maps.Clone(log)
		}
		past[0] = log
		for asOf, want := range past {
			got := map[int64]entry{}
			f.view(func(tx *store.Tx) error {
				list, err := tx.ViewOperations(world, "", asOf)
				for _, op := range list {
					got[op.Seq] = entry{op.Change.Content[0].New, op.Retracted}
				}
				return err
			})
			if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
				rt.Fatalf("as of %d (-want +got):\n%s", asOf, d)
			}
		}
	})
}

func testOperationsRefused(t *testing.T, b Backend) {
	f := setup(t, b)
	c, other := f.conversation(), f.conversation()
	n := f.chain(c, "", 2)
	good := f.append(f.remember(memory.LayerStory, n[1], "gate", "x"))[0]
	change := func(fn func(*memory.Operation)) memory.Operation {
		op := f.remember(memory.LayerStory, n[1], "gate", "y")
		fn(&op)
		return op
	}
	for name, x := range map[string]struct {
		kind store.Kind
		op   memory.Operation
	}{
		"no layer":                {store.Invalid, change(func(op *memory.Operation) { op.Layer = "moon" })},
		"a sidecar's canon":       {store.Invalid, change(func(op *memory.Operation) { op.Layer = memory.LayerCanon })},
		"an unknown world":        {store.NotFound, change(func(op *memory.Operation) { op.World = "none" })},
		"an unknown conversation": {store.NotFound, change(func(op *memory.Operation) { op.Conversation = "none" })},
		"an unknown message":      {store.NotFound, change(func(op *memory.Operation) { op.Node = "none" })},
		"a message elsewhere":     {store.Invalid, change(func(op *memory.Operation) { op.Conversation = other.ID })},
		"an id twice":             {store.Exists, change(func(op *memory.Operation) { op.ID = good.ID })},
	} {
		f.refused(x.kind, name, func(tx *store.Tx) error {
			_, _, err := tx.AppendOperations(change(func(op *memory.Operation) { op.Entry = "first" }), x.op)
			return err
		})
	}
	f.view(func(tx *store.Tx) error {
		list, err := tx.Operations(f.world, store.OperationFilter{})
		if len(list) != 1 {
			t.Errorf("%d operations, want 1: a refused batch was written in part", len(list))
		}
		return err
	})
}

func testRecords(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.conversation()
	n := f.chain(c, "", 2)
	r := store.AssemblyRecord{
		Node: n[1].ID, Books: []store.BookRef{{ID: "ford", Revision: 3}}, WorldSeq: 7, Seed: 1<<64 - 1, Kind: lore.KindSwipe,
		Picks: []engine.Pick{{
			Book: "ford", Entry: "gate", Reason: "near", Score: 0.25, Size: engine.SizeBrief,
			Replace: &lore.Entry{ID: "gate", Content: "Short."},
		}},
		ParentState: n[0].ID, EngineVersion: "1", Options: json.RawMessage(`{"budget":100}`),
	}
	f.write(func(tx *store.Tx) error { return tx.PutRecord(r) })
	f.view(func(tx *store.Tx) error {
		got, err := tx.Record(n[1].ID)
		if err != nil {
			return err
		}
		if got.Time == 0 {
			t.Error("the record has no time")
		}
		want := r
		want.Conversation, want.Time = c.ID, got.Time
		ignore := cmpopts.IgnoreFields(lore.Entry{}, "Origin")
		if d := cmp.Diff(want, got, sameOperation, ignore); d != "" {
			t.Errorf("read back (-written +read):\n%s", d)
		}
		return nil
	})
	f.write(func(tx *store.Tx) error { return tx.PutRecord(r) })
	f.refused(store.Conflict, "another record", func(tx *store.Tx) error {
		r.Seed++
		return tx.PutRecord(r)
	})
	f.refused(store.NotFound, "no record", func(tx *store.Tx) error {
		_, err := tx.Record(n[0].ID)
		return err
	})
}

func testCategories(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.conversation()
	tree := []store.Category{
		{ID: "people", Name: "People", Book: "ford", Position: 1, Entries: []string{"ilse", "wolf"}},
		{ID: "places", Name: "Places", Book: "ford", Summary: "Cold ones."},
		{ID: "north", Parent: "places", Name: "North", Book: "ford", Entries: []string{"gate"}},
	}
	f.write(func(tx *store.Tx) error {
		if err := tx.SetCategories(f.world, "", tree[:1]); err != nil {
			return err
		}
		if err := tx.SetCategories(f.world, "", tree); err != nil {
			return err
		}
		return tx.SetCategories(f.world, c.ID, tree[:1])
	})
	f.view(func(tx *store.Tx) error {
		got, err := tx.Categories(f.world, "")
		want := []store.Category{tree[1], tree[0], tree[2]} // by position, parents first
		for i := range want {
			want[i].World = f.world
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("the tree (-want +got):\n%s", d)
		}
		own, err2 := tx.Categories(f.world, c.ID)
		if len(own) != 1 || err2 != nil {
			t.Errorf("the conversation's tree has %d nodes (%v)", len(own), err2)
		}
		return err
	})
	for name, tree := range map[string][]store.Category{
		"an unknown parent": {{ID: "a", Parent: "none"}},
		"itself as parent":  {{ID: "a", Parent: "a"}},
		"a circle":          {{ID: "a", Parent: "c"}, {ID: "b", Parent: "a"}, {ID: "c", Parent: "b"}},
		"an id twice":       {{ID: "a"}, {ID: "a"}},
		"no id":             {{Name: "x"}},
		"an entry twice":    {{ID: "a", Entries: []string{"e"}}, {ID: "b", Entries: []string{"e"}}},
	} {
		f.refused(store.Invalid, name, func(tx *store.Tx) error { return tx.SetCategories(f.world, "", tree) })
	}
}

func testHeadViews(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.conversation()
	v := store.HeadView{Conversation: c.ID, Node: "n", WorldSeq: 4, Key: "k", Body: []byte(longText(1000))}
	f.write(func(tx *store.Tx) error {
		if err := tx.PutHeadView(store.HeadView{Conversation: c.ID}); err != nil {
			return err
		}
		return tx.PutHeadView(v)
	})
	f.view(func(tx *store.Tx) error {
		got, err := tx.HeadView(c.ID)
		if d := cmp.Diff(v, got); d != "" {
			t.Errorf("read back (-written +read):\n%s", d)
		}
		return err
	})
	f.write(func(tx *store.Tx) error { return tx.DropHeadViews(f.world) })
	f.refused(store.NotFound, "a dropped view", func(tx *store.Tx) error {
		_, err := tx.HeadView(c.ID)
		return err
	})
}

func testResponses(t *testing.T, b Backend) {
	f := setup(t, b)
	r := store.Response{Scope: "u1", Key: "k1", Request: "POST /x abc", World: f.world, Status: 201, Header: map[string][]string{"ETag": {"1"}}, Body: []byte("{}\x00")}
	f.write(func(tx *store.Tx) error {
		if _, err := tx.Response(r.Scope, r.Key, r.Request); store.KindOf(err) != store.NotFound {
			t.Errorf("before: %v", err)
		}
		return tx.PutResponse(r)
	})
	f.view(func(tx *store.Tx) error {
		got, err := tx.Response(r.Scope, r.Key, r.Request)
		r.Time = got.Time
		if d := cmp.Diff(r, got); d != "" {
			t.Errorf("read back (-written +read):\n%s", d)
		}
		if _, err := tx.Response("u2", r.Key, r.Request); store.KindOf(err) != store.NotFound {
			t.Errorf("another user's key: %v", err)
		}
		return err
	})
	f.refused(store.Conflict, "the key for another request", func(tx *store.Tx) error {
		_, err := tx.Response(r.Scope, r.Key, "POST /y")
		return err
	})
	f.refused(store.Exists, "the key twice", func(tx *store.Tx) error { return tx.PutResponse(r) })
}

func testSettings(t *testing.T, b Backend) {
	f := setup(t, b)
	f.update(func(tx *store.Tx) error {
		for _, scope := range []string{"", "world:" + f.world} {
			if err := tx.SetSetting(scope, "a", json.RawMessage(`1`)); err != nil {
				return err
			}
			if err := tx.SetSetting(scope, "a", json.RawMessage(`{"b":2}`)); err != nil {
				return err
			}
			if err := tx.SetSetting(scope, "gone", json.RawMessage(`1`)); err != nil {
				return err
			}
			if err := tx.SetSetting(scope, "gone", nil); err != nil {
				return err
			}
		}
		return nil
	})
	f.view(func(tx *store.Tx) error {
		got, err := tx.Settings("world:" + f.world)
		if d := cmp.Diff(map[string]json.RawMessage{"a": json.RawMessage(`{"b":2}`)}, got); d != "" {
			t.Errorf("settings (-want +got):\n%s", d)
		}
		if v, err := tx.Setting("", "a"); string(v) != `{"b":2}` || err != nil {
			t.Errorf("%s (%v)", v, err)
		}
		if _, err := tx.Setting("", "gone"); store.KindOf(err) != store.NotFound {
			t.Errorf("a setting that was taken away: %v", err)
		}
		return err
	})
	f.refused(store.Invalid, "a value that is no JSON", func(tx *store.Tx) error { return tx.SetSetting("", "x", json.RawMessage("{")) })
	f.refused(store.NotFound, "a setting of no world", func(tx *store.Tx) error { return tx.SetSetting("world:none", "x", json.RawMessage("1")) })
}
