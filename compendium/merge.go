package compendium

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weft-memory/weft/resolve"
)

// Context says on whose word a patch is merged, and when.
type Context struct {
	// Source is who says so: it goes with every value that changes.
	Source Source
	// Quotes are passages for single paths, where Source.Quote is not the one.
	Quotes map[string]string
	// Update marks a call that changes a known entry: it may rename it, clear
	// values of current_state and remove rows.
	Update bool
	// Certainty, if rumour or disputed, says that somebody in the story claims
	// what the patch says. Claims become facts with their speaker; they replace
	// nothing.
	Certainty string
	Speaker   string
	// Scope is who knows what the patch says, if not everybody: for a message
	// that some characters did not see. A new entry gets it as a whole, a new
	// row or a changed value by itself; a value that is said openly later is
	// open again.
	Scope Scope
	// Reason is needed to leave a last state of life, and travels with flags.
	Reason string
	// Resolver binds references; nil leaves them as names.
	Resolver Resolver
	// ID is the id of an entry that Merge creates.
	ID string
}

// Result says what a merge did.
type Result struct {
	// Created says that there was no entry before.
	Created bool
	// Changed, Unchanged and Disputed are paths of values.
	Changed, Unchanged, Disputed []string
	// Rejected lists what was not taken, and why.
	Rejected []Rejection
	// Proposed is what only a lock kept out, by path: a suggestion for a person.
	Proposed map[string]json.RawMessage
	// Past are the values that moved into the history.
	Past []Past
	// Notes says what was read or done otherwise than one would think.
	Notes []string
	// From and To are the states of life before and after.
	From, To string
	// LeftTerminal says that the entry came back from a last state of life, with
	// a reason. The feed shows it.
	LeftTerminal bool
	// Fields are the changes of the lorebook entry by its fields, as operations
	// of package memory carry them, and Content the change of its text; see
	// [PatchOf].
	Fields  map[string]FieldChange
	Content *ContentChange
}

// maxPast bounds the history that an entry carries.
const maxPast = 60

// Merge returns the entry with a patch merged into it, and what changed. The old
// entry stays as it is; nil creates one. Merge knows no clock and no randomness:
// equal arguments give equal results.
//
// The rules: what the patch leaves out stays. A value replaces another one if it
// is later, by story time where both know it, else by record time, and a
// person's word stands above a sidecar's; what was replaced goes to the history
// with both sources. Rows of a keyed array are found by their key and merged in
// the same way; they are ended by a status or valid_to, and removed only by an
// update that says so. Sets are united. A description that would lose names and
// two fifths of its length is added as a fact instead. Two values of one moment
// that contradict each other are kept as disputed. Applying a patch twice
// changes nothing the second time.
func Merge(old *Entry, p Patch, ctx Context) (*Entry, Result) {
	m := &merger{ctx: ctx}
	m.Notes, m.Rejected = slices.Clone(p.Notes), slices.Clone(p.Rejected)
	if m.ctx.Reason == "" {
		m.ctx.Reason = p.Reason
	}
	m.ctx.Source.Quote = clip(m.ctx.Source.Quote, 200)
	before := old
	if old == nil {
		before = &Entry{ID: ctx.ID, Type: p.Type, Layer: LayerStory, Data: Object{}, Schema: SchemaVersion}
		m.Created = true
	}
	e := *before
	m.e = &e
	m.locks, _ = before.Data["locks"].(Object)
	if p.Type != "" && p.Type != before.Type {
		m.reject("type", fmt.Sprintf("%s is a %s: record a %s under a name of its own", before.Name(), before.Type, p.Type))
		return before, m.finish(before, before)
	}
	m.From = before.Status()
	data := m.claims(m.named(p.Data))
	e.Data = m.object(before.Data, data, Fields(e.Type), "")
	if len(m.later) > 0 {
		e.Data = m.object(e.Data, Object{"facts": m.later}, Fields(e.Type), "")
	}
	if e.Type == Item {
		m.holder(before, data)
	}
	m.scope(data)
	m.lockEdits(before)
	m.To = e.Status()
	if len(m.Changed) == 0 {
		return before, m.finish(before, before)
	}
	return m.e, m.finish(before, m.e)
}

