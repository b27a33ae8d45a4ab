package engine

import (
	"github.com/weft-memory/weft/lore"
)

// Result is what an assembly returns.
type Result struct {
	// Blocks are the texts for the prompt, by slot from front to back, then
	// at_depth by depth; within a slot in the order of the prompt.
	Blocks []Block
	// State is the state after the assembly. The caller keeps it with the
	// reply, or drops it if there is none.
	State State
	// Trace says why each entry is there, and why those asked about are not.
	Trace *Trace
	// DisabledPrompts are the host's own prompts that active entries of V3 cards
	// ask to leave out: "system_prompt", "post_history_instructions".
	DisabledPrompts []string
	// Problems are what went wrong without ending the assembly.
	Problems []Problem
}

// Block is one text for the prompt.
type Block struct {
	Slot  lore.Slot `json:"slot"`
	Book  string    `json:"book"`
	Entry string    `json:"entry"`
	// Name is the entry's title.
	Name    string `json:"name,omitempty"`
	Content string `json:"content"`
	// Tokens is the size of Content by the engine's tokenizer.
	Tokens int `json:"tokens"`
	// Size says which version of the entry this is.
	Size Size `json:"size,omitempty"`
	// Cut says that the text was cut at the entry's max_tokens.
	Cut bool `json:"cut,omitempty"`
	// Role is the role for a block inside the chat; empty means system.
	Role lore.Role `json:"role,omitempty"`
	// Depth is how many messages from the end of the chat (from its start if
	// FromStart is set) the block stands; it counts only in at_depth slots.
	Depth     int  `json:"depth,omitempty"`
	FromStart bool `json:"from_start,omitempty"`
	// Where and Outlet are the finer place of a foreign format.
	Where          lore.Where `json:"where,omitempty"`
	Outlet         string     `json:"outlet,omitempty"`
	Priority       int        `json:"priority"`
	InsertionOrder int        `json:"insertion_order"`
}

// Problem is an error of one entry, or something that was left out, which did
// not end the assembly.
type Problem struct {
	Book  string `json:"book,omitempty"`
	Entry string `json:"entry,omitempty"`
	// Code names the kind: "eval", "condition", "trigger", "pick", "regex",
	// "slot", "cut", "macro", "inject".
	Code string `json:"code"`
	// Message says what happened and what to do, for people.
	Message string `json:"message"`
	// Err is the error, where there is one.
	Err error `json:"-"`
}
