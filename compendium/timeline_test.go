package compendium

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var vale = Calendar{
	Months:   []Month{{"Frostfall", 30}, {"Thaw", 31}, {"Highsun", 30}},
	Weekdays: []string{"Ashday", "Bellday", "Cartday"}, Times: map[string]int{"last bell": 21},
}

func TestCalendar(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		c    Calendar
		text string
		want int64
		ok   bool
	}{
		{Days, "Day 1", 0, true},
		{Days, "day 12, evening", 11*1440 + 20*60, true},
		{Days, "Day 3, 17:30", 2*1440 + 17*60 + 30, true},
		{Days, "before dawn on day 2", 1440 + 5*60, true},
		{Days, "a fine day", 0, false},
		{Days, "spring tide", 0, false},
		{Days, "Day 99999999999999999999", 0, false},
		{vale, "1 Frostfall 1", 0, true},
		{vale, "14 Thaw 3", (2*91 + 30 + 13) * 1440, true},
		{vale, "Thaw 14th", (30 + 13) * 1440, true},
		{vale, "the 2nd of Highsun 2, noon", (91+61+1)*1440 + 12*60, true},
		{vale, "Thaw", 30 * 1440, true},
		{vale, "last bell, Thaw 2", 31*1440 + 21*60, true},
	} {
		got, ok := tt.c.Parse(tt.text)
		if got != tt.want || ok != tt.ok {
			t.Errorf("Parse(%q) = %d, %v, want %d, %v", tt.text, got, ok, tt.want, tt.ok)
		}
	}
	for sort, want := range map[int64]string{0: "1 Frostfall 1", (2*91 + 30 + 13) * 1440: "14 Thaw 3", -1: "30 Highsun 0"} {
		if got := vale.Format(sort); got != want {
			t.Errorf("Format(%d) = %q, want %q", sort, got, want)
		}
	}
	if got := vale.Weekday(4 * 1440); got != "Bellday" {
		t.Errorf("weekday %q", got)
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	c := Clock{Calendar: Days}
	for _, step := range []struct {
		text, label string
		sort        int64
		ok          bool
	}{
		{"a fine morning", "a fine morning", 0, false},
		{"Day 3, noon", "Day 3, noon", 2*1440 + 720, true},
		{"that evening", "Day 3, evening", 2*1440 + 1200, true},
		{"the next morning", "Day 4, morning", 3*1440 + 540, true},
		{"two hours later", "Day 4", 3*1440 + 660, true},
		{"at dawn", "Day 5, dawn", 4*1440 + 360, true},
		{"three weeks pass", "Day 26", 25*1440 + 360, true},
		{"two days ago", "two days ago", 25*1440 + 360, false},
		{"in the tavern", "in the tavern", 25*1440 + 360, false},
	} {
		next, ok := c.Read(step.text)
		if next.Now.Label != step.label || next.Now.Sort != step.sort || ok != step.ok {
			t.Errorf("after %q: %+v, %v, want %q %d %v", step.text, next.Now, ok, step.label, step.sort, step.ok)
		}
		c = next
	}
	e, _ := Merge(nil, mustCoerce(t, Character, `{"name":"Ada","current_state":{"condition":"out of breath","location":"Gate"}}`),
		Context{ID: "ada", Source: Source{By: BySidecar, Turn: 1, Story: At("Day 3", 2*1440)}})
	e, _ = Merge(e, mustCoerce(t, Character, `{"name":"Ada","current_state":{"location":"Harbour"}}`), Context{Source: Source{By: BySidecar, Turn: 2, Story: At("Day 25", 24*1440)}})
	stale := NewWorld([]*Entry{e}, Options{Turn: 3, Now: c.Now}).Stale(SkipFrom)
	if len(stale) != 1 || stale[0].Path != "current_state.condition" || Days.SpanText(LanguageFor("en"), stale[0].Age) != "3 weeks" {
		t.Errorf("stale: %+v", stale)
	}
}

func TestTimeline(t *testing.T) {
	t.Parallel()
	ev := func(id string, turn int, now Moment, args string) *Entry {
		e, _ := Merge(nil, mustCoerce(t, Event, args), Context{ID: id, Source: Source{By: BySidecar, Turn: turn, Story: now}})
		return e
	}
	dead, _ := say(t, nil, Character, 9, `{"name":"Old Pell","status":"dead"}`)
	w := NewWorld([]*Entry{
		ev("late", 1, Moment{}, `{"name":"The Flood","when":"Day 30 @ 41760","description":"The quay flooded. It was bad."}`),
		ev("early", 4, Moment{}, `{"name":"The Founding","when":"Day 1 @ 0","description":"Saltmere was founded","importance":4}`),
		ev("undated", 2, Moment{}, `{"name":"A Quarrel","participants":["Ines Carrow"]}`),
		ev("story", 3, At("Day 31, noon", 30*1440+720), `{"name":"The Wedding","location":"the quay"}`),
		ev("never", 3, Moment{}, `{"name":"The Siege","status":"prevented"}`),
		dead,
	}, Options{})
	var got []string
	for _, h := range w.Timeline() {
		s := h.line()
		if h.Skip > 0 {
			s += " (" + LanguageFor("en").phrase("timeline_skip", "n", Days.SpanText(LanguageFor("en"), h.Skip)) + ")"
		}
		got = append(got, s)
	}
	want := []string{
		"[Day 1] Saltmere was founded.", "[Day 30] The quay flooded. (4 weeks later)", "A Quarrel.", "[Day 31, noon] The Wedding (the quay).", "Old Pell: dead",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("timeline (-want +got):\n%s", diff)
	}
	golden(t, "timeline.json.golden", string(w.TimelineJSON()))
}

