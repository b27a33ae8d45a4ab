package compendium

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMergeIsIdempotent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := genEntry(t)
		p, ctx := genPatch(t, e.Type), genContext(t)
		before := dump(e)
		once, r := Merge(e, p, ctx)
		if dump(e) != before {
			t.Fatalf("the old entry changed")
		}
		twice, r2 := Merge(once, p, ctx)
		if dump(once) != dump(twice) || len(r2.Changed) > 0 {
			t.Fatalf("again: changed %v, first %v\n%s", r2.Changed, r.Changed, cmp.Diff(dump(once), dump(twice)))
		}
		if len(r.Changed) == 0 && dump(once) != before {
			t.Fatalf("changed without saying so:\n%s", cmp.Diff(before, dump(once)))
		}
	})
}

func TestMergeTouchesNothingElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := genEntry(t)
		p, ctx := genPatch(t, e.Type), genContext(t)
		ctx.Certainty = ""
		next, r := Merge(e, p, ctx)
		may := map[string]bool{"aliases": true, "facts": p.Data["description"] != nil, "locks": ctx.Source.By == ByPerson}
		if _, ok := p.Data["current_state"]; ok && e.Type == Item {
			may["provenance_chain"] = true
		}
		for name := range p.Data {
			may[name] = true
		}
		for _, name := range append(sortedNames(e.Data), sortedNames(next.Data)...) {
			if !may[name] && !equal(e.Data[name], next.Data[name]) {
				t.Fatalf("%s changed: %v to %v", name, e.Data[name], next.Data[name])
			}
		}
		for _, path := range r.Changed {
			top, _, _ := strings.Cut(path, "[")
			top, _, _ = strings.Cut(top, ".")
			if !may[top] && top != memberHistory {
				t.Fatalf("changed %s, which is not in the patch %v", path, sortedNames(p.Data))
			}
		}
		// Inside a group as well.
		state, given := asObject(e.Data["current_state"]), asObject(p.Data["current_state"])
		for name, v := range state {
			if _, ok := given[name]; !ok && e.Type != Item && !equal(v, asObject(next.Data["current_state"])[name]) {
				t.Fatalf("current_state.%s changed", name)
			}
		}
	})
}

// Patches for different fields, or with rows of different keys, can come in any
// order.
func TestMergeCommutes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := genEntry(t)
		var a, b []string
		for i := range Fields(e.Type) {
			f := &Fields(e.Type)[i]
			switch {
			case f.Name == "description", f.Name == "facts", f.Name == "aliases", f.Name == "status", e.Type == Item && (f.Name == "current_state" || f.Name == "provenance_chain"):
			case i%2 == 0:
				a = append(a, f.Name)
			default:
				b = append(b, f.Name)
			}
		}
		p, q := genPatch(t, e.Type, a...), genPatch(t, e.Type, b...)
		cp, cq := genContext(t), genContext(t)
		cp.Certainty, cq.Certainty = "", ""
		x, _ := Merge(e, p, cp)
		x, _ = Merge(x, q, cq)
		y, _ := Merge(e, q, cq)
		y, _ = Merge(y, p, cp)
		if len(x.History) >= maxPast {
			t.Skip("the history is full")
		}
		if diff := cmp.Diff(dump(x), dump(y)); diff != "" {
			t.Fatalf("the order matters:\n%s", diff)
		}
	})
}

func TestMergeCommutesOnRows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := genEntry(t)
		var lists []string
		for i := range Fields(e.Type) {
			if f := &Fields(e.Type)[i]; f.Kind == Rows && !slices.Contains([]string{"facts", "aliases", "scopes", "notes", "provenance_chain"}, f.Name) {
				lists = append(lists, f.Name)
			}
		}
		if len(lists) == 0 {
			return
		}
		list := rapid.SampledFrom(lists).Draw(t, "list")
		all, _ := genPatch(t, e.Type, list).Data[list].([]Object)
		f := FieldAt(e.Type, list)
		// Rows that share a main member may be one row by rules of their own.
		var p, q []Object
		for _, row := range all {
			same := slices.ContainsFunc(p, func(o Object) bool { return keyPart(plain(o[f.main()])) == keyPart(plain(row[f.main()])) })
			if len(p) == 0 || same {
				p = append(p, row)
			} else {
				q = append(q, row)
			}
		}
		cp, cq := genContext(t), genContext(t)
		cp.Certainty, cq.Certainty = "", ""
		pp, pq := Patch{Type: e.Type, Data: Object{list: p}}, Patch{Type: e.Type, Data: Object{list: q}}
		x, _ := Merge(e, pp, cp)
		x, _ = Merge(x, pq, cq)
		y, _ := Merge(e, pq, cq)
		y, _ = Merge(y, pp, cp)
		if len(x.History) >= maxPast {
			t.Skip("the history is full")
		}
		if diff := cmp.Diff(dump(x), dump(y)); diff != "" {
			t.Fatalf("the order matters:\n%s", diff)
		}
	})
}

