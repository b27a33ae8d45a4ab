package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
)

// naiBook is a NovelAI lorebook of entries given as members of their objects;
// each has a name, an id and a text unless it says otherwise.
func naiBook(t testing.TB, categories string, entries ...string) *lore.Book {
	t.Helper()
	var list []string
	for i, e := range entries {
		for _, member := range []string{`"displayName": "e%d"`, `"id": "id%d"`, `"text": "Text %d."`} {
			if name, _, _ := strings.Cut(member, ":"); !strings.Contains(e, name) {
				e += ", " + fmt.Sprintf(member, i)
			}
		}
		list = append(list, "{"+e+"}")
	}
	return readFile(t, "nai.json", `{"lorebookVersion": 6, "settings": {"orderByKeyLocations": false}, "categories": [`+categories+`], "entries": [`+strings.Join(list, ",")+`]}`)
}

func TestNovelAISearch(t *testing.T) {
	t.Parallel()
	book := naiBook(t, `{"id": "off", "name": "Off", "enabled": false}`,
		`"keys": ["mill"], "searchRange": 10`, `"keys": ["mill"], "searchRange": 100`, `"keys": ["/Mi(ll|st)/"]`,
		`"keys": ["[lamp"]`, `"keys": ["mill"], "category": "off"`, `"keys": ["storm"], "nonStoryActivatable": true`,
		`"keys": ["storm"]`, `"keys": [], "forceActivation": true, "text": "A storm."`)
	forced := "e7: A storm.\ne5: Text 5.\n"
	runDialect(t, book, []dialectCase{
		{"the newest characters", engine.Input{Messages: says("The mill is far", "and it is late")}, "e1: Text 1.\n" + forced},
		{"near the end", engine.Input{Messages: says("old mill")}, "e0: Text 0.\ne1: Text 1.\n" + forced},
		{"borders where a key has letters", engine.Input{Messages: says("windmills")}, forced},
		{"no border beside a sign", engine.Input{Messages: says("the[lamps")}, forced},
		{"expressions know case", engine.Input{Messages: says("In Mist and mist")}, "e2: Text 2.\n" + forced},
		{"cascading in memory", engine.Input{
			Messages: says("so"), Sources: map[lore.Source]string{lore.SourceMemory: "storm"},
		}, "e5: Text 5.\ne7: A storm.\n"},
	})
}

func TestNovelAIBudget(t *testing.T) {
	t.Parallel()
	context := func(members string) string {
		return `"forceActivation": true, "contextConfig": {"prefix": "", "suffix": "", "insertionPosition": -1, ` + members + `}`
	}
	text := `, "text": "One one one one.\nTwo two two two."`
	for _, c := range []struct {
		name    string
		budget  int
		entries []string
		want    string
	}{
		{"a cap cuts whole lines", 0, []string{context(`"tokenBudget": 5`) + text}, "e0: One one one one.\n"},
		{"from the top", 0, []string{context(`"tokenBudget": 5, "trimDirection": "trimTop"`) + text}, "e0: Two two two two.\n"},
		{"all or nothing", 0, []string{context(`"tokenBudget": 5, "trimDirection": "doNotTrim"`) + text}, ""},
		{"a share of the context", 0, []string{context(`"tokenBudget": 0.05`) + text}, "e0: One one one one.\n"},
		{"sentences are not cut", 0, []string{context(`"tokenBudget": 3, "maximumTrimType": "sentence"`) + text}, ""},
		{"tokens are", 0, []string{context(`"tokenBudget": 3, "maximumTrimType": "token"`) + text}, "e0: One one one\n"},
		{"what is left of the context", 12, []string{
			context(`"budgetPriority": 500`) + `, "text": "Sixteen letters, twice and more."`, context(`"budgetPriority": 100`) + text,
		}, "e0: Sixteen letters, twice and more.\ne1: One one one one.\n"},
		{"reserved tokens", 12, []string{
			context(`"budgetPriority": 500`) + `, "text": "Sixteen letters.\nThen as many more.\nAnd more."`,
			context(`"budgetPriority": 100, "reservedTokens": 4`) + `, "text": "Four tokens here"`,
		}, "e0: Sixteen letters.\ne1: Four tokens here\n"},
	} {
		in := engine.Input{Context: 100}
		if c.budget > 0 {
			in.Budget = lore.Tokens(c.budget)
		}
		t.Run(c.name, func(t *testing.T) {
			runDialect(t, naiBook(t, "", c.entries...), []dialectCase{{c.name, in, c.want}})
		})
	}
}

