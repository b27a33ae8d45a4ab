package compendium

import (
	"cmp"
	"slices"
	"strings"
)

// Happening is a point of the timeline: an event, or the change of a life.
type Happening struct {
	Entry Named  `json:"entry"`
	When  Moment `json:"-"`
	Label string `json:"when,omitempty"`
	// Text tells it in one sentence.
	Text string `json:"text"`
	// Kind is "event" or "status".
	Kind         string  `json:"kind"`
	Status       string  `json:"status,omitempty"`
	Place        Named   `json:"place"`
	Participants []Named `json:"participants,omitempty"`
	Turn         int     `json:"turn"`
	Importance   int     `json:"importance"`
	Significant  bool    `json:"significant,omitempty"`
	// Skip says that much time passed since the happening before: in minutes,
	// 0 if it did not, or if one of the two has no date.
	Skip int64 `json:"skip,omitempty"`
}

// SkipFrom is how much time between two happenings is a skip, in minutes: a
// week of 1440 a day.
const SkipFrom = 7 * 1440

// Timeline returns what happened, in the order of the story: dated happenings by
// date, the others behind the one that was recorded before them. It is a view of
// the events and of the ends of lives; nothing else is stored for it.
func (w *World) Timeline() []Happening {
	var out []Happening
	for _, id := range w.ids {
		e := w.entries[id]
		if e.Type == Event {
			if e.Status() != "averted" {
				out = append(out, w.happening(e))
			}
			continue
		}
		if !e.Ended() {
			continue
		}
		s := e.Sources["status"]
		h := Happening{
			Entry: nameOf(e), When: s.Story, Label: s.Story.Label, Kind: "status", Status: e.Status(), Turn: s.Turn, Importance: e.Importance(),
			Text: e.Name() + ": " + strings.ReplaceAll(e.Status(), "_", " "), Significant: true,
		}
		if why := e.text("status_reason"); why != "" {
			h.Text += " (" + why + ")"
		}
		out = append(out, h)
	}
	sortTimeline(out)
	return out
}

func (w *World) happening(e *Entry) Happening {
	when, _ := e.Data["when"].(Moment)
	first := Source{}
	for _, p := range sortedNames(e.Sources) {
		if s := e.Sources[p]; first == (Source{}) || compareRecords(s, first) < 0 {
			first = s
		}
	}
	if !when.Dated && first.Story.Dated && e.Status() != "upcoming" {
		when.Sort, when.Dated = first.Story.Sort, true
		if when.Label == "" {
			when.Label = first.Story.Label
		}
	}
	h := Happening{
		Entry: nameOf(e), When: when, Label: when.Label, Kind: "event", Status: e.Status(), Turn: first.Turn, Importance: e.Importance(), Text: e.Name(),
	}
	if d := splitSentences(e.Description()); len(d) > 0 {
		h.Text = d[0]
	}
	h.Text = terminated(h.Text)
	if r, ok := e.Data["location"].(Ref); ok {
		h.Place = w.named(r, Location)
	}
	for _, r := range sortedRows(e.Data["participants"]) {
		if who, ok := r.Object["who"].(Ref); ok {
			h.Participants = append(h.Participants, w.named(who, Character, Organization))
		}
	}
	h.Significant, _ = Significant(nil, e)
	return h
}

// sortTimeline orders happenings. Undated ones take the place of the dated one
// that was recorded last before them.
func sortTimeline(list []Happening) {
	slices.SortStableFunc(list, func(a, b Happening) int {
		return cmp.Or(cmp.Compare(a.Turn, b.Turn), compareStrings(a.Entry.ID, b.Entry.ID))
	})
	at := make(map[string]int64, len(list))
	last := int64(-1 << 62)
	for _, h := range list {
		if h.When.Dated {
			last = max(last, h.When.Sort)
			at[h.Entry.ID] = h.When.Sort
		} else {
			at[h.Entry.ID] = last
		}
	}
	slices.SortStableFunc(list, func(a, b Happening) int { return cmp.Compare(at[a.Entry.ID], at[b.Entry.ID]) })
	for i := 1; i < len(list); i++ {
		if a, b := list[i-1].When, list[i].When; a.Dated && b.Dated && b.Sort-a.Sort >= SkipFrom {
			list[i].Skip = b.Sort - a.Sort
		}
	}
}
