package api

import "encoding/json"

// Page is a part of a list. Next is the cursor of the part behind it; "" at the
// end.
type Page[T any] struct {
	Items []T    `json:"items" nullable:"false"`
	Next  string `json:"next,omitempty" doc:"The cursor of the next page; absent at the end."`
}

// World is books, characters and conversations that belong together.
type World struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Owner    string          `json:"owner,omitempty" doc:"The user whose quota counts."`
	Settings json.RawMessage `json:"settings"`
	// Revision rises with every change in the world; Seq is the number of the
	// newest change to what is remembered, Event the id of the newest event.
	Revision int64 `json:"revision" doc:"Rises with every change in the world."`
	Seq      int64 `json:"seq" doc:"The number of the newest change to what is remembered; as_of takes it."`
	Event    int64 `json:"event" doc:"The id of the newest event."`
	Version  int64 `json:"version" doc:"The revision in which name, owner or settings last changed: its ETag."`

	Conversations int64 `json:"conversations"`
	Messages      int64 `json:"messages"`
	Bytes         int64 `json:"bytes"`
	Created       int64 `json:"created"`
	Changed       int64 `json:"changed"`
}

// NewWorld asks for a world.
type NewWorld struct {
	ID       string          `json:"id,omitempty" maxLength:"200" doc:"Made up if it is absent."`
	Name     string          `json:"name" minLength:"1" maxLength:"1000"`
	Owner    string          `json:"owner,omitempty" doc:"Defaults to the caller."`
	Settings json.RawMessage `json:"settings,omitempty"`
}

// WorldPatch changes a world; what is absent stays.
type WorldPatch struct {
	Name     *string         `json:"name,omitempty" maxLength:"1000"`
	Owner    *string         `json:"owner,omitempty"`
	Settings json.RawMessage `json:"settings,omitempty" doc:"A merge patch (RFC 7396)."`
}

// Event says that something changed. Ids count from 1 in each world and follow
// the order of commits.
type Event struct {
	ID           int64           `json:"id"`
	Kind         string          `json:"kind"`
	Ref          string          `json:"ref" doc:"The id of what it is about."`
	Conversation string          `json:"conversation,omitempty"`
	Payload      json.RawMessage `json:"payload,omitempty" doc:"Ids and numbers, never text."`
	Time         int64           `json:"time"`
}

// EventGap is the kind of an event, without an id of its own, that says that
// events were missed: they are kept no longer. Read what matters anew.
const EventGap = "gap"

// Version says what a server is.
type Version struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	API     string `json:"api" doc:"The version of the native API: v1."`
}

// Health says whether a server can serve.
type Health struct {
	Status string `json:"status" doc:"ok, or what is wrong."`
	// Work is how the work in the background does, of /readyz.
	Work *WorkHealth `json:"work,omitempty"`
}
