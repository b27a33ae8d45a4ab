package compendium

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weft-memory/weft/internal/suggest"
	"github.com/weft-memory/weft/resolve"
)

// Limits on what is taken from a call.
const (
	// MaxCall is how large the arguments of a call may be, in bytes.
	MaxCall = 256 << 10
	// MaxDepth is how deep they may be nested.
	MaxDepth = 12
	// overlong is how many times longer than its field a text may be to be cut;
	// beyond that it is refused.
	overlong = 4
)

// Patch is what a call asks to be written, in the kinds of the schema: what
// [Coerce] makes of the arguments of a model, or [NewPatch] of a person's.
type Patch struct {
	Type Type
	// Name is the name of the entry that is meant.
	Name string
	// Data are the new values. Rows of a keyed array are a list ([]Object)
	// here: their keys depend on the entry.
	Data Object
	// Reason is the model's reason.
	Reason string
	// Notes says in short sentences what was read otherwise than it was given.
	Notes []string
	// Rejected lists the values that could not be read. They change nothing.
	Rejected []Rejection
}

// Rejection is a value that was not taken, and why, for the one who gave it.
type Rejection struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

func (r Rejection) String() string {
	if r.Path == "" {
		return r.Reason
	}
	return r.Path + ": " + r.Reason
}

// cleared marks a value that an update call takes away, and a row with removed
// set one that was written by mistake.
type cleared struct{}

const memberRemove = "remove"

// RejectedError is returned for a call of which nothing can be used. Its text is
// one short sentence for the model.
type RejectedError struct{ Reason string }

func (e *RejectedError) Error() string { return "rejected: " + e.Reason }

func rejectf(format string, args ...any) error {
	return &RejectedError{fmt.Sprintf(format, args...)}
}

// Coerce reads the arguments of a record call. Models send numbers as words,
// lists as sentences, objects wrapped in objects; what can be understood is, by
// these rules and no others:
//
//   - Names without quotes, single quotes and a comma too many are read as
//     they are meant.
//   - JSON inside a JSON string, an object wrapped in a list of one or under a
//     name such as arguments, data, or the type's own, is unwrapped, up to four
//     times.
//   - A field under another common name, in another case or with a letter
//     wrong is taken for that field; one that is none becomes a note of the
//     entry, under its name.
//   - Absent, null and "" keep what is there, and so do words that say
//     nothing: none, n/a, unknown, unchanged.
//   - A text where a list is wanted is split at commas, semicolons and line
//     ends (texts of rows: at semicolons and line ends); an element that is no
//     object means the main member of a row. An object where a list is wanted
//     is one element, or, if it has none of the members of one, its members are
//     the elements by key.
//   - A list where a text is wanted is joined by "; ", an object by its text,
//     name or value.
//   - A number may be a text that begins with one; it is brought between its
//     bounds. Yes and no may be words or numbers.
//   - An unknown word for an enum becomes other, if there is that, with the
//     word kept in the nature or note beside it, else it is rejected. An
//     unknown status is rejected with the state that is nearest.
//   - A text that is too long is cut behind a sentence, or a word; one that is
//     four times too long is rejected. A name is never cut.
//   - A list that is too long is cut.
//
// A call without a name, that is no object, too large or too deep is rejected as
// a whole with a [RejectedError]. A value that is rejected leaves the others
// alone and changes nothing itself.
func Coerce(t Type, args json.RawMessage) (Patch, error) {
	p, err := coerce(t, args, false)
	if err != nil {
		return Patch{}, err
	}
	if p.Name == "" {
		if t == Rule {
			if s, _ := p.Data["statement"].(string); s != "" {
				p.Name = firstWords(s, 8)
				p.Data["name"] = p.Name
				p.Notes = append(p.Notes, "name: taken from the statement")
				return p, nil
			}
		}
		return Patch{}, rejectf("a name is missing: give the %s a name", t)
	}
	return p, nil
}

// CoerceUpdate reads the changes of an update call. It differs from [Coerce] in
// three ways: no name is needed (one that is given is the new name), null clears
// a value of current_state, and a row with "remove": true is taken out.
func CoerceUpdate(t Type, changes json.RawMessage) (Patch, error) { return coerce(t, changes, true) }

