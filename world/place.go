package world

import (
	"context"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

// Place is a moment of which the lore is asked for.
type Place struct {
	// Conversation is the conversation; "" means the world by itself: its books
	// and what counts for all.
	Conversation string
	// Node is the message, itself included; "" means the head.
	Node string
	// AsOf is a number of the world ([store.World].Seq): operations and marks
	// that came later do not count. 0 means now.
	AsOf int64
}

// Lore is the lore at a place.
type Lore struct {
	*memory.View
	// Seq is the number of the world, Node the message that it stands for, Head
	// whether that is the head now.
	Seq  int64
	Node string
	Head bool
	// Books are the revisions that took part.
	Books []store.BookRef
}

// EntryInfo is an entry as it stands at a place.
type EntryInfo struct {
	memory.Ref
	Layer memory.Layer
	// Entry is the entry as the engine sees it; nil if it is not live.
	Entry *lore.Entry
	// Authored is the entry without what was laid over it.
	Authored *lore.Entry
	// Version is what a person's operation has to stand on, see
	// [memory.Operation].On.
	Version string
	// Conflicts and Proposals are those that concern it.
	Conflicts []memory.Conflict
	Proposals []memory.Proposal
}

// EntryFilter chooses entries; empty fields do not restrict.
type EntryFilter struct {
	Book, Type, Tag string
	Layer           memory.Layer
	// Query is looked for in names, keys and content, see [Service.Search].
	Query string
}

// Lore returns the lore at a place.
func (s *Service) Lore(ctx context.Context, world string, at Place) (*Lore, error) {
	return nil, errPending
}

// Entries lists the live entries at a place: those of the books in their order,
// then the created ones.
func (s *Service) Entries(ctx context.Context, world string, at Place, f EntryFilter, p store.Page) (list []EntryInfo, next string, err error) {
	return nil, "", errPending
}

// Entry returns an entry at a place, references to merged ones followed; also
// one that is not live but was.
func (s *Service) Entry(ctx context.Context, world string, at Place, ref memory.Ref) (EntryInfo, error) {
	return EntryInfo{}, errPending
}

// History returns the steps in the life of an entry on the path of a place.
func (s *Service) History(ctx context.Context, world string, at Place, ref memory.Ref) ([]memory.Event, error) {
	return nil, errPending
}

// EntryDiff is how an entry differs between two places.
type EntryDiff struct {
	memory.Ref
	// Before and After are the entry; nil if it is not live there.
	Before, After *lore.Entry
	// Fields are the fields that differ, Content the changes to the text.
	Fields  map[string]memory.Field
	Content []memory.Hunk
}

// Diff returns how the lore at one place differs from that at another.
func (s *Service) Diff(ctx context.Context, world string, from, to Place) ([]EntryDiff, error) {
	return nil, errPending
}

// Conflicts returns what did not take effect as it was meant, at a place.
func (s *Service) Conflicts(ctx context.Context, world string, at Place) ([]memory.Conflict, error) {
	return nil, errPending
}

// Hit is an entry, a message or a category that a search found.
type Hit struct {
	// Ref is the entry; Node the message. One of them is set.
	Ref  memory.Ref
	Node string
	Name string
	// Where is "name", "key", "tag" or "content"; Snippet shows it.
	Where   string
	Snippet string
	Score   float64
}

// Search looks for words in the names, keys, tags and content of the live
// entries at a place, and with messages also in what was said on the path to
// it. Nothing of other branches is found.
func (s *Service) Search(ctx context.Context, world string, at Place, query string, messages bool, limit int) ([]Hit, error) {
	return nil, errPending
}
