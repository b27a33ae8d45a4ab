package examples

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/suzune"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/stdlib"
)

var update = flag.Bool("update", false, "write the golden files")

func read(t *testing.T, path string) []byte {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// books loads the books that are in formats of Weft's own.
func books(t *testing.T) []*lore.Book {
	t.Helper()
	dir, problems, err := lore.LoadDir(t.Context(), "skerrow")
	if err != nil {
		t.Fatal(err)
	}
	all := []*lore.Book{dir.Book()}
	for _, name := range []string{"almanac.json", "regulars.json"} {
		book, more := lore.ParseBook(name, read(t, name))
		all = append(all, book)
		problems = append(problems, more...)
	}
	for _, p := range problems {
		t.Errorf("%v", p)
	}
	return all
}

func index(t *testing.T) *engine.Index {
	t.Helper()
	var segments []*engine.Segment
	for _, book := range books(t) {
		segment, problems := engine.Build(book, engine.BuildOptions{})
		for _, p := range problems {
			t.Errorf("%v", p)
		}
		segments = append(segments, segment)
	}
	return engine.NewIndex(segments...)
}

func variables(t *testing.T) map[string]map[string]weaver.Value {
	t.Helper()
	var raw map[string]map[string]any
	if err := yaml.Unmarshal(read(t, "vars.yaml"), &raw); err != nil {
		t.Fatal(err)
	}
	vars := map[string]map[string]weaver.Value{}
	for scope, names := range raw {
		vars[scope] = map[string]weaver.Value{}
		for name, x := range names {
			v, err := weaver.FromGo(x)
			if err != nil {
				t.Fatal(err)
			}
			vars[scope][name] = v
		}
	}
	return vars
}

// ilka is the character whom vars.yaml names.
var ilka = engine.Character{Name: "Ilka Brandt", File: "ilka"}

func newEngine(t *testing.T) *engine.Engine {
	t.Helper()
	eng, err := engine.New(engine.Options{Plugins: []engine.Plugin{stdlib.Plugin{}}})
	if err != nil {
		t.Fatal(err)
	}
	return eng
}

// Each chat gives the prompt in testdata, twice the same, and no problem.
func TestChats(t *testing.T) {
	t.Parallel()
	var late engine.State
	if err := json.Unmarshal(read(t, "state.json"), &late); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		chat  string
		state engine.State
	}{
		{"first-evening.txt", engine.State{}},
		{"mule-road.jsonl", engine.State{}},
		{"fleece-tide.json", late},
	}
	ix, eng, vars := index(t), newEngine(t), variables(t)
	for _, tt := range tests {
		t.Run(tt.chat, func(t *testing.T) {
			messages, problems := lore.ParseChat(tt.chat, read(t, filepath.Join("chats", tt.chat)))
			if len(problems) > 0 || len(messages) < 3 {
				t.Fatalf("%d messages, problems %v", len(messages), problems)
			}
			state, err := eng.Advance(t.Context(), ix, tt.state)
			if err != nil {
				t.Fatal(err)
			}
			got := assemble(t, eng, ix, engine.Input{Messages: messages, State: state, Vars: vars, Character: ilka, Seed: 1})
			if again := assemble(t, eng, ix, engine.Input{Messages: messages, State: state, Vars: vars, Character: ilka, Seed: 1}); again != got {
				t.Errorf("the same input gave two results:\n%s", cmp.Diff(got, again))
			}
			golden := filepath.Join("testdata", tt.chat+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(read(t, golden)), got); diff != "" {
				t.Errorf("prompt (-want +got); go test ./examples -update writes it:\n%s", diff)
			}
		})
	}
}

func assemble(t *testing.T, eng *engine.Engine, ix *engine.Index, in engine.Input) string {
	t.Helper()
	result, err := eng.Assemble(context.Background(), ix, in)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range result.Problems {
		t.Errorf("%s/%s: %s", p.Book, p.Entry, p.Message)
	}
	var out strings.Builder
	for _, b := range result.Blocks {
		fmt.Fprintf(&out, "[%s] %s/%s, %d tokens\n%s\n\n", b.Slot, b.Book, b.Entry, b.Tokens, strings.TrimRight(b.Content, "\n"))
	}
	for _, scope := range []string{"state", "town"} {
		if len(result.State.Vars[scope]) > 0 {
			vars, err := json.Marshal(result.State.Vars[scope])
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&out, "%s: %s\n", scope, vars)
		}
	}
	return out.String()
}