func coerce(t Type, args json.RawMessage, update bool) (Patch, error) {
	if !t.Known() {
		return Patch{}, rejectf("%q is no type", string(t))
	}
	if len(args) > MaxCall {
		return Patch{}, rejectf("the call is %d bytes, at most %d: say less", len(args), MaxCall)
	}
	v, err := parseArgs(args)
	if err != nil {
		return Patch{}, err
	}
	c := &coercer{t: t, update: update}
	o, err := c.unwrap(v)
	if err != nil {
		return Patch{}, err
	}
	p := Patch{Type: t}
	for _, name := range []string{"reason", "why", "rationale"} {
		if s, ok := o[name].(string); ok && member(Fields(t), name) == nil {
			p.Reason = clip(cleanText(s), 120)
			delete(o, name)
		}
	}
	for _, name := range []string{"type", "entry_type", "id", "book", "layer"} {
		if member(Fields(t), name) == nil {
			delete(o, name)
		}
	}
	p.Data = c.object(o, Fields(t), "")
	c.lifeFromState(p.Data)
	p.Name, _ = p.Data["name"].(string)
	p.Notes, p.Rejected = c.notes, c.rejected
	for _, r := range p.Rejected {
		if r.Path == "name" && !update {
			return Patch{}, rejectf("name: %s", r.Reason)
		}
	}
	return p, nil
}

type coercer struct {
	t        Type
	update   bool
	notes    []string
	rejected []Rejection
}

const maxReports = 40

func (c *coercer) note(path, format string, args ...any) {
	if len(c.notes) < maxReports {
		c.notes = append(c.notes, path+": "+fmt.Sprintf(format, args...))
	}
}

func (c *coercer) reject(path, format string, args ...any) {
	if len(c.rejected) < maxReports {
		c.rejected = append(c.rejected, Rejection{path, fmt.Sprintf(format, args...)})
	}
}

// parseArgs decodes arguments and bounds their depth.
func parseArgs(args json.RawMessage) (any, error) {
	args = bytes.TrimSpace(args)
	args = bytes.TrimPrefix(args, []byte("```json"))
	args = bytes.TrimPrefix(bytes.TrimSuffix(args, []byte("```")), []byte("```"))
	if depth(args) > MaxDepth {
		return nil, rejectf("the call is nested deeper than %d: give a flat object", MaxDepth)
	}
	v, err := decodeArgs(args)
	if err != nil {
		if v, err = decodeArgs(relax(args)); err != nil {
			return nil, rejectf("the arguments are no JSON: give one object")
		}
	}
	return v, nil
}

func decodeArgs(args []byte) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber()
	return v, dec.Decode(&v)
}

// depth returns how deep JSON is nested, without decoding it.
func depth(src []byte) int {
	n, most := 0, 0
	inString := false
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case inString:
			switch c {
			case '\\':
				i++
			case '"':
				inString = false
			}
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			n++
			most = max(most, n)
		case c == '}' || c == ']':
			n--
		}
	}
	return most
}

// wrappers are names under which the object that is meant may stand.
var wrappers = []string{"arguments", "args", "input", "parameters", "params", "data", "entry", "fields", "lore", "record", "value", "set", "changes", "properties"}

// unwrap finds the object that is meant.
func (c *coercer) unwrap(v any) (map[string]any, error) {
	for range 5 {
		switch x := v.(type) {
		case string:
			inner, err := parseArgs(json.RawMessage(x))
			if err != nil {
				return nil, rejectf("the arguments are a text: give one object")
			}
			c.note("arguments", "were JSON inside a text")
			v = inner
			continue
		case []any:
			if len(x) != 1 {
				return nil, rejectf("the arguments are a list of %d: make one call for each", len(x))
			}
			v = x[0]
			continue
		case map[string]any:
			if inner := c.wrapped(x); inner != nil {
				c.note("arguments", "were wrapped in an object")
				v = inner
				continue
			}
			return x, nil
		}
		return nil, rejectf("the arguments are no object")
	}
	return nil, rejectf("the arguments are wrapped too often: give one object")
}

