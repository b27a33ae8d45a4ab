package compendium

import "slices"

// SchemaVersion is the version of the schema that entries are written in.
// Entries of older versions are brought up to it when they are read, see
// [Migrate].
const SchemaVersion = 1

// Kind is the kind of value that a field holds.
type Kind uint8

// The kinds, with the Go type of a value in an [Object].
const (
	Text       Kind = iota // string
	Number                 // float64, a whole number
	Flag                   // bool
	Enum                   // string, one of Field.Values
	State                  // string, a state of the type's lifecycle
	Reference              // Ref
	References             // Object of Ref by key: a set
	Set                    // []string, sorted by normal form
	Rows                   // Object of Object by key: a keyed array
	Group                  // Object
	Time                   // Moment
)

var kindNames = [...]string{"text", "number", "flag", "one of a list", "state", "reference", "list of references", "set of texts", "list of objects", "object", "story time"}

// String returns what to call a value of the kind in a message.
func (k Kind) String() string { return kindNames[k] }

// Field describes a field of a type, or a member of a row or group. The tables
// of fields are the only definition of the types: coercion, merging, JSON
// Schema, tools, rendering, graph and knowledge scopes are all read off them.
type Field struct {
	Name string
	Kind Kind
	// Max is how long a text is at most, in characters, or how many items a
	// list holds.
	Max int
	// Low and High bound a number.
	Low, High int
	// Values are the words of an enum, the fallback last.
	Values []string
	// Targets are the types that a reference may mean; empty means any.
	Targets []Type
	// Edge is the kind of edge that a reference makes, from the entry to the
	// target; Inverse turns it round.
	Edge    string
	Inverse bool
	// Key names the members that tell the rows of a list apart.
	Key []string
	// Main is the member of a row that a bare text means; the first of Key if
	// empty.
	Main string
	// Fields are the members of a row or group.
	Fields []Field
	// Hidden says who knows of the value if its scope says nothing.
	Hidden Hiding
	// Words are other names under which models give the field.
	Words []string
	// Tool offers the field in the tool of the type; ToolRow does so with these
	// members of a row or group, where empty means plain texts.
	Tool    bool
	ToolRow []string
	// Doc says in a few words what belongs there; it is shown to models.
	Doc string
}

// Hiding is the scope of a value that names none.
type Hiding uint8

// The default scopes.
const (
	// Open values are known to all.
	Open Hiding = iota
	// OwnSecret values are known to the entry itself, and to whom the row
	// names in known_by.
	OwnSecret
	// Narrators values are known to the narrator only.
	Narrators
	// UntilFound rows are the narrator's while their member found, seen or
	// discovered is false.
	UntilFound
)

// member returns a field by name.
func member(fields []Field, name string) *Field {
	for i := range fields {
		if fields[i].Name == name {
			return &fields[i]
		}
	}
	return nil
}

// main returns the member of a row that a bare text means.
func (f *Field) main() string {
	if f.Main != "" {
		return f.Main
	}
	if len(f.Key) > 0 {
		return f.Key[0]
	}
	return ""
}

// Fields returns the fields of a type: those that all types have and its own.
// They must not be changed.
func Fields(t Type) []Field { return schemas[t] }

// FieldAt returns the field that a path names, as in "relationships.nature" or
// "current_state.location"; keys of rows are left out. Nil if there is none.
func FieldAt(t Type, names ...string) *Field {
	fields := schemas[t]
	var f *Field
	for _, n := range names {
		if f = member(fields, n); f == nil {
			return nil
		}
		fields = f.Fields
	}
	return f
}

// Constructors keep the tables readable.

func text(name string, limit int, words ...string) Field {
	return Field{Name: name, Kind: Text, Max: limit, Words: words}
}

func number(name string, low, high int, words ...string) Field {
	return Field{Name: name, Kind: Number, Low: low, High: high, Words: words}
}

func boolean(name string, words ...string) Field { return Field{Name: name, Kind: Flag, Words: words} }

func enum(name string, values ...string) Field {
	return Field{Name: name, Kind: Enum, Values: values}
}

func ref(name, edge string, targets ...Type) Field {
	return Field{Name: name, Kind: Reference, Max: maxName, Edge: edge, Targets: targets}
}

// inverse is a reference whose edge leads from the target to the entry.
func inverse(name, edge string, targets ...Type) Field {
	f := ref(name, edge, targets...)
	f.Inverse = true
	return f
}