// Over many seeds each of the four ways
// through the roll is taken, and the entry that was triggered is there.
func TestMuleRoadRollsEveryEncounter(t *testing.T) {
	t.Parallel()
	ix, eng, vars := index(t), newEngine(t), variables(t)
	seen := map[string]int{}
	for seed := range uint64(120) {
		result, err := eng.Assemble(t.Context(), ix, engine.Input{
			Messages: []lore.Message{lore.UserMessage("We take the mule road.")}, Vars: vars, Seed: seed,
		})
		if err != nil {
			t.Fatal(err)
		}
		met := "nobody"
		for _, b := range result.Blocks {
			if strings.HasPrefix(b.Entry, "road_") {
				met = b.Entry
			}
		}
		seen[met]++
	}
	for _, want := range []string{"road_rockfall", "road_goatherd", "road_singer", "nobody"} {
		if seen[want] < 8 {
			t.Errorf("%s came %d times of 120: %v", want, seen[want], seen)
		}
	}
}

// find returns the block of an entry, or nil.
func find(blocks []engine.Block, entry string) *engine.Block {
	for i := range blocks {
		if blocks[i].Entry == entry {
			return &blocks[i]
		}
	}
	return nil
}

func say(text string) []lore.Message { return []lore.Message{lore.UserMessage(text)} }

// A prompt without the slot that an entry asks for takes its fallback.
func TestSlotsFallBack(t *testing.T) {
	t.Parallel()
	result, err := newEngine(t).Assemble(t.Context(), index(t), engine.Input{
		Messages: say("Show me the chart of the quay."), Vars: variables(t), Character: ilka,
		Slots: []lore.Slot{lore.SlotPreamble, lore.SlotBackdrop, lore.SlotSetting},
	})
	if err != nil {
		t.Fatal(err)
	}
	for entry, want := range map[string]lore.Slot{"chart": lore.SlotSetting, "manner": lore.SlotPreamble, "pilot": lore.SlotBackdrop} {
		if b := find(result.Blocks, entry); b == nil || b.Slot != want {
			t.Errorf("%s: block %+v, want it in %s", entry, b, want)
		}
	}
}

func TestLongEntryIsCutAtASentence(t *testing.T) {
	t.Parallel()
	result, err := newEngine(t).Assemble(t.Context(), index(t), engine.Input{Messages: say("To the market!"), Vars: variables(t)})
	if err != nil {
		t.Fatal(err)
	}
	b := find(result.Blocks, "market")
	if b == nil || !b.Cut || b.Tokens > 60 || !strings.HasSuffix(strings.TrimSpace(b.Content), ".") {
		t.Errorf("block %+v, want one cut at a sentence end within 60 tokens", b)
	}
}

// The tide comes in with the turn that names it and stays for three more.
func TestStickyEntryRunsOut(t *testing.T) {
	t.Parallel()
	ix, eng, vars := index(t), newEngine(t), variables(t)
	var state engine.State
	var present []bool
	for _, text := range []string{"The cloud is rising!", "Up the stair.", "Wait here.", "And now?", "Look.", "Nothing."} {
		var err error
		if state, err = eng.Advance(t.Context(), ix, state); err != nil {
			t.Fatal(err)
		}
		result, err := eng.Assemble(t.Context(), ix, engine.Input{Messages: say(text), State: state, Vars: vars})
		if err != nil {
			t.Fatal(err)
		}
		state = result.State
		present = append(present, find(result.Blocks, "fleece_tide") != nil)
	}
	if diff := cmp.Diff([]bool{true, true, true, true, false, false}, present); diff != "" {
		t.Errorf("turns with the tide (-want +got):\n%s", diff)
	}
}