type merger struct {
	Result
	e     *Entry
	ctx   Context
	locks Object
	owned bool // Sources and History of e are copies
	// fresh are the paths of rows that are new.
	fresh []string
	// later are facts that are added behind the patch: what it made of other values.
	later []Object
}

func (m *merger) finish(before, after *Entry) Result {
	if m.Created && len(m.Changed) > 0 {
		before = nil
	}
	m.Fields, m.Content = PatchOf(before, after)
	slices.Sort(m.Changed)
	slices.Sort(m.Unchanged)
	return m.Result
}

func (m *merger) reject(path, reason string) {
	if len(m.Rejected) < maxReports {
		m.Rejected = append(m.Rejected, Rejection{path, reason})
	}
}

func (m *merger) unchanged(path string) { m.Unchanged = append(m.Unchanged, path) }

// own makes the sources and the history of the new entry its own.
func (m *merger) own() {
	if m.owned {
		return
	}
	m.owned = true
	m.e.Sources = cloneMap(m.e.Sources)
	m.e.History = cloneMap(m.e.History)
}

func cloneMap[V any](m map[string]V) map[string]V {
	out := make(map[string]V, len(m)+8)
	for k, v := range m {
		out[k] = v
	}
	return out
}

// source returns the source of a value that is set now.
func (m *merger) source(path string) Source {
	s := m.ctx.Source
	if q, ok := m.ctx.Quotes[path]; ok {
		s.Quote = clip(q, 200)
	}
	return s
}

// change records that a value was set.
func (m *merger) change(path string) {
	m.own()
	m.Changed = append(m.Changed, path)
	m.e.Sources[path] = m.source(path)
}

// past puts a value that was replaced into the history.
func (m *merger) past(path string, value any, until Source, disputed bool) {
	if isEmpty(value) {
		return
	}
	m.own()
	p := Past{Path: path, Value: encode(value), From: m.e.Sources[path], Until: until, Disputed: disputed}
	m.putPast(p)
}

// putPast adds a record to the history; it returns false if that holds it
// already, or only newer ones.
func (m *merger) putPast(p Past) bool {
	m.own()
	k := fmt.Sprintf("%s@%d_%d", p.Path, p.Until.Turn, p.Until.Call)
	for i := 2; ; i++ {
		have, taken := m.e.History[k]
		if !taken {
			break
		}
		if have.Path == p.Path && sameJSON(have.Value, p.Value) && have.From == p.From {
			return false
		}
		k = fmt.Sprintf("%s@%d_%d_%d", p.Path, p.Until.Turn, p.Until.Call, i)
	}
	m.e.History[k] = p
	for len(m.e.History) > maxPast {
		oldest := ""
		for _, k := range sortedNames(m.e.History) {
			if oldest == "" || compareRecords(m.e.History[k].Until, m.e.History[oldest].Until) < 0 {
				oldest = k
			}
		}
		delete(m.e.History, oldest)
	}
	if _, ok := m.e.History[k]; !ok {
		return false
	}
	m.Past = append(m.Past, p)
	return true
}

// locked returns why a path may not be changed, "" if it may.
func (m *merger) locked(path string) string {
	if m.ctx.Source.By == ByPerson || len(m.locks) == 0 {
		return ""
	}
	if all, _ := m.locks["entry"].(bool); all {
		return "the entry is locked"
	}
	fields, _ := m.locks["fields"].([]string)
	for _, f := range fields {
		if within(path, f) {
			return "a person wrote it: only a person may change it"
		}
	}
	return ""
}

// keepOut rejects a change of a locked path and keeps it as a proposal.
func (m *merger) keepOut(path, why string, value any) {
	m.reject(path, why)
	if m.Proposed == nil {
		m.Proposed = map[string]json.RawMessage{}
	}
	if _, ok := value.(cleared); ok {
		value = nil
	}
	m.Proposed[path] = encode(value)
}

