package lore

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecoratorsSplit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, content string
		set           Decorators
		want          []string // the raw lines that count
		body          string
	}{
		{"none", "Plain.", DecoratorsV3, nil, "Plain."},
		{"values", "@@depth 4\n@@role user\nText", DecoratorsV3, []string{"@@depth 4", "@@role user"}, "Text"},
		{"a tab behind the name", "@@depth\t4\n@@role \tuser\nText", DecoratorsV3, []string{"@@depth\t4", "@@role \tuser"}, "Text"},
		{"blank lines around", "\n@@depth 4\n\n@@role user\n\n\nText\n", DecoratorsV3, []string{"@@depth 4", "@@role user"}, "Text\n"},
		{"only decorators", "@@activate", DecoratorsV3, []string{"@@activate"}, ""},
		{"unknown", "@@own_thing 1\nText", DecoratorsV3, nil, "Text"},
		{"invalid value", "@@depth deep\nText", DecoratorsV3, nil, "Text"},
		{"fallback", "@@own_thing 1\n@@@other 2\n@@@depth 3\n@@@role user\nText", DecoratorsV3, []string{"@@depth 3"}, "Text"},
		{"fallback not needed", "@@depth 3\n@@@role user\nText", DecoratorsV3, []string{"@@depth 3"}, "Text"},
		{"fallback of an ignored one", "@@position before_desc\n@@depth 3\n@@@role user\nText", DecoratorsV3, []string{"@@position before_desc", "@@role user"}, "Text"},
		{"reverse beside depth", "@@reverse_depth 1\n@@depth 3\nText", DecoratorsV3, []string{"@@depth 3"}, "Text"},
		{"the first of two", "@@depth 3\n@@depth 5\nText", DecoratorsV3, []string{"@@depth 3"}, "Text"},
		{"repeatable", "@@additional_keys a\n@@additional_keys b\nText", DecoratorsV3, []string{"@@additional_keys a", "@@additional_keys b"}, "Text"},
		{"fallback without a line above", "@@@depth 3\nText", DecoratorsV3, nil, "Text"},
		{"windows line ends", "@@depth 3\r\n\r\nText", DecoratorsV3, []string{"@@depth 3"}, "Text"},
		{"not a decorator", "@@ 3\nText", DecoratorsV3, nil, "@@ 3\nText"},
		{"later lines are text", "Text\n@@depth 3", DecoratorsV3, nil, "Text\n@@depth 3"},
		{"risu only", "@@probability 40\n@@end\nText", DecoratorsRisu, []string{"@@probability 40", "@@end"}, "Text"},
		{"risu only, elsewhere", "@@probability 40\nText", DecoratorsV3, nil, "Text"},
		{"no set", "@@depth 3\nText", DecoratorsNone, nil, "@@depth 3\nText"},
	} {
		list, body := c.set.Split(c.content)
		var got []string
		for _, d := range list {
			got = append(got, d.Raw)
		}
		if !cmp.Equal(got, c.want) || body != c.body {
			t.Errorf("%s: got %q and %q, want %q and %q", c.name, got, body, c.want, c.body)
		}
	}
}

