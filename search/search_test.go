package search

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/search/embed/words"
)

// index makes an index of documents.
func index(t testing.TB, docs ...Document) *Index {
	t.Helper()
	x := NewIndex()
	if err := x.Put(docs...); err != nil {
		t.Fatal(err)
	}
	return x
}

func entry(id, name, text string) Document {
	return Document{ID: id, Kind: Entry, Name: name, Text: text}
}

func message(id, author, text string) Document {
	return Document{ID: id, Kind: Message, Author: author, Text: text}
}

func found(r Result) []string {
	list := make([]string, len(r.Hits))
	for i, h := range r.Hits {
		list[i] = h.ID
	}
	return list
}

func ask(x *Index, text string) []string {
	return found(x.Search(x.All(), Query{Text: text}, DefaultConfig()))
}

func TestQueriesInManyLanguages(t *testing.T) {
	t.Parallel()
	x := index(t,
		entry("en", "The Tidebell", "A bronze bell that was sunk off the harbour; sailors fear its ringing."),
		entry("en2", "Ashford", "A village of shepherds. The mayor keeps bees."),
		entry("de", "Der Nebelwald", "Ein Wald, in dem die Bäume nachts ihre Plätze tauschen und die Wölfe nicht heulen."),
		entry("fr", "L'épée de givre", "Une épée qui ne fond pas et que les chevaliers du nord se sont transmise."),
		entry("es", "La canción perdida", "Una canción que las niñas cantaban en la plaza y que nadie recuerda."),
		entry("ru", "Кузнец Еремей", "Кузнец, который куёт подковы для лошадей князя и хранит ключи от старой башни."),
		entry("ja", "東京の灯台", "海の上に立つ古い灯台。番人の美咲は嵐の夜に鐘を鳴らす。"),
		entry("ja2", "リナ", "港町の少女。猫と話せる。"),
		entry("zh", "李明", "城里的药师，住在北门外，只在夜里卖药。"),
		entry("zh2", "青龙山", "山上有一座庙，庙里的和尚不说话。"),
		entry("ar", "مكتبة الرمال", "مكتبة قديمة في الصحراء يحرسها كاتب أعمى ويزورها المسافرون."),
		entry("ko", "안개 성", "안개 속에 숨은 성에는 늙은 기사가 산다."),
		entry("th", "วัดป่า", "วัดเก่าในป่าที่มีพระเฝ้าระฆังทองคำ"),
		entry("emoji", "🦊", "A spirit."),
		entry("el", "Ο Φάρος", "Ένας παλιός φάρος στο νησί των Κυκλώπων."),
		entry("tr", "Işık Kulesi", "Eski bir kule; gözcüleri sabaha kadar uyumaz ve bir şarkı söyler."),
	)
	for _, test := range []struct{ query, want string }{
		{"tidebell", "en"},
		{"What do the sailors fear?", "en"},
		{"ringing bells", "en"},
		{"shepherd", "en2"},
		{"TIDEBELL", "en"},
		{"ｔｉｄｅｂｅｌｌ", "en"},
		{"Wölfe im Wald", "de"},
		{"Welcher Baum tauscht den Platz?", "de"},
		{"baume", "de"},
		{"chevalier", "fr"},
		{"epee", "fr"},
		{"Où sont les épées ?", "fr"},
		{"cancion", "es"},
		{"canciones de niñas", "es"},
		{"подкова", "ru"},
		{"Кто хранит ключ от башни?", "ru"},
		{"ЕРЕМЕЙ", "ru"},
		{"лошадь князя", "ru"},
		{"東京", "ja"},
		{"美咲", "ja"},
		{"灯台の番人は誰ですか", "ja"},
		{"嵐", "ja"},
		{"リナ", "ja2"},
		{"ﾘﾅ", "ja2"},
		{"李明", "zh"},
		{"药师", "zh"},
		{"谁在夜里卖药？", "zh"},
		{"和尚", "zh2"},
		{"庙", "zh2"},
		{"مكتبة", "ar"},
		{"المكتبات في الصحراء", "ar"},
		{"الكاتب الأعمى", "ar"},
		{"مُسَافِر", "ar"},
		{"기사", "ko"},
		{"안개", "ko"},
		{"ระฆัง", "th"},
		{"🦊", "emoji"},
		{"φαρος", "el"},
		{"ΚΥΚΛΩΠΩΝ", "el"},
		{"kule", "tr"},
	} {
		got := ask(x, test.query)
		if len(got) == 0 || got[0] != test.want {
			t.Errorf("%q finds %v, want %s first", test.query, got, test.want)
		}
	}
}

