package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
)

// v3Book is a standalone V3 lorebook of entries "keys|content", with literal
// keys divided by commas; no keys make a constant.
func v3Book(t testing.TB, entries ...string) *lore.Book {
	t.Helper()
	var list []string
	for i, e := range entries {
		keys, content, _ := strings.Cut(e, "|")
		quoted := "[]"
		if keys != "" {
			quoted = `["` + strings.ReplaceAll(keys, ",", `","`) + `"]`
		}
		list = append(list, fmt.Sprintf(`{"keys": %s, "content": %q, "extensions": {}, "enabled": true, "insertion_order": %d, "use_regex": false, "constant": %t, "name": "e%d", "id": %d}`,
			quoted, content, i, keys == "", i, i))
	}
	return readFile(t, "v3.json", `{"spec": "lorebook_v3", "data": {"extensions": {}, "entries": [`+strings.Join(list, ",")+`]}}`)
}

func TestV3Activation(t *testing.T) {
	t.Parallel()
	one, four := chat("char: At the mill."), chat("char: At the mill.", "user: So.", "char: Yes.", "user: The mill.")
	for _, c := range []struct {
		entry string
		chat  []lore.Message
		want  bool
	}{
		{"mill|The mill.", one, true},
		{"mill|@@activate_only_after 2\nThe mill.", one, false},
		{"mill|@@activate_only_after 2\nThe mill.", four, true},
		{"mill|@@activate_only_every 2\nThe mill.", one, false},
		{"mill|@@activate_only_every 2\nThe mill.", four, true},
		{"quay|@@activate\nThe quay.", one, true},
		{"mill|@@dont_activate\nThe mill.", one, false},
		{"mill|@@dont_activate\n@@activate\nThe mill.", one, true},
		{"mill|@@additional_keys yes,no\nThe mill.", one, false},
		{"mill|@@additional_keys yes,no\nThe mill.", four, true},
		{"mill|@@additional_keys yes\n@@additional_keys quay\nThe mill.", four, false},
		{"mill|@@exclude_keys quay,yes\nThe mill.", four, false},
		{"mill|@@exclude_keys quay\nThe mill.", four, true},
		{"at the mill|@@scan_depth 2\nThe mill.", four, false},
		{"at the mill|@@scan_depth 9\nThe mill.", four, true},
		{"mill|@@is_greeting 1\nThe mill.", one, false},
		{"mill|@@is_greeting 2\nThe mill.", one, true},
		{"mill|@@is_user_icon Rain\nThe mill.", one, true},
		{"mill|@@is_user_icon Sun\nThe mill.", one, false},
		{"mill|@@instruct_scan_depth 5\n@@@dont_activate\nThe mill.", one, false},
		{"mill|@@nothing_known\n@@@also_unknown\n@@@dont_activate\nThe mill.", one, false},
		{"mill|@@nothing_known\nThe mill.", one, true},
	} {
		ix := engine.NewIndex(mustBuild(t, v3Book(t, c.entry)))
		r := assemble(t, newEngine(t, engine.Options{}), ix, engine.Input{Messages: c.chat, Greeting: 2, UserIcon: "Rain"})
		if got := len(r.Blocks) == 1; got != c.want {
			t.Errorf("%q with %d messages: there = %v, want %v", c.entry, len(c.chat), got, c.want)
		} else if got && strings.Contains(r.Blocks[0].Content, "@@") {
			t.Errorf("%q leaves its decorators in the prompt: %q", c.entry, r.Blocks[0].Content)
		}
	}
}

func TestV3Places(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		entry string
		want  engine.Block
	}{
		{"|@@depth 3\n@@role user\nX.", engine.Block{Slot: "at_depth(3)", Depth: 3, Role: lore.RoleUser, Where: lore.WhereAtDepth}},
		{"|@@depth 0\n@@role assistant\nX.", engine.Block{Slot: "at_depth(0)", Role: lore.RoleAssistant, Where: lore.WhereAtDepth}},
		{"|@@depth -2\nX.", engine.Block{Slot: "at_depth(0)", Where: lore.WhereAtDepth}},
		{"|@@reverse_depth 2\nX.", engine.Block{Slot: "at_depth(2)", Depth: 2, FromStart: true, Where: lore.WhereAtDepth}},
		{"|@@depth 3\n@@position personality\nX.", engine.Block{Slot: lore.SlotReference, Where: lore.WherePersonality}},
		{"|@@position before_desc\nX.", engine.Block{Slot: lore.SlotBackdrop, Where: lore.WhereBeforeChar}},
		{"|@@position nowhere_known\n@@@depth 1\nX.", engine.Block{Slot: "at_depth(1)", Depth: 1, Where: lore.WhereAtDepth}},
		{"|@@instruct_depth 40\n@@@depth 2\nX.", engine.Block{Slot: "at_depth(2)", Depth: 2, Where: lore.WhereAtDepth}},
	} {
		ix := engine.NewIndex(mustBuild(t, v3Book(t, c.entry)))
		r := assemble(t, newEngine(t, engine.Options{}), ix, engine.Input{})
		if len(r.Blocks) != 1 {
			t.Fatalf("%q: %v", c.entry, r.Blocks)
		}
		b := r.Blocks[0]
		got := engine.Block{Slot: b.Slot, Depth: b.Depth, FromStart: b.FromStart, Role: b.Role, Where: b.Where}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.entry, diff)
		}
	}
}