// named turns the name of a patch into what it means for a known entry: another
// name of it, or, in an update, its new one.
func (m *merger) named(data Object) Object {
	name, _ := data["name"].(string)
	have, _ := m.e.Data["name"].(string)
	if name == "" || have == "" {
		return data
	}
	out := make(Object, len(data)+1)
	for k, v := range data {
		out[k] = v
	}
	if m.ctx.Source.By == ByPerson {
		return out
	}
	bare, _, _ := strings.Cut(name, " (") // Valen (Northern Wastes) is Valen
	alias := Object{"text": name}
	if n := resolve.Normal(have); resolve.Normal(name) == n || resolve.Normal(bare) == n && !m.ctx.Update {
		delete(out, "name")
		m.unchanged("name")
		return out
	}
	if m.ctx.Update {
		alias = Object{"text": have, "kind": "former"}
		if m.locked("name") != "" {
			return out // the lock speaks for itself
		}
	} else {
		delete(out, "name")
	}
	list, _ := out["aliases"].([]Object)
	out["aliases"] = append(slices.Clone(list), alias)
	return out
}

// claims turns the scalars of a patch that merely repeats what somebody says
// into facts of low certainty.
func (m *merger) claims(data Object) Object {
	switch m.ctx.Certainty {
	case "rumour", "disputed":
	default:
		return data
	}
	out := Object{}
	list, _ := data["facts"].([]Object)
	list = slices.Clone(list)
	for i, row := range list {
		row = cloneObject(row)
		row["certainty"] = m.ctx.Certainty
		m.speak(row)
		list[i] = row
	}
	for _, name := range sortedNames(data) {
		v := data[name]
		switch name {
		case "facts":
		case "name", "aliases", "notes":
			out[name] = v
		default:
			for _, c := range spread(v, name) {
				row := Object{"topic": clip(c.path, 40), "text": clip(c.text, 300), "certainty": m.ctx.Certainty}
				m.speak(row)
				list = append(list, row)
			}
		}
	}
	if len(list) > 0 {
		out["facts"] = list
	}
	return out
}

func (m *merger) speak(row Object) {
	if m.ctx.Speaker != "" && row["speaker"] == nil {
		row["speaker"] = clip(m.ctx.Speaker, maxName)
	}
}

type claim struct{ path, text string }

// spread writes the values of a patch as claims.
func spread(v any, path string) []claim {
	switch v := v.(type) {
	case Object:
		var out []claim
		for _, k := range sortedNames(v) {
			out = append(out, spread(v[k], joinPath(path, k))...)
		}
		return out
	case []Object:
		var out []claim
		for _, row := range v {
			var parts []string
			for _, k := range sortedNames(row) {
				if s := plain(row[k]); s != "" {
					parts = append(parts, k+": "+s)
				}
			}
			out = append(out, claim{path, strings.Join(parts, ", ")})
		}
		return out
	}
	if s := plain(v); s != "" {
		return []claim{{path, s}}
	}
	return nil
}

// object merges the values of a patch into those that are there.
func (m *merger) object(have, patch Object, fields []Field, path string) Object {
	out := have
	set := func(name string, v any) {
		if same(out, have) {
			out = make(Object, len(have)+len(patch))
			for k, v := range have {
				out[k] = v
			}
		}
		if isEmpty(v) {
			delete(out, name)
		} else {
			out[name] = v
		}
	}
	for _, name := range sortedNames(patch) {
		if name == memberRemove || name == memberKey || name == memberAt {
			continue
		}
		where := joinPath(path, name)
		v, was := patch[name], have[name]
		f := member(fields, name)
		if raw, ok := was.(json.RawMessage); ok && f != nil {
			// What is stored has another kind than the field: it makes way.
			m.past(where, raw, m.source(where), false)
			was = nil
		}
		if f == nil {
			f = &Field{Name: name, Kind: Text}
		}
		var next any
		switch f.Kind {
		case Rows:
			list, ok := v.([]Object)
			if !ok {
				continue
			}
			next = m.rows(asObject(was), list, f, where)
		case Group:
			o, ok := v.(Object)
			if !ok {
				continue
			}
			next = m.object(asObject(was), o, f.Fields, where)
		case References:
			o, ok := v.(Object)
			if !ok {
				continue
			}
			next = m.references(asObject(was), o, f, where)
		case Set:
			list, ok := v.([]string)
			if !ok {
				continue
			}
			next = m.set(was, list, f, where)
		default:
			next = m.scalar(was, v, f, where)
		}
		if !equal(next, was) && !(isEmpty(next) && isEmpty(was)) {
			set(name, next)
		}
	}
	return out
}