func TestNamesThatAreLittleWords(t *testing.T) {
	t.Parallel()
	x := index(t,
		entry("will", "Will", "The innkeeper's son."),
		message("m1", "Ann", "I think that Will took the lamp."),
		message("m2", "Ann", "I will take the lamp and go to bed."),
		message("m3", "Ann", "The bed is cold."),
	)
	got := ask(x, "Will")
	if !slices.Equal(got[:min(2, len(got))], []string{"will", "m1"}) {
		t.Errorf("Will finds %v, want the entry and then m1", got)
	}
}

func TestNothingOfAnotherBranchIsFound(t *testing.T) {
	t.Parallel()
	x := index(t,
		message("a", "User", "We open the gate."),
		message("b1", "Narrator", "A dragon waits behind it."),
		message("b2", "Narrator", "A garden lies behind it."), // the reply that was swiped away
		entry("gate@1", "Gate", "A wooden gate."),
		entry("gate@2", "Gate", "A gate that the dragon burned."),
		Document{ID: "s", Kind: Summary, Text: "They met a dragon.", Sources: []string{"b1"}},
	)
	left := x.View([]string{"a", "b1"}, []string{"gate@2", "s"})
	right := x.View([]string{"a", "b2"}, []string{"gate@1"})
	c := DefaultConfig()
	if got := found(x.Search(left, Query{Text: "dragon"}, c)); !slices.Contains(got, "b1") || slices.Contains(got, "b2") || slices.Contains(got, "gate@1") {
		t.Errorf("left of the fork, dragon finds %v", got)
	}
	if got := found(x.Search(right, Query{Text: "dragon"}, c)); len(got) != 0 {
		t.Errorf("right of the fork, dragon finds %v, want nothing", got)
	}
	// The other branch does not even change a score.
	alone := index(t, message("a", "User", "We open the gate."), message("b2", "Narrator", "A garden lies behind it."), entry("gate@1", "Gate", "A wooden gate."))
	want := alone.Search(alone.All(), Query{Text: "Where is the garden gate?"}, c)
	got := x.Search(right, Query{Text: "Where is the garden gate?"}, c)
	if diff := cmp.Diff(want.Hits, got.Hits); diff != "" {
		t.Errorf("what another branch says changes scores (-alone +with branches):\n%s", diff)
	}
}

func TestNeighboursAndEntriesLeadToMessages(t *testing.T) {
	t.Parallel()
	x := index(t,
		message("q", "Ines", "What animal did the island come with?"),
		message("a", "Jorun", "A goat, called Admiral."),
		message("n", "Ines", "The weather is fine."),
		message("k", "Jorun", "I keep it below the third step."),
		Document{ID: "e", Kind: Entry, Text: "Jorun hides the cellar key under a stair.", Sources: []string{"k"}},
	)
	r := x.Search(x.All(), Query{Text: "island animal", Kinds: []Kind{Message}}, DefaultConfig())
	if got := found(r); !slices.Equal(got[:min(2, len(got))], []string{"q", "a"}) {
		t.Errorf("found %v, want the question and then its answer", got)
	}
	if w := r.Hits[1].Why; len(w.Matched) != 0 || len(w.Nearby) != 2 {
		t.Errorf("the answer was found by %+v, want two words nearby", w)
	}
	r = x.Search(x.All(), Query{Text: "cellar key", Kinds: []Kind{Message}}, DefaultConfig())
	if len(r.Hits) == 0 || r.Hits[0].ID != "k" || r.Hits[0].Why.ViaID != "e" {
		t.Errorf("found %+v, want k by way of e", r.Hits)
	}
}

func TestReasonsAddUp(t *testing.T) {
	t.Parallel()
	docs, path, others := world(60, 60)
	for i := range docs {
		docs[i].Group = fmt.Sprint(i / 10 % 3)
		docs[i].Uses = i % 7
		if docs[i].Kind == Entry {
			docs[i].Sources = path[i%len(path) : i%len(path)+1]
		}
	}
	x := loaded(t, docs)
	v := x.View(path, others)
	for _, q := range questions(docs, 50) {
		q.Text = "When " + q.Text
		q.Limit = 200
		last := math.Inf(1)
		for _, h := range x.Search(v, q, DefaultConfig()).Hits {
			if h.Score > last+1e-6 {
				t.Fatalf("%s has %v after one that has %v", h.ID, h.Score, last)
			}
			if w := h.Why; math.Abs(w.total()-h.Score) > 1e-9 || w.Words > 1.0001 {
				t.Fatalf("%s: parts %+v do not make %v", h.ID, w, h.Score)
			}
			last = h.Score
		}
	}
}