func TestNoTwoRowsOfOneKey(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := genEntry(t)
		e, _ = Merge(e, genPatch(t, e.Type), genContext(t))
		for i := range Fields(e.Type) {
			f := &Fields(e.Type)[i]
			if f.Kind == Rows {
				uniqueRows(t, f, asObject(e.Data[f.Name]))
			}
			for j := range f.Fields {
				if m := &f.Fields[j]; f.Kind == Group && m.Kind == Rows {
					uniqueRows(t, m, asObject(asObject(e.Data[f.Name])[m.Name]))
				}
			}
		}
	})
}

func uniqueRows(t *rapid.T, f *Field, rows Object) {
	keys := sortedNames(rows)
	for i, k := range keys {
		row := asObject(rows[k])
		if row == nil || isEmpty(row[f.main()]) {
			t.Fatalf("%s[%s] has no %s", f.Name, k, f.main())
		}
		if strings.ContainsAny(k, "[].") {
			t.Fatalf("key %q cannot stand in a path", k)
		}
		for _, o := range keys[i+1:] {
			other := asObject(rows[o])
			if !sameKey(f, row, other) {
				continue
			}
			if c, _ := row["category"].(string); c == "other" && keyPart(plain(row["nature"])) != keyPart(plain(other["nature"])) {
				continue // the nature is part of their key
			}
			t.Fatalf("%s: %q and %q are one: %v, %v", f.Name, k, o, row, other)
		}
	}
}

func TestLoreAndBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := genEntry(t)
		back, ok, err := FromLore(e.ToLore())
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if diff := cmp.Diff(dump(e), dump(back)); diff != "" {
			t.Fatalf("through a lorebook entry:\n%s", diff)
		}
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var again Entry
		if err := json.Unmarshal(raw, &again); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if diff := cmp.Diff(dump(e), dump(&again)); diff != "" {
			t.Fatalf("through JSON:\n%s", diff)
		}
		plain := e.Plain(&Renderer{})
		foreign, ok, err := FromLore(plain)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if diff := cmp.Diff(dump(e), dump(foreign)); diff != "" {
			t.Fatalf("through a plain entry:\n%s", diff)
		}
	})
}

func TestRenderProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := genEntry(t)
		r := &Renderer{Lang: LanguageFor(rapid.SampledFrom(Languages()).Draw(t, "lang"))}
		r.prepare()
		d := r.draft(e)
		var last selection
		for _, size := range []Size{OneLine, Brief, Full} {
			s := d.choose(size)
			text := d.text(s)
			if n := EstimateTokens(text); n > size.Limit() {
				t.Fatalf("%s: %d tokens: %s", size, n, text)
			}
			if text != r.Render(e, size) || strings.ContainsAny(text, "\n\r") || strings.Contains(text, "[[") || strings.TrimSpace(text) == "" {
				t.Fatalf("%s: %q", size, text)
			}
			for i := range last.items {
				if last.items[i] && !s.items[i] {
					t.Fatalf("%s leaves out what a smaller size says: %q", size, d.items[i].text)
				}
			}
			if size > OneLine && (s.what != last.what || s.state != last.state) {
				t.Fatalf("%s has another first line", size)
			}
			last = s
		}
	})
}

// genWorld generates entries that speak of each other.
func genWorld(t *rapid.T, n int) []*Entry {
	var out []*Entry
	for i := range n {
		e := genEntry(t)
		c := *e
		c.ID = "n" + string(rune('1'+i))
		data := cloneObject(e.Data)
		data["name"] = rapid.SampledFrom(poolNames[:13]).Draw(t, "name")
		c.Data = data
		out = append(out, &c)
	}
	return out
}

