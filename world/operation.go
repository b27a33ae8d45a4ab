package world

import (
	"context"
	"encoding/json"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

// Operation is one change to what is remembered.
type Operation = memory.Operation

// Applied is what became of an operation.
type Applied struct {
	Operation Operation
	// Fresh is false if the world had the operation already.
	Fresh bool
	// Conflicts and Proposals are what of it does not take effect, at the place
	// where it was made.
	Conflicts []memory.Conflict
	Proposals []memory.Proposal
}

// Apply commits operations, all or none, in order. World, Layer, ID, Time,
// Author, Inverse and Digest are filled in where they are empty: the author is
// the caller, the layer is story in a conversation and world otherwise.
//
// An operation of a sidecar needs the message that caused it; one of the world
// layer counts once that message is settled. An operation whose digest the
// world has already is not added again.
func (s *Service) Apply(ctx context.Context, world string, ops ...Operation) ([]Applied, error) {
	return nil, errPending
}

// EditEntry changes an entry as it stands at a place, by the caller: patch is a
// merge patch (RFC 7396) of the entry's JSON. An authored entry of a book that
// no operation made becomes a new revision of its book; one that an operation
// made is patched by an operation that stands on the version seen.
//
// ifVersion is the version that the caller saw ([EntryInfo].Version); another
// one is a Conflict. "" is no condition.
func (s *Service) EditEntry(ctx context.Context, world string, at Place, ref memory.Ref, patch json.RawMessage, ifVersion string) (EntryInfo, error) {
	return EntryInfo{}, errPending
}

// CreateEntry makes an entry in the layer of a place, by the caller: in the
// story of a conversation, or in the world.
func (s *Service) CreateEntry(ctx context.Context, world string, at Place, e *lore.Entry) (EntryInfo, error) {
	return EntryInfo{}, errPending
}

// Undo takes operations back, the newest first, by operations of the caller.
// Redo takes such an undo back.
func (s *Service) Undo(ctx context.Context, world string, operations ...string) ([]Applied, error) {
	return nil, errPending
}

// Redo makes operations count again that were undone.
func (s *Service) Redo(ctx context.Context, world string, operations ...string) ([]Applied, error) {
	return nil, errPending
}

// Operation returns an operation.
func (s *Service) Operation(ctx context.Context, world, operation string) (Operation, error) {
	return Operation{}, errPending
}

// Operations lists the operations of a world by page, the newest first.
func (s *Service) Operations(ctx context.Context, world string, f store.OperationFilter, p store.Page) (list []Operation, next string, err error) {
	return nil, "", errPending
}

// Promote carries an entry of a story into the world, or one of the world into
// the book named; references to it follow.
func (s *Service) Promote(ctx context.Context, world string, at Place, ref memory.Ref, to memory.Layer, book string) (EntryInfo, error) {
	return EntryInfo{}, errPending
}

// Waiting is a proposal that nobody has decided on.
type Waiting struct {
	memory.Proposal
	// Source is the operation that made it.
	Source Operation
	// ID names the proposal for [Service.Decide].
	ID string
}

// Proposals lists what sidecars want but may not do, at a place.
func (s *Service) Proposals(ctx context.Context, world string, at Place) ([]Waiting, error) {
	return nil, errPending
}

// Decision is what a person says to a proposal.
type Decision struct {
	Accept bool
	// Change, where it is not nil, is accepted in the place of what was
	// proposed.
	Change *memory.Change
	Reason string
}

// Decide accepts or refuses a proposal. Decided again in the same way nothing
// happens; in another way it is a Conflict.
func (s *Service) Decide(ctx context.Context, world string, at Place, proposal string, d Decision) ([]Applied, error) {
	return nil, errPending
}