func TestLimitKindsAndExclusion(t *testing.T) {
	t.Parallel()
	x := index(t, entry("e", "Lamp", "A lamp."), message("m1", "A", "the lamp"), message("m2", "B", "a lamp, a lamp"))
	c := DefaultConfig()
	if got := found(x.Search(x.All(), Query{Text: "lamp", Limit: 1}, c)); len(got) != 1 {
		t.Errorf("limit 1 gives %v", got)
	}
	if got := found(x.Search(x.All(), Query{Text: "lamp", Kinds: []Kind{Entry}}, c)); !slices.Equal(got, []string{"e"}) {
		t.Errorf("entries alone: %v", got)
	}
	if got := found(x.Search(x.All(), Query{Text: "lamp", Exclude: []string{"m2", "no such"}}, c)); slices.Contains(got, "m2") {
		t.Errorf("m2 was excluded: %v", got)
	}
}

func TestReplacedAndRemovedDocuments(t *testing.T) {
	t.Parallel()
	x := index(t, entry("e", "Lamp", "A lamp of brass."), entry("f", "Door", "A door of oak."))
	before := x.All()
	if err := x.Put(entry("e", "Lamp", "A lamp of silver.")); err != nil {
		t.Fatal(err)
	}
	if got := ask(x, "brass"); len(got) != 0 {
		t.Errorf("the old text is found: %v", got)
	}
	if got := ask(x, "silver"); !slices.Equal(got, []string{"e"}) {
		t.Errorf("silver finds %v", got)
	}
	if n := x.Remove("f", "f", "none"); n != 1 || x.Len() != 1 || x.Has("f") {
		t.Errorf("removed %d, %d left", n, x.Len())
	}
	if got := found(x.Search(before, Query{Text: "oak"}, DefaultConfig())); len(got) != 0 {
		t.Errorf("an older view finds what is gone: %v", got)
	}
	if err := x.Put(Document{Kind: Entry}); err == nil {
		t.Error("a document without id is taken")
	}
	if err := x.Put(Document{ID: "x"}); err == nil {
		t.Error("a document without kind is taken")
	}
}

// Adding documents one by one, with others in between that go again, gives the
// same answers as an index made at once.
func TestHistoryOfAnIndexDoesNotShow(t *testing.T) {
	t.Parallel()
	docs, path, others := world(700, 700)
	once := index(t, docs...)
	x := NewIndex()
	for i, d := range docs {
		junk := d
		junk.ID = "junk"
		old := d
		old.Text = docs[(i*7)%len(docs)].Text
		if err := x.Put(junk, old); err != nil {
			t.Fatal(err)
		}
		if err := x.Put(d); err != nil {
			t.Fatal(err)
		}
		x.Remove("junk")
	}
	want, got := once.View(path, others), x.View(path, others)
	for _, q := range questions(docs, 40) {
		q.Vector = nil
		if diff := cmp.Diff(once.Search(want, q, DefaultConfig()), x.Search(got, q, DefaultConfig())); diff != "" {
			t.Fatalf("%s (-once +bit by bit):\n%s", q.Text, diff)
		}
	}
}

