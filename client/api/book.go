package api

import "encoding/json"

// Book is a book without its entries.
type Book struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Revision int64     `json:"revision" doc:"The newest revision: its ETag."`
	Hash     string    `json:"hash"`
	Size     int64     `json:"size"`
	Entries  int       `json:"entries"`
	Source   string    `json:"source,omitempty" doc:"Where it comes from, such as a folder that is followed."`
	Deleted  int64     `json:"deleted,omitempty"`
	Created  int64     `json:"created"`
	Changed  int64     `json:"changed"`
	Fresh    *bool     `json:"fresh,omitempty" doc:"After saving: whether a revision was made."`
	Findings []Finding `json:"findings,omitempty" doc:"After saving: what is wrong with the book."`
}

// Finding is something that is wrong with a book, or odd.
type Finding struct {
	Severity string `json:"severity"`
	Code     string `json:"code,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
}

// BookRevision is one saved state of a book.
type BookRevision struct {
	Revision int64  `json:"revision"`
	Hash     string `json:"hash"`
	Size     int64  `json:"size"`
	Entries  int    `json:"entries"`
	Author   string `json:"author,omitempty"`
	Note     string `json:"note,omitempty"`
	Time     int64  `json:"time"`
}

// Ref names an entry of a book.
type Ref struct {
	Book  string `json:"book,omitempty"`
	Entry string `json:"entry"`
}

// Entry is an entry as it stands at a place.
type Entry struct {
	Ref
	Layer string `json:"layer" doc:"canon, world or story."`
	Live  bool   `json:"live"`
	// Data is the entry as the engine sees it, in Weft's own JSON; Authored is
	// the same without what was laid over it, where that differs.
	Data     json.RawMessage `json:"data,omitempty" doc:"The entry as the engine sees it; absent if it is not live."`
	Authored json.RawMessage `json:"authored,omitempty" doc:"The entry without what was laid over it, where that differs."`
	Version  string          `json:"version" doc:"What an edit stands on: its ETag."`

	Conflicts json.RawMessage `json:"conflicts,omitempty"`
	Proposals json.RawMessage `json:"proposals,omitempty"`
}

// EntryEvent is one step in the life of an entry.
type EntryEvent struct {
	Operation json.RawMessage `json:"operation"`
	Before    json.RawMessage `json:"before,omitempty"`
	After     json.RawMessage `json:"after,omitempty"`
	Changed   bool            `json:"changed"`
}

// EntryDiff is how an entry differs between two places.
type EntryDiff struct {
	Ref
	Before json.RawMessage `json:"before,omitempty" doc:"Absent where the entry is not live."`
	After  json.RawMessage `json:"after,omitempty"`
	Change json.RawMessage `json:"change,omitempty" doc:"The change that makes after of before."`

	FromCategory string `json:"from_category,omitempty"`
	ToCategory   string `json:"to_category,omitempty"`
}

// Source says where a part of an entry comes from.
type Source struct {
	Field     string          `json:"field" doc:"The name of a field; content for a sentence, which is in text."`
	Text      string          `json:"text,omitempty"`
	Overlay   bool            `json:"overlay,omitempty" doc:"The part was laid over the entry."`
	Operation string          `json:"operation,omitempty" doc:"What put it there; absent if it is authored."`
	Author    json.RawMessage `json:"author,omitempty"`
	Node      string          `json:"node,omitempty"`
	Quotes    json.RawMessage `json:"quotes,omitempty"`
}

// Promotion asks for an entry to be carried to a layer above.
type Promotion struct {
	To   string `json:"to" enum:"world,canon"`
	Book string `json:"book,omitempty" doc:"Of canon: the book that takes it."`
}

// Hit is something that a search found: an entry, or a message.
type Hit struct {
	Ref     *Ref    `json:"ref,omitempty"`
	Node    string  `json:"node,omitempty"`
	Name    string  `json:"name,omitempty"`
	Where   string  `json:"where" doc:"name, key, tag or content."`
	Snippet string  `json:"snippet,omitempty"`
	Score   float64 `json:"score"`
}

// Binding ties books to a character, a persona, a conversation, or to
// everything.
type Binding struct {
	Scope string   `json:"scope" doc:"global, character, persona or chat."`
	Name  string   `json:"name,omitempty" doc:"The character, persona or conversation."`
	Books []string `json:"books" nullable:"false"`
}

// Character is a character of a world.
type Character struct {
	ID             string       `json:"id,omitempty"`
	Name           string       `json:"name"`
	Nickname       string       `json:"nickname,omitempty"`
	DisplayName    string       `json:"display_name,omitempty"`
	Description    string       `json:"description,omitempty"`
	Personality    string       `json:"personality,omitempty"`
	Scenario       string       `json:"scenario,omitempty"`
	Greeting       string       `json:"greeting,omitempty"`
	Greetings      []string     `json:"greetings,omitempty"`
	GroupGreetings []string     `json:"group_greetings,omitempty"`
	Examples       string       `json:"examples,omitempty"`
	SystemPrompt   string       `json:"system_prompt,omitempty"`
	PostHistory    string       `json:"post_history,omitempty"`
	DepthPrompt    *DepthPrompt `json:"depth_prompt,omitempty"`
	Creator        string       `json:"creator,omitempty"`
	CreatorNotes   string       `json:"creator_notes,omitempty"`
	CardVersion    string       `json:"card_version,omitempty"`
	Tags           []string     `json:"tags,omitempty"`
	Book           string       `json:"book,omitempty" doc:"The book that is embedded in the card."`
	Books          []string     `json:"books,omitempty"`

	Ext     map[string]json.RawMessage `json:"ext,omitempty"`
	Version int64                      `json:"version,omitempty" doc:"Its ETag; ignored in requests."`
	Created int64                      `json:"created,omitempty" doc:"Ignored in requests."`
	Changed int64                      `json:"changed,omitempty" doc:"Ignored in requests."`
}

// DepthPrompt is a text that stands inside the chat.
type DepthPrompt struct {
	Text  string `json:"text"`
	Depth int    `json:"depth"`
	Role  string `json:"role,omitempty"`
}
