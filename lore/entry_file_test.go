package lore

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// everything is an entry with all fields that authors use.
const everything = `---
# The mill by the river.
id: old_mill
name: The old mill
comment: Keep in step with the miller's card.
type: location
tags: [place, river]
keywords: ["mill", 'old mill'] # as people say it
regex:
  - '(?i)\bmill(er|s)?\b'
secondary_keys: [river, wheel]
secondary_logic: all_of
condition: '{{state:act}} >= 2'
scan_depth: 3
case_sensitive: true
whole_words: false
probability: 62.5
kinds: [normal, swipe]
sources: [persona]
characters: {exclude: true, names: [Tam]}
similarity:
  threshold: 0.5
  top_k: 3
sticky_turns: 2
cooldown: 4
delay: 6
priority: 150
insertion_order: 10
slot: !at_depth 3
fallback: [setting, {at_depth: 1}, at_depth(2)]
role: user
group: places
max_tokens: 120
sizes:
  brief: >-
    A mill that
    no longer grinds.
  one_line: A dead mill.
ignore_budget: true
inclusion: {names: [weather], weight: 30}
recursion: {excluded: true, level: 2}
my_plugin:
  deep: [1, 2.50, yes]
---
The mill stands still.
`

func parseOK(t *testing.T, src string) *File {
	t.Helper()
	f, list := ParseEntry("mill.weaver", []byte(src))
	if len(list) > 0 {
		t.Fatalf("ParseEntry reports: %v", list)
	}
	return f
}

func TestParseEntryReadsEveryField(t *testing.T) {
	got := parseOK(t, everything).Entry().Clone()
	got.Origin.Raw = nil
	yes, no, percent, weight := true, false, 62.5, 30.0
	want := &Entry{
		ID: "old_mill", Name: "The old mill", Comment: "Keep in step with the miller's card.", Type: "location",
		Tags: []string{"place", "river"}, Content: "The mill stands still.\n",
		Match: Match{
			Keys:      append(LiteralKeys("mill", "old mill"), Key{Text: `(?i)\bmill(er|s)?\b`, Kind: KeyRE2}),
			Clauses:   []Clause{{Logic: AllOf, Keys: LiteralKeys("river", "wheel")}},
			Condition: "{{state:act}} >= 2", ScanDepth: Messages(3), CaseSensitive: &yes, WholeWords: &no,
			Probability: &percent, Kinds: []TurnKind{KindNormal, KindSwipe}, Sources: []Source{SourcePersona},
			Characters: &CharacterFilter{Exclude: true, Names: []string{"Tam"}},
			Similarity: &Similarity{Threshold: 0.5, TopK: 3},
		},
		Timing: Timing{Sticky: 2, Cooldown: 4, Delay: 6},
		Placement: Placement{
			Priority: 150, InsertionOrder: 10, Slot: AtDepth(3), Fallback: []Slot{SlotSetting, AtDepth(1), AtDepth(2)},
			Role: RoleUser, Group: "places", MaxTokens: 120, IgnoreBudget: true,
			Sizes: Sizes{Brief: "A mill that no longer grinds.", OneLine: "A dead mill."},
		},
		Inclusion: &Inclusion{Names: []string{"weather"}, Weight: &weight},
		Recursion: Recursion{Excluded: true, Level: 2},
		Origin:    Origin{Format: "weaver", Path: "mill.weaver", Line: 1, BodyLine: 45},
		Ext:       map[string]json.RawMessage{"weaver": json.RawMessage(`{"my_plugin":{"deep":[1,2.50,"yes"]}}`)},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("entry differs (-want +got):\n%s", d)
	}
}

func TestParseEntryDefaults(t *testing.T) {
	e := parseOK(t, "---\nid: 42\n---").Entry()
	want := NewEntry("42", "")
	want.Origin = e.Origin
	if d := cmp.Diff(want, e); d != "" {
		t.Errorf("entry differs (-want +got):\n%s", d)
	}
}

func TestParseEntryKeepsScalarsAsWritten(t *testing.T) {
	e := parseOK(t, "---\nid: 007\nname: yes\nkeywords: [no, 1.50, ~, true]\n---\nx").Entry()
	if e.ID != "007" || e.Name != "yes" {
		t.Errorf("id %q, name %q; want them as they are written", e.ID, e.Name)
	}
	if d := cmp.Diff(LiteralKeys("no", "1.50", "~", "true"), e.Keys); d != "" {
		t.Errorf("keywords differ (-want +got):\n%s", d)
	}
}

