package jsondoc

import (
	"slices"
	"strings"
)

// Editor gathers changes to a document and writes the changed text. The
// document itself stays as it is. An Editor is not safe for concurrent use.
type Editor struct {
	doc     *Doc
	changes map[uint32]*change
	order   []uint32 // keys of changes, sorted; nil if stale
}

// change is what happens to one node: another value, or another list of
// children.
type change struct {
	replace *Tree
	slots   []Slot // nil if the children stay as they are
}

// Slot is a place in an array or object: a child that was there, or a new one.
type Slot struct {
	// Old is a child of the container; the zero Value for a new one.
	Old Value
	// Key and New are the new child; Key is ignored in arrays.
	Key string
	New *Tree
}

// Edit returns an editor of the document.
func (d *Doc) Edit() *Editor { return &Editor{doc: d, changes: map[uint32]*change{}} }

// Changed reports whether anything was edited.
func (e *Editor) Changed() bool { return len(e.changes) > 0 }

func (e *Editor) at(v Value) *change {
	if v.doc != e.doc {
		panic("jsondoc: a value of another document")
	}
	c := e.changes[v.i]
	if c == nil {
		c = &change{}
		e.changes[v.i] = c
		e.order = nil
	}
	return c
}

// Replace puts another value in the place of v.
func (e *Editor) Replace(v Value, t *Tree) { e.at(v).replace = t }

// Slots returns the children of a container as they stand after the edits made
// so far.
func (e *Editor) Slots(container Value) []Slot {
	if c := e.changes[container.i]; c != nil && c.slots != nil {
		return slices.Clone(c.slots)
	}
	slots := make([]Slot, 0, container.Len())
	for _, item := range container.Items() {
		slots = append(slots, Slot{Old: item})
	}
	return slots
}

// Arrange gives an array or object another list of children: old ones in any
// order, without those that are to go, and new ones. White space stays with
// the old children.
func (e *Editor) Arrange(container Value, slots []Slot) {
	if slots == nil {
		slots = []Slot{}
	}
	e.at(container).slots = slots
}

func (s Slot) key() string {
	if s.Old.Exists() {
		return s.Old.Key()
	}
	return s.Key
}

// Set changes the member of an object, or appends it.
func (e *Editor) Set(object Value, key string, t *Tree) { e.SetAfter(object, "", key, t) }

// SetAfter is like Set; a member that is not there yet is put behind the member
// called after. Without such a member it is appended.
func (e *Editor) SetAfter(object Value, after, key string, t *Tree) {
	slots := e.Slots(object)
	for i, s := range slices.Backward(slots) {
		if s.key() != key {
			continue
		}
		if s.Old.Exists() {
			e.Replace(s.Old, t)
		} else {
			slots[i].New = t
			e.Arrange(object, slots)
		}
		return
	}
	at := slices.IndexFunc(slots, func(s Slot) bool { return s.key() == after }) + 1
	if at == 0 || after == "" {
		at = len(slots)
	}
	e.Arrange(object, slices.Insert(slots, at, Slot{Key: key, New: t}))
}

// Delete removes the members of an object with this key.
func (e *Editor) Delete(object Value, key string) {
	slots := e.Slots(object)
	kept := slices.DeleteFunc(slots, func(s Slot) bool { return s.key() == key })
	if len(kept) != object.Len() || e.changes[object.i] != nil {
		e.Arrange(object, kept)
	}
}

// Insert puts an item into an array so that it stands at index i.
func (e *Editor) Insert(array Value, i int, t *Tree) {
	slots := e.Slots(array)
	e.Arrange(array, slices.Insert(slots, min(max(i, 0), len(slots)), Slot{New: t}))
}

// Remove takes the i-th item out of an array.
func (e *Editor) Remove(array Value, i int) {
	if slots := e.Slots(array); i >= 0 && i < len(slots) {
		e.Arrange(array, slices.Delete(slots, i, i+1))
	}
}

// Move takes the item at from out of an array and puts it at index to.
func (e *Editor) Move(array Value, from, to int) {
	slots := e.Slots(array)
	if from < 0 || from >= len(slots) || from == to {
		return
	}
	s := slots[from]
	slots = slices.Delete(slots, from, from+1)
	e.Arrange(array, slices.Insert(slots, min(max(to, 0), len(slots)), s))
}

// Merge applies the difference between two trees to v: members that differ are
// set, members that are gone are deleted, objects are entered. What is equal in
// both trees is left alone in v, whatever stands there.
func (e *Editor) Merge(v Value, from, to *Tree) {
	if from.Equal(to) {
		return
	}
	if from == nil || to == nil || from.Kind != Object || to.Kind != Object || v.Kind() != Object {
		e.Replace(v, to)
		return
	}
	for _, m := range from.Members {
		if to.Get(m.Key) == nil {
			e.Delete(v, m.Key)
		}
	}
	after := ""
	for _, m := range to.Members {
		old := from.Get(m.Key)
		switch here := v.Get(m.Key); {
		case m.Value.Equal(old) || to.Get(m.Key) != m.Value: // of a repeated key the last one counts
		case here.Exists():
			e.Merge(here, old, m.Value)
		default:
			e.SetAfter(v, after, m.Key, m.Value)
		}
		after = m.Key
	}
}

