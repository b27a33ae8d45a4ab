package compendium

import (
	"cmp"
	"strconv"
	"strings"
)

// Moment is a point of time in the story, by a label in the story's own words
// and, where it is known, a number to sort by: minutes since the calendar's
// beginning.
type Moment struct {
	Label string
	Sort  int64
	// Dated says that Sort is known.
	Dated bool
}

// At returns a dated moment.
func At(label string, sort int64) Moment { return Moment{Label: label, Sort: sort, Dated: true} }

// IsZero reports whether nothing is known.
func (m Moment) IsZero() bool { return m == Moment{} }

// String returns the stored form: the label, and behind " @ " the number.
func (m Moment) String() string {
	if !m.Dated {
		return m.Label
	}
	return strings.TrimSpace(m.Label + " @ " + strconv.FormatInt(m.Sort, 10))
}

// ParseMoment reads the stored form; any other text is a label.
func ParseMoment(s string) Moment {
	s = strings.TrimSpace(s)
	label, number := "", s
	if i := strings.LastIndex(s, " @ "); i >= 0 {
		label, number = s[:i], s[i+3:]
	} else if rest, ok := strings.CutPrefix(s, "@ "); ok {
		number = rest
	} else {
		return Moment{Label: s}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return Moment{Label: s}
	}
	return Moment{Label: strings.TrimSpace(label), Sort: n, Dated: true}
}

// compareMoments orders dated moments; ok is false if one of them is not dated.
func compareMoments(a, b Moment) (order int, ok bool) {
	if !a.Dated || !b.Dated {
		return 0, false
	}
	return cmp.Compare(a.Sort, b.Sort), true
}