func refs(name, edge string, targets ...Type) Field {
	return Field{Name: name, Kind: References, Max: 24, Edge: edge, Targets: targets}
}

func moment(name string, words ...string) Field {
	return Field{Name: name, Kind: Time, Max: 80, Words: words}
}

func group(name string, fields ...Field) Field {
	return Field{Name: name, Kind: Group, Fields: fields}
}

func rows(name string, key []string, fields ...Field) Field {
	return Field{Name: name, Kind: Rows, Max: 40, Key: key, Fields: append(fields, rowFields...)}
}

func key(names ...string) []string { return names }

func (f Field) words(w ...string) Field  { f.Words = w; return f }
func (f Field) hidden(h Hiding) Field    { f.Hidden = h; return f }
func (f Field) mainly(name string) Field { f.Main = name; return f }
func (f Field) doc(s string) Field       { f.Doc = s; return f }

// tool offers the field to models.
func (f Field) tool(doc string, members ...string) Field {
	f.Tool, f.Doc, f.ToolRow = true, doc, members
	return f
}

const (
	maxName  = 120
	maxWords = 64 // of a set
)

// scopeFields are the members of a knowledge scope.
var scopeFields = []Field{
	enum("kind", "public", "known_by", "narrator_only"),
	refs("known_by", ""),
	refs("hidden_from", ""),
	{Name: "learned", Kind: Rows, Max: 64, Key: key("who"), Fields: []Field{
		ref("who", ""), enum("how", "told", "saw", "inferred", "public"), text("certainty", 40), text("node", 80),
	}},
}

// rowFields are members that every row may have.
var rowFields = []Field{
	{Name: "knowledge", Kind: Group, Fields: scopeFields},
	{Name: "valid_from", Kind: Time, Max: 80},
	{Name: "valid_to", Kind: Time, Max: 80},
}

// envelope are the fields that all types have. Name, type, tags and description
// stand in the entry itself, as its name, type, tags and content.
func envelope(t Type) []Field {
	return []Field{
		text("name", maxName, "title", "full_name", "character_name").tool(""),
		{
			Name: "aliases", Kind: Rows, Max: 64, Key: key("text"), Main: "text", Words: []string{"alias", "aka", "nicknames", "also_known_as", "other_names"},
			Fields: []Field{
				text("text", maxName), enum("kind", "nickname", "title", "former", "disguise", "misspelling", "translation", "other"),
				refs("known_to", ""),
				{Name: "knowledge", Kind: Group, Fields: scopeFields},
			},
			Tool: slices.Contains(aliasTypes, t),
		},
		oneLineField(t),
		text("description", 1200, "desc", "about", "bio").tool("lasting, no current state"),
		number("importance", 1, 5, "priority_level"),
		{Name: "status", Kind: State, Values: statusNames(t), Words: []string{"state_of_life", "lifecycle"}, Tool: t != Note},
		text("status_reason", 120),
		{Name: "tags", Kind: Set, Max: maxWords, Words: []string{"tag", "labels"}},
		rows("facts", key("topic", "text"),
			text("text", 300, "fact"), text("topic", 40), enum("certainty", "stated", "implied", "rumour", "disputed"),
			text("speaker", maxName, "source", "said_by"),
		).mainly("text").words("fact", "details").tool(""),
		rows("notes", key("name"), text("name", 60), text("text", 400)).mainly("text").words("note", "comments"),
		group("knowledge", scopeFields...),
		{
			Name: "scopes", Kind: Rows, Max: 200, Key: key("path"),
			Fields: []Field{text("path", 200), {Name: "knowledge", Kind: Group, Fields: scopeFields}},
		},
		group("story_time", moment("established_at"), moment("last_seen_at")),
		group("locks", boolean("entry"), Field{Name: "fields", Kind: Set, Max: 200}, text("author", 40)),
	}
}

// aliasTypes are the types whose tools ask for other names.
var aliasTypes = []Type{Character, Location, Organization, Item, Threat}

// oneLineField is what a thing is, in a line. Of an event it is what outsiders
// hear of it.
func oneLineField(t Type) Field {
	f := text("one_line", 160, "oneline", "tagline", "summary")
	if t == Event {
		f = f.tool("what outsiders may hear of it")
	}
	return f
}

// schemas holds the fields of each type.
var schemas = func() map[Type][]Field {
	out := map[Type][]Field{Note: envelope(Note)}
	for _, t := range types {
		out[t] = slices.Concat(envelope(t), ownFields[t]())
	}
	return out
}()