// same reports whether two objects are one, not merely equal.
func same(a, b Object) bool {
	return reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(b).UnsafePointer()
}

func asObject(v any) Object {
	o, _ := v.(Object)
	return o
}

// scalar returns what a single value becomes.
func (m *merger) scalar(was, v any, f *Field, path string) any {
	if r, ok := v.(Ref); ok {
		v = m.bind(r, f)
	}
	if _, clear := v.(cleared); clear {
		return m.clear(was, path)
	}
	if isEmpty(v) {
		return was
	}
	if r, ok := was.(Ref); ok { // the same thing under another name is no change
		if n, ok := v.(Ref); ok && r.Same(n) {
			if r.ID != "" || n.ID == "" {
				m.unchanged(path)
				return was
			}
			v = Ref{ID: n.ID, Text: r.Text}
		}
	}
	if m.sameValue(was, v) {
		m.unchanged(path)
		return was
	}
	if why := m.locked(path); why != "" {
		m.keepOut(path, why, v)
		return was
	}
	if !isEmpty(was) {
		switch m.precedence(path, was, v) {
		case keeps:
			return was
		case disputes:
			return m.dispute(path, was, v)
		}
	}
	switch {
	case f.Kind == State && path == "status":
		return m.status(was, v, path)
	case path == "description" && m.shrinks(was, v):
		m.Notes = append(m.Notes, "description: much shorter than the known one, which was kept; the new text was added as a fact")
		m.later = append(m.later, Object{"topic": "description", "text": clip(plain(v), 300)})
		return was
	}
	m.past(path, was, m.source(path), false)
	m.change(path)
	return v
}

// bind finds the entry that a reference means.
func (m *merger) bind(r Ref, f *Field) Ref {
	if m.ctx.Resolver == nil {
		return r
	}
	if r.ID != "" {
		if id, ok := m.ctx.Resolver.Resolve(r.ID); ok {
			return Ref{ID: id, Text: r.Text}
		}
		r.ID = ""
	}
	if id, ok := m.ctx.Resolver.Resolve(r.Text, f.Targets...); ok {
		r.ID = id
	}
	return r
}

func (m *merger) clear(was any, path string) any {
	if isEmpty(was) {
		m.unchanged(path)
		return was
	}
	if why := m.locked(path); why != "" {
		m.keepOut(path, why, nil)
		return was
	}
	if m.precedence(path, was, nil) == keeps {
		return was
	}
	m.past(path, was, m.source(path), false)
	m.change(path)
	return nil
}

// sameValue reports whether a value says what is there. A sidecar's that
// differs only in how it is written changes nothing.
func (m *merger) sameValue(was, v any) bool {
	if equal(was, v) {
		return true
	}
	a, ok1 := was.(string)
	b, ok2 := v.(string)
	return ok1 && ok2 && m.ctx.Source.By != ByPerson && len(a) < 200 && len(b) < 200 && resolve.Normal(a) == resolve.Normal(b)
}

type verdict int

const (
	replaces verdict = iota
	keeps
	disputes
)

// precedence decides between the value that is there and another one.
func (m *merger) precedence(path string, was, v any) verdict {
	old, known := m.e.Sources[path]
	now := m.source(path)
	if !known || now.By == ByPerson {
		return replaces
	}
	order := compareRecords(now, old)
	if t, ok := compareMoments(now.Story, old.Story); ok && t != 0 {
		order = t
	}
	switch {
	case old.By == ByPerson && order <= 0:
		m.keepOut(path, "a person set it", v)
		return keeps
	case order < 0:
		m.unchanged(path)
		m.Notes = append(m.Notes, path+": a later value is known")
		if v != nil && m.putPast(Past{Path: path, Value: encode(v), From: now, Until: old}) {
			m.Changed = append(m.Changed, memberHistory)
		}
		return keeps
	case order == 0 && v != nil:
		return disputes
	}
	return replaces
}