// wrapped returns what stands inside an object that only wraps; nil if it has
// fields of its own.
func (c *coercer) wrapped(o map[string]any) any {
	if _, named := o["name"]; named {
		return nil
	}
	for _, name := range append([]string{string(c.t), "record_" + string(c.t)}, wrappers...) {
		v, ok := o[name]
		if !ok || member(Fields(c.t), name) != nil {
			continue
		}
		switch x := v.(type) {
		case map[string]any, []any:
			for k, other := range o { // reasons and types beside it stay
				if m, ok := x.(map[string]any); ok && k != name && m[k] == nil {
					m[k] = other
				}
			}
			return x
		case string:
			if strings.HasPrefix(strings.TrimSpace(x), "{") {
				return x
			}
		}
	}
	return nil
}

// object coerces the members of an object. Names are taken in order, so that the
// result does not depend on that of a map.
func (c *coercer) object(o map[string]any, fields []Field, path string) Object {
	out := Object{}
	exact := map[string]bool{}
	for name := range o {
		if member(fields, name) != nil {
			exact[name] = true
		}
	}
	for _, name := range sortedNames(o) {
		v := o[name]
		if name == memberRemove || name == memberKey && path != "" {
			continue
		}
		f := member(fields, name)
		if f == nil {
			if f = guessField(fields, name); f != nil {
				if exact[f.Name] || out[f.Name] != nil {
					f = nil
				} else {
					c.note(joinPath(path, f.Name), "given as %q", clip(name, 40))
				}
			}
		}
		if f == nil {
			c.unknown(out, fields, path, name, v)
			continue
		}
		value := c.value(v, f, joinPath(path, f.Name))
		if value != nil {
			out[f.Name] = value
		}
	}
	return out
}

// guessField returns the field that a name means.
func guessField(fields []Field, name string) *Field {
	n := fieldWord(name)
	for i := range fields {
		if fields[i].Name == n {
			return &fields[i]
		}
	}
	for i := range fields {
		if slices.Contains(fields[i].Words, n) {
			return &fields[i]
		}
	}
	if len(n) < 5 || len(n) > 40 {
		return nil
	}
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].Name
	}
	near := suggest.Nearest(n, names)
	if near == "" || suggest.Distance([]rune(n), []rune(near)) > 1+len(n)/10 {
		return nil
	}
	return member(fields, near)
}

// fieldWord writes a name as fields are: currentState and "Current State" are
// current_state.
func fieldWord(name string) string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		switch {
		case r == ' ' || r == '-' || r == '_' || r == '.':
			if b.Len() > 0 {
				b.WriteByte('_')
			}
			lower = false
			continue
		case unicode.IsUpper(r) && lower:
			b.WriteByte('_')
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
		b.WriteRune(unicode.ToLower(r))
		if b.Len() > 64 {
			break
		}
	}
	return strings.Trim(b.String(), "_")
}

// unknown keeps a value that no field is for as a note of the entry.
func (c *coercer) unknown(out Object, fields []Field, path, name string, v any) {
	where := joinPath(path, clip(name, 40))
	s := cleanText(c.flatten(v, 0))
	switch label := cleanText(name); {
	case saysNothing(s):
		return
	case saysNothing(label):
		c.reject(where, "a field without a name")
		return
	case member(fields, "notes") == nil:
		if f := member(fields, "note"); f != nil && out["note"] == nil {
			out["note"] = clip(name+": "+s, f.Max)
			c.note(where, "kept as a note")
			return
		}
		c.reject(where, "there is no such field")
		return
	case utf8.RuneCountInString(s) > 400*overlong:
		c.reject(where, "there is no such field, and it is too long for a note")
		return
	}
	list, _ := out["notes"].([]Object)
	if len(list) >= 40 {
		c.reject(where, "there is no such field")
		return
	}
	out["notes"] = append(list, Object{"name": clip(cleanText(name), 60), "text": clip(s, 400)})
	c.note(where, "there is no such field; kept as a note")
}

