// Package params holds the parameters that several operations of the API share.
// They are exported because the framework looks only at exported fields, and
// have a package of their own so that nobody else sees them.
package params

import (
	"strconv"

	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

// InWorld names a world in a path.
type InWorld struct {
	World string `path:"world" maxLength:"200"`
}

// InBook names a book.
type InBook struct {
	InWorld
	Book string `path:"book" maxLength:"1000"`
}

// InBookEntry names an entry as it was authored.
type InBookEntry struct {
	InBook
	Entry string `path:"entry" maxLength:"1000"`
}

// Noted is why a book is saved.
type Noted struct {
	Note string `query:"note" maxLength:"1000" doc:"Why, for the list of revisions."`
}

// Place is the moment of which the lore is asked for.
type Place struct {
	InWorld
	Conversation string `query:"conversation" maxLength:"1000" doc:"Absent: the world by itself."`
	Node         string `query:"node" maxLength:"1000" doc:"The message, itself included. Defaults to the head."`
	AsOf         int64  `query:"as_of" minimum:"0" doc:"A number of the world (seq): what came later does not count."`
}

// At returns the place.
func (p Place) At() world.Place {
	return world.Place{Conversation: p.Conversation, Node: p.Node, AsOf: p.AsOf}
}

// InEntry names an entry as it stands at a place.
type InEntry struct {
	Place
	Book  string `path:"book" maxLength:"1000"`
	Entry string `path:"entry" maxLength:"1000"`
}

// Ref returns the reference.
func (e InEntry) Ref() memory.Ref { return memory.Ref{Book: e.Book, Entry: e.Entry} }

// InCharacter names a character.
type InCharacter struct {
	InWorld
	Character string `path:"character" maxLength:"1000"`
}

// InConversation names a conversation.
type InConversation struct {
	InWorld
	Conversation string `path:"conversation" maxLength:"1000" doc:"An id, or external: and the id that another program knows it by."`
}

// InNode names a message.
type InNode struct {
	InWorld
	Node string `path:"node" maxLength:"1000" doc:"An id, or external: and the id that another program knows the message by."`
}

// InWork names a piece of work.
type InWork struct {
	InWorld
	Work string `path:"work" maxLength:"200"`
}

// InTurn names a turn.
type InTurn struct {
	InWorld
	Turn string `path:"turn" maxLength:"1000"`
}

// InUser names a user.
type InUser struct {
	User string `path:"user" maxLength:"200"`
}

// Paging is the part of a list that is asked for.
type Paging struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"How many to return at most."`
	Cursor string `query:"cursor" maxLength:"4096" doc:"What the page before returned as next."`
}

// Page returns it for the store.
func (p Paging) Page() store.Page { return store.Page{Limit: p.Limit, Cursor: p.Cursor} }

// Since says behind which event a stream begins.
type Since struct {
	LastEventID string `header:"Last-Event-ID" maxLength:"40" doc:"The id of the last event that the reader has: the stream goes on behind it."`
	Ticket      string `query:"ticket" maxLength:"4096" doc:"For readers that cannot send a token: see create-event-ticket."`
	From        int64  `query:"after" minimum:"-1" default:"-1" doc:"The same for readers that cannot send headers; 0 is the beginning. Without either the stream begins now."`
}

// After returns the id of the event; now is that of the newest.
func (s Since) After(now int64) (int64, error) {
	if s.LastEventID == "" {
		if s.From >= 0 {
			return s.From, nil
		}
		return now, nil
	}
	n, err := strconv.ParseInt(s.LastEventID, 10, 64)
	if err != nil || n < 0 {
		return 0, store.Errorf(store.Invalid, "Last-Event-ID %q is not the id of an event", s.LastEventID)
	}
	return n, nil
}
