package lore

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/weft-memory/weft/weaver/diag"
)

// Edits of YAML text. Encoding a tree anew would change spacing, comments and
// quotes all over the file, so an edit cuts bytes out and puts bytes in at the
// places of the nodes, and is then checked: the changed fields must read as
// meant and all others as before. Where a fine edit fails that check, the
// lines of the whole field are replaced; where that fails too (an alias
// elsewhere needs the old value), nothing is changed and the caller gets an
// error.

// editYAML sets fields of the mapping in text[from:end], or removes those
// without a value, and returns the whole text.
func editYAML(name, text string, from, end int, changes []pair) (string, error) {
	old := parseForEdit(name, text, from, end)
	if old.err != nil {
		return "", old.err
	}
	for _, fine := range []bool{true, false} {
		if out, ok := old.apply(changes, fine); ok {
			return out, nil
		}
	}
	names := make([]string, len(changes))
	for i, c := range changes {
		names[i] = c.name
	}
	return "", fmt.Errorf("%s: cannot change %s without touching other fields: edit the file by hand", name, strings.Join(names, ", "))
}

// yamlEdit is one text with the tree of its mapping and the cuts to be made.
type yamlEdit struct {
	name      string
	text      string
	from, end int
	eol       string
	d         *document
	fine      bool
	splices   []splice
	err       error
}

type splice struct {
	start, end int
	text       string
}

func parseForEdit(name, text string, from, end int) *yamlEdit {
	p := &problems{src: diag.NewSource(name, text)}
	e := &yamlEdit{name: name, text: text, from: from, end: end, eol: lineEnd(text), d: parseYAML(p, from, end)}
	if e.d.root == nil {
		e.err = cmp.Or(p.list.Err(), errors.New(name+": the settings cannot be read"))
	}
	return e
}

// apply makes the changes one after the other and checks the result.
func (e *yamlEdit) apply(changes []pair, fine bool) (string, bool) {
	now := *e
	for _, c := range changes {
		now.fine, now.splices = fine, nil
		if !now.field(c) {
			return "", false
		}
		text := now.spliced()
		next := parseForEdit(e.name, text, e.from, now.end+len(text)-len(now.text))
		if next.err != nil {
			return "", false
		}
		now = *next
	}
	return now.text, e.keeps(now.d.root, changes)
}

// keeps reports whether root has the changed fields and all others as before.
func (e *yamlEdit) keeps(root *yaml.Node, changes []pair) bool {
	count := 0
	for _, c := range changes {
		v := lookup(root, c.name)
		if (v == nil) != (c.value == nil) || v != nil && !sameNode(v, c.value, knownField(c.name)) {
			return false
		}
		if v != nil {
			count++
		}
	}
	for i := 0; i+1 < len(e.d.root.Content); i += 2 {
		name := resolve(e.d.root.Content[i]).Value
		if slices.ContainsFunc(changes, func(c pair) bool { return c.name == name }) {
			continue
		}
		v := lookup(root, name)
		if v == nil || !sameNode(v, e.d.root.Content[i+1], false) {
			return false
		}
		count++
	}
	return count == len(root.Content)/2
}

// knownField reports whether readers take the scalars of a field as texts.
func knownField(name string) bool {
	return slices.Contains(entryFieldNames, name) || slices.Contains(bookFieldNames, name)
}

func (e *yamlEdit) spliced() string {
	slices.SortStableFunc(e.splices, func(a, b splice) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	var b strings.Builder
	at := 0
	for _, s := range e.splices {
		if s.start < at {
			return e.text // overlapping: the check will refuse it
		}
		b.WriteString(e.text[at:s.start])
		b.WriteString(s.text)
		at = s.end
	}
	b.WriteString(e.text[at:])
	return b.String()
}

func (e *yamlEdit) cut(start, end int, text string) {
	e.splices = append(e.splices, splice{start, end, text})
}

// field plans the change of one field of the root.
func (e *yamlEdit) field(c pair) bool {
	root := e.d.root
	if len(root.Content) == 0 {
		return c.value == nil || e.appendField(c)
	}
	if root.Style&yaml.FlowStyle != 0 {
		next := deepCopy(root)
		setPair(next, c)
		return e.flowMap(root, next, knownField(c.name))
	}
	at := pairIndex(root, c.name)
	if at < 0 {
		return c.value == nil || e.appendField(c)
	}
	regions := e.regions(root, e.end)
	if regions == nil {
		return false
	}
	return e.pair(root, at, c.value, regions[at/2], knownField(c.name))
}

func pairIndex(m *yaml.Node, name string) int {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if resolve(m.Content[i]).Value == name {
			return i
		}
	}
	return -1
}

func setPair(m *yaml.Node, c pair) {
	at := pairIndex(m, c.name)
	switch {
	case at < 0 && c.value != nil:
		m.Content = append(m.Content, textNode(c.name), c.value)
	case at >= 0 && c.value == nil:
		m.Content = slices.Delete(m.Content, at, at+2)
	case at >= 0:
		m.Content[at+1] = c.value
	}
}

