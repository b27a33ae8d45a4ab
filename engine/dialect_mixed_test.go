package engine_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
)

// fiveBooks are books of five dialects about one mill.
func fiveBooks(t testing.TB) []*lore.Book {
	t.Helper()
	native := readBook(t, "native", "id: weaver\nkeywords: [mill]\npriority: 120\n---\n{# if 1 < 2 #}Weaver knows {{char}}.{# endif #}")
	suzune := readFile(t, "suzune.json", `[
		{"keys": ["mill"], "content": "Suzune knows {{char}}.", "priority": 10},
		{"keys": [], "content": "Suzune's rule.", "constant": true, "priority": 1}]`)
	tavern := readFile(t, "tavern.json", `{"entries": {
		"0": {"uid": 0, "key": ["mill"], "comment": "st", "content": "Tavern knows {{char}} and the heron.", "order": 100, "position": 0},
		"1": {"uid": 1, "key": ["heron"], "comment": "st2", "content": "The heron waits.", "order": 90, "position": 0},
		"2": {"uid": 2, "key": ["sluice"], "comment": "st3", "content": "Never.", "order": 80, "position": 0}}}`)
	v3 := v3Book(t, "mill|@@depth 2\nThe card knows {{char}} at the sluice.")
	nai := naiBook(t, "", `"keys": ["mill"], "text": "Novel knows {{char}}.", "contextConfig": {"suffix": "", "insertionPosition": 0}`)
	return []*lore.Book{native, suzune, tavern, v3, nai}
}

func TestBooksOfFiveDialects(t *testing.T) {
	t.Parallel()
	var segments []*engine.Segment
	for _, b := range fiveBooks(t) {
		segments = append(segments, mustBuild(t, b))
	}
	ix := engine.NewIndex(segments...)
	e := newEngine(t, engine.Options{Tokenizer: engine.BytesPerToken(4)})
	in := engine.Input{Messages: says("the mill"), Character: engine.Character{Name: "Mio"}}
	r := assemble(t, e, ix, in)
	got := map[string]string{}
	for _, b := range r.Blocks {
		got[b.Book] += string(b.Slot) + ": " + b.Content + "\n"
	}
	want := map[string]string{
		"native": "backdrop: Weaver knows Mio.\n",
		"suzune": "backdrop: Suzune knows Mio.\naftermath: Suzune's rule.\n",
		"tavern": "backdrop: The heron waits.\nbackdrop: Tavern knows Mio and the heron.\n",
		"v3":     "at_depth(2): The card knows Mio at the sluice.\n",
		"nai":    "backdrop: Novel knows {{char}}.\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s\n%v", diff, r.Problems)
	}

	// A book's budget is its own: it takes nothing from the others.
	for _, c := range []struct {
		book int
		gone []string
	}{{0, []string{"native"}}, {2, []string{"tavern"}}, {3, []string{"v3"}}, {4, []string{"nai"}}} {
		list := fiveBooks(t)
		list[c.book].Budget = lore.Tokens(1)
		var segments []*engine.Segment
		for _, b := range list {
			segments = append(segments, mustBuild(t, b))
		}
		left := map[string]bool{}
		for _, b := range assemble(t, e, engine.NewIndex(segments...), in).Blocks {
			left[b.Book] = true
		}
		for name := range want {
			if gone := name == c.gone[0]; left[name] == gone {
				t.Errorf("with a budget of %s: %s is there: %v", c.gone[0], name, left[name])
			}
		}
	}

	// The host's budget stands over all of them.
	for limit := range 60 {
		in.Budget = lore.Tokens(limit)
		used := 0
		for _, b := range assemble(t, e, ix, in).Blocks {
			if b.Content != "Suzune's rule." { // a constant that is never dropped
				used += b.Tokens
			}
		}
		if used > limit {
			t.Errorf("a budget of %d holds %d tokens", limit, used)
		}
	}
	// Priorities count from what each dialect gives an entry by itself: Suzune's
	// 10 of 50 is the most important, NovelAI's 400 no more than SillyTavern's 100.
	in.Budget = lore.Tokens(4 + 6 + 5)
	left := map[string]bool{}
	for _, b := range assemble(t, e, ix, in).Blocks {
		left[b.Book+" "+b.Entry] = true
	}
	if len(left) != 3 || !left["native weaver"] {
		t.Errorf("with a short budget %v are left", left)
	}
}

