package search

import "time"

// Kind says what a document is.
type Kind uint8

// The kinds of document.
const (
	Message Kind = iota + 1 // a message of a conversation
	Entry                   // an entry of a book, in one version
	Summary                 // a summary of messages
)

const kinds = 4

var kindNames = [kinds]string{"", "message", "entry", "summary"}

// String returns "message", "entry" or "summary".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Document is what the index knows of a thing that can be found. A version of
// a thing is a document of its own: a [View] says which one is seen.
type Document struct {
	// ID names the document in the index: the id of a message's node, or of an
	// entry with its version.
	ID   string
	Kind Kind
	// Name, Aliases and Keys are an entry's.
	Name          string
	Aliases, Keys []string
	Text          string
	// Author is who speaks in a message, or whom an entry is about where its
	// text does not say so.
	Author string
	// Date is a time in words, as the story tells it: "the third night of
	// Frost", "8 May 2023". It is searched like text.
	Date string
	// Group names the scene, session or chapter of a message. Neighbours of
	// other groups are no context of it. Empty means that the messages of a
	// conversation are one after the other without borders.
	Group string
	// Sources are the ids of the messages that an entry or a summary was made
	// from. What is found by the entry finds them too.
	Sources []string
	// Language is the language of the text; empty means that its little words
	// tell.
	Language Language
	// Time is when the document was made; it counts only for recency.
	Time time.Time
	// Uses is how often the document entered a prompt.
	Uses int
}

// field is a part of a document that is searched with a weight of its own.
type field uint8

const (
	fieldText field = iota
	fieldName
	fieldAlias
	fieldKey
	fieldExtra // author and date
	fields
)