// appendField writes a new field below all others: at the very end, or, on the
// second try, right behind the last field.
func (e *yamlEdit) appendField(c pair) bool {
	s, err := encodeField(c.name, c.value)
	if err != nil {
		return false
	}
	at := e.end
	if regions := e.regions(e.d.root, e.end); !e.fine && len(regions) > 0 {
		at = regions[len(regions)-1].end
	}
	s = e.lines(s, "")
	if at > e.from && !strings.HasSuffix(e.text[:at], "\n") { // a file without a final line break
		s = e.eol + strings.TrimSuffix(s, e.eol)
	}
	e.cut(at, at, s)
	return true
}

// lines indents encoded lines and gives them the file's line ends.
func (e *yamlEdit) lines(s, indent string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if line != "\n" {
			b.WriteString(indent)
		}
		b.WriteString(strings.TrimSuffix(line, "\n"))
		b.WriteString(e.eol)
	}
	return b.String()
}

// region is the run of lines that belong to one field or item.
type region struct {
	start, end int
	indent     string
	keep       bool // blank lines at the end belong to it
}

// regions returns the lines of each field of a block mapping, or nil if a
// field does not begin its line. Blank lines and comments before the next
// field belong to nobody. The last field ends at limit at most.
func (e *yamlEdit) regions(m *yaml.Node, limit int) []region {
	var out []region
	for i := 0; i+1 < len(m.Content); i += 2 {
		r, ok := e.region(m.Content[i], "")
		if !ok {
			return nil
		}
		r.keep = keepsBlanks(m.Content[i+1])
		out = append(out, r)
	}
	return e.bound(out, limit)
}

// keepsBlanks reports whether a value ends in a block text (`|+`) to which the
// blank lines below it belong.
func keepsBlanks(n *yaml.Node) bool {
	for n.Kind != yaml.ScalarNode && len(n.Content) > 0 {
		n = n.Content[len(n.Content)-1]
	}
	return n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 &&
		(strings.HasSuffix(n.Value, "\n\n") || n.Value != "" && strings.Trim(n.Value, "\n") == "")
}

// items is regions for the items of a block sequence.
func (e *yamlEdit) items(s *yaml.Node, limit int) []region {
	var out []region
	for _, item := range s.Content {
		r, ok := e.region(item, "-")
		if !ok {
			return nil
		}
		r.keep = keepsBlanks(item)
		out = append(out, r)
	}
	return e.bound(out, limit)
}

func (e *yamlEdit) region(n *yaml.Node, mark string) (region, bool) {
	if n.Line < 1 || n.Line > len(e.d.starts) {
		return region{}, false
	}
	start := e.d.starts[n.Line-1]
	at := e.d.offset(n)
	if at > len(e.text) {
		return region{}, false
	}
	lead := e.text[start:at]
	indent := lead[:len(lead)-len(strings.TrimLeft(lead, " "))]
	if strings.TrimSpace(lead) != mark {
		return region{}, false
	}
	return region{start: start, indent: indent}, true
}

func (e *yamlEdit) bound(out []region, limit int) []region {
	for i := range out {
		end := limit
		if i+1 < len(out) {
			end = out[i+1].start
		}
		if end < out[i].start {
			return nil
		}
		out[i].end = e.trimLines(out[i].start, end, len(out[i].indent))
		for out[i].keep && out[i].end < end {
			line, _, _ := strings.Cut(e.text[out[i].end:end], "\n")
			if strings.TrimSpace(line) != "" {
				break
			}
			out[i].end = min(out[i].end+len(line)+1, end)
		}
	}
	return out
}

// trimLines moves end before trailing lines that are blank or hold a comment
// no deeper than indent. The first line always stays.
func (e *yamlEdit) trimLines(start, end, indent int) int {
	for {
		last := strings.LastIndexByte(strings.TrimSuffix(e.text[start:end], "\n"), '\n') + 1
		line := e.text[start+last : end]
		trimmed := strings.TrimSpace(line)
		comment := strings.HasPrefix(trimmed, "#") && len(line)-len(strings.TrimLeft(line, " \t")) <= indent
		if last == 0 || trimmed != "" && !comment {
			return end
		}
		end = start + last
	}
}

// pair plans the change of one field of a block mapping.
func (e *yamlEdit) pair(m *yaml.Node, at int, value *yaml.Node, r region, loose bool) bool {
	key, old := m.Content[at], m.Content[at+1]
	if value == nil {
		e.cut(r.start, r.end, "")
		return true
	}
	if sameNode(old, value, loose) {
		return true
	}
	if e.fine && e.value(key, old, value, r, loose) {
		return true
	}
	keyStart := e.d.offset(key)
	keyEnd, ok := e.scalarEnd(key, keyStart)
	if !ok {
		return false
	}
	s, err := encodeValue(inheritStyle(old, value))
	if err != nil {
		return false
	}
	s = e.lines(e.text[keyStart:keyEnd]+s, r.indent)
	if !strings.HasSuffix(e.text[r.start:r.end], "\n") {
		s = strings.TrimSuffix(s, e.eol)
	}
	e.cut(r.start, r.end, s)
	return true
}