// value coerces a value for a field; nil keeps what is there.
func (c *coercer) value(v any, f *Field, path string) any {
	if v == nil {
		if c.update && strings.HasPrefix(path, "current_state.") {
			return cleared{}
		}
		if c.update {
			c.reject(path, "only values of current_state can be cleared")
		}
		return nil
	}
	switch f.Kind {
	case Text:
		return c.text(v, f, path)
	case Time:
		if s, ok := c.text(v, f, path).(string); ok {
			return ParseMoment(s)
		}
	case Number:
		return c.number(v, f, path)
	case Flag:
		return c.flag(v, path)
	case Enum, State:
		return c.word(v, f, path)
	case Reference:
		return c.reference(v, f, path)
	case References:
		return c.references(v, f, path)
	case Set:
		return c.set(v, f, path)
	case Rows:
		return c.rows(v, f, path)
	case Group:
		return c.group(v, f, path)
	}
	return nil
}

func (c *coercer) text(v any, f *Field, path string) any {
	s := unlink(cleanText(c.flatten(v, 0)))
	if saysNothing(s) {
		return nil
	}
	n := utf8.RuneCountInString(s)
	if n <= f.Max {
		return s
	}
	if n > f.Max*overlong || f.Max == maxName {
		c.reject(path, "it is %d characters, at most %d: say it shorter", n, f.Max)
		return nil
	}
	c.note(path, "cut from %d to %d characters", n, f.Max)
	return cutText(s, f.Max)
}

// flatten writes any value as text.
func (c *coercer) flatten(v any, depth int) string {
	if depth > MaxDepth {
		return ""
	}
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case []any:
		var parts []string
		for _, x := range v {
			if s := strings.TrimSpace(c.flatten(x, depth+1)); s != "" {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, "; ")
	case map[string]any:
		for _, name := range []string{"text", "name", "value", "description", "label"} {
			if s, ok := v[name].(string); ok && len(v) <= 2 {
				return s
			}
		}
		var parts []string
		for _, name := range sortedNames(v) {
			if s := strings.TrimSpace(c.flatten(v[name], depth+1)); s != "" {
				parts = append(parts, strings.ReplaceAll(name, "_", " ")+": "+s)
			}
		}
		return strings.Join(parts, "; ")
	}
	return ""
}

func (c *coercer) number(v any, f *Field, path string) any {
	s := strings.TrimSpace(c.flatten(v, 0))
	if saysNothing(s) {
		return nil
	}
	n, ok := leadingNumber(s)
	if !ok {
		if n, ok = gradeWords[resolve.Normal(clip(s, 40))]; ok { // "high" of 1 to 5
			n = float64(f.Low) + n*float64(f.High-f.Low)
		}
	}
	if !ok {
		c.reject(path, "%q is no number from %d to %d", clip(s, 40), f.Low, f.High)
		return nil
	}
	r := min(max(roundHalf(n), float64(f.Low)), float64(f.High))
	if r != n {
		c.note(path, "%s taken as %s", clip(s, 40), formatNumber(r))
	}
	return r
}

// gradeWords are words for a grade, from 0 to 1.
var gradeWords = map[string]float64{
	"none": 0, "lowest": 0, "very low": 0, "minor": 0.25, "low": 0.25, "mild": 0.25, "medium": 0.5, "moderate": 0.5, "some": 0.5,
	"high": 0.75, "severe": 0.75, "major": 0.75, "strong": 0.75, "very high": 1, "extreme": 1, "critical": 1, "highest": 1, "imminent": 1,
}

func roundHalf(n float64) float64 {
	if n < 0 {
		return -roundHalf(-n)
	}
	return float64(int64(min(n, 1<<52) + 0.5))
}

// leadingNumber reads the number that a text begins with.
func leadingNumber(s string) (float64, bool) {
	end := 0
	for end < len(s) && end < 20 && (s[end] >= '0' && s[end] <= '9' || s[end] == '.' || end == 0 && (s[end] == '-' || s[end] == '+')) {
		end++
	}
	var n float64
	text := strings.TrimRight(strings.TrimPrefix(s[:end], "+"), ".")
	if text == "" || json.Unmarshal([]byte(trimZeros(text)), &n) != nil {
		return 0, false
	}
	return n, true
}

func trimZeros(s string) string {
	sign := ""
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		sign, s = "-", rest
	}
	s = strings.TrimLeft(s, "0")
	if s == "" || s[0] == '.' {
		s = "0" + s
	}
	return sign + s
}