// anyEntry draws an entry with any of the rules that dialects have.
func anyEntry(t *rapid.T, id string) *lore.Entry {
	word := rapid.SampledFrom([]string{"mill", "quay", "ferry", "bell", "{{char}}", " ", "storm", "夜"})
	chance := func(label string, n int) bool { return rapid.IntRange(0, n).Draw(t, label) == 0 }
	e := lore.NewEntry(id, rapid.SampledFrom([]string{
		"The mill and the quay.", "{{random::ferry::bell}} {{setvar::a::1}}", "@@depth 2\nBell.", "{{#if 1}}storm{{/if}}", "", "{{getvar::a}} 夜。\nferry", "@@@x\n@@y\nmill",
	}).Draw(t, "content"))
	for range rapid.IntRange(0, 2).Draw(t, "keys") {
		k := lore.Key{Text: word.Draw(t, "key"), Kind: rapid.SampledFrom([]lore.KeyKind{"", lore.KeyGlob, lore.KeyJS, lore.KeyRE2}).Draw(t, "kind")}
		e.Keys = append(e.Keys, k)
	}
	if chance("clause", 3) {
		e.Clauses = []lore.Clause{{
			Logic: rapid.SampledFrom([]lore.Logic{lore.AnyOf, lore.AllOf, lore.NoneOf, lore.NotAllOf, lore.Never}).Draw(t, "logic"),
			Keys:  lore.LiteralKeys(word.Draw(t, "secondary")), Inactive: chance("inactive", 4),
		}}
	}
	e.Constant = chance("constant", 5)
	e.Force = lore.Force(rapid.IntRange(-8, 8).Draw(t, "force") / 8)
	e.Priority = rapid.IntRange(-2, 2).Draw(t, "priority") * 100
	e.InsertionOrder = rapid.IntRange(0, 2).Draw(t, "order")
	if chance("probability", 3) {
		p := float64(rapid.SampledFrom([]int{0, 50, 100}).Draw(t, "percent"))
		e.Probability = &p
	}
	small := rapid.IntRange(0, 2)
	e.Sticky, e.Cooldown, e.Delay = small.Draw(t, "sticky"), small.Draw(t, "cooldown"), small.Draw(t, "delay")
	e.After, e.Every = small.Draw(t, "after"), small.Draw(t, "every")
	e.Keep, e.Once = chance("keep", 5), chance("once", 5)
	if chance("group", 3) {
		e.Inclusion = &lore.Inclusion{Names: []string{rapid.SampledFrom([]string{"g", "1", ""}).Draw(t, "name")}, Override: chance("override", 3)}
	}
	e.Recursion = lore.Recursion{Excluded: chance("excluded", 4), Silent: chance("silent", 4), Level: max(0, rapid.IntRange(-4, 2).Draw(t, "level"))}
	if chance("own recursion", 4) {
		yes := chance("yes", 1)
		e.Recursion.Override = &yes
	}
	if chance("inject", 4) {
		e.Inject = &lore.Inject{
			Target:  rapid.SampledFrom([]string{"", "e0", "description", "pt_x", "none"}).Draw(t, "target"),
			Mode:    rapid.SampledFrom([]string{"append", "prepend", "replace", lore.InjectKey}).Draw(t, "mode"),
			Replace: rapid.SampledFrom([]string{"", "mill"}).Draw(t, "replace"),
		}
	}
	e.Name = id
	e.DropFirst, e.IgnoreBudget = chance("drop first", 5), chance("ignore budget", 5)
	if chance("cap", 3) {
		e.Cap, e.Reserve = lore.Tokens(rapid.IntRange(0, 6).Draw(t, "n")), lore.Tokens(3)
		e.Trim.Direction = rapid.SampledFrom([]string{"", "top", "bottom", "none"}).Draw(t, "direction")
		e.Trim.Unit = rapid.SampledFrom([]string{"", "newline", "sentence", "token"}).Draw(t, "unit")
	}
	if chance("foreign", 4) {
		e.Foreign = &lore.ForeignCondition{Language: "nai", Source: `[{"type":"or","conditions":[{"type":"random","chance":0.5},{"type":"lore"}]}]`}
	}
	if chance("folder", 3) {
		e.Folder = "f"
	}
	if chance("depth", 3) {
		e.ScanDepth = &lore.Amount{N: float64(rapid.IntRange(-1, 9).Draw(t, "n")), Unit: rapid.SampledFrom([]lore.Unit{lore.UnitMessages, lore.UnitChars, lore.UnitTokens}).Draw(t, "unit")}
	}
	if chance("source", 3) {
		e.Sources = []lore.Source{lore.SourcePersona, lore.SourceMemory}
	}
	if chance("filter", 5) {
		e.Characters = &lore.CharacterFilter{Names: []string{"Mio"}, Tags: []string{"x"}, Exclude: chance("exclude", 1)}
	}
	if chance("at depth", 3) {
		e.Slot = lore.AtDepth(small.Draw(t, "depth"))
	}
	return e
}

