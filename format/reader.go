package format

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

// Reader is what the functions of a [BookShape] read with: accessors that take
// what real files hold, and say so in the report.
type Reader struct {
	in     *Input
	report *Report
	quiet  bool
	book   *lore.Book
	index  int
	key    string
	lines  *lineIndex
}

// NewReader returns a reader for the input that reports to report.
func NewReader(in *Input, report *Report) *Reader { return &Reader{in: in, report: report, index: -1} }

// QuietReader returns a reader that reports nothing, for values that were read
// before.
func QuietReader(name string) *Reader { return quietReader(name) }

// quietReader reads values that were read before, or that we wrote.
func quietReader(name string) *Reader {
	return &Reader{in: &Input{Name: name, base: name}, report: &Report{}, quiet: true, index: -1}
}

// Input returns what is read.
func (r *Reader) Input() *Input { return r.in }

// Book returns the book that is read.
func (r *Reader) Book() *lore.Book { return r.book }

// Index returns the index of the row that is read, -1 for the book itself.
func (r *Reader) Index() int { return r.index }

// Warnf reports something odd at a value; code names the kind of finding.
func (r *Reader) Warnf(v jsondoc.Value, code, format string, args ...any) {
	r.problem(diag.Warning, v, code, format, args...)
}

// Errorf reports that a part could not be read.
func (r *Reader) Errorf(v jsondoc.Value, code, format string, args ...any) {
	r.problem(diag.Error, v, code, format, args...)
}

// Notef reports something worth knowing, such as behaviour that Weft does not
// model.
func (r *Reader) Notef(v jsondoc.Value, code, format string, args ...any) {
	r.problem(diag.Note, v, code, format, args...)
}

func (r *Reader) problem(sev diag.Severity, v jsondoc.Value, code, format string, args ...any) {
	if r.quiet || r.report.counted(code) {
		return
	}
	d := diag.Diagnostic{Severity: sev, Code: code, File: r.in.Name, Message: r.where() + fmt.Sprintf(format, args...)}
	if v.Exists() {
		start, end := v.Span()
		d.Span = diag.Span{Start: start, End: end}
		d.Line, d.Column = v.Doc().Position(start)
	}
	r.report.Problems = append(r.report.Problems, d)
}

func (r *Reader) where() string {
	switch {
	case r.index < 0:
		return ""
	case r.key != "":
		return fmt.Sprintf("entry %q: ", r.key)
	}
	return fmt.Sprintf("entry %d: ", r.index)
}

// line returns the line of a value. Lines of a growing offset are counted once.
func (r *Reader) line(v jsondoc.Value) int {
	if r.quiet || !v.Exists() {
		return 0
	}
	start, _ := v.Span()
	if r.lines == nil || r.lines.text != v.Doc().Text() || start < r.lines.pos {
		r.lines = &lineIndex{text: v.Doc().Text(), line: 1}
	}
	return r.lines.at(start)
}

type lineIndex struct {
	text      string
	pos, line int
}

func (l *lineIndex) at(pos int) int {
	l.line += strings.Count(l.text[l.pos:pos], "\n")
	l.pos = pos
	return l.line
}

// Str returns the member as text. A number or boolean gives its spelling, with
// a warning; null and a missing member give "".
func (r *Reader) Str(v jsondoc.Value, key string) string {
	m := v.Get(key)
	switch m.Kind() {
	case jsondoc.String:
		return m.Text()
	case jsondoc.Invalid, jsondoc.Null:
		return ""
	case jsondoc.Number, jsondoc.Bool:
		r.Warnf(m, "field-type", "%q is %s, not a string", key, m.Kind())
		return m.Raw()
	}
	r.Warnf(m, "field-type", "%q is %s, not a string: ignored", key, m.Kind())
	return ""
}

// Strings returns the member as a list of strings. One string in the place of a
// list is split at its commas, with a warning.
func (r *Reader) Strings(v jsondoc.Value, key string) []string {
	m := v.Get(key)
	switch m.Kind() {
	case jsondoc.Invalid, jsondoc.Null:
		return nil
	case jsondoc.Array:
		list := make([]string, 0, m.Len())
		for _, item := range m.Items() {
			switch item.Kind() {
			case jsondoc.String:
				list = append(list, item.Text())
			case jsondoc.Number, jsondoc.Bool:
				r.Warnf(item, "field-type", "%q holds %s among its strings", key, item.Kind())
				list = append(list, item.Raw())
			default:
				r.Warnf(item, "field-type", "%q holds %s among its strings: ignored", key, item.Kind())
			}
		}
		return list
	case jsondoc.String:
		r.Warnf(m, "field-type", "%q is one string, not a list: split at its commas", key)
		return SplitComma(m.Text())
	}
	r.Warnf(m, "field-type", "%q is %s, not a list of strings: ignored", key, m.Kind())
	return nil
}

