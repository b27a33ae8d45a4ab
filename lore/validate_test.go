package lore

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValidateReportsEverything(t *testing.T) {
	wrong := NewEntry("wrong", "{{")
	wrong.Origin = Origin{Path: "b.json", Line: 7}
	wrong.Keys = []Key{{Text: ""}, {Text: "x", Kind: "globb"}}
	wrong.Clauses = []Clause{{Logic: "some_of"}}
	wrong.Slot, wrong.Fallback, wrong.Role = "bakdrop", []Slot{AtDepth(1), "nowhere_near"}, "narrator"
	wrong.Kinds, wrong.Sources = []TurnKind{"swype"}, []Source{"persna"}
	percent, weight := 101.0, -1.0
	wrong.Probability = &percent
	wrong.Similarity = &Similarity{Threshold: math.NaN(), TopK: -1}
	wrong.ScanDepth = &Amount{N: 3, Unit: "lines"}
	wrong.Sticky = -2
	wrong.Inclusion = &Inclusion{Weight: &weight}
	wrong.Condition = "1 +"
	wrong.Folder = "attic"
	policy := PolicyWeaver()
	policy.Words = "wide"
	b := &Book{
		ID: "b", Policy: policy, Origin: Origin{Path: "b.json", Line: 1},
		Budget: Percent(120), GroupBudgets: map[string]int{"g": -1}, DefaultSlot: "codda",
		Namespaces: map[string]Namespace{"a b": {Access: "write"}},
		Slots:      []SlotDecl{{}, {Name: SlotCoda, After: SlotSetting}, {Name: "x"}, {Name: "y", After: "framng"}},
		Entries:    []*Entry{NewEntry("a", ""), nil, wrong, NewEntry("a", ""), NewEntry(" ", ""), NewEntry("x]", "")},
	}
	want := []string{
		`b.json:1: default_slot: there is no slot "codda" (did you mean coda?)`,
		`b.json:1: group_budgets.g: -1 must not be negative`,
		`b.json:1: namespaces.a b.access: "write" is none of readonly, readwrite`,
		`b.json:1: namespaces: "a b" cannot be the name of a namespace (use a word without spaces and colons)`,
		`b.json:1: policy: words: "wide" is none of substring, unicode, ascii, risu, agnai, novelai`,
		`b.json:1: slots[0]: name is missing (as in {name: rumours, after: backdrop})`,
		`b.json:1: slots[1]: there is a slot coda already`,
		`b.json:1: slots[2]: give one of after and before (as in {name: rumours, after: backdrop})`,
		`b.json:1: slots[3]: after: there is no slot "framng" above it (did you mean framing?)`,
		`b.json:1: token_budget: 120 is out of range`,
		`b.json:1: entry 1 is nil`,
		`b.json:7: entry "wrong": fallback[1]: there is no slot "nowhere_near"`,
		`b.json:7: entry "wrong": inclusion.weight: -1 must not be negative`,
		`b.json:7: entry "wrong": keywords[1].kind: "globb" is none of literal, re2, js, glob (did you mean glob?)`,
		`b.json:7: entry "wrong": kinds[0]: "swype" is none of normal, continue, impersonate, swipe, regenerate, quiet (did you mean swipe?)`,
		`b.json:7: entry "wrong": probability: 101 is outside 0 to 100`,
		`b.json:7: entry "wrong": role: "narrator" is none of system, user, assistant`,
		`b.json:7: entry "wrong": scan_depth: "lines" is none of messages, chars, tokens`,
		`b.json:7: entry "wrong": secondary_logic: "some_of" is none of any_of, all_of, none_of, not_all_of, never (did you mean none_of?)`,
		`b.json:7: entry "wrong": similarity.threshold: NaN is outside 0 to 1`,
		`b.json:7: entry "wrong": similarity.top_k: -1 must not be negative`,
		`b.json:7: entry "wrong": slot: there is no slot "bakdrop" (did you mean backdrop?)`,
		`b.json:7: entry "wrong": sources[0]: "persna" is none of persona`,
		`b.json:7: entry "wrong": sticky_turns: -2 must not be negative`,
		`b.json:7: warning: entry "wrong": folder: the book has no folder "attic"`,
		`b.json:7: warning: entry "wrong": inclusion: it names no group and has no effect (as in inclusion: {names: [weather]})`,
		`b.json:7: warning: entry "wrong": keywords[0]: a key without text never matches (remove it)`,
		`entry " ": id: every entry needs one (give it a short name such as old_mill)`,
		`warning: entry "a": id: "a" is the id of an earlier entry too; the later one counts (give one of the two another id)`,
		`warning: entry "x]": id: "x]" cannot be named by [[id]] or <trigger> (use letters, digits, _ and -)`,
		`b.json:7: entry "wrong": condition: `,
	}
	got := Validate(b)
	var templates int
	for _, d := range got {
		if LoadKind(d) == KindTemplate {
			templates++
		}
	}
	if templates != 2 {
		t.Errorf("%d reports of templates, want the body and the condition", templates)
	}
	for _, w := range want {
		found := false
		for _, d := range got {
			found = found || strings.HasPrefix(d.String(), w)
		}
		if !found {
			t.Errorf("missing: %s", w)
		}
	}
	if len(got) != len(want)+1 { // the body
		for _, d := range got {
			t.Log(d)
		}
		t.Errorf("%d reports, want %d", len(got), len(want)+1)
	}
}

func TestDidYouMean(t *testing.T) {
	for got, want := range map[string]string{
		"keyword": "keywords", "cooldwon": "cooldown", "Sticky-Turns": "sticky_turns", "insertion order": "insertion_order",
		"my_plugin": "", "x": "", "colour": "", "slots": "slot", "notes": "",
	} {
		if s := nearest(got, entryFieldNames); s != want {
			t.Errorf("nearest(%q) = %q, want %q", got, s, want)
		}
	}
}

// Every policy of the package can be named in a lorebook.yaml.
func TestPoliciesListsAll(t *testing.T) {
	listed := map[string]bool{}
	for _, p := range Policies() {
		listed[p.Name] = true
		if err := p.valid(); err != nil {
			t.Errorf("policy %s: %v", p.Name, err)
		}
		if n := policyNode(p); n != nil && n.Value != p.Name {
			t.Errorf("policy %s is written as %s", p.Name, nodeJSON(n))
		}
		if q, ok := PolicyByName(p.Name); !ok || cmp.Diff(p, q) != "" {
			t.Errorf("PolicyByName(%q) gives another policy", p.Name)
		}
	}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	constructors := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Policy") && len(fn.Type.Params.List) == 0 {
				constructors++
			}
		}
	}
	if constructors != len(listed) {
		t.Errorf("Policies lists %d policies, the package has %d constructors", len(listed), constructors)
	}
}