// TestAnyPolicy runs chats over books of any rules in every policy: nothing
// panics, budgets hold, and the same input gives the same bytes, with a cache
// and without one.
func TestAnyPolicy(t *testing.T) {
	t.Parallel()
	e := newEngine(t, engine.Options{RegexTime: time.Minute}) // a busy machine decides nothing
	for _, p := range lore.Policies() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				p := p
				p.MinActivations = rapid.IntRange(0, 2).Draw(rt, "minimum")
				p.MaxRecursionSteps = rapid.SampledFrom([]int{0, 0, 2}).Draw(rt, "steps")
				p.GroupScoring = rapid.Bool().Draw(rt, "scoring")
				book := &lore.Book{ID: "b", Policy: p, Folders: []lore.Folder{{ID: "f", Name: "F"}}}
				if rapid.Bool().Draw(rt, "subcontext") {
					book.Folders[0].Ext = map[string]json.RawMessage{"novelai": json.RawMessage(`{"createSubcontext": true, "subcontextSettings": {"contextConfig": {"tokenBudget": 9}}}`)}
				}
				for i := range rapid.IntRange(1, 6).Draw(rt, "entries") {
					book.Entries = append(book.Entries, anyEntry(rt, fmt.Sprintf("e%d", i)))
				}
				seg, _ := engine.Build(book, engine.BuildOptions{})
				ix := engine.NewIndex(seg)
				lines := rapid.SliceOfN(rapid.SampledFrom([]string{"the mill", "a quay and a ferry", "Mio rings the bell", "夜の storm", ""}), 0, 4).Draw(rt, "chat")
				in := engine.Input{
					Messages: says(lines...), Seed: rapid.Uint64().Draw(rt, "seed"), Character: engine.Character{Name: "Mio"},
					Sources: map[lore.Source]string{lore.SourcePersona: "A miller.", lore.SourceMemory: "the storm"}, Trace: engine.TraceAll,
					Why: []engine.EntryRef{{Entry: "e0"}}, Injects: []string{"the bell"},
				}
				if n := rapid.IntRange(-1, 30).Draw(rt, "budget"); n >= 0 {
					in.Budget = lore.Tokens(n)
				}
				if rapid.IntRange(0, 4).Draw(rt, "pick") == 0 {
					in.Picks = []engine.Pick{{Entry: "e0", Reason: "x", Replace: lore.NewEntry("e0", "Replaced {{char}}.")}}
				}
				cache := engine.NewCache(0)
				for turn := range 3 {
					var first string
					var next engine.State
					for i := range 3 {
						run := in
						if i > 0 {
							run.Cache = cache
						}
						r, err := e.Assemble(t.Context(), ix, run)
						if err != nil {
							rt.Fatal(err)
						}
						raw, err := json.Marshal(r)
						if err != nil {
							rt.Fatal(err)
						}
						if i == 0 {
							first, next = string(raw), r.State
						} else if first != string(raw) {
							rt.Fatalf("turn %d:\n%s", turn, cmp.Diff(first, string(raw)))
						}
						checkBudget(rt, book, in, r)
					}
					var err error
					if in.State, err = e.Advance(t.Context(), ix, next); err != nil {
						rt.Fatal(err)
					}
					in.Messages = append(in.Messages, lore.AssistantMessage("so be it"))
				}
			})
		})
	}
}

