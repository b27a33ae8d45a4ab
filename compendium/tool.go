package compendium

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Tool is the definition of a tool for a model, as data: a name, when to use it,
// and the schema of its arguments. Which protocol it is sent in is not this
// package's business.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// toolDocs say when to record a type, and when not.
var toolDocs = map[Type]string{
	Character:    "Record a character: someone named, or a nameless figure who will matter, appears or changes state, bond, allegiance or aim. Give what is new. Not for passing moods, dreams, or guesses of others.",
	Location:     "Record a place: it is described, entered, damaged or connected to another. Give what is new. Not for places merely mentioned.",
	Organization: "Record a group: it acts, is joined or left, changes its stance. Give what is new. Not for a crowd.",
	Event:        "Record an event: something happened, or is scheduled, that later scenes may refer to. Not for small talk or single blows.",
	Plot:         "Record a plot: a question, quest or storyline opens, advances, stalls or ends. Give what is new. Not for a single errand.",
	Threat:       "Record a threat: a danger appears, grows, is met or removed. Give what is new. Not for dangers already over.",
	Item:         "Record an item: a notable object appears, changes hands, is used up. Give what is new. Not for furniture.",
	Power:        "Record a power: an ability is shown, limited, gained or lost. Give what is new. Not for what anyone can do.",
	Rule:         "Record a rule of the world: law, magic or custom that is stated or shown to hold. Not for what one person believes.",
	Culture:      "Record a culture: a people, species, faith or language is characterised. Give what is new. Not for one person's habit.",
}

// RecordTool returns the tool that records a type: a flat schema, two levels at
// most, in which only the name is required (of a rule the statement too).
// References are names; [Coerce] reads the arguments.
func RecordTool(t Type) Tool {
	p := newParams()
	for i := range Fields(t) {
		f := &Fields(t)[i]
		if !f.Tool {
			continue
		}
		p.add(f.Name, f.toolSchema())
	}
	p.add("reason", text("reason", 120).param(""))
	required := []string{"name"}
	if t == Rule {
		required = append(required, "statement")
	}
	return Tool{Name: "record_" + string(t), Description: toolDocs[t], Parameters: p.schema(required...)}
}

// RecordTools returns the tools of some types, by default of all ten.
func RecordTools(of ...Type) []Tool {
	if len(of) == 0 {
		of = types
	}
	out := make([]Tool, len(of))
	for i, t := range of {
		out[i] = RecordTool(t)
	}
	return out
}

// TypeOfTool returns the type that a tool records.
func TypeOfTool(name string) (t Type, ok bool) {
	word, ok := strings.CutPrefix(name, "record_")
	t = Type(word)
	return t, ok && slices.Contains(types, t)
}

// SingleRecordTool returns one tool for all types, for models that get lost
// among ten: type, name, and the fields of the type in one object.
func SingleRecordTool() Tool {
	p := newParams()
	p.add("type", param{Type: "string", Enum: typeNames()})
	p.add("name", text("name", maxName).param(""))
	p.add("fields", param{Type: "object", Description: "what is new, as in {\"status\": \"dead\", \"current_state\": {\"location\": \"…\"}}"})
	p.add("reason", text("reason", 120).param("why, in a few words"))
	return Tool{
		Name:        "record",
		Description: "Record what is new about a character, location, organization, event, plot, threat, item, power, rule or culture. Not for passing moods.",
		Parameters:  p.schema("type", "name"),
	}
}

func typeNames() []string {
	out := make([]string, len(types))
	for i, t := range types {
		out[i] = string(t)
	}
	return out
}

