package store

import "github.com/weft-memory/weft/memory"

// AppendOperations commits operations in order. ID, Seq, Time and Digest are
// filled in where they are empty, Seq always. An operation whose digest the
// world has already is not added again: the result has the one that is there,
// and fresh is false at its place.
//
// Conversation and Node have to exist in the world. Operations that do not
// validate are Invalid.
func (tx *Tx) AppendOperations(ops ...memory.Operation) (out []memory.Operation, fresh []bool, err error) {
	return nil, nil, errPending
}

// Operation returns an operation.
func (tx *Tx) Operation(operation string) (memory.Operation, error) {
	return memory.Operation{}, errPending
}

// OperationByDigest returns the operation of a world with a digest.
func (tx *Tx) OperationByDigest(world, digest string) (memory.Operation, error) {
	return memory.Operation{}, errPending
}

// OperationFilter chooses operations; empty fields do not restrict.
type OperationFilter struct {
	Layer        memory.Layer
	Conversation string
	Node         string
	Book, Entry  string
	Kind         memory.Kind
	Author       memory.AuthorKind
	// AsOf takes the log as it was at this number of the world, retractions
	// included; 0 means now.
	AsOf int64
	// After and Before bound Seq, exclusively; 0 means no bound.
	After, Before int64
}

// Operations returns the operations of a world that a filter chooses, by Seq.
// Retracted ones are among them, and say so.
func (tx *Tx) Operations(world string, f OperationFilter) ([]memory.Operation, error) {
	return nil, errPending
}

// OperationLog is Operations by page, the newest first.
func (tx *Tx) OperationLog(world string, f OperationFilter, p Page) (list []memory.Operation, next string, err error) {
	return nil, "", errPending
}

// ViewOperations returns what a view of a conversation may take: the operations
// of canon and world layer and those of the conversation's story layer, by Seq,
// as of a number of the world (0 means now). Which of them count on a path says
// memory.Active.
func (tx *Tx) ViewOperations(conversation string, asOf int64) ([]memory.Operation, error) {
	return nil, errPending
}

// Retract marks operations as not counting, Return as counting again. Those
// that are so already stay, and count for nothing. It returns how many changed.
func (tx *Tx) Retract(operations ...string) (int, error) { return 0, errPending }

// Return undoes [Tx.Retract].
func (tx *Tx) Return(operations ...string) (int, error) { return 0, errPending }
