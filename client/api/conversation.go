package api

import "encoding/json"

// Conversation is a tree of messages with one head.
type Conversation struct {
	ID       string          `json:"id"`
	Title    string          `json:"title"`
	Head     string          `json:"head,omitempty" doc:"The message at which it stands."`
	Seed     string          `json:"seed" doc:"Decimal digits."`
	Settings json.RawMessage `json:"settings"`
	External string          `json:"external,omitempty" doc:"The id that another program knows it by."`
	Nodes    int64           `json:"nodes"`
	Deleted  int64           `json:"deleted,omitempty"`
	Version  int64           `json:"version" doc:"Its ETag; head and messages do not count."`
	Created  int64           `json:"created"`
	Changed  int64           `json:"changed"`
}

// NewConversation asks for a conversation.
type NewConversation struct {
	ID         string          `json:"id,omitempty" maxLength:"200"`
	Title      string          `json:"title,omitempty" maxLength:"1000"`
	External   string          `json:"external,omitempty" maxLength:"1000"`
	IfNew      bool            `json:"if_new,omitempty" doc:"Return the conversation with this external id if there is one."`
	Settings   json.RawMessage `json:"settings,omitempty"`
	NoGreeting bool            `json:"no_greeting,omitempty"`
	Seed       string          `json:"seed,omitempty" pattern:"^[0-9]{1,20}$"`
}

// ConversationPatch changes a conversation; what is absent stays.
type ConversationPatch struct {
	Title    *string         `json:"title,omitempty" maxLength:"1000"`
	External *string         `json:"external,omitempty" maxLength:"1000"`
	Settings json.RawMessage `json:"settings,omitempty" doc:"A merge patch (RFC 7396)."`
	Seed     *string         `json:"seed,omitempty" pattern:"^[0-9]{1,20}$"`
}

// Node is a message in the tree of a conversation.
type Node struct {
	ID           string          `json:"id"`
	Conversation string          `json:"conversation"`
	Parent       string          `json:"parent,omitempty"`
	Role         string          `json:"role"`
	Name         string          `json:"name,omitempty"`
	Content      string          `json:"content"`
	Kind         string          `json:"kind" doc:"message, greeting, swipe, edit or summary."`
	Swipe        int             `json:"swipe" doc:"Its number among its siblings."`
	EditOf       string          `json:"edit_of,omitempty"`
	Author       string          `json:"author,omitempty"`
	External     string          `json:"external,omitempty"`
	Ext          json.RawMessage `json:"ext,omitempty"`
	Hidden       bool            `json:"hidden,omitempty"`
	Deleted      bool            `json:"deleted,omitempty"`
	ShownAs      string          `json:"shown_as,omitempty" doc:"The edit whose wording stands for it."`
	Depth        int             `json:"depth"`
	Created      int64           `json:"created"`

	// Of a path: the siblings that take turns with the message, its place among
	// them, and how many operations came from it.
	Swipes     []string `json:"swipes,omitempty"`
	At         int      `json:"at,omitempty"`
	Operations int      `json:"operations,omitempty"`
}

// Message is a message to be added.
type Message struct {
	ID       string          `json:"id,omitempty" maxLength:"200"`
	Role     string          `json:"role,omitempty" enum:"user,assistant,system" doc:"Defaults to user."`
	Name     string          `json:"name,omitempty" maxLength:"1000"`
	Content  string          `json:"content"`
	Hidden   bool            `json:"hidden,omitempty"`
	Author   string          `json:"author,omitempty"`
	External string          `json:"external,omitempty" maxLength:"1000"`
	Ext      json.RawMessage `json:"ext,omitempty"`
}

// Append asks for messages to be added without a reply.
type Append struct {
	Parent   string    `json:"parent,omitempty" doc:"The message that the first one follows. Defaults to the head; root is the beginning."`
	Messages []Message `json:"messages" minItems:"1" maxItems:"10000" nullable:"false"`
	IfHead   string    `json:"if_head,omitempty" doc:"The head that the caller saw."`
	KeepHead bool      `json:"keep_head,omitempty"`
	IfNew    bool      `json:"if_new,omitempty" doc:"Leave out messages whose external id is known."`
}

// Edit changes a message.
type Edit struct {
	Content  string `json:"content"`
	Name     string `json:"name,omitempty"`
	Sibling  bool   `json:"sibling,omitempty" doc:"Make a version beside the old one instead of taking its place."`
	Reread   bool   `json:"reread,omitempty" doc:"What was remembered of the old wording no longer counts."`
	External string `json:"external,omitempty"`
}

// Continuation is text for the end of a message.
type Continuation struct {
	Content string `json:"content"`
}

// Hiding keeps a message out of the prompt, or takes that back.
type Hiding struct {
	Hidden bool `json:"hidden"`
}

// Head names the message at which a conversation stands.
type Head struct {
	Node string `json:"node" doc:"A message; root is the beginning."`
}

// Tree is the structure of a conversation.
type Tree struct {
	Conversation Conversation `json:"conversation"`
	Nodes        []Node       `json:"nodes" nullable:"false" doc:"All messages, without their text."`
	Path         []string     `json:"path" nullable:"false" doc:"From the beginning to the head."`
}

// Count says how many.
type Count struct {
	Count int `json:"count"`
}

// Author is somebody who writes messages and whom another program knows.
type Author struct {
	ID       string          `json:"id,omitempty"`
	Name     string          `json:"name"`
	External string          `json:"external,omitempty"`
	Settings json.RawMessage `json:"settings,omitempty"`
	Version  int64           `json:"version,omitempty" doc:"Ignored in requests."`
}