// value plans the smallest change that turns old into value. It returns false,
// having planned nothing, if it sees no small one.
func (e *yamlEdit) value(key, old, value *yaml.Node, r region, loose bool) bool {
	planned := len(e.splices)
	ok := false
	switch {
	case isNull(old) && old.Value == "": // `name:` without a value
		s, err := encodeInline(value, false)
		colon := e.colon(key)
		if err != nil || colon < 0 {
			return false
		}
		e.cut(colon, colon, " "+s)
		return true
	case old.Kind == yaml.AliasNode || old.Anchor != "":
		return false
	case old.Kind == yaml.MappingNode && value.Kind == yaml.MappingNode && len(value.Content) > 0:
		if old.Style&yaml.FlowStyle != 0 {
			ok = e.flowMap(old, value, loose)
		} else {
			ok = e.blockMap(old, value, r, loose)
		}
	case old.Kind == yaml.SequenceNode && value.Kind == yaml.SequenceNode && len(value.Content) > 0 && len(old.Content) > 0:
		if old.Style&yaml.FlowStyle != 0 {
			ok = e.flowList(old, value, loose)
		} else {
			ok = e.blockList(old, value, r, loose)
		}
	}
	if !ok {
		e.splices = e.splices[:planned]
		ok = e.inline(old, value, false)
	}
	return ok
}

// inline replaces a value that stands on one line, or in brackets, by another
// on one line. Longer texts and comments behind it stay where they are.
func (e *yamlEdit) inline(old, value *yaml.Node, flow bool) bool {
	if value.Kind == yaml.ScalarNode && strings.Contains(value.Value, "\n") && !flow {
		return false
	}
	if value.Kind != yaml.ScalarNode && value.Style&yaml.FlowStyle == 0 && old.Style&yaml.FlowStyle == 0 && !flow {
		return false
	}
	start := e.d.offset(old)
	end, ok := e.nodeEnd(old, start)
	if !ok {
		return false
	}
	s, err := encodeInline(inheritStyle(old, value), flow)
	if err != nil {
		return false
	}
	e.cut(start, end, s)
	return true
}

// blockMap changes, removes and adds fields of a nested mapping.
func (e *yamlEdit) blockMap(old, value *yaml.Node, r region, loose bool) bool {
	regions := e.regions(old, r.end)
	if regions == nil {
		return false
	}
	kept := 0
	for i := 0; i+1 < len(old.Content); i += 2 {
		v := lookup(value, resolve(old.Content[i]).Value)
		if v != nil {
			kept++
		}
		if !e.pair(old, i, v, regions[i/2], loose) {
			return false
		}
	}
	if kept == 0 {
		return false
	}
	last := regions[len(regions)-1]
	for i := 0; i+1 < len(value.Content); i += 2 {
		if lookup(old, value.Content[i].Value) != nil {
			continue
		}
		s, err := encodeField(value.Content[i].Value, value.Content[i+1])
		if err != nil || !strings.HasSuffix(e.text[:last.end], "\n") {
			return false
		}
		e.cut(last.end, last.end, e.lines(s, last.indent))
	}
	return true
}

// blockList keeps the items at both ends that stay and changes those between.
func (e *yamlEdit) blockList(old, value *yaml.Node, r region, loose bool) bool {
	regions := e.items(old, r.end)
	if regions == nil {
		return false
	}
	whole := strings.HasSuffix(e.text[:r.end], "\n") // not a last line without a break
	head, tail := commonEnds(old.Content, value.Content, loose)
	was, now := old.Content[head:len(old.Content)-tail], value.Content[head:len(value.Content)-tail]
	for i := 0; i < len(was) || i < len(now); i++ {
		at := regions[min(head+i, len(regions)-1)]
		switch {
		case i >= len(now) && whole:
			e.cut(at.start, at.end, "")
			continue
		case i < len(was) && was[i].Kind == yaml.ScalarNode && e.inline(was[i], now[i], false):
			continue
		case i < len(was) && was[i].Kind == yaml.MappingNode && now[i].Kind == yaml.MappingNode && was[i].Style&yaml.FlowStyle != 0:
			if planned := len(e.splices); e.flowMap(was[i], now[i], loose) {
				continue
			} else {
				e.splices = e.splices[:planned]
			}
		}
		if !whole {
			return false
		}
		s, err := encodeItem(inheritStyle(old.Content[min(head+i, len(old.Content)-1)], now[i]))
		if err != nil {
			return false
		}
		s = e.lines(s, at.indent)
		switch {
		case i < len(was):
			e.cut(at.start, at.end, s)
		case head+len(was) > 0: // behind the last item before
			behind := regions[head+len(was)-1].end
			e.cut(behind, behind, s)
		default:
			e.cut(regions[0].start, regions[0].start, s)
		}
	}
	return true
}

// commonEnds returns how many items two lists share at the front and, of the
// rest, at the end.
func commonEnds(a, b []*yaml.Node, loose bool) (head, tail int) {
	for head < len(a) && head < len(b) && sameNode(a[head], b[head], loose) {
		head++
	}
	for tail < len(a)-head && tail < len(b)-head && sameNode(a[len(a)-1-tail], b[len(b)-1-tail], loose) {
		tail++
	}
	return head, tail
}