// compareRecords orders sources by record time.
func compareRecords(a, b Source) int {
	if a.Turn != b.Turn {
		return a.Turn - b.Turn
	}
	return a.Call - b.Call
}

// dispute keeps two values of one moment: the one that comes first by its text
// stands, so that their order does not matter, and both are in the register.
func (m *merger) dispute(path string, was, v any) any {
	first, second := was, v
	if string(encode(v)) < string(encode(was)) {
		first, second = v, was
	}
	from := m.e.Sources[path]
	if equal(second, v) {
		from = m.source(path)
	}
	until := from
	until.Quote, until.Model, until.Phase, until.Op = "", "", "", ""
	if !m.putPast(Past{Path: path, Value: encode(second), From: from, Until: until, Disputed: true}) && equal(first, was) {
		m.unchanged(path)
		return was
	}
	m.Disputed = append(m.Disputed, path)
	m.change(path)
	return first
}

// status moves the life of an entry on.
func (m *merger) status(was, v any, path string) any {
	from, _ := was.(string)
	to, _ := v.(string)
	if Terminal(m.e.Type, from) && !Terminal(m.e.Type, to) && m.ctx.Source.By != ByPerson {
		if strings.TrimSpace(m.ctx.Reason) == "" {
			m.reject(path, fmt.Sprintf("%s is %s: to bring it back, name the reason", m.e.Name(), from))
			return was
		}
		m.LeftTerminal = true
	}
	m.past(path, was, m.source(path), false)
	m.change(path)
	return v
}

// shrinks reports whether a new description would lose too much: it is shorter
// than three fifths of the old one and lacks one of its names.
func (m *merger) shrinks(was, v any) bool {
	a, _ := was.(string)
	b, _ := v.(string)
	if m.ctx.Source.By == ByPerson || a == "" || utf8.RuneCountInString(b)*10 >= utf8.RuneCountInString(a)*6 {
		return false
	}
	names := properNouns(a)
	low := strings.ToLower(b)
	for _, n := range names {
		if !strings.Contains(low, strings.ToLower(n)) {
			return true
		}
	}
	return len(names) == 0 && !hasCase(a) // no names can be told: keep what is there
}

// set unites sets.
func (m *merger) set(was any, list []string, f *Field, path string) any {
	have, _ := was.([]string)
	if why := m.locked(path); why != "" {
		m.keepOut(path, why, list)
		return was
	}
	out := makeSet(append(slices.Clone(have), list...))
	if len(out) <= len(have) {
		m.unchanged(path)
		return was
	}
	if f.Max > 0 && len(out) > f.Max {
		m.reject(path, fmt.Sprintf("it holds %d already", f.Max))
		return was
	}
	m.past(path, was, m.source(path), false)
	m.change(path)
	return out
}

// references unites sets of references.
func (m *merger) references(have, add Object, f *Field, path string) any {
	if why := m.locked(path); why != "" {
		m.keepOut(path, why, sortedRefs(add))
		return have
	}
	out := cloneObject(have)
	if out == nil {
		out = Object{}
	}
	// Companions of now are those who are named; who knows a secret stays.
	for _, r := range sortedRefs(add) {
		if f.Max > 0 && len(out) >= f.Max {
			m.reject(path, fmt.Sprintf("it holds %d already", f.Max))
			break
		}
		addRef(out, m.bind(r, f))
	}
	if equal(out, have) || len(out) == 0 {
		m.unchanged(path)
		return have
	}
	m.past(path, have, m.source(path), false)
	m.change(path)
	return out
}

