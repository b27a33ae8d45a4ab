package store

import (
	"encoding/json"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
)

// AssemblyRecord is what the prompt and the trace of a reply can be derived
// from again, byte for byte.
type AssemblyRecord struct {
	// Node is the reply, Conversation its conversation.
	Node, Conversation string
	// Books are the books in their order.
	Books []BookRef
	// WorldSeq is [World].Seq as the assembly saw it: operations and marks of
	// messages as of this number are those that counted.
	WorldSeq int64
	Seed     uint64
	Kind     lore.TurnKind
	Picks    []engine.Pick
	// ParentState is the node whose state the assembly began from; "" for none.
	ParentState string
	// EngineVersion names the engine that made it.
	EngineVersion string
	// Options are the other inputs (settings, slots, budget, sources), as JSON.
	Options json.RawMessage
	Time    int64
}

// BookRef names a revision of a book.
type BookRef struct {
	ID       string `json:"id"`
	Revision int64  `json:"revision"`
}

// PutRecord keeps the record of a reply. The same one again changes nothing, a
// different one is a Conflict.
func (tx *Tx) PutRecord(r AssemblyRecord) error { return errPending }

// Record returns the record of a reply.
func (tx *Tx) Record(node string) (AssemblyRecord, error) { return AssemblyRecord{}, errPending }
