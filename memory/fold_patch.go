package memory

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

func (f *folder) patch(op *Operation, s *state) {
	c := &op.Change
	switch {
	case op.Author.Kind != BySidecar:
		f.patchByPerson(op, s, c)
	case s.guard() != "":
		f.layOver(op, s, c)
	default:
		f.patchBySidecar(op, s, c)
	}
}

// patchByPerson applies a change as it stands, to the entry or to what was laid
// over it.
func (f *folder) patchByPerson(op *Operation, s *state, c *Change) {
	p := patching{dormant: f.dormant(op)}
	if c.Overlay {
		out, conflicts := s.laid().patch(c, p)
		s.setOver(out)
		s.conflict(op, conflicts...)
		return
	}
	was := s.own
	out, conflicts := was.patch(c, p)
	s.own = out
	s.human.note(was, out)
	s.conflict(op, conflicts...)
	f.folderField(op, s, was)
}

// folderField moves the entry where its field folder was changed.
func (f *folder) folderField(op *Operation, s *state, was *version) {
	if _, ok := op.Change.Fields[fieldFolder]; !ok {
		return
	}
	old, new := was.get(fieldFolder), s.own.get(fieldFolder)
	if equalJSON(old, new) {
		return
	}
	var to string
	if len(new) > 0 && json.Unmarshal(new, &to) != nil {
		return
	}
	f.setCategory(op, s, to)
}

// patchBySidecar changes an entry that a sidecar made. What people changed in
// it is theirs.
func (f *folder) patchBySidecar(op *Operation, s *state, c *Change) {
	allowed := Change{Names: c.Names}
	var rest Change
	for _, n := range s.own.oneForm(c.Fields) {
		if f.mayChange(s, n) {
			setChange(&allowed, n.name, n.Field)
		} else {
			setChange(&rest, n.name, n.Field)
		}
	}
	for _, name := range []string{fieldContent, fieldBase64} {
		if field, ok := c.Fields[name]; ok {
			setChange(&allowed, name, field)
		}
	}
	for _, h := range c.Content {
		mine, theirs := s.human.divide(h)
		if mine != nil {
			allowed.Content = append(allowed.Content, *mine)
		}
		if theirs != nil {
			rest.Content = append(rest.Content, *theirs)
		}
	}
	if !rest.IsZero() {
		s.propose(op, rest, "a person wrote that")
	}
	was := s.own
	out, conflicts := was.patch(&allowed, patching{dedup: true, quiet: true})
	if why := f.shrinks(was.content, out.content); why != "" {
		out = out.with(nil, was.content)
		s.propose(op, Change{Content: allowed.Content}, why)
	}
	s.own = out
	s.conflict(op, conflicts...)
	f.folderField(op, s, was)
}

// mayChange reports whether a sidecar may change a field that a person may have
// set: additions to lists, and what is about the story if it saw the value that
// the person gave.
func (f *folder) mayChange(s *state, n namedField) bool {
	if !s.human.fields[n.name] {
		return true
	}
	cur := s.own.get(n.name)
	if n.name == fieldKeys || n.name == "tags" {
		return len(missingItems(n.Old, n.New)) == 0
	}
	return !nativeFields[n.name] && equalJSON(cur, n.Old)
}

// divide splits a hunk of a sidecar into what concerns no person's sentence and
// what does.
func (m *marks) divide(h Hunk) (mine, theirs *Hunk) {
	if len(m.sentences) == 0 && len(m.struck) == 0 {
		return &h, nil
	}
	for key := range sentenceSet(h.Old) {
		if m.sentences[key] && !sentenceSet(h.New)[key] {
			return nil, &h
		}
	}
	for key := range sentenceSet(h.New) {
		if m.struck[key] {
			return nil, &h
		}
	}
	return &h, nil
}

// shrinks says why a text may not become another one; "" if it may.
func (f *folder) shrinks(old, new string) string {
	share, from := f.opts.Shrink, f.opts.ShrinkFrom
	if share == 0 {
		share = 0.5
	}
	if from == 0 {
		from = 200
	}
	lost := len(old) - len(new)
	if len(old) < from || share >= 1 || float64(lost) <= share*float64(len(old)) {
		return ""
	}
	return fmt.Sprintf("it removes %d of %d bytes of the text, more than %.0f %%", lost, len(old), share*100)
}

func setChange(c *Change, name string, f Field) {
	if c.Fields == nil {
		c.Fields = map[string]Field{}
	}
	c.Fields[name] = f
}

// missingItems returns the items of the list a that b has not.
func missingItems(a, b json.RawMessage) []json.RawMessage {
	x, y, _, _ := lists(a, b)
	var out []json.RawMessage
	for _, item := range x {
		if !slices.ContainsFunc(y, func(z json.RawMessage) bool { return equalJSON(z, item) }) {
			out = append(out, item)
		}
	}
	return out
}

