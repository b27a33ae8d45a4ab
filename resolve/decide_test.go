package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestDecideAmongSeveral holds decisions that need more than one known thing.
func TestDecideAmongSeveral(t *testing.T) {
	t.Parallel()
	young := "A young guard at the north gate, fond of cards."
	old := "An old guard at the south gate with one eye."
	cast := []Thing{
		{ID: "addy", Type: "character", Name: "Tom Addy", Aliases: []string{"Tom"}},
		{ID: "brask", Type: "character", Name: "Tom Brask", Aliases: []string{"Tom"}},
		{ID: "lord", Type: "character", Name: "Lord Thorne", Description: "He rules Ravenhall with a hard hand."},
		{ID: "lady", Type: "character", Name: "Lady Thorne", Description: "She keeps the ledgers and poisons."},
		{ID: "young", Type: "character", Name: "Wat", Description: young},
		{ID: "old", Type: "character", Name: "Wat", Description: old},
		{ID: "tall", Type: "character", Name: "Perrenel Ashgrave", Aliases: []string{"Tall Nell", "Nell", "Lady Ashgrave"}},
		{ID: "little", Type: "character", Name: "Little Nell"},
		{ID: "corvane", Type: "character", Name: "Corvane Ashgrave"},
		{ID: "inn", Type: "location", Name: "The Kingfisher"},
		{ID: "gull", Type: "item", Name: "Kingfisher"},
		{ID: "castle", Type: "location", Name: "Ravenhall Castle"},
		{ID: "cellar", Type: "location", Name: "Ravenhall Cellar"},
		{ID: "guild", Type: "organization", Name: "Lantern Guild"},
		{ID: "guard", Type: "organization", Name: "Lantern Guard"},
		{ID: "h1", Type: "character", Name: "Harald I"},
		{ID: "h2", Type: "character", Name: "Harald II"},
		{ID: "untyped", Name: "Old Pask"},
	}
	for _, c := range []struct {
		about      string
		candidate  Thing
		opts       Options
		want       Verdict
		target     string
		candidates []string
	}{
		{about: "two of one alias", candidate: Thing{Type: "character", Name: "Tom"}, want: Ambiguous, target: "addy", candidates: []string{"addy", "brask"}},
		{about: "full name", candidate: Thing{Type: "character", Name: "tom brask"}, want: Same, target: "brask"},
		{about: "a third Tom", candidate: Thing{Type: "character", Name: "Tom Curlew"}, want: Different},
		{about: "no title, two Thornes", candidate: Thing{Type: "character", Name: "Thorne"}, want: Ambiguous, target: "lady", candidates: []string{"lady", "lord"}},
		{about: "the description tells which", candidate: Thing{Type: "character", Name: "Thorne", Description: "She poisons."}, want: Same, target: "lady"},
		{about: "two of one name", candidate: Thing{Type: "character", Name: "Wat"}, want: Ambiguous, target: "old", candidates: []string{"old", "young"}},
		{about: "one of two of one name", candidate: Thing{Type: "character", Name: "Wat", Description: "Young guard at the north gate who loves cards."}, want: Same, target: "young"},
		{about: "a third of that name", candidate: Thing{Type: "character", Name: "Wat", Description: "Cook of the hospice, famous for dumplings."}, want: Ambiguous, target: "old", candidates: []string{"old", "young"}},
		{about: "an alias before a part of another name", candidate: Thing{Type: "character", Name: "Nell"}, want: Same, target: "tall"},
		{about: "an epithet tells her apart", candidate: Thing{Type: "character", Name: "little nell"}, want: Same, target: "little"},
		{about: "a third Nell", candidate: Thing{Type: "character", Name: "Blind Nell"}, want: Different},
		{about: "a family", candidate: Thing{Type: "character", Name: "Ashgrave"}, want: Ambiguous, target: "corvane", candidates: []string{"corvane", "tall"}},
		{about: "by type", candidate: Thing{Type: "item", Name: "the Kingfisher"}, want: Same, target: "gull"},
		{about: "no type, two things", candidate: Thing{Name: "Kingfisher"}, want: Ambiguous, target: "gull", candidates: []string{"gull", "inn"}},
		{about: "another type", candidate: Thing{Type: "character", Name: "Kingfisher"}, want: Different},
		{about: "a castle before its cellar", candidate: Thing{Type: "location", Name: "Ravenhall"}, want: Same, target: "castle"},
		{about: "guild or guard", candidate: Thing{Type: "organization", Name: "the Lantern"}, want: Ambiguous, target: "guard", candidates: []string{"guard", "guild"}},
		{about: "guild", candidate: Thing{Type: "organization", Name: "The Lantern Guild"}, want: Same, target: "guild"},
		{about: "which king", candidate: Thing{Type: "character", Name: "King Harald"}, want: Ambiguous, target: "h1", candidates: []string{"h1", "h2"}},
		{about: "this king", candidate: Thing{Type: "character", Name: "King Harald the Second"}, want: Same, target: "h2"},
		{about: "another king", candidate: Thing{Type: "character", Name: "King Harald III"}, want: Different},
		{about: "a known thing without type", candidate: Thing{Type: "character", Name: "Pask"}, want: Same, target: "untyped"},
		{about: "by id", candidate: Thing{ID: "inn", Type: "item", Name: "whatever"}, want: Same, target: "inn"},
		{about: "no name", candidate: Thing{Type: "character", Name: " … "}, want: Different},
		{about: "nothing like it", candidate: Thing{Type: "character", Name: "Ottoline Corrow"}, want: Different},
		{
			about: "news of a thing", candidate: Thing{Type: "character", Name: "Little Nell", Description: "Was sent home with fever on the third day."},
			opts: Options{TrustNames: true}, want: Same, target: "little",
		},
	} {
		t.Run(c.about, func(t *testing.T) {
			for how, d := range map[string]Decision{
				"Decide": Decide(c.candidate, cast, c.opts),
				"Index":  NewIndex(cast).Decide(c.candidate, c.opts),
			} {
				if d.Verdict != c.want || d.Target != c.target || !cmp.Equal(d.Candidates, c.candidates) {
					t.Errorf("%s: %v %q %v, want %v %q %v\n%s", how, d.Verdict, d.Target, d.Candidates, c.want, c.target, c.candidates, d.Trace())
				}
			}
		})
	}
}