func (c *coercer) flag(v any, path string) any {
	if b, ok := v.(bool); ok {
		return b
	}
	s := resolve.Normal(clip(c.flatten(v, 0), 40))
	switch s {
	case "true", "yes", "y", "1", "on", "found", "seen", "done":
		return true
	case "false", "no", "n", "0", "off", "not", "not found", "unseen":
		return false
	case "":
		return nil
	}
	c.reject(path, "%q is neither true nor false", clip(s, 40))
	return nil
}

func (c *coercer) word(v any, f *Field, path string) any {
	s := cleanText(c.flatten(v, 0))
	if saysNothing(s) && !slices.Contains(f.Values, s) {
		return nil
	}
	if f.Kind == State {
		if name, ok := parseStatus(c.t, clip(s, 60)); ok {
			return name
		}
		hint := "one of " + strings.Join(f.Values, ", ")
		if near := suggest.Nearest(clip(s, 40), f.Values); near != "" {
			hint = near
		} else if member(Fields(c.t), "current_state") != nil {
			hint += "; how things are goes into current_state"
		}
		c.reject(path, "%q is no status of a %s: use %s", clip(s, 40), c.t, hint)
		return nil
	}
	n := strings.ReplaceAll(resolve.Normal(clip(s, 60)), " ", "_")
	for _, w := range f.Values {
		if w == n || enumWords[n] == w {
			return w
		}
	}
	if near := suggest.Nearest(n, f.Values); near != "" && len(n) > 4 && suggest.Distance([]rune(n), []rune(near)) <= 1 {
		c.note(path, "%q taken as %q", clip(s, 40), near)
		return near
	}
	if last := f.Values[len(f.Values)-1]; last == "other" {
		c.note(path, "%q is not known; taken as other", clip(s, 40))
		return otherWord(clip(s, 60))
	}
	c.reject(path, "%q is none of %s", clip(s, 40), strings.Join(f.Values, ", "))
	return nil
}

// otherWord is a word for an enum that became other; the row keeps it where it
// has a place for it.
type otherWord string

// enumWords are other words for values of enums.
var enumWords = map[string]string{
	"rumor": "rumour", "friends": "friendship", "friend": "friendship", "family": "kin", "romantic": "romance", "love": "romance",
	"enemy": "enmity", "ally": "alliance", "rival": "rivalry", "mentor": "mentorship", "completed": "done", "complete": "done",
	"in_progress": "doing", "ongoing": "doing", "pending": "todo", "given_by": "given", "gift": "given", "purchased": "bought",
	"fulfilled": "kept", "unpaid": "open", "paid": "kept", "achieved": "met", "abandoned": "dropped", "ex_member": "former",
	"climactic": "climax", "beginning": "seed", "allies": "allied", "enemies": "hostile", "at_war": "war",
}

func (c *coercer) reference(v any, f *Field, path string) any {
	s := cleanText(c.flatten(v, 0))
	if saysNothing(s) {
		return nil
	}
	if utf8.RuneCountInString(s) > f.Max {
		c.reject(path, "a name of %d characters, at most %d", utf8.RuneCountInString(s), f.Max)
		return nil
	}
	r := ParseRef(s)
	if r.Text == "" {
		return nil
	}
	return r
}