// SharedTools returns the verbs that all types share: search_lorebook,
// update_lore, forget_lore, merge_split_lore, reorganize_lore, create_summary.
func SharedTools() []Tool {
	entry := param{Type: "string", Description: "name or id as listed"}
	reason := text("reason", 120).param("why, in a few words")
	list := func(doc string) param {
		return param{Type: "array", Description: doc, Items: &param{Type: "string"}}
	}
	tool := func(name, doc string, p *params, required ...string) Tool {
		return Tool{name, doc, p.schema(required...)}
	}
	return []Tool{
		tool(
			"search_lorebook", "Look up what is known, before recording something that may be known already. Give one of the three.",
			newParams().add("query", param{Type: "string"}).add("entry_ids", list("")).add("node_id", param{Type: "string", Description: "a branch of the overview"}),
		),
		tool(
			"update_lore", "Correct a known entry: rename it, change or clear a value, end or remove a row. Not for what merely happened next; record that.",
			newParams().add("entry", entry).add("changes", param{Type: "object", Description: "fields and their new values; null clears one of current_state; a row with \"remove\": true goes"}).
				add("clear", list("paths to clear, as in current_state.disguise")).add("reason", reason), "entry", "changes",
		),
		tool(
			"forget_lore", "Take out an entry that was never true. Not for the dead, the lost or the past: record their status.",
			newParams().add("entry", entry).add("reason", reason), "entry", "reason",
		),
		tool(
			"merge_split_lore", "Make one entry of several that are the same thing, or several of one that holds two. Not for things that are merely alike.",
			newParams().add("action", param{Type: "string", Enum: []string{"merge", "split"}}).add("entries", list("merge: all; split: the one")).
				add("into", param{Type: "string", Description: "merge: the one that stays"}).add("names", list("split: the names of the parts")).add("reason", reason), "action", "entries",
		),
		tool(
			"reorganize_lore", "Move entries to another category. Not for a change of what they say.",
			newParams().add("entries", list("names or ids")).add("category", param{Type: "string"}).add("reason", reason), "entries", "category",
		),
		tool(
			"create_summary", "Recap what happened in some messages, by plot thread, past tense, with names. Not for plans or guesses.",
			newParams().add("title", param{Type: "string"}).add("text", param{Type: "string"}).add("arc", param{Type: "string", Description: "the plot it belongs to"}).
				add("entries", list("who and what it is about")), "title", "text",
		),
	}
}

// param is a property of a tool's schema: only what every server of models
// understands.
type param struct {
	Type        string   `json:"type"`
	Description string   `json:"description,omitempty"`
	Enum        []string `json:"enum,omitempty"`
	Items       *param   `json:"items,omitempty"`
	Properties  *params  `json:"properties,omitempty"`
	Required    []string `json:"required,omitempty"`
}

// params are properties in their order.
type params struct {
	names []string
	of    map[string]param
}

func newParams() *params { return &params{of: map[string]param{}} }

func (p *params) add(name string, v param) *params {
	p.names = append(p.names, name)
	p.of[name] = v
	return p
}

// MarshalJSON keeps the order: models read the first properties best.
func (p *params) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, n := range p.names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encode(n))
		b.WriteByte(':')
		b.Write(encode(p.of[n]))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (p *params) schema(required ...string) json.RawMessage {
	return encode(param{Type: "object", Properties: p, Required: required})
}

// param returns the property for a field that holds a single value.
func (f Field) param(doc string) param {
	p := param{Type: "string", Description: doc}
	switch f.Kind {
	case Number:
		p.Type = "integer"
	case Flag:
		p.Type = "boolean"
	case Enum, State:
		if p.Enum = f.Values; len(p.Enum) > 9 {
			p.Enum = nil
		}
	case References, Set:
		p.Type, p.Items = "array", &param{Type: "string"}
	}
	return p
}

// toolSchema returns the property for a field that a tool offers.
func (f *Field) toolSchema() param {
	switch f.Kind {
	case Rows:
		p := param{Type: "array", Description: f.Doc}
		if len(f.ToolRow) == 0 {
			p.Items = &param{Type: "string"}
			return p
		}
		row := newParams()
		for _, name := range f.ToolRow {
			row.add(name, member(f.Fields, name).toolMember())
		}
		p.Items = &param{Type: "object", Properties: row}
		return p
	case Group:
		row := newParams()
		for _, name := range f.ToolRow {
			row.add(name, member(f.Fields, name).toolMember())
		}
		return param{Type: "object", Description: f.Doc, Properties: row}
	}
	return f.param(f.Doc)
}

// toolMember is param for a member of a row; long lists of words are left to
// coercion, to keep the tool small.
func (f *Field) toolMember() param {
	p := f.param("")
	if len(p.Enum) > 4 {
		p.Enum = nil
	}
	if f.Kind == Number {
		p.Description = fmt.Sprintf("%d-%d", f.Low, f.High)
	}
	return p
}