// layOver applies a sidecar's change to an entry that is not its own: what the
// story adds is laid over it, what would change it becomes a proposal.
func (f *folder) layOver(op *Operation, s *state, c *Change) {
	over := s.laid()
	var rest Change
	for _, n := range s.own.oneForm(c.Fields) {
		var waits *Field
		over, waits = layField(s, over, n)
		if waits != nil {
			setChange(&rest, n.name, *waits)
		}
	}
	for _, name := range []string{fieldContent, fieldBase64} {
		if field, ok := c.Fields[name]; ok {
			setChange(&rest, name, field)
		}
	}
	over = layKeys(s, over, fieldKeys, quotedAll(c.Names))
	text := over.content
	var own *target
	if len(c.Content) > 0 {
		own = newTarget(s.own.content)
	}
	for _, h := range c.Content {
		next, fate := layHunk(s, own, text, h)
		switch fate {
		case waits:
			rest.Content = append(rest.Content, h)
		case lost:
			s.conflict(op, Conflict{
				Kind: ConflictContext, Field: fieldContent, Hunk: &h,
				Base: quoted(h.Old), Theirs: quoted(text), Ours: quoted(h.New),
			})
		}
		text = next
	}
	if why := f.shrinks(over.content, text); why != "" {
		s.propose(op, Change{Content: c.Content, Overlay: true}, why)
		text = over.content
	}
	if text != over.content {
		over = over.with(nil, text)
	}
	s.setOver(over)
	if !rest.IsZero() {
		s.propose(op, rest, s.guard())
	}
}

// layField puts the change of one field over an entry. What cannot be laid over
// it is returned.
func layField(s *state, over *version, n namedField) (*version, *Field) {
	switch {
	case n.name == "name":
		if equalJSON(n.New, s.own.get("name")) || len(n.New) == 0 {
			return over.set("name", nil), nil
		}
		value, err := canonical("name", n.New)
		if err != nil {
			return over, &n.Field
		}
		return layKeys(s, over.set("name", value), fieldKeys, []json.RawMessage{value}), nil
	case n.name == fieldKeys || n.name == "tags":
		over = layKeys(s, over, n.name, missingItems(n.New, n.Old))
		removed := missingItems(n.Old, n.New)
		mine := missingItems(over.get(n.name), listJSON(removed)) // what stays of the overlay
		theirs := missingItems(listJSON(removed), over.get(n.name))
		if len(removed) > 0 {
			over = over.set(n.name, listJSON(mine))
		}
		if len(theirs) > 0 {
			return over, &Field{Old: listJSON(theirs)}
		}
		return over, nil
	case !nativeFields[n.name]:
		cur := over.get(n.name)
		if len(cur) == 0 {
			cur = s.own.get(n.name)
		}
		merged, _ := mergeValue(n.Old, n.New, cur)
		value, err := canonical(n.name, merged)
		if err != nil {
			return over, &n.Field
		}
		if equalJSON(value, s.own.get(n.name)) {
			value = nil
		}
		return over.set(n.name, value), nil
	}
	return over, &n.Field
}

// layKeys adds items to a list of the overlay that the entry has not.
func layKeys(s *state, over *version, name string, items []json.RawMessage) *version {
	return over.addItems(name, missingItems(listJSON(items), s.own.get(name)))
}

// fate is what became of a hunk.
type fate int

const (
	done fate = iota
	waits
	lost
)

// layHunk applies a hunk to the text that is laid over an entry whose own text
// is own.
func layHunk(s *state, own *target, text string, h Hunk) (string, fate) {
	known := own.known()
	if h.Old != "" {
		if text != "" {
			if next, missing := patchText(text, []Hunk{h}, true, known); len(missing) == 0 {
				return next, done
			}
		}
		place, found := own.locate(h)
		switch {
		case !found:
			return text, lost
		case own.text[place.start:place.end] == place.text:
			return text, done // the text says so already
		}
		return text, waits
	}
	for _, key := range sortedKeys(sentenceSet(h.New)) {
		if s.human.struck[key] {
			return text, waits
		}
	}
	next, missing := patchText(text, []Hunk{h}, true, known)
	if len(missing) > 0 { // its place is in the entry's own text: it is an addition
		next, _ = patchText(text, []Hunk{{New: strings.TrimSpace(h.New)}}, true, known)
	}
	return next, done
}

func quotedAll(list []string) []json.RawMessage {
	out := make([]json.RawMessage, len(list))
	for i, s := range list {
		out[i] = quoted(s)
	}
	return out
}
