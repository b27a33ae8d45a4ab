package sillytavern_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/format/sillytavern"
	"github.com/weft-memory/weft/lore"
)

func entry(t testing.TB, text string) *lore.Entry {
	t.Helper()
	table, err := format.NewTable(sillytavern.Codec())
	if err != nil {
		t.Fatal(err)
	}
	doc, _, err := format.Read(t.Context(), table, format.Bytes("w.json", []byte(`{"entries":{"3":`+text+`}}`)))
	if err != nil {
		t.Fatal(err)
	}
	return doc.Books[0].Entries[0]
}

// TestMissingFields: a scan does not fill in what is absent.
func TestMissingFields(t *testing.T) {
	t.Parallel()
	e := entry(t, `{"key":["go"],"keysecondary":["night"],"content":"x","useProbability":true}`)
	if e.ID != "3" || e.Where != lore.WhereNowhere || e.Probability == nil || *e.Probability >= 0 || !e.Clauses[0].Inactive {
		t.Errorf("bare entry: id %s, place %s, probability %v, clauses %v", e.ID, e.Where, e.Probability, e.Clauses)
	}
	e = entry(t, `{"key":["go"],"content":"x","probability":0,"position":4,"selective":true,"keysecondary":[]}`)
	if e.Probability != nil || e.Slot != lore.AtDepth(4) || len(e.Clauses) != 0 {
		t.Errorf("no roll without useProbability: %v, %s, %v", e.Probability, e.Slot, e.Clauses)
	}
	e = entry(t, `{"key":"go","content":"x","position":12,"selectiveLogic":9,"selective":true,"keysecondary":["a"]}`)
	if len(e.Keys) != 0 || e.Where != lore.WhereNowhere || e.Clauses[0].Logic != lore.Never {
		t.Errorf("malformed: keys %v, place %s, clauses %v", e.Keys, e.Where, e.Clauses)
	}
}

func TestAllFields(t *testing.T) {
	t.Parallel()
	got := entry(t, `{"uid":8,"key":["/a,b/i","c"],"keysecondary":["d"],"comment":"T","content":"@@dont_activate\nx","constant":true,
		"vectorized":true,"selective":true,"selectiveLogic":3,"order":7,"position":4,"disable":true,"ignoreBudget":true,"excludeRecursion":true,
		"preventRecursion":true,"matchScenario":true,"delayUntilRecursion":2,"probability":35,"useProbability":true,"depth":1,"outletName":"o",
		"group":"g, h","groupOverride":true,"groupWeight":40,"scanDepth":0,"caseSensitive":true,"matchWholeWords":false,"useGroupScoring":true,
		"role":1,"sticky":3,"cooldown":4,"delay":5,"triggers":["swipe"],"characterFilter":{"isExclude":true,"names":["n"],"tags":[]}}`)
	yes, no, weight, p := true, false, 40.0, 35.0
	want := &lore.Entry{
		ID: "8", Name: "T", Content: "@@dont_activate\nx", Disabled: true,
		Match: lore.Match{
			Constant: true, Force: lore.ForceSuppress,
			Keys:          []lore.Key{{Text: "a,b", Kind: lore.KeyJS, Flags: "i"}, {Text: "c", Kind: lore.KeyLiteral}},
			Clauses:       []lore.Clause{{Logic: lore.AllOf, Keys: lore.LiteralKeys("d")}},
			CaseSensitive: &yes, WholeWords: &no, ScanDepth: lore.Messages(0), Probability: &p,
			Sources: []lore.Source{lore.SourceScenario}, Kinds: []lore.TurnKind{lore.KindSwipe},
			Characters: &lore.CharacterFilter{Exclude: true, Names: []string{"n"}, Tags: []string{}}, Similarity: &lore.Similarity{},
		},
		Timing:    lore.Timing{Sticky: 3, Cooldown: 4, Delay: 5},
		Placement: lore.Placement{Where: lore.WhereAtDepth, Slot: lore.AtDepth(1), Role: lore.RoleUser, Outlet: "o", Priority: 7, InsertionOrder: 7, IgnoreBudget: true},
		Inclusion: &lore.Inclusion{Names: []string{"g", "h"}, Override: true, Weight: &weight, Scoring: &yes},
		Recursion: lore.Recursion{Excluded: true, Silent: true, Level: 2},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(lore.Entry{}, "Origin", "Ext")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestHintsGoWhenEdited: a field without effect is written as it stood, until
// an edit gives it one.
func TestHintsGoWhenEdited(t *testing.T) {
	t.Parallel()
	e := entry(t, `{"uid":3,"key":["a"],"content":"x","position":0,"depth":9,"probability":35,"useProbability":false,"selective":true}`)
	vals := func() map[string]*jsondoc.Tree {
		return sillytavern.FieldValues(format.NewWriter(&format.Report{}, format.WriteOptions{}), e)
	}
	v := vals()
	if v["depth"].Text != "9" || v["probability"].Text != "35" || v["useProbability"].Text != "false" {
		t.Errorf("as read: depth %s, probability %s, use %s", v["depth"], v["probability"], v["useProbability"])
	}
	p := 60.0
	e.Where, e.Slot, e.Probability = lore.WhereAtDepth, lore.AtDepth(2), &p
	v = vals()
	if v["position"].Text != "4" || v["depth"].Text != "2" || v["probability"].Text != "60" || v["useProbability"].Text != "true" {
		t.Errorf("edited: position %s, depth %s, probability %s, use %s", v["position"], v["depth"], v["probability"], v["useProbability"])
	}
}

func TestScanOrder(t *testing.T) {
	t.Parallel()
	table, err := format.NewTable(sillytavern.Codec())
	if err != nil {
		t.Fatal(err)
	}
	doc, _, err := format.Read(t.Context(), table, format.Bytes("w.json",
		[]byte(`{"entries":{"b":{"uid":1,"key":[]},"10":{"uid":2,"key":[]},"9":{"uid":3,"key":[]},"01":{"uid":4,"key":[]}}}`)))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range sillytavern.ScanOrder(doc.Books[0]) {
		ids = append(ids, e.ID)
	}
	if want := []string{"3", "2", "1", "4"}; !cmp.Equal(ids, want) {
		t.Errorf("order %v, want %v", ids, want)
	}
}