func TestDecoratorsApply(t *testing.T) {
	t.Parallel()
	e := &Entry{Content: strings.Join([]string{
		"@@activate_only_after 3", "@@activate_only_every 2", "@@keep_activate_after_match", "@@reverse_depth 1", "@@role assistant",
		"@@scan_depth 6", "@@is_greeting 0", "@@ignore_on_max_context", `@@additional_keys lamp, oil\, red`, "@@exclude_keys wreck",
		"@@is_user_icon captain", "@@dont_activate", "@@activate", "@@disable_ui_prompt system_prompt", "Text",
	}, "\n")}
	DecoratorsV3.Apply(e, false)
	zero := 0
	want := &Entry{
		Content: e.Content,
		Match: Match{
			Force: ForceActivate, ScanDepth: Messages(6), Greeting: &zero, UserIcon: "captain",
			Clauses: []Clause{{Logic: AnyOf, Keys: LiteralKeys("lamp", "oil, red")}, {Logic: NoneOf, Keys: LiteralKeys("wreck")}},
		},
		Timing:    Timing{After: 3, Every: 2, Keep: true},
		Placement: Placement{Slot: AtDepth(1), Where: WhereAtDepth, FromStart: true, Role: RoleAssistant, DropFirst: true},
		Ext:       e.Ext,
	}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := string(e.Ext["disable_ui_prompt"]); got != `"system_prompt"` {
		t.Errorf("disable_ui_prompt: %s", got)
	}
	regex := &Entry{Content: "@@additional_keys /st(op|ay)/i\n@@exclude_keys wreck\nText"}
	DecoratorsV3.Apply(regex, true)
	if diff := cmp.Diff([]Clause{{Logic: AnyOf, Keys: []Key{{Text: "st(op|ay)", Kind: KeyJS, Flags: "i"}}}}, regex.Clauses); diff != "" {
		t.Errorf("with regex (-want +got):\n%s", diff)
	}
	risu := &Entry{Content: "@@end\n@@probability 30\n@@match_full_word\n@@unrecursive\n@@no_recursive_search\n@@inject_lore Harbour\n@@inject_prepend\n@@priority 7\nText"}
	DecoratorsRisu.Apply(risu, false)
	if risu.Slot != AtDepth(0) || *risu.Probability != 30 || !*risu.WholeWords || *risu.Recursion.Override || !risu.Recursion.Excluded ||
		*risu.Inject != (Inject{Target: "Harbour", Mode: "prepend"}) || risu.Priority != 7 {
		t.Errorf("RisuAI's own: %+v", risu)
	}
}

// TestTavernHashSeesEveryField: any change gives another number, the order of
// fields included, and white space does not count.
func TestTavernHashSeesEveryField(t *testing.T) {
	t.Parallel()
	hash := func(raw, world string) uint64 {
		h, err := TavernHash([]byte(raw), world)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		return h
	}
	base := hash(`{"uid":1,"key":["a"],"content":"x","order":1e2}`, "w")
	if got := hash(`{ "uid" : 1.0, "key": [ "a" ], "content":"\u0078","order":100}`, "w"); got != base {
		t.Error("spelling changes the hash")
	}
	seen := map[uint64]string{base: "base"}
	for _, c := range []struct{ raw, world string }{
		{`{"uid":1,"key":["a"],"content":"x","order":100}`, "v"},
		{`{"uid":2,"key":["a"],"content":"x","order":100}`, "w"},
		{`{"uid":1,"content":"x","key":["a"],"order":100}`, "w"},
		{`{"uid":1,"key":["a"],"content":"@@activate\nx","order":100}`, "w"},
		{`{"uid":1,"key":["a"],"content":"\ud800","order":100}`, "w"},
		{`{"uid":1,"key":["a"],"order":100}`, "w"},
	} {
		h := hash(c.raw, c.world)
		if old, ok := seen[h]; ok {
			t.Errorf("%s in %s has the hash of %s", c.raw, c.world, old)
		}
		if seen[h] = c.raw; h >= 1<<53 {
			t.Errorf("%d has more than 53 bits", h)
		}
	}
	if _, err := TavernHash([]byte("[1]"), "w"); err == nil {
		t.Error("a list has a hash")
	}
}

func FuzzDecorators(f *testing.F) {
	f.Add("@@depth 4\n@@@role user\n\nText")
	f.Add("@@@\n@@x")
	f.Fuzz(func(t *testing.T, content string) {
		for _, set := range []Decorators{DecoratorsTavern, DecoratorsV3, DecoratorsRisu} {
			list, body := set.Split(content)
			if !strings.HasSuffix(content, body) {
				t.Fatalf("%s: %q is no end of %q", set, body, content)
			}
			e := &Entry{Content: content}
			set.Apply(e, len(list)%2 == 0)
		}
	})
}