func TestGraphIncrementalIsRebuilt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := NewWorld(genWorld(t, rapid.IntRange(1, 4).Draw(t, "n")), Options{})
		w.Graph()
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			if ids := w.ids; len(ids) > 0 && rapid.Bool().Draw(t, "remove") {
				w = w.Without(rapid.SampledFrom(ids).Draw(t, "id"))
			} else {
				w = w.With(genWorld(t, 2)...)
			}
			again := NewWorld(w.Entries(), Options{})
			if diff := cmp.Diff(encode(again.Graph().Whole()), encode(w.Graph().Whole())); diff != "" {
				t.Fatalf("the graph differs (-rebuilt +incremental):\n%s", diff)
			}
			g, h := again.Graph(), w.Graph()
			if diff := cmp.Diff(g.mentions, h.mentions); diff != "" {
				t.Fatalf("mentions differ:\n%s", diff)
			}
			if diff := cmp.Diff(g.bound, h.bound); diff != "" {
				t.Fatalf("bound differs:\n%s", diff)
			}
			if diff := cmp.Diff(again.names, w.names, cmp.AllowUnexported(named{})); diff != "" {
				t.Fatalf("names differ:\n%s", diff)
			}
			for id := range g.at {
				if diff := cmp.Diff(encode(g.Touching(id)), encode(h.Touching(id))); diff != "" {
					t.Fatalf("edges at %s differ:\n%s", id, diff)
				}
			}
		}
	})
}

func TestSnapshotProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		entries := genWorld(t, rapid.IntRange(1, 5).Draw(t, "n"))
		o := SnapshotOptions{Budget: rapid.IntRange(1, 600).Draw(t, "budget"), Scene: rapid.SampledFrom([]string{"", "n1", "Sera", "Nowhere"}).Draw(t, "scene"), Situation: "it rains"}
		if rapid.Bool().Draw(t, "bytes") {
			o.Tokens = func(s string) int { return len(s) } // a counter that does not add up to ours
		}
		s := NewWorld(entries, Options{Turn: 9}).Snapshot(o)
		count := o.Tokens
		if count == nil {
			count = EstimateTokens
		}
		if n := count(s.Text); n > o.Budget || n != s.Tokens {
			t.Fatalf("%d tokens of %d, said %d", n, o.Budget, s.Tokens)
		}
		slices.Reverse(entries)
		again := NewWorld(entries, Options{Turn: 9}).Snapshot(o)
		if diff := cmp.Diff(encode(s), encode(again)); diff != "" {
			t.Fatalf("the order of the entries matters:\n%s", diff)
		}
		// An unrelated entry of no importance takes nobody's place.
		e := genEntry(t)
		c := *e
		data := cloneObject(e.Data)
		c.ID, data["name"], data["importance"] = "zz", "Zyx Unrelated", 1.0
		delete(data, "aliases")
		delete(data, "parent")
		c.Data = data
		more := NewWorld(append(slices.Clone(entries), &c), Options{Turn: 9}).Snapshot(SnapshotOptions{Budget: o.Budget, Tokens: o.Tokens, Scene: "n1", Situation: o.Situation})
		base := NewWorld(entries, Options{Turn: 9}).Snapshot(SnapshotOptions{Budget: o.Budget, Tokens: o.Tokens, Scene: "n1", Situation: o.Situation})
		for _, sec := range base.Sections {
			for _, it := range sec.Items {
				for _, id := range it.IDs {
					x := NewWorld(entries, Options{}).Entry(id)
					if x != nil && x.Importance() == 5 && !strings.Contains(more.Text, it.Text) {
						t.Fatalf("%q is gone:\n%s\n--\n%s", it.Text, base.Text, more.Text)
					}
				}
			}
		}
	})
}

func TestAsOf(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		typ := genType(t)
		var e *Entry
		var past []string
		var all []*Entry
		for turn := 1; turn <= 4; turn++ {
			e, _ = Merge(e, genPatch(t, typ), Context{ID: "n1", Source: Source{By: BySidecar, Turn: turn}})
			past = append(past, string(encode(e.Data)))
			all = append(all, e)
		}
		if len(e.History) >= maxPast {
			t.Skip("the history is full")
		}
		for i, want := range past {
			got := e.AsOf(i + 1)
			if diff := cmp.Diff(want, string(encode(got.Data))); diff != "" {
				t.Fatalf("as of turn %d (-was +got):\n%s\nentry then: %s", i+1, diff, dump(all[i]))
			}
		}
		if e.AsOf(0) != nil {
			t.Fatal("something was known before the first turn")
		}
	})
}
