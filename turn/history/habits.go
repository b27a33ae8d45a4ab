package history

import (
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
)

// habits is what a world's front ends have been seen to do: texts that they
// put in and that are no message, names, and how their turns look. Nothing
// breaks if it is lost; it is learned again.
type habits struct {
	seen, old map[key]habit // old is the half that goes next
	names     map[string]lore.Role
	tails     []string // the last texts that ended a turn, for comparison
	turns     int      // how many turns were learned from
	merges    bool     // messages of one role are merged
	opens     bool     // turns begin with system text
}

// habit says where a text was seen.
type habit uint8

const (
	injected habit = 1 << iota // it is no message
	ending                     // it stood behind the history of a turn
	nudge                      // it asked to continue
	opening                    // it stood before the history of a turn
	trailing                   // it stood behind the person's words in one message
)

const (
	maxHabits = 4096
	maxTails  = 32
	maxNames  = 256
)

func newHabits() habits {
	return habits{seen: map[key]habit{}, names: map[string]lore.Role{}}
}

func (h *habits) name(name string, role lore.Role) {
	if isName(name) && (len(h.names) < maxNames || h.names[name] != "") {
		h.names[name] = role
	}
}

// learn marks a text, its paragraphs and its lines.
func (h *habits) learn(s string, how habit) {
	if len(h.seen) >= maxHabits { // the older half goes
		h.old, h.seen = h.seen, map[key]habit{}
	}
	h.opens = h.opens || how&opening != 0
	eachPart(s, how, func(k key) { h.seen[k] |= how | h.old[k] })
	if how&(ending|trailing) != 0 {
		h.tails = remember(h.tails, s)
	}
}

// remember adds the lines of a text that ends turns to those of the last ones.
func remember(tails []string, s string) []string {
	for l := range strings.SplitSeq(s, "\n") {
		if l = strings.TrimSpace(l); l == "" {
			continue
		}
		if i := slices.Index(tails, l); i >= 0 {
			tails = slices.Delete(tails, i, i+1)
		}
		if tails = append(tails, l); len(tails) > maxTails {
			tails = slices.Delete(tails, 0, 1)
		}
	}
	return tails
}

// eachPart calls a function for a text, its paragraphs and, for text at the ends
// of the history, its lines.
func eachPart(s string, how habit, do func(key)) {
	mark := func(s string) {
		if k := keyOf(s); k.size > 0 {
			do(k)
		}
	}
	mark(s)
	if !strings.Contains(s, "\n") {
		return
	}
	for p := range strings.SplitSeq(s, "\n\n") {
		mark(p)
		if how&(ending|opening) != 0 && strings.Contains(p, "\n") {
			for l := range strings.SplitSeq(p, "\n") {
				mark(l)
			}
		}
	}
}

// known is what is known of a client's habits while a request is looked at.
type known struct {
	*habits
	fresh map[key]habit // learned from the request itself
	tails *[]string     // the same of texts that end turns
}

// knows reports whether a text has been seen in one of these ways.
func (h known) knows(s string, how habit) bool { return h.knowsKey(keyOf(s), how) }

func (h known) knowsKey(k key, how habit) bool {
	return (h.seen[k]|h.old[k]|h.fresh[k])&how != 0
}

// unknown returns what of a text has not been seen in one of these ways: the
// paragraphs, or lines, that are left.
func (h known) unknown(s string, how habit) string {
	if len(h.seen)+len(h.old)+len(h.fresh) == 0 {
		return strings.TrimSpace(s)
	}
	if h.knows(s, how) || strings.TrimSpace(s) == "" {
		return ""
	}
	if !strings.Contains(s, "\n") {
		return strings.TrimSpace(s)
	}
	left := func(s, sep string) (string, bool) {
		parts := strings.Split(s, sep)
		out := parts[:0]
		cut := false
		for _, p := range parts {
			if strings.TrimSpace(p) != "" && h.knows(p, how) {
				cut = true
				continue
			}
			out = append(out, p)
		}
		return strings.TrimSpace(strings.Join(out, sep)), cut
	}
	rest, cut := left(s, "\n\n")
	if lines, also := left(rest, "\n"); also {
		return lines
	}
	if cut {
		return rest
	}
	return strings.TrimSpace(s)
}

// ends reports whether a text ends turns, or is like one that does: a clock
// that moved, another speaker's name.
func (h known) ends(s string) bool {
	if h.knows(s, ending) {
		return true
	}
	for l := range strings.SplitSeq(s, "\n") {
		like := func(t string) bool { return similar(l, t) >= 0.7 }
		if strings.TrimSpace(l) != "" && !slices.ContainsFunc(h.habits.tails, like) && !slices.ContainsFunc(*h.tails, like) {
			return false
		}
	}
	return strings.TrimSpace(s) != ""
}

// names reports whether a line is one that ends turns with another name in it.
func (h known) names(l string) bool {
	like := func(t string) bool { return sameButNames(l, t) }
	return h.knows(l, ending|trailing) || slices.ContainsFunc(h.habits.tails, like) || slices.ContainsFunc(*h.tails, like)
}

// said returns what of a text in the person's name is the person's, going by
// what is known to be put in. ended says that text that ends turns followed it
// in the same message.
func (h known) said(s string, ended bool) string {
	list := lines(h.unknown(s, injected))
	if ended || h.knows(lastLine(s), injected) { // what is put in ends the text; more of that may be new
		for len(list) > 0 && h.names(list[len(list)-1].text) {
			list = list[:len(list)-1]
		}
	}
	if rest := joinLines(list); keyOf(rest) != keyOf(s) {
		return rest
	}
	return strings.TrimSpace(s)
}
