package search

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/search/embed"
	"github.com/weft-memory/weft/search/embed/words"
)

func TestActivate(t *testing.T) {
	t.Parallel()
	c := func(entry string, score float64) Candidate { return Candidate{Book: "b", Entry: entry, Score: score} }
	for _, test := range []struct {
		name string
		in   []Candidate
		want map[string]string // "active" or the reason
	}{
		{"threshold", []Candidate{c("a", 0.5), c("b", 0.49)}, map[string]string{"a": "active", "b": "threshold"}},
		{"top_k", []Candidate{c("a", 0.9), c("b", 0.8), c("c", 0.7)}, map[string]string{"a": "active", "b": "active", "c": "top_k"}},
		{"equal scores go by name", []Candidate{c("c", 0.9), c("a", 0.9), c("b", 0.9)}, map[string]string{"a": "active", "b": "active", "c": "top_k"}},
		{"resting", []Candidate{{Book: "b", Entry: "a", Score: 0.9, Resting: true}, c("b", 0.8), c("c", 0.7)}, map[string]string{"a": "cooldown", "b": "active", "c": "active"}},
		{
			"margin",
			[]Candidate{{Book: "b", Entry: "a", Score: 0.9, Rule: Rule{TopK: 1, Margin: 0.2}}, c("b", 0.8)},
			map[string]string{"a": "margin", "b": "active"},
		},
		{
			"margin is kept",
			[]Candidate{{Book: "b", Entry: "a", Score: 0.9, Rule: Rule{TopK: 1, Margin: 0.2}}, c("b", 0.6)},
			map[string]string{"a": "active", "b": "active"},
		},
		{"books do not compete", []Candidate{c("a", 0.9), c("b", 0.8), c("c", 0.7), {Book: "other", Entry: "d", Score: 0.6}}, map[string]string{"a": "active", "b": "active", "c": "top_k", "d": "active"}},
		{"own threshold", []Candidate{{Book: "b", Entry: "a", Score: 0.3, Rule: Rule{Threshold: 0.2}}}, map[string]string{"a": "active"}},
	} {
		for range 5 {
			got := map[string]string{}
			for _, a := range Activate(test.in) {
				got[a.Entry] = a.Reason
				if a.Active {
					got[a.Entry] = "active"
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.name, diff)
			}
			rand.Shuffle(len(test.in), func(i, j int) { test.in[i], test.in[j] = test.in[j], test.in[i] })
		}
	}
}

var tavern = []Subject{
	{ID: "bell", Text: "The Tidebell. A bronze bell sunk off the harbour. When it rings, the drowned rise and walk ashore."},
	{ID: "cook", Text: "Grell. A goblin cook who sells news together with pies."},
	{ID: "moth", Text: "Whisper moth. A grey moth that repeats the last words it heard."},
}

func subjects() []Subject {
	list := append([]Subject(nil), tavern...)
	for i := range list {
		list[i].Vector = words.Table{}.EmbedText(list[i].Text)
	}
	return list
}

func TestLikenessFindsWhatIsToldInOtherWords(t *testing.T) {
	t.Parallel()
	l := NewLikeness(subjects())
	scene := []Turn{
		{"Mira", "Do you hear that tolling from under the waves? Shut the doors."},
		{"Narrator", "Dead sailors come up the beach, as they do when the sunken bronze is struck."},
	}
	got := l.Score(scene, nil, words.Table{}.EmbedText)
	if len(got) == 0 || got[0].ID != "bell" || got[0].Score < 0.4 || len(got[0].Words) == 0 {
		t.Errorf("got %+v, want the bell", got)
	}
	for _, s := range l.Score([]Turn{{"Mira", "We bought bread and went to bed early."}}, nil, words.Table{}.EmbedText) {
		if s.Score >= DefaultThreshold {
			t.Errorf("a scene about nothing activates %+v", s)
		}
	}
}

func TestLikenessPassesOverWhatTheChatSaysAllTheTime(t *testing.T) {
	t.Parallel()
	l := NewLikeness(subjects())
	scene := []Turn{{"Mira", "The goblin pours the beer and the goblin laughs at the pies."}}
	earlier := make([]Turn, 20)
	for i := range earlier {
		earlier[i] = Turn{"Narrator", "The goblin eats pies."}
	}
	score := func(e []Turn) float64 {
		for _, s := range l.Score(scene, e, nil) {
			if s.ID == "cook" {
				return s.Score
			}
		}
		return 0
	}
	if fresh, stale := score(nil), score(earlier); stale >= fresh {
		t.Errorf("score %.2f, after twenty messages of goblins %.2f", fresh, stale)
	}
}

func TestLikenessWithoutEntriesOrVectors(t *testing.T) {
	t.Parallel()
	if got := NewLikeness(nil).Score([]Turn{{"", "x"}}, nil, nil); got != nil {
		t.Errorf("no entries give %v", got)
	}
	l := NewLikeness([]Subject{{ID: "a", Vector: embed.Vector{1, 0}}, {ID: "b", Vector: embed.Vector{1}, Text: "x"}})
	l.Score([]Turn{{"", "x"}}, nil, func(string) embed.Vector { return embed.Vector{1, 2, 3} })
}

func BenchmarkLikeness(b *testing.B) {
	docs, _, _ := world(1_000, 0)
	var list []Subject
	for _, d := range docs {
		list = append(list, Subject{ID: d.ID, Text: d.Text + tavern[0].Text, Vector: words.Table{}.EmbedText(d.Text)})
	}
	l := NewLikeness(list)
	scene := []Turn{{"Mira", tavern[0].Text + tavern[1].Text}, {"Narrator", tavern[2].Text}}
	for b.Loop() {
		l.Score(scene, nil, words.Table{}.EmbedText)
	}
}