// checkBudget counts what the host's budget is to hold, without what stands
// above it.
func checkBudget(rt *rapid.T, book *lore.Book, in engine.Input, r *engine.Result) {
	if in.Budget == nil {
		return
	}
	if slices.ContainsFunc(book.Entries, func(e *lore.Entry) bool { return e.Inject != nil }) {
		return // what is added to an entry after the budget took it counts for nobody
	}
	used := 0
	for _, b := range r.Blocks {
		e := book.Entry(b.Entry)
		if e != nil && (e.IgnoreBudget || book.Policy.Constants == lore.ConstantsAtEnd && (e.Constant || e.Force == lore.ForceActivate)) {
			continue
		}
		used += b.Tokens
	}
	if used > int(in.Budget.N) {
		rt.Fatalf("a budget of %v holds %d tokens: %v", in.Budget.N, used, r.Blocks)
	}
}

// TestScannersAgree puts an entry that never fires, but needs sweeps, into a
// book of the single pass: all others fire as before.
func TestScannersAgree(t *testing.T) {
	t.Parallel()
	e := newEngine(t, engine.Options{RegexTime: time.Minute}) // a busy machine decides nothing
	for _, p := range lore.Policies() {
		if p.ScanTogether || p.Recursive {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				book := &lore.Book{ID: "b", Policy: p}
				for i := range rapid.IntRange(1, 6).Draw(rt, "entries") {
					x := anyEntry(rt, fmt.Sprintf("e%d", i))
					x.Inclusion, x.Recursion, x.Sticky, x.Cooldown, x.Foreign = nil, lore.Recursion{}, 0, 0, nil
					if p.Language == lore.LangTavern { // there macros in keys need sweeps by themselves
						x.Keys = lore.LiteralKeys("mill", "夜")
						for i := range x.Clauses {
							x.Clauses[i].Keys = lore.LiteralKeys("quay")
						}
					}
					book.Entries = append(book.Entries, x)
				}
				other := book.Clone()
				group := lore.NewEntry("zz", "Z.")
				group.Disabled, group.Inclusion = true, &lore.Inclusion{Names: []string{"g"}}
				other.Entries = append(other.Entries, group)
				in := engine.Input{
					Messages: says("the mill", "a quay and a ferry", "Mio rings the bell"), Seed: rapid.Uint64().Draw(rt, "seed"),
					Character: engine.Character{Name: "Mio"}, Sources: map[lore.Source]string{lore.SourcePersona: "A miller.", lore.SourceMemory: "the storm"},
				}
				var got [2]string
				for i, b := range []*lore.Book{book, other} {
					seg, _ := engine.Build(b, engine.BuildOptions{})
					r, err := e.Assemble(t.Context(), engine.NewIndex(seg), in)
					if err != nil {
						rt.Fatal(err)
					}
					if scans := len(r.Trace.Scans); scans != i {
						rt.Fatalf("book %d was scanned in %d sweeps", i, scans)
					}
					// Entries of equal order may be found in another order.
					lines := strings.Split(blocks(r), "\n")
					slices.Sort(lines)
					got[i] = strings.Join(lines, "\n")
				}
				if diff := cmp.Diff(got[0], got[1]); diff != "" {
					rt.Fatalf("(-single pass +sweeps):\n%s", diff)
				}
			})
		})
	}
}

// A macro in a secondary key alone is resolved, as one in a primary key is.
func TestMacrosInSecondaryKeys(t *testing.T) {
	t.Parallel()
	e := lore.NewEntry("e", "The mill.")
	e.Keys, e.Clauses = lore.LiteralKeys("mill"), []lore.Clause{{Logic: lore.AllOf, Keys: lore.LiteralKeys("{{char}}")}}
	for _, p := range lore.Policies() {
		if p.Language != lore.LangTavern {
			continue
		}
		seg, _ := engine.Build(&lore.Book{ID: "b", Policy: p, Entries: []*lore.Entry{e}}, engine.BuildOptions{})
		for said, want := range map[string]int{"Mio is at the mill": 1, "Nobody is at the mill": 0} {
			in := engine.Input{Messages: says(said), Character: engine.Character{Name: "Mio"}}
			if r := assemble(t, newEngine(t, engine.Options{}), engine.NewIndex(seg), in); len(r.Blocks) != want {
				t.Errorf("%s: %q gives %v", p.Name, said, r.Blocks)
			}
		}
	}
}