// SplitComma splits a text at its commas, trims the parts and drops empty ones.
func SplitComma(s string) []string {
	var list []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// Bool returns the member as a boolean; a missing member or null gives def.
// Other kinds are taken as JavaScript takes them, with a warning.
func (r *Reader) Bool(v jsondoc.Value, key string, def bool) bool {
	if p := r.BoolPtr(v, key); p != nil {
		return *p
	}
	return def
}

// BoolPtr is like Bool; a missing member or null gives nil.
func (r *Reader) BoolPtr(v jsondoc.Value, key string) *bool {
	m := v.Get(key)
	if m.IsNull() {
		return nil
	}
	b, ok := m.Bool()
	if !ok {
		b = m.Truthy()
		r.Warnf(m, "field-type", "%q is %s, not true or false: taken as %t", key, m.Kind(), b)
	}
	return &b
}

// FloatPtr returns the member as a number; nil if it is missing, null, or no
// number. A string that holds a number is taken, with a warning.
func (r *Reader) FloatPtr(v jsondoc.Value, key string) *float64 {
	m := v.Get(key)
	switch m.Kind() {
	case jsondoc.Invalid, jsondoc.Null:
		return nil
	case jsondoc.Number:
		f, _ := m.Float()
		return &f
	case jsondoc.String:
		if f, err := strconv.ParseFloat(strings.TrimSpace(m.Text()), 64); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
			r.Warnf(m, "field-type", "%q is a string that holds a number", key)
			return &f
		}
	}
	r.Warnf(m, "field-type", "%q is %s, not a number: ignored", key, m.Kind())
	return nil
}

// Float is like FloatPtr with a default.
func (r *Reader) Float(v jsondoc.Value, key string, def float64) float64 {
	if p := r.FloatPtr(v, key); p != nil {
		return *p
	}
	return def
}

// Int returns the member as a whole number; fractions are cut.
func (r *Reader) Int(v jsondoc.Value, key string, def int) int {
	if p := r.IntPtr(v, key); p != nil {
		return *p
	}
	return def
}

// IntPtr is like Int; a member that is missing, null, or no number gives nil.
func (r *Reader) IntPtr(v jsondoc.Value, key string) *int {
	f := r.FloatPtr(v, key)
	if f == nil {
		return nil
	}
	n := clampInt(*f)
	return &n
}

func clampInt(f float64) int {
	const limit = 1 << 53
	return int(math.Max(-limit, math.Min(limit, f)))
}

// ID returns an id as text: a string, or the spelling of a number.
func (r *Reader) ID(v jsondoc.Value, key string) string {
	m := v.Get(key)
	if m.Kind() == jsondoc.Number {
		return m.Raw()
	}
	return m.Text()
}

// Ext returns raw JSON of the members of v that are not in known, for
// [lore.Entry].Ext under one namespace; nil if there are none.
func (r *Reader) Ext(v jsondoc.Value, known map[string]bool) json.RawMessage {
	var t jsondoc.Tree
	t.Kind = jsondoc.Object
	for key, m := range v.Members() {
		if !known[key] && key != weftKey {
			t.Set(key, m.Tree())
		}
	}
	if len(t.Members) == 0 {
		return nil
	}
	return json.RawMessage(t.String())
}

// SetExt stores raw JSON of v under a namespace, unless v is not there.
func SetExt(ext *map[string]json.RawMessage, namespace string, v jsondoc.Value) {
	if !v.Exists() {
		return
	}
	SetRawExt(ext, namespace, json.RawMessage(v.Raw()))
}

// SetRawExt stores raw JSON under a namespace, unless it is nil.
func SetRawExt(ext *map[string]json.RawMessage, namespace string, raw json.RawMessage) {
	if raw == nil {
		return
	}
	if *ext == nil {
		*ext = map[string]json.RawMessage{}
	}
	(*ext)[namespace] = raw
}

func setExt(ext *map[string]json.RawMessage, v jsondoc.Value) { SetExt(ext, weftKey, v) }

func withoutWeft(ext map[string]json.RawMessage) map[string]json.RawMessage {
	if _, ok := ext[weftKey]; !ok {
		return ext
	}
	c := maps.Clone(ext)
	delete(c, weftKey)
	if len(c) == 0 {
		return nil
	}
	return c
}

// ExtTree returns what a namespace of an Ext holds, nil if it holds nothing.
func ExtTree(ext map[string]json.RawMessage, namespace string) *jsondoc.Tree {
	raw, ok := ext[namespace]
	if !ok {
		return nil
	}
	doc, err := jsondoc.Parse([]byte(raw), jsondoc.Limits{})
	if err != nil {
		return nil
	}
	return doc.Root().Tree()
}
