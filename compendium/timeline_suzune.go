package compendium

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/resolve"
)

// TimelineBook returns the timeline as a lorebook of Suzune's kind: an entry for
// each happening, in their order, "[Day 3] …", found by the names of those who
// took part, the place, and the day. Written by package format/suzune it is the
// world's shared timeline.json; [TimelineJSON] writes the same without it.
//
// Of the world for a viewer ([World.For]) it tells what that viewer knows.
func (w *World) TimelineBook() *lore.Book {
	b := &lore.Book{ID: "timeline", Name: "timeline", Policy: lore.PolicySuzune()}
	for i, h := range w.Timeline() {
		e := &lore.Entry{ID: fmt.Sprintf("timeline_%d", i+1), Name: h.Entry.Name, Content: h.line()}
		e.Keys = lore.LiteralKeys(h.keys()...)
		ladder := timelinePriority(h.Importance)
		e.Priority, e.InsertionOrder = -ladder, ladder
		b.Entries = append(b.Entries, e)
	}
	return b
}

// line tells a happening in one line.
func (h Happening) line() string {
	text := oneLine(h.Text)
	if h.Place.Name != "" && !strings.Contains(text, h.Place.Name) {
		text = strings.TrimRight(text, ".") + " (" + oneLine(h.Place.Name) + ")."
	}
	if h.Label != "" {
		text = "[" + oneLine(h.Label) + "] " + text
	}
	return text
}

// keys are what a happening is found by. Those who play are in every message;
// keys that any message holds are no use.
func (h Happening) keys() []string {
	var out []string
	seen := map[string]bool{}
	add := func(s string) {
		if n := resolve.Normal(s); s != "" && !seen[n] && !strings.HasPrefix(s, "{{") {
			seen[n] = true
			out = append(out, oneLine(s))
		}
	}
	add(h.Entry.Name)
	for _, p := range h.Participants {
		add(p.Name)
	}
	add(h.Place.Name)
	add(h.Label)
	return out
}

// timelinePriority is Suzune's, where smaller is more important: an event of
// importance 3 stands at 40, above flavour (50) and below rules.
func timelinePriority(importance int) int { return 55 - 5*min(max(importance, 1), 5) }

// suzuneEntry is an entry of a file of Suzune's.
type suzuneEntry struct {
	Keys          []string `json:"keys"`
	SecondaryKeys []string `json:"secondary_keys"`
	Content       string   `json:"content"`
	Selective     bool     `json:"selective"`
	Constant      bool     `json:"constant"`
	Priority      int      `json:"priority"`
	Enabled       bool     `json:"enabled"`
}

// TimelineJSON returns the timeline as the file shared/timeline.json of a folder
// of Suzune's.
func (w *World) TimelineJSON() []byte {
	list := []suzuneEntry{}
	for _, h := range w.Timeline() {
		list = append(list, suzuneEntry{Keys: h.keys(), SecondaryKeys: []string{}, Content: h.line(), Priority: timelinePriority(h.Importance), Enabled: true})
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(list); err != nil {
		return []byte("[]\n") // texts always encode
	}
	return b.Bytes()
}