func TestSelectiveFalseKeepsSecondaryKeys(t *testing.T) {
	e := parseOK(t, "---\nid: a\nsecondary_keys: [x]\nselective: false\n---\n").Entry()
	if d := cmp.Diff([]Clause{{Logic: AnyOf, Keys: LiteralKeys("x"), Inactive: true}}, e.Clauses); d != "" {
		t.Errorf("clauses differ (-want +got):\n%s", d)
	}
	raw, err := MarshalEntry(e)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"id":"a","secondary_keys":["x"],"selective":false,"content":""}`; string(raw) != want {
		t.Errorf("as JSON %s, want %s", raw, want)
	}
}

func TestParseEntryReports(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"no front matter", "just text", "e.weaver:1:1: no front matter: the first line must be --- (an entry begins with a line ---, its settings, and another line ---)"},
		{"blank line first", "\n---\nid: a\n---\nx", "e.weaver:1:1: no front matter: the first line must be --- (remove what stands before the first ---)"},
		{"not closed", "---\nid: a\nbody", "e.weaver:1:1: the front matter is not closed (put a line --- between the settings and the text)"},
		{"no id", "---\nname: x\n---\nx", "e.weaver:2:1: id is missing (add a line such as id: old_mill)"},
		{"no settings", "---\n---\nx", "e.weaver:1:1: id is missing (add a line such as id: old_mill)"},
		{"bad YAML", "---\nid: [a\n---\nx", "e.weaver:2:1: YAML cannot be read: did not find expected ',' or ']' (look for a bracket that is not closed)"},
		{"tab", "---\nid: a\nsizes:\n\tbrief: x\n---\nx", "e.weaver:4:1: YAML cannot be read: a tab indents this line, which YAML does not allow (use spaces)"},
		{"a list", "---\n- id: a\n---\nx", "e.weaver:2:1: expected settings as `name: value` lines, got a list"},
		{"invalid UTF-8", "---\nid: \xff\n---\nx", "e.weaver:2:5: invalid UTF-8 (byte 0xFF) (save the file as UTF-8)"},
		{"control character", "---\nid: a\x07\n---\nx", "e.weaver:2:6: the character U+0007 cannot stand in YAML (save the file as UTF-8)"},
		{"twice", "---\nid: a\nid: b\n---\nx", "e.weaver:3:1: id is given twice (keep one of the two)"},
		{"wrong types", "---\nid: [a]\npriority: high\nconstant: yes\nkeywords: mill\nsticky_turns: -1\nprobability: 120\nscan_depth: \"3\"\n---\nx", `
			e.weaver:2:5: id: expected a text, got a list
			e.weaver:3:11: priority: expected a whole number, got the text "high"
			e.weaver:4:11: constant: expected true or false, got the text "yes" (write true, without quotes)
			e.weaver:5:11: keywords: expected a list of texts, got the text "mill" (write keywords: [mill])
			e.weaver:6:15: sticky_turns: -1 must not be negative or above 2147483647
			e.weaver:7:14: probability: 120 is outside 0 to 100
			e.weaver:8:13: scan_depth: expected a whole number or {n, unit}, got the text "3"`},
		{"too large", "---\nid: a\npriority: 99999999999999999999\n---\n", `e.weaver:3:11: priority: expected a whole number, got the number 99999999999999999999`},
		{"slots", "---\nid: a\nslot: !at_dept 3\nfallback: [\"two words\", !at_depth x]\n---\nx", `
			e.weaver:3:7: slot: unknown tag !at_dept (did you mean !at_depth?)
			e.weaver:4:12: fallback[0]: "two words": a slot is a word such as backdrop, or at_depth(N)
			e.weaver:4:25: fallback[1]: the depth must be a whole number from 0, got "x" (as in !at_depth 4)`},
		{"nested fields", "---\nid: a\nsizes: {breif: x}\ncharacters: [Tam]\nkinds: [swip]\n---\nx", `
			e.weaver:3:9: sizes has no field "breif", only brief, one_line (did you mean brief?)
			e.weaver:4:13: characters: expected a mapping with exclude, names, tags, got a list
			e.weaver:5:9: kinds[0]: "swip" is none of normal, continue, impersonate, swipe, regenerate, quiet (did you mean swipe?)`},
		{"typos", "---\nid: a\nkeyword: x\ncooldwon: 3\nmy_note: kept\nx_keywords: kept\n---\nx", `
			e.weaver:3:1: warning: keyword is not a field of Weft and has no effect (write keywords: [...])
			e.weaver:4:1: warning: cooldwon is not a field of Weft and has no effect (did you mean cooldown?)`},
		{"empty field", "---\nid: a\nkeywords:\ncondition:\n---\nx", "e.weaver:3:1: warning: keywords is empty and has no effect (give it a value or remove the line)"},
		{"body", "---\nid: a\n---\nline\n{# if #}", "e.weaver:5:"},
		{"condition", "---\nid: a\ncondition: \"true nonsense\"\n---\nx", "e.weaver:3:18: condition: "},
		{"second document", "---\nid: a\n...\nb: 1\n---\nx", "e.weaver:4:1: YAML cannot be read: did not find expected <document start>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, list := ParseEntry("e.weaver", []byte(tt.src))
			var lines []string
			for _, d := range list {
				lines = append(lines, d.String())
			}
			got := strings.Join(lines, "\n")
			want := strings.ReplaceAll(strings.TrimSpace(tt.want), "\t", "")
			if tt.name == "body" || tt.name == "condition" { // the rest is the language's
				if !strings.HasPrefix(got, want) {
					t.Errorf("got  %s\nwant %s…", got, want)
				}
				return
			}
			if got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}
