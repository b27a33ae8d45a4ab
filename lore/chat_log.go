package lore

import "encoding/json"

// Chat is a conversation as a front end stores it: a list of messages, each
// with its variants.
type Chat struct {
	// ID names the chat; readers set it to the file name without extension.
	ID    string
	Title string
	// User is the name of the person, Characters are the names of the others.
	User       string
	Characters []string
	// Greeting is the greeting that the chat began with (0 is the card's first
	// message, n the n-th alternate); nil if the file does not say.
	Greeting *int
	Messages []ChatMessage
	// Note is the author's note.
	Note string
	// Variables of the chat, as raw JSON.
	Variables map[string]json.RawMessage
	// Books are the books that the chat is bound to by name, Lore a book of
	// its own; both may be empty.
	Books []string
	Lore  *Book

	Origin Origin
	Ext    map[string]json.RawMessage
}

// ChatMessage is a message with its variants ("swipes").
type ChatMessage struct {
	Message
	ID string
	// Kind is "narrator", "comment" or another word of the format for messages
	// that are not plain speech; "" for those that are.
	Kind string
	// Variants are all versions of the text, the shown one included; empty if
	// there is only one. Active is the index of the shown one.
	Variants []string
	Active   int
	// Time is the time of sending as the file spells it.
	Time string

	Origin Origin
	Ext    map[string]json.RawMessage
}

// Lines returns the messages without their variants, as an assembly takes
// them.
func (c *Chat) Lines() []Message {
	lines := make([]Message, len(c.Messages))
	for i := range c.Messages {
		lines[i] = c.Messages[i].Message
	}
	return lines
}
