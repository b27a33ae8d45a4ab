package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/weft-memory/weft/lore"
)

// Difference is what one view says of an entry and another does not.
type Difference struct {
	Ref Ref
	// Before and After are the entry as the engine sees it; nil where it is not
	// live.
	Before, After *lore.Entry
	// Change makes After of Before, if both are there.
	Change Change
	// From and To are the categories.
	From, To string
}

// DiffViews returns how b differs from a view a of the same books, in the order
// of the references.
func DiffViews(a, b *View) []Difference {
	refs := map[Ref]bool{}
	for _, v := range []*View{a, b} {
		for r := range v.states {
			refs[r] = true
		}
	}
	var out []Difference
	for _, r := range sortedRefs(refs) {
		sa, sb := a.states[r], b.states[r]
		if sa == sb {
			continue
		}
		d := Difference{Ref: r, Before: a.at(r), After: b.at(r), From: a.asked(r), To: b.asked(r)}
		switch {
		case d.Before == nil && d.After == nil:
			continue
		case d.Before != nil && d.After != nil:
			d.Change = Diff(d.Before, d.After)
			if d.Change.IsZero() && d.From == d.To {
				continue
			}
		}
		out = append(out, d)
	}
	return out
}

// at returns an entry, references not followed.
func (v *View) at(r Ref) *lore.Entry {
	s := v.states[r]
	switch {
	case s == nil:
		return v.base.entry(r)
	case !s.live():
		return nil
	}
	return v.rendered(s)
}

func sortedRefs(refs map[Ref]bool) []Ref {
	out := make([]Ref, 0, len(refs))
	for r := range refs {
		out = append(out, r)
	}
	slices.SortFunc(out, compareRefs)
	return out
}

// Record is what a view says of one entry, as data: what a materialised copy
// holds.
type Record struct {
	Ref      Ref             `json:"ref"`
	Status   Status          `json:"status"`
	Into     *Ref            `json:"into,omitempty"`
	Category string          `json:"category,omitempty"`
	Locks    []string        `json:"locks,omitempty"`
	Knows    []string        `json:"knows,omitempty"`
	Entry    json.RawMessage `json:"entry,omitempty"` // as the engine sees it
	Own      json.RawMessage `json:"own,omitempty"`   // without what was laid over it
}

// Records returns what the operations of the view made of the entries they
// concern, in the order of the references. Views of the same operations have
// equal records, however they were made.
func (v *View) Records() []Record {
	var out []Record
	for _, s := range v.sorted(func(s *state) bool { return !v.untouched(s) }) {
		r := Record{Ref: s.ref, Status: s.status, Category: s.category, Locks: s.locks, Knows: s.knows}
		if s.status == StatusMerged {
			r.Into = &s.into
		}
		if s.exists() {
			r.Own = entryJSON(s.own.lore())
			if s.live() {
				r.Entry = entryJSON(v.rendered(s))
			}
		}
		out = append(out, r)
	}
	return out
}

// untouched reports whether a state says what the books say.
func (v *View) untouched(s *state) bool {
	if len(s.log) > 0 {
		return false
	}
	return s.base == nil || s.own.same(newVersion(s.base)) && s.over == nil && s.live() && s.category == s.base.Folder
}

func entryJSON(e *lore.Entry) json.RawMessage {
	raw, err := lore.MarshalEntry(e)
	if err != nil {
		return quoted(err.Error())
	}
	return raw
}

// Fingerprint returns a hash over everything the view says: records,
// categories, conflicts and proposals. Two views with one fingerprint read the
// same.
func (v *View) Fingerprint() string {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, part := range []any{v.Records(), v.Live(), v.Categories(), v.Conflicts(), v.Proposals()} {
		if err := enc.Encode(part); err != nil {
			h.Write([]byte(err.Error())) // text that is not UTF-8 in a proposal
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