func (c *coercer) references(v any, f *Field, path string) any {
	out := Object{}
	for i, s := range c.list(v, true) {
		if len(out) >= f.Max {
			c.note(path, "only the first %d were taken", f.Max)
			break
		}
		one := Field{Kind: Reference, Max: maxName}
		if r, ok := c.reference(s, &one, fmt.Sprintf("%s[%d]", path, i)).(Ref); ok {
			addRef(out, r)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func (c *coercer) set(v any, f *Field, path string) any {
	var list []string
	for _, x := range c.list(v, true) {
		s := unlink(cleanText(c.flatten(x, 0)))
		if saysNothing(s) {
			continue
		}
		if utf8.RuneCountInString(s) > maxName {
			c.reject(path, "an item of %d characters, at most %d", utf8.RuneCountInString(s), maxName)
			continue
		}
		list = append(list, s)
	}
	if list = makeSet(list); len(list) > f.Max {
		c.note(path, "only the first %d were taken", f.Max)
		list = list[:f.Max]
	}
	if len(list) == 0 {
		return nil
	}
	return list
}

// list makes a list of a value.
func (c *coercer) list(v any, commas bool) []any {
	switch x := v.(type) {
	case []any:
		return x
	case string:
		if s := strings.TrimSpace(x); strings.HasPrefix(s, "[") || strings.HasPrefix(s, "{") {
			if inner, err := parseArgs(json.RawMessage(s)); err == nil {
				return c.list(inner, commas)
			}
		}
		var out []any
		for _, s := range strings.FieldsFunc(x, func(r rune) bool {
			return r == ';' || r == '\n' || r == '；' || commas && (r == ',' || r == '、' || r == '，')
		}) {
			out = append(out, strings.TrimLeft(strings.TrimSpace(s), "-*• "))
		}
		return out
	}
	return []any{v}
}

func (c *coercer) rows(v any, f *Field, path string) any {
	mainField := member(f.Fields, f.main())
	items := c.list(v, mainField.Kind == Reference || f.Name == "aliases")
	if m, ok := v.(map[string]any); ok && !c.isRow(m, f) { // the elements by key
		items = items[:0]
		for _, name := range sortedNames(m) {
			row, ok := m[name].(map[string]any)
			if !ok {
				row = map[string]any{secondMember(f): m[name]}
			}
			if row[mainField.Name] == nil {
				row[mainField.Name] = name
			}
			items = append(items, row)
		}
		c.note(path, "given by key")
	}
	var out []Object
	for i, item := range items {
		if len(out) >= f.Max {
			c.note(path, "only the first %d were taken", f.Max)
			break
		}
		where := fmt.Sprintf("%s[%d]", path, i)
		m, ok := item.(map[string]any)
		if !ok {
			s := cleanText(c.flatten(item, 0))
			if saysNothing(s) {
				continue
			}
			m = map[string]any{mainField.Name: s}
			if name, rest := splitMain(s, mainField); rest != "" && secondMember(f) != "" {
				m = map[string]any{mainField.Name: name, secondMember(f): rest}
			}
		}
		before := len(c.rejected)
		row := c.object(m, f.Fields, where)
		keepOther(row, f)
		remove, _ := m[memberRemove].(bool)
		k, _ := m[memberKey].(string)
		switch {
		case remove && c.update:
			row[memberRemove] = true
			if k != "" {
				row[memberKey] = clip(k, 200)
			}
		case k != "" && c.update:
			row[memberKey] = clip(k, 200)
		case row[f.Key[0]] == nil && len(f.Key) == 1, keyOf(f, row) == "", row[f.main()] == nil:
			if len(c.rejected) == before && !allNothing(m) {
				c.reject(where, "%s is missing", f.main())
			}
			continue
		}
		out = append(out, row)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// isRow reports whether an object has members of a row.
func (c *coercer) isRow(m map[string]any, f *Field) bool {
	for name := range m {
		if member(f.Fields, name) != nil || name == memberKey || guessField(f.Fields, name) != nil {
			return true
		}
	}
	return len(m) == 0
}

// secondMember returns the member of a row that says something about the main
// one; "" if there is none.
func secondMember(f *Field) string {
	for _, m := range f.Fields {
		if m.Kind == Text && m.Name != f.main() && member(rowFields, m.Name) == nil {
			return m.Name
		}
	}
	return ""
}

// splitMain splits "Sera: lovers" and "Sera (lovers)" where the main member is a
// reference.
func splitMain(s string, mainField *Field) (name, rest string) {
	if mainField.Kind != Reference {
		return s, ""
	}
	if name, rest, ok := strings.Cut(s, ": "); ok {
		return name, rest
	}
	if name, rest, ok := strings.Cut(s, " ("); ok && strings.HasSuffix(rest, ")") {
		return name, strings.TrimSuffix(rest, ")")
	}
	return s, ""
}

// keepOther keeps the word of an enum that became other in the text beside it.
func keepOther(row Object, f *Field) {
	for name, v := range row {
		word, ok := v.(otherWord)
		if !ok {
			continue
		}
		row[name] = "other"
		for _, place := range []string{"nature", "note"} {
			if m := member(f.Fields, place); m != nil && row[place] == nil {
				row[place] = clip(string(word), m.Max)
				break
			}
		}
	}
}

func (c *coercer) group(v any, f *Field, path string) any {
	m, ok := v.(map[string]any)
	if s, isText := v.(string); isText && strings.HasPrefix(strings.TrimSpace(s), "{") {
		if inner, err := parseArgs(json.RawMessage(s)); err == nil {
			m, ok = inner.(map[string]any)
		}
	}
	if !ok { // a text about how things are
		for i := range f.Fields {
			if f.Fields[i].Kind == Text {
				m = map[string]any{f.Fields[i].Name: v}
				if saysNothing(cleanText(c.flatten(v, 0))) {
					return nil
				}
				c.note(path, "a text, taken as %s", f.Fields[i].Name)
				break
			}
		}
		if m == nil {
			c.reject(path, "it is no object")
			return nil
		}
	}
	out := c.object(m, f.Fields, path)
	for name, v := range out {
		if _, ok := v.(otherWord); ok {
			out[name] = "other"
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// lifeFromState makes a last state of the life of words that say nothing but
// that, where models put them: current_state {status: dead}.
func (c *coercer) lifeFromState(data Object) {
	for name, v := range data {
		if _, ok := v.(otherWord); ok {
			data[name] = "other"
		}
	}
	state, _ := data["current_state"].(Object)
	for _, name := range []string{"status", "condition", "phase", "availability", "in_force"} {
		s, _ := state[name].(string)
		if s == "" || data["status"] != nil {
			continue
		}
		if life, ok := parseStatus(c.t, s); ok && Terminal(c.t, life) {
			data["status"] = life
			c.note("status", "%s, as current_state says", life)
		}
	}
}

// Text.

// cleanText trims a text and takes out what no text needs: control characters,
// broken UTF-8, spaces in a row.
func cleanText(s string) string {
	if len(s) > MaxCall {
		s = s[:MaxCall]
	}
	s = strings.ToValidUTF8(s, "")
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t' || r == ' ' || r == '\r' || r == 0xa0 || r == 0x2028 || r == 0x2029:
			space = true
			continue
		case unicode.IsControl(r) || r == 0xfeff:
			continue
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}

// unlink writes references in a text, [[id|name]], as their names.
func unlink(s string) string {
	for {
		before, rest, ok := strings.Cut(s, "[[")
		if !ok {
			return s
		}
		inner, after, ok := strings.Cut(rest, "]]")
		_, name, named := strings.Cut(inner, "|")
		if !ok || !named || strings.Contains(inner, "[[") {
			return s
		}
		s = before + name + after
	}
}

// saysNothing reports whether a text is a model's way to leave a field out.
func saysNothing(s string) bool {
	if s == "" {
		return true
	}
	if len(s) > 20 {
		return false
	}
	switch strings.ToLower(strings.Trim(s, " .()[]<>\"'")) {
	case "", "none", "n/a", "na", "null", "nil", "unknown", "unchanged", "undefined", "-", "—", "?", "...", "not specified", "no change", "same":
		return true
	}
	return false
}

func allNothing(m map[string]any) bool {
	for _, v := range m {
		switch v := v.(type) {
		case nil:
		case string:
			if !saysNothing(cleanText(v)) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// clip returns the first n characters of a text.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	i := 0
	for at := range s {
		if i == n {
			return strings.TrimSpace(s[:at])
		}
		i++
	}
	return s
}

// cutText cuts a text to n characters behind a sentence, if one ends in its
// second half, else behind a word.
func cutText(s string, n int) string {
	s = clip(s, n)
	if i := strings.LastIndexAny(s, ".!?。！？…"); i > len(s)/2 {
		_, size := utf8.DecodeRuneInString(s[i:])
		return s[:i+size]
	}
	if i := strings.LastIndexByte(s, ' '); i > len(s)/2 {
		return s[:i]
	}
	return s
}

// firstWords returns the first words of a text as a name.
func firstWords(s string, n int) string {
	words := strings.Fields(s)
	if len(words) > n {
		words = words[:n]
	}
	return strings.TrimRight(clip(strings.Join(words, " "), maxName), ".,;:!?")
}