// What happened in Mana's conversation reaches Sakura as news, without what was
// said in private.
func TestNewsReachesOthers(t *testing.T) {
	t.Parallel()
	mana, sakura := New(Character, "mana", "Mana"), New(Character, "sakura", "Sakura")
	w := NewWorld([]*Entry{mana, sakura}, Options{})
	christmas := func(public string) *Entry {
		e, r := Merge(nil, mustCoerce(t, Event, `{"name":"Christmas with Mana","importance":3,"when":"Day 24","one_line":"{{user}} spent Christmas with Mana.","public":`+public+`,
			"description":"They ate cake. She whispered `+canary+` under the tree.","participants":[{"who":"Mana","part":"actor","outcome":"`+canary+`"}],"tags":["holidays"],
			"facts":[{"text":"`+canary+` is their word","knowledge":{"known_by":["Mana"]}}]}`), Context{ID: "xmas", Source: Source{By: BySidecar, Turn: 7, Node: "m7", Quote: canary}, Resolver: w})
		if len(r.Rejected) > 0 {
			t.Fatal(r.Rejected)
		}
		return e
	}
	e := christmas("true")
	if ok, why := Significant(nil, e); !ok {
		t.Error("not significant")
	} else if why != "it is important" {
		t.Errorf("why: %s", why)
	}
	learners := w.WhoKnows(e, []string{"mana", "sakura"})
	if diff := cmp.Diff([]Learner{{nameOf(mana), "saw"}, {nameOf(sakura), "public"}}, learners); diff != "" {
		t.Errorf("learners (-want +got):\n%s", diff)
	}
	news := w.Telling(e, learners, "news1")
	if strings.Contains(dump(news), canary) {
		t.Errorf("the news tells: %s", dump(news))
	}
	x := w.With(news)
	v := x.CharacterViewer("sakura")
	text := (&Renderer{World: x, Viewer: v}).Render(news, Full)
	if !strings.Contains(text, "Christmas") || !strings.Contains(text, "Day 24") || !strings.Contains(text, "{{user}} spent Christmas with Mana") {
		t.Errorf("Sakura hears: %q", text)
	}
	if s := leak(x, v); s != "" {
		t.Errorf("shown: %s", s)
	}
	if text := (&Renderer{World: x, Viewer: Viewer{Kind: AsCharacter, Names: []string{"Stranger"}}}).Render(news, Full); text != "" {
		t.Errorf("a stranger hears: %q", text)
	}
	// A private one stays among those who were there.
	private := christmas("false")
	if l := w.WhoKnows(private, []string{"mana", "sakura"}); len(l) != 1 || l[0].Who.ID != "mana" {
		t.Errorf("who knows of the private one: %v", l)
	}
	// Who knows already does not learn again.
	told, _ := Learn(e, "", Learned{Who: Ref{ID: "sakura", Text: "Sakura"}, How: "told"}, Context{})
	if l := w.WhoKnows(told, []string{"sakura"}); len(l) != 1 || l[0].Who.ID != "mana" {
		t.Errorf("who learns: %v", l)
	}
}

func TestSignificant(t *testing.T) {
	t.Parallel()
	entry := func(typ Type, args string) *Entry {
		e, _ := say(t, nil, typ, 1, args)
		return e
	}
	plain := entry(Character, `{"name":"Ada","importance":5}`)
	for _, tt := range []struct {
		name          string
		before, after *Entry
		want          bool
	}{
		{"an important character is no news", nil, plain, false},
		{"a death is", plain, entry(Character, `{"name":"Ada","status":"dead"}`), true},
		{"it was known", entry(Character, `{"name":"Ada","status":"dead"}`), entry(Character, `{"name":"Ada","status":"dead","role":"smith"}`), false},
		{"a small event is not", nil, entry(Event, `{"name":"Breakfast"}`), false},
		{"an important one is", nil, entry(Event, `{"name":"The Flood","importance":3}`), true},
		{"a marked one is", nil, entry(Event, `{"name":"Breakfast","significant":true}`), true},
		{"a plot that is resolved", entry(Plot, `{"name":"Who?","status":"active"}`), entry(Plot, `{"name":"Who?","status":"resolved"}`), true},
		{"nothing", plain, nil, false},
	} {
		if got, why := Significant(tt.before, tt.after); got != tt.want || got != (why != "") {
			t.Errorf("%s: %v (%s)", tt.name, got, why)
		}
	}
}