// The book of the tavern comes in two spellings, which give the same prompt:
// Weft's own, and the one of the program that it follows.
func TestRegularsAreTheSameInBothSpellings(t *testing.T) {
	t.Parallel()
	own, problems := lore.ParseBook("regulars.json", read(t, "regulars.json"))
	table, err := format.NewTable(suzune.Codecs()...)
	if err != nil {
		t.Fatal(err)
	}
	doc, _, err := format.Read(t.Context(), table, format.File("regulars.suzune.json"))
	if err != nil || len(problems) > 0 || len(doc.Books) != 1 {
		t.Fatalf("%d books, problems %v, error %v", len(doc.Books), problems, err)
	}
	messages := []lore.Message{
		lore.UserMessage("Is there a table at the Drowned Lark?"),
		lore.AssistantMessage("For us always. Maddis keeps one."),
		lore.UserMessage("And cards?"),
		lore.AssistantMessage("If you can lose."),
		lore.UserMessage("I can. Who is Maddis, anyway?"),
	}
	eng := newEngine(t)
	var prompts [2]string
	for i, book := range []*lore.Book{own, doc.Books[0]} {
		segment, problems := engine.Build(book, engine.BuildOptions{})
		if len(problems) > 0 {
			t.Errorf("%v", problems)
		}
		result, err := eng.Assemble(t.Context(), engine.NewIndex(segment), engine.Input{Messages: messages, Vars: variables(t), Rand: engine.List(0.1)})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range result.Blocks {
			prompts[i] += fmt.Sprintf("[%s] %s\n", b.Slot, b.Content)
		}
	}
	if diff := cmp.Diff(prompts[0], prompts[1]); diff != "" || strings.Count(prompts[0], "\n") != 4 {
		t.Errorf("prompts (-own +suzune):\n%s\n%s", diff, prompts[0])
	}
}

// What the world is there to show.
func TestWorldShowsEveryFeature(t *testing.T) {
	t.Parallel()
	entries := 0
	shown := map[string]bool{}
	show := func(name string, on bool) { shown[name] = shown[name] || on }
	for _, book := range books(t) {
		entries += len(book.Entries)
		show("token budget", book.Budget != nil)
		show("group budgets", len(book.GroupBudgets) > 0)
		show("declared slots", len(book.Slots) > 0)
		show("policy", book.Policy.Name != "weaver")
		show("default slot", book.DefaultSlot != "")
		show("scan depth", book.ScanDepth != nil)
		for _, n := range book.Namespaces {
			show("namespace "+string(n.Access), true)
		}
		for _, e := range book.Entries {
			_, depth := e.Slot.Depth()
			show("at_depth", depth)
			show("role", e.Role != "")
			show("constant", e.Constant)
			show("keywords", len(e.Keys) > 0 && e.Keys[0].Kind == lore.KeyLiteral)
			show("regex", len(e.Keys) > 0 && e.Keys[0].Kind == lore.KeyRE2)
			show("secondary keys", len(e.Clauses) > 0)
			show("condition", e.Condition != "")
			show("case_sensitive", e.CaseSensitive != nil)
			show("whole_words", e.WholeWords != nil)
			show("scan_depth", e.ScanDepth != nil)
			show("probability", e.Probability != nil)
			show("similarity", e.Similarity != nil)
			show("kinds", len(e.Kinds) > 0)
			show("sticky", e.Sticky > 0)
			show("cooldown", e.Cooldown > 0)
			show("delay", e.Delay > 0)
			show("fallback", len(e.Fallback) > 0)
			show("insertion_order", e.InsertionOrder != lore.DefaultInsertionOrder)
			show("group", e.Group != "")
			show("max_tokens", e.MaxTokens > 0)
			show("characters", e.Characters != nil)
			show("sizes", e.Sizes.Brief != "" && e.Sizes.OneLine != "")
			show("disabled", e.Disabled)
			show("tags", len(e.Tags) > 0)
			show("comment", e.Comment != "")
			show("unknown field", len(e.Ext) > 0)
			for _, piece := range []string{"[[", "<trigger", "{# foreach", "{# elif", "{# continue", "{# return", "{# break", "{# stop", "{#-", "// ", "@[core.rng", "$[inc_var", "$[push_var", "$[default_var", "$[set_var", "$[is_active", "local:", "temp:", "state:", "town:", "r\""} {
				show(piece, strings.Contains(e.Content, piece))
			}
		}
	}
	if entries < 25 {
		t.Errorf("%d entries, want at least 25", entries)
	}
	for name, is := range shown {
		if !is {
			t.Errorf("no entry shows %s", name)
		}
	}
}
