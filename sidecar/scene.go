package sidecar

import (
	"slices"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
)

// Message is a message of the path.
type Message struct {
	ID   string
	Role lore.Role
	Name string
	Text string
	// Hidden messages are not in the narrator's prompt: a summary may stand for
	// them.
	Hidden bool
	// Edited says that the text is not the one that was read before.
	Edited bool
}

// Book is a book that takes part, with what the sidecar may do with it.
type Book struct {
	ID, Name    string
	Read, Write bool
}

// Scene is the moment at which a phase runs. Nothing in it is changed.
type Scene struct {
	World, Conversation string
	// Messages is the path, oldest first. For Write the last one is the reply
	// to be read; for Retrieve it is what the reply will answer.
	Messages []Message
	// View is the lore at the last message.
	View *memory.View
	// Anchor is the lore as it was some turns ago. What is told of it stays the
	// same from prompt to prompt, and news is told behind it; that keeps prompts
	// cheap. Nil means View.
	Anchor *memory.View
	// Books are the books of the view with their names and rights. A book that
	// is not listed may be read, and the books of the story and the world may
	// be written.
	Books []Book
	// Retrieved is what stood in the narrator's prompt for the last reply.
	Retrieved []memory.Ref
	// Notebook is what the narrator wrote down for itself.
	Notebook string
	// User and Character are the names of who plays and who answers.
	User, Character string
	Settings        Settings
	// NewID makes ids for operations. It must not be nil for phases that write.
	NewID func() string
}

// last returns the newest message; nil if there is none.
func (s *Scene) last() *Message {
	if len(s.Messages) == 0 {
		return nil
	}
	return &s.Messages[len(s.Messages)-1]
}

// book returns the rights to a book.
func (s *Scene) book(id string) Book {
	if i := slices.IndexFunc(s.Books, func(b Book) bool { return b.ID == id }); i >= 0 {
		return s.Books[i]
	}
	return Book{ID: id, Name: bookName(id), Read: true, Write: id == memory.StoryBook || id == memory.WorldBook}
}

// bookName is what a model reads of the books that are not authored.
func bookName(id string) string {
	switch id {
	case memory.StoryBook:
		return "Story"
	case memory.WorldBook:
		return "World"
	}
	return id
}

// Settings are what people choose. The zero value is the default.
type Settings struct {
	// Language is the language that lore is written in. Empty means that of the
	// story.
	Language string `json:"language,omitempty"`
	// Window is how many of the last messages a phase reads. Defaults to 12 for
	// Retrieve and 6 for Write, whose reply is the last.
	Window int `json:"window,omitempty"`
	// MaxOperations bounds what one turn may write, MaxDestructive how much of
	// it may take something away. Default to 24 and 3.
	MaxOperations  int `json:"max_operations,omitempty"`
	MaxDestructive int `json:"max_destructive,omitempty"`
	// Rounds is how often the model is asked in one phase. Defaults to 2: what
	// was refused may be said better once.
	Rounds int `json:"rounds,omitempty"`
	// OverviewSize bounds the overview of the lore tree, in characters. Defaults
	// to 12,000.
	OverviewSize int `json:"overview_size,omitempty"`
	// Quotas are how many picks Retrieve takes of each category. Zero fields
	// take the defaults: active 12, anticipatory 6, enrichment 6, wild card 2.
	Quotas Quotas `json:"quotas,omitzero"`
	// Every is after how many messages a summary is due, Lookback how many
	// earlier messages it reads again. Default to 20 and 8.
	Every    int `json:"every,omitempty"`
	Lookback int `json:"lookback,omitempty"`
	// OutOfCharacter are further marks of messages that are not part of the
	// story, as pairs of what they begin and end with.
	OutOfCharacter [][2]string `json:"out_of_character,omitempty"`
	// Prompts replace prompts by name, see [Prompts].
	Prompts map[string]string `json:"prompts,omitempty"`
}

// Quotas bound the picks of each category.
type Quotas struct {
	Active       int `json:"active,omitempty"`
	Anticipatory int `json:"anticipatory,omitempty"`
	Enrichment   int `json:"enrichment,omitempty"`
	WildCard     int `json:"wild_card,omitempty"`
}

func or(n, def int) int {
	if n <= 0 {
		return def
	}
	return n
}

func (q Quotas) of(c Category) int {
	switch c {
	case Active:
		return or(q.Active, 12)
	case Anticipatory:
		return or(q.Anticipatory, 6)
	case Enrichment:
		return or(q.Enrichment, 6)
	}
	return or(q.WildCard, 2)
}

// Category says why an entry was picked.
type Category string

// The categories.
const (
	Active       Category = "active"
	Anticipatory Category = "anticipatory"
	Enrichment   Category = "enrichment"
	WildCard     Category = "wild_card"
)

// Categories are all categories, the most urgent first.
var Categories = []Category{Active, Anticipatory, Enrichment, WildCard}