func TestTrustNames(t *testing.T) {
	t.Parallel()
	known := []Thing{{ID: "wat", Type: "character", Name: "Wat", Description: "A young guard at the north gate, fond of cards."}}
	news := Thing{Type: "character", Name: "Wat", Description: "Lost his boots in the flood and borrowed money."}
	if d := Decide(news, known, Options{}); d.Verdict != Ambiguous || d.Agreement != Unlike {
		t.Errorf("without TrustNames: %v, descriptions %v\n%s", d.Verdict, d.Agreement, d.Trace())
	}
	if d := Decide(news, known, Options{TrustNames: true}); d.Verdict != Same {
		t.Errorf("with TrustNames: %v\n%s", d.Verdict, d.Trace())
	}
	other := Thing{Type: "character", Name: "Wat", Description: "An old guard at the south gate."}
	if d := Decide(other, known, Options{TrustNames: true}); d.Verdict != Ambiguous || d.Agreement != Conflict {
		t.Errorf("a contradiction with TrustNames: %v, descriptions %v\n%s", d.Verdict, d.Agreement, d.Trace())
	}
}

func TestAsk(t *testing.T) {
	t.Parallel()
	known := []Thing{{ID: "addy", Type: "character", Name: "Tom Addy"}, {ID: "brask", Type: "character", Name: "Tom Brask"}}
	tom := Thing{Type: "character", Name: "Tom"}
	for _, c := range []struct {
		about  string
		answer Answer
		want   Verdict
		target string
		rule   Rule
	}{
		{"one of them", Answer{Verdict: Same, ID: "brask", Reason: "he holds the fork"}, Same, "brask", RuleAsk},
		{"none of them", Answer{Verdict: Different}, Different, "", RuleAsk},
		{"undecided", Answer{Verdict: Ambiguous}, Ambiguous, "addy", RuleContainment},
		{"somebody else", Answer{Verdict: Same, ID: "nobody"}, Ambiguous, "addy", RuleContainment},
	} {
		asked := 0
		d := Decide(tom, known, Options{Ask: func(got Thing, among []Thing) Answer {
			asked++
			if got.Name != "Tom" || len(among) != 2 {
				t.Errorf("%s: asked about %q among %d", c.about, got.Name, len(among))
			}
			return c.answer
		}})
		if d.Verdict != c.want || d.Target != c.target || d.Rule != c.rule || asked != 1 {
			t.Errorf("%s: %v %q by %s, asked %d times\n%s", c.about, d.Verdict, d.Target, d.Rule, asked, d.Trace())
		}
		if c.answer.Reason != "" && !strings.Contains(d.Trace(), c.answer.Reason) {
			t.Errorf("%s: the trace lacks the reason:\n%s", c.about, d.Trace())
		}
	}
	Decide(Thing{Type: "character", Name: "tom addy"}, known, Options{Ask: func(Thing, []Thing) Answer {
		t.Error("asked where the name decides")
		return Answer{}
	}})
}