// scope records who knows of what changed.
func (m *merger) scope(patch Object) {
	if len(m.Changed) == 0 {
		return
	}
	if m.ctx.Scope.IsPublic() || m.ctx.Scope.Kind == "" && len(m.ctx.Scope.HiddenFrom) == 0 {
		m.openScopes()
		return
	}
	know := m.ctx.Scope.object()
	if m.Created {
		if patch["knowledge"] == nil {
			m.setData("knowledge", know)
		}
		return
	}
	data := cloneObject(m.e.Data)
	rows := asObject(data["scopes"])
	if rows == nil {
		rows = Object{}
	}
	for _, path := range m.Changed {
		top, _, _ := strings.Cut(path, "[")
		if path == memberHistory || top == "provenance_chain" || top == "scopes" || within(path, "knowledge") {
			continue
		}
		if i := slices.IndexFunc(m.fresh, func(f string) bool { return within(path, f) }); i >= 0 {
			path = m.fresh[i]
		}
		row := Object{"path": path, "knowledge": know, memberAt: encode(int64(m.ctx.Source.Turn))}
		f := FieldAt(m.e.Type, "scopes")
		if k, ok := findRow(rows, f, row); ok {
			rows[k] = row
		} else {
			rows[freeKey(rows, f, row)] = row
		}
	}
	data["scopes"] = rows
	m.e.Data = data
}

// openScopes takes away the scopes of values that are said openly now.
func (m *merger) openScopes() {
	rows := asObject(m.e.Data["scopes"])
	var gone []string
	for _, k := range sortedNames(rows) {
		path := plain(asObject(rows[k])["path"])
		if slices.ContainsFunc(m.Changed, func(c string) bool { return c == path && !slices.Contains(m.fresh, path) }) {
			gone = append(gone, k)
		}
	}
	if len(gone) == 0 {
		return
	}
	next := make(Object, len(rows))
	for k, v := range rows {
		if !slices.Contains(gone, k) {
			next[k] = v
		}
	}
	m.setData("scopes", next)
}

// lockEdits locks what a person changed: lasting fields of an entry that was
// there. How things stand goes on with the story.
func (m *merger) lockEdits(before *Entry) {
	if m.ctx.Source.By != ByPerson || m.Created || len(m.Changed) == 0 {
		return
	}
	var paths []string
	for _, p := range m.Changed {
		switch {
		case within(p, "current_state"), within(p, "locks"), within(p, "scopes"), within(p, memberHistory), within(p, "story_time"), within(p, "provenance_chain"):
		default:
			paths = append(paths, p)
		}
	}
	if len(paths) == 0 {
		return
	}
	locks := cloneObject(asObject(m.e.Data["locks"]))
	if locks == nil {
		locks = Object{}
	}
	have, _ := locks["fields"].([]string)
	next := slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(have), paths...))))
	if slices.Equal(next, have) || len(next) > 200 {
		return
	}
	locks["fields"] = next
	data := make(Object, len(m.e.Data)+1)
	for k, v := range m.e.Data {
		data[k] = v
	}
	data["locks"] = locks
	m.e.Data = data
}

// Sentence says in one short sentence what came of a call, for the model that
// made it. It names the entry that the call landed in.
func (r Result) Sentence(e *Entry) string {
	var b strings.Builder
	switch {
	case len(r.Changed) == 0 && len(r.Rejected) > 0:
		fmt.Fprintf(&b, "rejected for %s %s", e.Type, e.Name())
	case r.Created:
		fmt.Fprintf(&b, "ok: new %s %s", e.Type, e.Name())
	case len(r.Changed) == 0:
		fmt.Fprintf(&b, "ok: %s %s says so already", e.Type, e.Name())
	default:
		fmt.Fprintf(&b, "ok: updated %s %s (%s)", e.Type, e.Name(), strings.Join(short(r.Changed, 6), ", "))
	}
	if len(r.Disputed) > 0 {
		fmt.Fprintf(&b, "; disputed: %s", strings.Join(short(r.Disputed, 3), ", "))
	}
	if n := len(r.Rejected); n > 0 {
		if len(r.Changed) > 0 {
			b.WriteString("; rejected")
		}
		fmt.Fprintf(&b, ": %s", r.Rejected[0])
		if n > 1 {
			fmt.Fprintf(&b, " and %d more", n-1)
		}
	}
	return b.String()
}

// short returns the first members of paths, each once.
func short(paths []string, n int) []string {
	var out []string
	for _, p := range paths {
		p, _, _ = strings.Cut(p, "[")
		p = strings.TrimPrefix(p, "current_state.")
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	if len(out) > n {
		out = append(out[:n], fmt.Sprintf("+%d", len(out)-n))
	}
	return out
}
