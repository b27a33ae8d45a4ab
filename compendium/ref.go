package compendium

import (
	"strings"

	"github.com/weft-memory/weft/resolve"
)

// Ref is a reference from one entry to another: the name that was used, and the
// entry that it was found to mean.
type Ref struct {
	// ID is the entry, "" while nobody knows which.
	ID string
	// Text is the name as it was given.
	Text string
}

// String returns the reference in its stored form: the bare text, or, once it is
// bound, [[id|text]]. One string, so that a change replaces it as a whole.
func (r Ref) String() string {
	if r.ID == "" {
		return r.Text
	}
	return "[[" + r.ID + "|" + r.Text + "]]"
}

// ParseRef reads the stored form. Whatever it is not is a bare text.
func ParseRef(s string) Ref {
	s = strings.TrimSpace(s)
	inner, ok := strings.CutPrefix(s, "[[")
	if !ok {
		return Ref{Text: s}
	}
	inner, ok = strings.CutSuffix(inner, "]]")
	id, text, found := strings.Cut(inner, "|")
	switch {
	case !ok || strings.Contains(inner, "[["):
		return Ref{Text: s}
	case !found:
		return Ref{ID: inner, Text: inner}
	}
	return Ref{ID: id, Text: text}
}

// Same reports whether two references mean the same thing as far as they can
// tell by themselves: the same entry, or, unless both are bound, the same name.
func (r Ref) Same(o Ref) bool {
	if r.ID != "" && o.ID != "" {
		return r.ID == o.ID
	}
	return resolve.Normal(r.Text) == resolve.Normal(o.Text)
}

// Resolver finds the entry that a name means. [World] is one.
type Resolver interface {
	// Resolve returns the id of the only entry that a name can mean, of one of
	// the types if any are given; ok is false where there is none or there are
	// several.
	Resolve(name string, of ...Type) (id string, ok bool)
}