func TestViewsAgree(t *testing.T) {
	t.Parallel()
	docs, path, others := world(50, 80)
	x := index(t, docs...)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, len(path)).Draw(t, "messages")
		k := rapid.IntRange(0, n).Draw(t, "before")
		want := x.View(path[:n], others)
		for name, v := range map[string]*View{
			"with": x.View(path[:k], others).With(path[k:n]...),
			"on":   x.View(path[n:], others).On(path[:n]),
		} {
			if diff := cmp.Diff(want.place, v.place); diff != "" {
				t.Fatalf("%s: %s", name, diff)
			}
			if !slices.Equal(want.joins, v.joins) || want.stats != v.stats {
				t.Fatalf("%s: joins or figures differ", name)
			}
		}
	})
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	x := index(t, entry("e", "Lamp", "A lamp."), message("m", "A", "the lamp \x00 \xff 🦊"), entry("empty", "", ""))
	v := x.All()
	for name, text := range map[string]string{
		"empty": "", "spaces": " \n\t", "punctuation": "?!… — ,;:", "control": "\x00\x01\x1b[31m", "not UTF-8": "\xff\xfe\xc3",
		"emoji": "🦊🐉👨‍👩‍👧", "combining marks": strings.Repeat("\u0301", 5000), "one long word": strings.Repeat("x", 1<<20),
		"megabyte": strings.Repeat("the lamp of the king ", 50_000), "kana": strings.Repeat("あいう", 100_000), "apostrophes": strings.Repeat("a'", 100_000),
		"Thai marks": "ก" + strings.Repeat("่", 10_000), "different words": func() string {
			var b strings.Builder
			for i := range 100_000 {
				fmt.Fprintf(&b, "word%d ", i)
			}
			return b.String()
		}(),
	} {
		start := time.Now()
		r := x.Search(v, Query{Text: text}, DefaultConfig())
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
		if len(text) > maxQuery && !r.Cut {
			t.Errorf("%s: %d bytes were not looked at, and the answer does not say so", name, len(text)-maxQuery)
		}
		scene := x.Search(v, Query{Scene: []Turn{{"", text}, {text, "lamp"}}}, DefaultConfig())
		if name != "megabyte" && len(scene.Hits) == 0 && len(text) < maxQuery {
			t.Errorf("%s: a scene with the lamp finds nothing", name)
		}
	}
	start := time.Now()
	for _, s := range []string{strings.Repeat("a'", 1<<19), strings.Repeat("ก่", 1<<17), strings.Repeat("x y ", 1<<18), strings.Repeat("漢", 1<<18)} {
		if err := x.Put(entry("large", s, s)); err != nil {
			t.Fatal(err)
		}
		NewLikeness([]Subject{{ID: "a", Text: s}}).Score([]Turn{{s, s}}, []Turn{{s, s}}, words.Table{}.EmbedText)
	}
	if took := time.Since(start); took > 60*time.Second {
		t.Errorf("documents of a megabyte took %v", took)
	}
	if r := x.Search(v, Query{Text: "lamp", Vector: []float32{1}, Model: "none"}, Config{}); len(r.Hits) != 0 {
		t.Errorf("a configuration without weights finds %v", found(r))
	}
	none := NewIndex()
	if r := none.Search(none.All(), Query{Text: "lamp"}, DefaultConfig()); len(r.Hits) != 0 {
		t.Errorf("an empty index finds %v", found(r))
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	docs, path, others := world(200, 200)
	x := loaded(t, docs)
	v := x.View(path, others)
	queries := questions(docs, 20)
	want := make([]Result, len(queries))
	for i, q := range queries {
		want[i] = x.Search(v, q, DefaultConfig())
	}
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			for i, q := range queries {
				if n == 0 {
					d := docs[i]
					d.ID = fmt.Sprint("more", i)
					if err := x.Put(d); err != nil {
						t.Error(err)
					}
					_ = x.SetVector(words.Model, d.ID, words.Table{}.EmbedText("sword"))
					x.View(path, others)
					continue
				}
				if diff := cmp.Diff(found(want[i]), found(x.Search(v, q, DefaultConfig()))); diff != "" {
					t.Errorf("documents that a view does not have change its answers: %s", diff)
				}
			}
		})
	}
	wg.Wait()
}

// A message costs less than a millisecond, a world of usual size less than 40
// MB. Times are only reported: machines differ.
func TestSizeOfALargeWorld(t *testing.T) {
	t.Parallel()
	docs, path, others := world(10_000, 6_000)
	x := loaded(t, docs)
	if n := x.Size(); n > 40<<20 {
		t.Errorf("the index takes %d bytes, want at most 40 MB", n)
	}
	v := x.View(path, others)
	if m, o := v.Len(); m != 6_000 || o != 10_000 {
		t.Errorf("the view has %d messages and %d others", m, o)
	}
}

func FuzzSearch(f *testing.F) {
	for _, s := range []string{"the lamp", "東京の灯台", "l'épée", "مكتبة", "don't\x00", "1st May 2023?"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, text, query string) {
		x := index(t, message("m", query, text), entry("e", text, query))
		for _, q := range []Query{{Text: query}, {Scene: []Turn{{text, query}}}} {
			for _, h := range x.Search(x.All(), q, DefaultConfig()).Hits {
				if h.Score <= 0 || h.Score != h.Score {
					t.Fatalf("%+v", h)
				}
			}
		}
		l := NewLikeness([]Subject{{ID: "e", Text: text}})
		for _, s := range l.Score([]Turn{{"", query}}, nil, words.Table{}.EmbedText) {
			if !(s.Score >= 0 && s.Score <= 1) {
				t.Fatalf("%+v", s)
			}
		}
	})
}