// Bytes returns the text with the edits.
func (e *Editor) Bytes() []byte {
	if !e.Changed() {
		return []byte(e.doc.text)
	}
	e.order = e.order[:0]
	for i := range e.changes {
		e.order = append(e.order, i)
	}
	slices.Sort(e.order)
	root := e.doc.Root()
	start, end := root.Span()
	b := make([]byte, 0, len(e.doc.text)+len(e.doc.text)/8)
	b = append(b, e.doc.text[:start]...)
	b = e.append(b, root, 0)
	return append(b, e.doc.text[end:]...)
}

// String returns the text with the edits.
func (e *Editor) String() string { return string(e.Bytes()) }

// touched reports whether v or anything inside it is edited.
func (e *Editor) touched(v Value) bool {
	at, _ := slices.BinarySearch(e.order, v.i)
	return at < len(e.order) && e.order[at] < v.node().next
}

func (e *Editor) append(b []byte, v Value, depth int) []byte {
	if !e.touched(v) {
		return append(b, v.Raw()...)
	}
	c := e.changes[v.i]
	switch {
	case c != nil && c.replace != nil:
		style := e.styleAt(v)
		return c.replace.append(b, &style, depth)
	case c != nil && c.slots != nil:
		return e.appendSlots(b, v, c.slots, depth)
	}
	// Only something inside changed: copy up to each child that did.
	pos := int(v.node().start)
	for _, child := range v.Items() {
		if !e.touched(child) {
			continue
		}
		start, end := child.Span()
		b = append(b, e.doc.text[pos:start]...)
		b = e.append(b, child, depth+1)
		pos = end
	}
	return append(b, e.doc.text[pos:v.node().end]...)
}

// styleAt returns the style for a value that takes the place of v: a list on
// one line is followed by a list on one line.
func (e *Editor) styleAt(v Value) Style {
	s := e.doc.style
	if v.Len() == 0 || !s.multiLine() || strings.Contains(v.Raw(), "\n") {
		if v.Kind() == Array && v.Len() > 0 {
			s.InlineLists = false
		}
		return s
	}
	if v.Kind() == Array {
		s.InlineLists = true
		return s
	}
	s.Newline = ""
	return s
}

// appendSlots writes a container with another list of children.
func (e *Editor) appendSlots(b []byte, v Value, slots []Slot, depth int) []byte {
	text, n := e.doc.text, v.node()
	b = append(b, text[n.start])
	style := e.doc.style
	inline := v.Len() > 0 && !strings.Contains(v.Raw(), "\n")
	if inline {
		style.Newline = ""
	}
	first, later, last := e.gaps(v, &style, depth)
	for i, s := range slots {
		if i > 0 {
			b = append(b, ',')
		}
		lead := later
		switch {
		case i == 0:
			lead = first
		case s.Old.Exists() && s.Old.i != v.i+1:
			lead = leadOf(text, s.Old)
		}
		b = append(b, lead...)
		if s.Old.Exists() {
			old := s.Old.node()
			if v.Kind() == Object {
				b = append(b, text[old.key:old.start]...)
			}
			b = e.append(b, s.Old, depth+1)
			continue
		}
		if v.Kind() == Object {
			b = appendQuoted(b, s.Key, &style)
			b = append(b, style.Colon...)
		}
		b = s.New.append(b, &style, depth+1)
	}
	if len(slots) > 0 {
		b = append(b, last...)
	}
	return append(b, text[n.end-1])
}

// gaps returns the white space before the first child, before later ones, and
// behind the last.
func (e *Editor) gaps(v Value, style *Style, depth int) (first, later, last string) {
	text, n := e.doc.text, v.node()
	if v.Len() == 0 {
		if !style.multiLine() || v.Kind() == Array && style.InlineLists {
			return "", style.Comma, ""
		}
		inner := string(style.newline(nil, depth+1))
		return inner, inner, string(style.newline(nil, depth))
	}
	var end uint32
	for i, child := range v.Items() {
		c := child.node()
		switch i {
		case 0:
			first = text[n.start+1 : itemStart(c)]
		case 1:
			later = leadOf(text, child)
		}
		end = c.end
	}
	if v.Len() == 1 {
		later = first
		if !strings.Contains(first, "\n") {
			later = style.Comma
		}
	}
	return first, later, text[end : n.end-1]
}

// leadOf returns the white space between the comma before a child and the child.
func leadOf(text string, child Value) string {
	start := itemStart(child.node())
	return text[len(strings.TrimRight(text[:start], " \t\r\n")):start]
}
