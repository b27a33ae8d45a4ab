package api

import "encoding/json"

// Operations are changes to what is remembered, in Weft's own JSON.
type Operations struct {
	Operations []json.RawMessage `json:"operations" minItems:"1" maxItems:"1000" nullable:"false"`
}

// OperationIDs name operations.
type OperationIDs struct {
	Operations []string `json:"operations" minItems:"1" maxItems:"1000" nullable:"false"`
}

// Applied is what became of an operation.
type Applied struct {
	Operation json.RawMessage `json:"operation"`
	Fresh     bool            `json:"fresh" doc:"False if the world had the operation already."`
	Conflicts json.RawMessage `json:"conflicts,omitempty"`
	Proposals json.RawMessage `json:"proposals,omitempty"`
}

// AppliedList is what became of operations, in order.
type AppliedList struct {
	Applied []Applied `json:"applied" nullable:"false"`
}

// Proposal is what a sidecar wants but may not do.
type Proposal struct {
	ID       string          `json:"id"`
	Proposal json.RawMessage `json:"proposal"`
	Source   json.RawMessage `json:"source" doc:"The operation that made it."`
}

// Decision is what a person says to a proposal.
type Decision struct {
	Accept bool            `json:"accept"`
	Change json.RawMessage `json:"change,omitempty" doc:"Accepted in the place of what was proposed."`
	Reason string          `json:"reason,omitempty"`
}

// Activity is one line of what was done to the lore.
type Activity struct {
	Type         string          `json:"type"`
	Phase        string          `json:"phase"`
	Time         int64           `json:"time"`
	Operation    string          `json:"operation"`
	Author       json.RawMessage `json:"author"`
	Model        string          `json:"model,omitempty"`
	Reason       string          `json:"reason,omitempty"`
	Conversation string          `json:"conversation,omitempty"`
	Node         string          `json:"node,omitempty"`
	Layer        string          `json:"layer"`
	Entries      []Ref           `json:"entries" nullable:"false"`
	Active       bool            `json:"active"`
	Detail       json.RawMessage `json:"detail,omitempty"`
}

// Imported says what was brought in.
type Imported struct {
	Books         []Book            `json:"books" nullable:"false"`
	Characters    []string          `json:"characters" nullable:"false"`
	Conversations []string          `json:"conversations" nullable:"false"`
	Bindings      int               `json:"bindings"`
	IDs           map[string]string `json:"ids,omitempty" doc:"Ids of books in the file that had to be changed."`
	Report        json.RawMessage   `json:"report,omitempty"`
}

// Format is a format that can be imported or exported.
type Format struct {
	Name       string   `json:"name"`
	Title      string   `json:"title"`
	Extensions []string `json:"extensions" nullable:"false"`
	Books      bool     `json:"books"`
	Characters bool     `json:"characters"`
	Chats      bool     `json:"chats"`
	ReadOnly   bool     `json:"read_only,omitempty"`
}