func TestV3KeepAndOnce(t *testing.T) {
	t.Parallel()
	ix := engine.NewIndex(mustBuild(t, v3Book(t,
		"mill|@@keep_activate_after_match\nKept.", "mill|@@dont_activate_after_match\nOnce.", "mill|Plain.")))
	e := newEngine(t, engine.Options{})
	var s engine.State
	var got []string
	for _, text := range []string{"rain", "the mill", "rain", "the mill"} {
		s = advance(t, e, ix, s)
		r := assemble(t, e, ix, engine.Input{Messages: says(text), State: s})
		s = r.State
		got = append(got, strings.ReplaceAll(blocks(r), "\n", " "))
	}
	want := []string{"", "e0: Kept. e1: Once. e2: Plain. ", "e0: Kept. ", "e0: Kept. e2: Plain. "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// The same holds in a book that is scanned recursively, where keys stand for
	// nothing but what the state says.
	book := v3Book(t, "mill|@@keep_activate_after_match\nKept.", "mill|@@dont_activate_after_match\nOnce.")
	yes := true
	book.Recursive = &yes
	ix = engine.NewIndex(mustBuild(t, book))
	s = assemble(t, e, ix, engine.Input{Messages: says("the mill")}).State
	if got := blocks(assemble(t, e, ix, engine.Input{Messages: says("rain"), State: s})); got != "e0: Kept.\n" {
		t.Errorf("recursive: %q", got)
	}
}

func TestV3BudgetAndPrompts(t *testing.T) {
	t.Parallel()
	book := v3Book(t,
		"|@@ignore_on_max_context\nFirst to go, whatever its order.", "|Second in order.", "|@@disable_ui_prompt system_prompt\n",
		"quay|@@disable_ui_prompt post_history_instructions\nNot found.")
	e := newEngine(t, engine.Options{Tokenizer: engine.BytesPerToken(4)})
	ix := engine.NewIndex(mustBuild(t, book))
	r := assemble(t, e, ix, engine.Input{Budget: lore.Tokens(8)})
	if got := blocks(r); got != "e1: Second in order.\n" {
		t.Errorf("blocks = %q", got)
	}
	if diff := cmp.Diff([]string{"system_prompt"}, r.DisabledPrompts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestV3Recursion(t *testing.T) {
	t.Parallel()
	book := v3Book(t, "mill|The miller sleeps.{{// weir}}", "miller|He dreams.{{hidden_key:storm}}", "storm|Waves.", "weir|Never.")
	in := engine.Input{Messages: says("the mill")}
	runDialect(t, book, []dialectCase{{"off, as the specification has it", in, "e0: The miller sleeps.\n"}})
	yes := true
	book.Recursive = &yes
	runDialect(t, book, []dialectCase{{"on", in, "e0: The miller sleeps.\ne1: He dreams.\ne2: Waves.\n"}})
}

func TestIgnoredDecoratorsAreNoted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		content string
		set     lore.Policy
		want    int
	}{
		{"@@depth 2\nX.", lore.PolicyCharaCardV3(), 0},
		{"@@depth two\n@@@depth 2\nX.", lore.PolicyCharaCardV3(), 0},
		{"@@unknown\n@@role narrator\nX.", lore.PolicyCharaCardV3(), 2},
		{"@@inject_lore A\nX.", lore.PolicyCharaCardV3(), 1},
		{"@@inject_lore A\nX.", lore.PolicyRisu(), 0},
		{"@@depth 2\nX.", lore.PolicySillyTavern(), 1},
		{"@@activate\nX.", lore.PolicySillyTavern(), 0},
		{"@@depth 2\nX.", lore.PolicySuzune(), 0},
	} {
		_, list := engine.Build(&lore.Book{ID: "b", Policy: c.set, Entries: []*lore.Entry{lore.NewEntry("e", c.content)}}, engine.BuildOptions{})
		n := 0
		for _, d := range list {
			if d.Code == "decorator" {
				n++
			}
		}
		if n != c.want {
			t.Errorf("%s: %q: %d notes, want %d: %v", c.set.Name, c.content, n, c.want, list)
		}
	}
}
