package store

import "github.com/weft-memory/weft/engine"

// PutState keeps the state of the engine after the reply at a node. It is
// stored as the difference to the state before, with a full copy every 64. The
// state of a node is written once; the same one again changes nothing, a
// different one is a Conflict.
func (tx *Tx) PutState(node string, s engine.State) error { return errPending }

// State returns the state at a node: its own, or that of the nearest node
// before it that has one and is not deleted. from names that node; it is ""
// and the state zero if there is none. The state must not be changed.
func (tx *Tx) State(node string) (s engine.State, from string, err error) {
	return s, "", errPending
}
