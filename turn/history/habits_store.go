package history

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
)

// savedHabits is the form in which habits are kept.
type savedHabits struct {
	Seen    []savedHabit         `json:"seen,omitempty"`
	Names   map[string]lore.Role `json:"names,omitempty"`
	Tails   []string             `json:"tails,omitempty"`
	Turns   int                  `json:"turns,omitempty"`
	Merges  bool                 `json:"merges,omitempty"`
	Opens   bool                 `json:"opens,omitempty"`
	Streams []string             `json:"streams,omitempty"` // conversations whose turns are streamed
	Single  []string             `json:"single,omitempty"`  // those that come in one message
}

type savedHabit struct {
	Hash uint64 `json:"h"`
	Size uint32 `json:"n"`
	How  habit  `json:"w"`
}

// Habits returns what was learned of the world's front ends, as JSON: to be
// kept beside the messages, and given to [Index.SetHabits] when the index is
// built again. It is bounded, and nothing but accuracy is lost without it.
func (x *Index) Habits() []byte {
	h := &x.habits
	out := savedHabits{Names: h.names, Tails: h.tails, Turns: h.turns, Merges: h.merges, Opens: h.opens}
	for _, m := range []map[key]habit{h.seen, h.old} {
		for k, how := range m {
			out.Seen = append(out.Seen, savedHabit{k.hash, k.size, how})
		}
	}
	slices.SortFunc(out.Seen, func(a, b savedHabit) int {
		switch {
		case a.Hash != b.Hash && a.Hash < b.Hash, a.Hash == b.Hash && a.Size < b.Size:
			return -1
		case a == b:
			return 0
		}
		return 1
	})
	for i := range x.convs {
		c := &x.convs[i]
		switch {
		case c.gone:
			continue
		case c.stream == On:
			out.Streams = append(out.Streams, c.id)
		}
		if c.single {
			out.Single = append(out.Single, c.id)
		}
	}
	slices.SortFunc(out.Streams, strings.Compare)
	slices.SortFunc(out.Single, strings.Compare)
	raw, err := json.Marshal(out)
	if err != nil { // there is nothing in it that could not be written
		panic(err)
	}
	return raw
}

// SetHabits takes up what [Index.Habits] returned. Conversations have to be
// known before.
func (x *Index) SetHabits(raw []byte) error {
	var in savedHabits
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	h := newHabits()
	for _, s := range in.Seen[:min(len(in.Seen), 2*maxHabits)] {
		h.seen[key{s.Hash, s.Size}] |= s.How
	}
	for name, role := range in.Names {
		h.name(name, role)
	}
	h.tails = in.Tails[:min(len(in.Tails), maxTails)]
	h.turns, h.merges, h.opens = in.Turns, in.Merges, in.Opens
	x.habits = h
	for _, id := range in.Streams {
		if c, ok := x.byConv[id]; ok {
			x.convs[c].stream = On
		}
	}
	for _, id := range in.Single {
		if c, ok := x.byConv[id]; ok {
			x.convs[c].single = true
		}
	}
	return nil
}