// TestDecideProperties holds that with one known thing the decision is
// symmetric, that things equal themselves, that the order of known things does
// not matter, and that other types never merge.
func TestDecideProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawThing(t, ""), drawThing(t, "")
		x, y := Decide(a, []Thing{b}, Options{}), Decide(b, []Thing{a}, Options{})
		if x.Verdict != y.Verdict || x.Rule != y.Rule || x.Agreement != y.Agreement {
			t.Errorf("not symmetric:\n%+v\n%s%+v\n%s", a, x.Trace(), b, y.Trace())
		}
		if d := Decide(a, []Thing{a}, Options{}); d.Verdict != Same {
			t.Errorf("%+v is not itself:\n%s", a, d.Trace())
		}
		if a.Type != "" && b.Type != "" && a.Type != b.Type && x.Verdict != Different {
			t.Errorf("types %s and %s: %v", a.Type, b.Type, x.Verdict)
		}
		known := []Thing{drawThing(t, "1"), drawThing(t, "2"), drawThing(t, "3")}
		turned := []Thing{known[2], known[0], known[1]}
		if diff := cmp.Diff(Decide(a, known, Options{}), Decide(a, turned, Options{})); diff != "" {
			t.Errorf("the order of known things matters:\n%s", diff)
		}
	})
}

// What somebody is called for short is not the name of everybody who has it in
// a full name of their own.
func TestShortNamesOfStrangers(t *testing.T) {
	t.Parallel()
	known := []Thing{{ID: "osk", Type: "character", Name: "Lady Miravel Osk", Aliases: []string{"the hooded woman", "Mira"}}}
	for name, want := range map[string]Verdict{
		"Mira": Same, "Miravel Osk": Same, "Mira Osk": Same, "the hooded woman": Same,
		"Mira Vell": Different, "Mira Tann the Younger": Different,
	} {
		if d := Decide(Thing{Type: "character", Name: name}, known, Options{TrustNames: true}); d.Verdict != want {
			t.Errorf("%s: %s\n%s", name, d.Verdict, d.Trace())
		}
	}
	known = []Thing{{ID: "mira", Type: "character", Name: "Mira", Aliases: []string{"the hooded woman"}}}
	if d := Decide(Thing{Type: "character", Name: "Mira Osk"}, known, Options{}); d.Verdict != Same {
		t.Errorf("a family name that was not known: %s", d.Trace())
	}
}
