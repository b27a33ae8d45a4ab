package world

import (
	"context"
	"slices"
	"strconv"

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

	conversation string
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

// place returns the conversation and the message that a place names.
func (tx *txn) place(at Place) (c store.Conversation, node string, err error) {
	if at.AsOf < 0 {
		return c, "", store.Errorf(store.Invalid, "as of %d: numbers of a world begin at 1", at.AsOf)
	}
	if at.Conversation == "" {
		if at.Node == "" || at.Node == Root {
			return c, "", nil
		}
		n, c, err := tx.node(at.Node)
		return c, n.ID, err
	}
	if c, err = tx.conversation(at.Conversation); err != nil {
		return c, "", err
	}
	switch at.Node {
	case "":
		return c, c.Head, nil
	case Root:
		return c, "", nil
	}
	n, err := tx.nodeOf(c, at.Node)
	return c, n.ID, err
}

// lore returns the lore at a place.
func (tx *txn) lore(at Place) (*Lore, error) {
	c, node, err := tx.place(at)
	if err != nil {
		return nil, err
	}
	l := &Lore{Node: node, Head: node == c.Head && at.AsOf == 0, Seq: at.AsOf, conversation: c.ID}
	if l.Seq == 0 {
		if l.Seq, err = tx.Seq(tx.id); err != nil {
			return nil, err
		}
	}
	own, err := ParseSettings(c.Settings)
	if err != nil {
		return nil, err
	}
	if c.ID == "" { // the world by itself has all books
		in, err := tx.info()
		if err != nil {
			return nil, err
		}
		all := &cast{}
		for _, b := range in.books {
			all.refs = append(all.refs, store.BookRef{ID: b.ID, Revision: b.Revision})
		}
		l.Books = all.refs
		_, f, err := tx.worldLore(all, at.AsOf)
		if err != nil {
			return nil, err
		}
		l.View = f.view
		return l, nil
	}
	cast, err := tx.cast(c.ID, own)
	if err != nil {
		return nil, err
	}
	l.Books = cast.refs
	t, err := tx.trailAsOf(c, node, at.AsOf)
	if err != nil {
		return nil, err
	}
	k, err := tx.knownAsOf(c.ID, at.AsOf)
	if err != nil {
		return nil, err
	}
	b, err := tx.bookSet(cast.refs)
	if err != nil {
		return nil, err
	}
	f, err := tx.loreOf(c.ID, t, k, b, 0)
	if err != nil {
		return nil, err
	}
	if l.Head {
		tx.keep(c.ID, t, k, f)
	}
	l.View = f.view
	return l, nil
}

// Lore returns the lore at a place: canon as it is now, under what the world and
// the story made of it.
func (s *Service) Lore(ctx context.Context, world string, at Place) (*Lore, error) {
	return view(ctx, s, world, func(tx *txn) (*Lore, error) { return tx.lore(at) })
}

// Categories returns the lore tree at a place.
func (s *Service) Categories(ctx context.Context, world string, at Place) ([]*memory.Category, error) {
	l, err := s.Lore(ctx, world, at)
	if err != nil {
		return nil, err
	}
	return l.Categories(), nil
}

// Entries lists the live entries at a place: those of the books in their order,
// then the created ones.
func (s *Service) Entries(ctx context.Context, world string, at Place, f EntryFilter, p store.Page) (list []EntryInfo, next string, err error) {
	l, err := s.Lore(ctx, world, at)
	if err != nil {
		return nil, "", err
	}
	start, limit := 0, p.Limit
	if p.Cursor != "" {
		if start, err = strconv.Atoi(p.Cursor); err != nil || start < 0 {
			return nil, "", store.Errorf(store.Invalid, "the cursor %q is of another list", p.Cursor)
		}
	}
	if limit <= 0 || limit > 1000 {
		limit = 100
	}
	notes := l.notes()
	refs := l.Live()
	for i := start; i < len(refs); i++ {
		e := l.View.Entry(refs[i].Book, refs[i].Entry)
		if e == nil || !f.takes(refs[i], e) {
			continue
		}
		if len(list) == limit {
			return list, strconv.Itoa(i), nil
		}
		list = append(list, l.info(refs[i], e, notes))
	}
	return list, "", nil
}

// takes reports whether a filter chooses an entry.
func (f *EntryFilter) takes(r memory.Ref, e *lore.Entry) bool {
	switch {
	case f.Book != "" && f.Book != r.Book, f.Type != "" && f.Type != e.Type, f.Layer != "" && f.Layer != layerOf(r):
		return false
	case f.Tag != "" && !slices.Contains(e.Tags, f.Tag):
		return false
	case f.Query != "":
		words := searchWords(f.Query)
		_, found := searchEntry(e, words)
		return found && len(words) > 0
	}
	return true
}

// layerOf returns the layer that an entry was made in.
func layerOf(r memory.Ref) memory.Layer {
	switch r.Book {
	case memory.WorldBook:
		return memory.LayerWorld
	case memory.StoryBook:
		return memory.LayerStory
	default:
		return memory.LayerCanon
	}
}

// notes are what is to be said of entries beside their text.
type notes struct {
	conflicts map[memory.Ref][]memory.Conflict
	proposals map[memory.Ref][]memory.Proposal
	versions  map[memory.Ref]string
}

func (l *Lore) notes() notes {
	n := notes{map[memory.Ref][]memory.Conflict{}, map[memory.Ref][]memory.Proposal{}, map[memory.Ref]string{}}
	for _, c := range l.View.Conflicts() {
		r := memory.Ref{Book: c.Book, Entry: c.Entry}
		n.conflicts[r] = append(n.conflicts[r], c)
	}
	for _, p := range l.View.Proposals() {
		r := memory.Ref{Book: p.Book, Entry: p.Entry}
		n.proposals[r] = append(n.proposals[r], p)
	}
	for _, op := range l.View.Operations() {
		if l.View.Counts(op.ID) {
			n.versions[op.Ref()] = op.ID
		}
	}
	return n
}

func (l *Lore) info(r memory.Ref, e *lore.Entry, n notes) EntryInfo {
	return EntryInfo{
		Ref: r, Layer: layerOf(r), Entry: e, Authored: l.View.Authored(r.Book, r.Entry), Version: l.version(r, n),
		Conflicts: n.conflicts[r], Proposals: n.proposals[r],
	}
}

// version names the version of an entry that is seen: the last operation that
// concerns it, else the revision of its book.
func (l *Lore) version(r memory.Ref, n notes) string {
	if v := n.versions[r]; v != "" {
		return v
	}
	for _, b := range l.Books {
		if b.ID == r.Book {
			return memory.CanonVersion(strconv.FormatInt(b.Revision, 10))
		}
	}
	return ""
}

// Entry returns an entry at a place, references to merged ones followed; also
// one that is not live but was.
func (s *Service) Entry(ctx context.Context, world string, at Place, ref memory.Ref) (EntryInfo, error) {
	return view(ctx, s, world, func(tx *txn) (EntryInfo, error) {
		l, err := tx.lore(at)
		if err != nil {
			return EntryInfo{}, err
		}
		return l.entry(ref)
	})
}

func (l *Lore) entry(ref memory.Ref) (EntryInfo, error) {
	r := l.View.Redirect(ref.Book, ref.Entry)
	e := l.View.Entry(r.Book, r.Entry)
	if e == nil && l.View.Authored(r.Book, r.Entry) == nil {
		return EntryInfo{}, store.Errorf(store.NotFound, "there is no entry %s here", ref)
	}
	return l.info(r, e, l.notes()), nil
}

// History returns the steps in the life of an entry on the path of a place.
func (s *Service) History(ctx context.Context, world string, at Place, ref memory.Ref) ([]memory.Event, error) {
	l, err := s.Lore(ctx, world, at)
	if err != nil {
		return nil, err
	}
	return l.View.History(ref.Book, ref.Entry), nil
}

// Provenance returns where every field and every sentence of an entry comes
// from.
func (s *Service) Provenance(ctx context.Context, world string, at Place, ref memory.Ref) ([]memory.Source, error) {
	l, err := s.Lore(ctx, world, at)
	if err != nil {
		return nil, err
	}
	return l.View.Provenance(ref.Book, ref.Entry), nil
}

// Diff returns how the lore at one place differs from that at another. Both are
// seen over the books as they are now.
func (s *Service) Diff(ctx context.Context, world string, from, to Place) ([]memory.Difference, error) {
	return view(ctx, s, world, func(tx *txn) ([]memory.Difference, error) {
		a, err := tx.lore(from)
		if err != nil {
			return nil, err
		}
		b, err := tx.lore(to)
		if err != nil {
			return nil, err
		}
		return memory.DiffViews(a.View, b.View), nil
	})
}

// Conflicts returns what did not take effect as it was meant, at a place.
func (s *Service) Conflicts(ctx context.Context, world string, at Place) ([]memory.Conflict, error) {
	l, err := s.Lore(ctx, world, at)
	if err != nil {
		return nil, err
	}
	return l.View.Conflicts(), nil
}
