package api

import "encoding/json"

// Assemble says how lore is assembled; what is absent comes from the settings
// of the conversation and of the world.
type Assemble struct {
	At        string                                `json:"at,omitempty" doc:"The message that the reply follows; of swipe, regenerate and continue, the reply. Defaults to the head."`
	Kind      string                                `json:"kind,omitempty" doc:"normal, swipe, regenerate, continue, impersonate or quiet."`
	Picks     []Pick                                `json:"picks,omitempty" maxItems:"1000"`
	Slots     []string                              `json:"slots,omitempty" maxItems:"200"`
	Budget    string                                `json:"budget,omitempty" doc:"25%, 800, 4000chars or none."`
	Context   int                                   `json:"context,omitempty" minimum:"0" doc:"The context window in tokens."`
	Speaker   string                                `json:"speaker,omitempty"`
	Viewpoint string                                `json:"viewpoint,omitempty"`
	Vars      map[string]map[string]json.RawMessage `json:"vars,omitempty" doc:"Variables of the host by namespace and name."`
	Sources   map[string]string                     `json:"sources,omitempty" doc:"Further texts to search."`
	Injects   []string                              `json:"injects,omitempty"`
	Seed      string                                `json:"seed,omitempty" pattern:"^[0-9]{1,20}$"`

	Trace string `json:"trace,omitempty" enum:"fired,all" doc:"How much the trace holds. Defaults to fired."`
	Why   []Ref  `json:"why,omitempty" maxItems:"1000" doc:"Entries whose absence shall be explained; an empty book is the first that has the entry."`
}

// Pick is an activation from outside.
type Pick struct {
	Book   string  `json:"book,omitempty"`
	Entry  string  `json:"entry"`
	Reason string  `json:"reason,omitempty"`
	Score  float64 `json:"score,omitempty"`
	Size   string  `json:"size,omitempty"`
}

// AssembleMessages asks for the lore of a chat that is not stored.
type AssembleMessages struct {
	Assemble
	Messages []Message       `json:"messages" minItems:"1" maxItems:"10000" nullable:"false"`
	Settings json.RawMessage `json:"settings,omitempty"`
}

// NewTurn asks for a turn.
type NewTurn struct {
	Assemble
	Messages []Message `json:"messages,omitempty" maxItems:"1000" doc:"Added first, in the same transaction."`
	IfHead   string    `json:"if_head,omitempty"`
}

// PromptMessage is a message as a model gets it.
type PromptMessage struct {
	Role    string `json:"role"`
	Name    string `json:"name,omitempty"`
	Content string `json:"content"`
}

// Assembly is the lore of one prompt.
type Assembly struct {
	Prompt   []PromptMessage `json:"prompt" nullable:"false" doc:"The chat with the lore laid into it."`
	Blocks   []Block         `json:"blocks" nullable:"false" doc:"The texts for the prompt, in its order."`
	Outlets  []Block         `json:"outlets,omitempty" doc:"Blocks that have no place of their own in a chat."`
	Tokens   int             `json:"tokens" doc:"The size of all blocks."`
	Seed     string          `json:"seed"`
	Trace    json.RawMessage `json:"trace,omitempty"`
	Problems json.RawMessage `json:"problems,omitempty"`
	Disabled []string        `json:"disabled_prompts,omitempty"`
	Findings []Finding       `json:"findings,omitempty"`
	WorldSeq int64           `json:"world_seq"`
}

// Block is one text for the prompt.
type Block struct {
	Slot    string `json:"slot"`
	Book    string `json:"book"`
	Entry   string `json:"entry"`
	Name    string `json:"name,omitempty"`
	Content string `json:"content"`
	Tokens  int    `json:"tokens"`
	Size    string `json:"size,omitempty"`
	Cut     bool   `json:"cut,omitempty"`
	Role    string `json:"role,omitempty"`
	Depth   int    `json:"depth,omitempty"`
	Outlet  string `json:"outlet,omitempty"`
}

// Turn is a turn that was begun: send Prompt to a model, and its answer as the
// reply.
type Turn struct {
	ID           string `json:"id" doc:"Names the turn; a new reply gets it as its id."`
	Conversation string `json:"conversation"`
	Parent       string `json:"parent,omitempty"`
	Reply        string `json:"reply,omitempty" doc:"Of continue: the message that grows."`
	Added        []Node `json:"added,omitempty"`
	Assembly
}

// Reply is what the narrator wrote.
type Reply struct {
	Content  string          `json:"content"`
	Name     string          `json:"name,omitempty"`
	External string          `json:"external,omitempty"`
	Author   string          `json:"author,omitempty"`
	Ext      json.RawMessage `json:"ext,omitempty"`
}

// Why says why entries are, or are not, in a prompt.
type Why struct {
	Answers json.RawMessage `json:"answers" doc:"One for each entry asked about: book, entry, reason, detail and numbers."`
}
