package compendium

import (
	"encoding/json"
	"slices"

	"github.com/weft-memory/weft/lore"
)

// Layer says whether an entry is authored or written by a story.
type Layer string

// The layers, from the lowest.
const (
	LayerCanon Layer = "canon" // authored: read only for a sidecar
	LayerWorld Layer = "world" // shared by the characters of a world
	LayerStory Layer = "story" // one conversation's
)

// Entry is a typed entry. It is immutable: changes are made by [Merge], which
// returns a new one. Entries may be shared between goroutines.
type Entry struct {
	ID    string
	Book  string
	Layer Layer
	Type  Type
	// Data holds the values of all fields of the type, name and description
	// included.
	Data Object
	// Sources says for the path of each value where it comes from.
	Sources map[string]Source
	// History holds values that were replaced, by key.
	History map[string]Past
	// Schema is the version of the schema that Data is in.
	Schema int

	// base is the lorebook entry that it was read from; nil if there is none.
	base *lore.Entry
}

// Author says who gave a value.
type Author string

// The authors.
const (
	ByPerson  Author = "person"
	BySidecar Author = "sidecar"
	ByImport  Author = "import"
	ByRule    Author = "rule" // derived by code
)

// Source says where a value comes from. It is written by code, never by a
// model.
type Source struct {
	By Author `json:"by"`
	// Op is the operation and Node the message that gave the value. A swipe is
	// a node of its own.
	Op   string `json:"op"`
	Node string `json:"node"`
	// Turn counts the messages up to the node, and Call the calls of tools
	// made for it: together they are the record time.
	Turn int `json:"turn"`
	Call int `json:"call"`
	// Story is the story's time at the message.
	Story Moment `json:"story"`
	// Quote is the passage that says so, at most 200 characters.
	Quote string `json:"quote"`
	Model string `json:"model"`
	Phase string `json:"phase"`
}

// UnmarshalJSON reads a source; story is in the form of [ParseMoment].
func (s *Source) UnmarshalJSON(src []byte) error {
	type plain Source
	v := struct {
		*plain
		Story string `json:"story"`
	}{plain: (*plain)(s)}
	if err := json.Unmarshal(src, &v); err != nil {
		return err
	}
	s.Story = ParseMoment(v.Story)
	return nil
}

// Past is a value that was replaced or closed.
type Past struct {
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value"`
	// From is where the value came from, Until what ended it.
	From  Source `json:"from"`
	Until Source `json:"until"`
	// Disputed says that the value was not replaced: two sources of equal
	// standing contradict each other.
	Disputed bool `json:"disputed"`
}

// New returns an entry of a type with a name.
func New(t Type, id, name string) *Entry {
	return &Entry{ID: id, Type: t, Layer: LayerStory, Data: Object{"name": name}, Schema: SchemaVersion}
}

// Name returns the display name; the id if there is none.
func (e *Entry) Name() string {
	if s, _ := e.Data["name"].(string); s != "" {
		return s
	}
	return e.ID
}

// Description returns the lasting facts as prose.
func (e *Entry) Description() string { return e.text("description") }

// Status returns the state in the lifecycle.
func (e *Entry) Status() string {
	if s, _ := e.Data["status"].(string); s != "" {
		return s
	}
	return DefaultStatus(e.Type)
}

// Ended reports whether the status is terminal.
func (e *Entry) Ended() bool {
	s, _ := e.Data["status"].(string)
	return s != "" && Terminal(e.Type, s) // no life begins with its end
}

// Importance is from 1 to 5; 2 if nothing says.
func (e *Entry) Importance() int {
	if n, ok := e.Data["importance"].(float64); ok {
		return int(n)
	}
	return 2
}

// Alias is another name of an entry.
type Alias struct {
	Text string
	Kind string
	// Key names the alias in paths.
	Key string
}

// Aliases returns the other names in the order in which they came.
func (e *Entry) Aliases() []Alias {
	var out []Alias
	for _, r := range sortedRows(e.Data["aliases"]) {
		if s, _ := r.Object["text"].(string); s != "" {
			kind, _ := r.Object["kind"].(string)
			out = append(out, Alias{Text: s, Kind: kind, Key: r.key})
		}
	}
	return out
}

// Value returns the value at a path, nil if there is none.
func (e *Entry) Value(path string) any {
	steps, ok := splitPath(path)
	if !ok {
		return nil
	}
	var v any = e.Data
	for _, s := range steps {
		o, ok := v.(Object)
		if !ok {
			return nil
		}
		if s.row {
			v = o[s.key]
		} else {
			v = o[s.name]
		}
	}
	return v
}

// Text returns the value at a path as text, "" if there is none: of a
// reference or a moment its text.
func (e *Entry) Text(path string) string { return plain(e.Value(path)) }

// text is Text for a member of the entry itself.
func (e *Entry) text(name string) string { return plain(e.Data[name]) }

// state returns a value of current_state.
func (e *Entry) state(name string) any {
	o, _ := e.Data["current_state"].(Object)
	return o[name]
}

// changed returns the latest turn that changed the value at a path or below it.
func (e *Entry) changed(path string) int {
	turn := 0
	for p, s := range e.Sources {
		if s.Turn > turn && within(p, path) {
			turn = s.Turn
		}
	}
	return turn
}

// lastTurn returns the latest turn that changed the entry.
func (e *Entry) lastTurn() int {
	turn := 0
	for _, s := range e.Sources {
		turn = max(turn, s.Turn)
	}
	return turn
}

// Row is a row of a keyed array.
type Row struct {
	// Key names the row in paths: path[key].
	Key    string
	Values Object
}

// Rows returns the rows of the list at a path in the order in which they came.
func (e *Entry) Rows(path string) []Row {
	var out []Row
	for _, r := range sortedRows(e.Value(path)) {
		out = append(out, Row{r.key, r.Object})
	}
	return out
}

// with returns the entry with other data.
func (e *Entry) with(data Object) *Entry {
	c := *e
	c.Data = data
	return &c
}

// Lore returns the lorebook entry that the entry was read from, nil if none. It
// must not be changed.
func (e *Entry) Lore() *lore.Entry { return e.base }

// PastOf returns the values that a path and those below it had, oldest first.
func (e *Entry) PastOf(path string) []Past {
	var out []Past
	for _, k := range sortedNames(e.History) {
		if within(e.History[k].Path, path) {
			out = append(out, e.History[k])
		}
	}
	slices.SortStableFunc(out, func(a, b Past) int { return compareRecords(a.Until, b.Until) })
	return out
}