func TestNovelAIPlaceBesideTheKey(t *testing.T) {
	t.Parallel()
	entry := `"keys": ["mill", "weir"], "keyRelative": true, "contextConfig": {"insertionPosition": %d}`
	book := naiBook(t, "", fmt.Sprintf(entry, -1), fmt.Sprintf(entry, -2), fmt.Sprintf(entry, 0), `"keys": ["mill"], "contextConfig": {"insertionPosition": -1}`)
	r := assemble(t, newEngine(t, engine.Options{}), engine.NewIndex(mustBuild(t, book)),
		engine.Input{Messages: says("the weir", "the mill", "so", "yes")})
	got := map[string]lore.Slot{}
	for _, b := range r.Blocks {
		got[b.Name] = b.Slot
	}
	// Behind the message with the key, one before that, before it; the last is
	// not relative.
	want := map[string]lore.Slot{"e0": "at_depth(2)", "e1": "at_depth(3)", "e2": "at_depth(3)", "e3": "at_depth(0)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNovelAISubcontext(t *testing.T) {
	t.Parallel()
	category := `{"id": "town", "name": "Town", "enabled": true, "createSubcontext": true, "subcontextSettings": {"contextConfig":
		{"prefix": "[", "suffix": "]", "tokenBudget": %d, "budgetPriority": 300, "insertionPosition": -3}}}`
	entry := func(priority int, more string) string {
		return fmt.Sprintf(`"forceActivation": true, "category": "town", "contextConfig": {"prefix": "", "suffix": "\n", "budgetPriority": %d, "insertionPosition": -1}%s`, priority, more)
	}
	entries := []string{entry(100, ""), entry(200, ""), `"forceActivation": true, "contextConfig": {"insertionPosition": -1}`}
	e := newEngine(t, engine.Options{Tokenizer: engine.BytesPerToken(4)})
	r := assemble(t, e, engine.NewIndex(mustBuild(t, naiBook(t, fmt.Sprintf(category, 100), entries...))), engine.Input{})
	var got []string
	for _, b := range r.Blocks {
		got = append(got, string(b.Slot)+" "+b.Entry+" "+b.Content)
	}
	want := []string{"at_depth(0) id2 Text 2.", "at_depth(2) town [Text 1.\nText 0.\n]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, f := range r.Trace.Fired {
		if f.Entry != "id2" && (f.Outcome != engine.OutcomeInjected || f.Slot != "at_depth(2)") {
			t.Errorf("%s: %s in %s", f.Entry, f.Outcome, f.Slot)
		}
	}
	// Its own budget holds one of the entries, the more important one.
	r = assemble(t, e, engine.NewIndex(mustBuild(t, naiBook(t, fmt.Sprintf(category, 4), entries...))), engine.Input{Why: []engine.EntryRef{{Entry: "id0"}}})
	if got := r.Blocks[1].Content; got != "[Text 1.\n]" {
		t.Errorf("content = %q", got)
	}
	if out := r.Trace.Absent[0]; out.Reason != engine.AbsentBudget || !strings.Contains(out.Detail, "category town") {
		t.Errorf("why = %+v", out)
	}
}

func TestNovelAIConditions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		condition string
		want      bool
		problems  int
	}{
		{`{"type": "true"}`, true, 0},
		{`{"type": "key", "key": "memory word", "in": ["memory"]}`, true, 0},
		{`{"type": "key", "key": "nothing", "in": ["memory", "an", "lore"]}`, false, 0},
		{`{"type": "key", "key": "mill", "in": ["story", "an"], "range": 5}`, false, 0},
		{`{"type": "not", "condition": {"type": "lore", "entryId": "id1"}}`, false, 0},
		{`{"type": "lore", "entryId": "id1"}`, true, 0},
		{`{"type": "lore", "entryId": "other"}`, false, 0},
		{`{"type": "equation", "terms": [{"value": "currentStep", "operator": "*"}, {"value": 10}], "comparison": ">=", "target": 30}`, true, 0},
		{`{"type": "equation", "terms": [{"value": "characterCount"}], "comparison": "<", "target": 10}`, false, 0},
		{`{"type": "equation", "terms": [{"value": "paragraphCount"}], "comparison": "=", "target": 3}`, true, 0},
		{`{"type": "or", "conditions": [{"type": "random", "chance": 0}, {"type": "random", "chance": 1}]}`, true, 0},
		{`{"type": "model", "model": "clio"}`, true, 0},
		{`{"type": "model", "model": "other"}`, false, 0},
		{`{"type": "storymode", "mode": "normal"}`, true, 0},
		{`{"type": "storymode", "mode": "adventure"}`, false, 0},
		{`{"type": "string", "left": "storyText", "comparison": "endsWith", "right": "the end"}`, true, 0},
		{`{"type": "string", "left": "memoryText", "comparison": "startsWith", "right": "x"}`, false, 0},
		{`{"type": "moon"}`, true, 1},
		{`{"type": "not", "condition": {"type": "moon"}}`, true, 1},
		{`{"type": "and", "conditions": [{"type": "moon"}, {"type": "storymode", "mode": "adventure"}]}`, false, 0},
	} {
		book := naiBook(t, "", `"keys": ["mill"], "advancedConditions": [`+c.condition+`, {"type": "string", "left": "a", "comparison": "equals", "right": "a"}]`,
			`"keys": [], "forceActivation": true, "contextConfig": {"budgetPriority": 900}`)
		// The condition asks about an entry that an earlier sweep has found.
		book.Entries[0].Recursion.Excluded = false
		book.Entries[0].Keys = lore.LiteralKeys("text")
		r := assemble(t, newEngine(t, engine.Options{}), engine.NewIndex(mustBuild(t, book)), engine.Input{
			Messages: says("a", "the mill", "this is the end"), Sources: map[lore.Source]string{lore.SourceMemory: "a memory word"},
			Vars: map[string]map[string]weaver.Value{"chat": {"model": weaver.String("clio")}},
		})
		if got := strings.Contains(blocks(r), "Text 0"); got != c.want {
			t.Errorf("%s: there = %v, want %v", c.condition, got, c.want)
		}
		if len(r.Problems) != c.problems {
			t.Errorf("%s: problems %v, want %d", c.condition, r.Problems, c.problems)
		}
	}
	for _, bad := range []string{strings.Repeat(`{"type":"not","condition":`, 50) + `{"type":"moon"}` + strings.Repeat("}", 50), `7`} {
		e := lore.NewEntry("e", "E.")
		e.Foreign = &lore.ForeignCondition{Language: "nai", Source: "[" + bad + "]"}
		_, list := engine.Build(&lore.Book{ID: "b", Policy: lore.PolicyNovelAI(), Entries: []*lore.Entry{e}}, engine.BuildOptions{})
		if len(list) != 1 || list[0].Code != "foreign-condition" {
			t.Errorf("%.20s…: %v", bad, list)
		}
	}
}

func TestNovelAIOrderByKeyLocations(t *testing.T) {
	t.Parallel()
	book := naiBook(t, "", `"keys": ["quay"]`, `"keys": ["mill"]`)
	book.Policy.OrderByAppearance = true
	runDialect(t, book, []dialectCase{
		{"the newer one is nearer to the end", engine.Input{Messages: says("the quay", "the mill")}, "e0: Text 0.\ne1: Text 1.\n"},
		{"and is kept", engine.Input{Messages: says("the mill", "the quay"), Budget: lore.Tokens(2)}, "e0: Text 0.\n"},
		{"the other way round", engine.Input{Messages: says("the mill", "the quay")}, "e1: Text 1.\ne0: Text 0.\n"},
	})
}
