package world

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/turn"
	"github.com/weft-memory/weft/weaver/stdlib"
)

// ExternalPrefix begins the id of a conversation, a message or an author as
// another program knows it: "external:" + that id.
const ExternalPrefix = "external:"

// EngineVersion is written into the record of every reply. It changes with
// every version of the engine whose assemblies may differ.
const EngineVersion = "1"

// Options configure a Service. The zero value is fit for use.
type Options struct {
	// Engine configures the engine. A nil Registry means the standard library.
	Engine engine.Options
	// Plugins and Hooks are added behind those of Engine.
	Plugins []engine.Plugin
	Hooks   []engine.Hook
	// Formats are those that can be imported and exported. Nil means all.
	Formats *format.Table
	// Memory configures how operations are folded.
	Memory memory.Options
	// Watchers take part in the transactions of conversations.
	Watchers []Watcher

	// Segments bounds the memory of compiled books that no view holds, in bytes
	// of their JSON. Defaults to 64 MiB.
	Segments int64
	// Views bounds how many conversations are kept ready. Defaults to 256.
	Views int
	// Hits bounds the cache of what was found in which message, in bytes.
	// Defaults to [engine.DefaultCacheSize].
	Hits int64
	// Turns bounds how many turns that were begun are kept ready to be
	// finished; others are assembled again. Defaults to 256.
	Turns int

	// Log takes what has no caller to go to. Defaults to slog.Default().
	Log *slog.Logger
}

// Watcher takes part in the transactions that change conversations, for
// example to add work for a reply or to cancel that of an abandoned one. An
// error undoes the transaction. Its calls must have no effects outside of it,
// since a transaction may run again.
type Watcher interface {
	// HeadMoved is called when the path that a conversation shows has changed:
	// messages came, went, or were exchanged.
	HeadMoved(tx *store.Tx, m HeadMove) error
}

// HeadMove says how the path of a conversation has changed.
type HeadMove struct {
	World, Conversation string
	// Old and New are the heads; they may be equal, when a message in the
	// middle went.
	Old, New string
	// Left and Entered are the messages that are no longer, and newly, on the
	// path, in its order.
	Left, Entered []string
	// Reply is the message that finished a turn; "" if none did.
	Reply string
}

// Service runs worlds. It is safe for concurrent use.
type Service struct {
	db   *store.DB
	opts Options
	eng  *engine.Engine

	segments *segments
	// empty are the compiled books that take what is remembered.
	empty [2]*engine.Segment
	books *lru[string, *bookSet]
	ready *lru[string, *ready]
	infos *lru[string, *info]
	turns *lru[string, *Turn]
	hits  *engine.Cache

	without sync.Map                     // names of plugins left out → *engine.Engine
	replays *lru[string, *turn.Replayer] // by what the lore was made of
	folders folders

	viewHits, viewMisses, viewFolds atomic.Int64
}

// Open returns the services over a database. The database stays the caller's:
// close it after the service. It fails if a plugin cannot be registered.
func Open(db *store.DB, opts Options) (*Service, error) {
	if opts.Engine.Registry == nil {
		opts.Engine.Registry = stdlib.NewRegistry()
	}
	opts.Engine.Plugins = append(slices.Clone(opts.Engine.Plugins), opts.Plugins...)
	opts.Engine.Hooks = append(slices.Clone(opts.Engine.Hooks), opts.Hooks...)
	if opts.Formats == nil {
		opts.Formats = all.Table()
	}
	if opts.Segments <= 0 {
		opts.Segments = 64 << 20
	}
	if opts.Views <= 0 {
		opts.Views = 256
	}
	if opts.Turns <= 0 {
		opts.Turns = 256
	}
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	eng, err := engine.New(opts.Engine)
	if err != nil {
		return nil, err
	}
	s := &Service{
		db: db, opts: opts, eng: eng, segments: newSegments(opts.Segments), hits: engine.NewCache(opts.Hits),
		books: newLRU[string, *bookSet](64), ready: newLRU[string, *ready](opts.Views),
		replays: newLRU[string, *turn.Replayer](64), infos: newLRU[string, *info](256), turns: newLRU[string, *Turn](opts.Turns),
	}
	for i, id := range []string{memory.WorldBook, memory.StoryBook} {
		s.empty[i], _ = engine.Build(memory.NewBook(id), engine.BuildOptions{})
	}
	return s, nil
}

// Close ends the service. It may be called twice.
func (s *Service) Close() error { return nil }

// DB returns the database.
func (s *Service) DB() *store.DB { return s.db }

// Engine returns the engine.
func (s *Service) Engine() *engine.Engine { return s.eng }

// engineWithout returns an engine without the hooks of some plugins.
func (s *Service) engineWithout(names []string) (*engine.Engine, error) {
	if len(names) == 0 {
		return s.eng, nil
	}
	key := strings.Join(names, "\x00")
	if e, ok := s.without.Load(key); ok {
		return e.(*engine.Engine), nil
	}
	opts := s.opts.Engine
	opts.Hooks = slices.DeleteFunc(slices.Clone(opts.Hooks), func(h engine.Hook) bool { return slices.Contains(names, h.Name()) })
	e, err := engine.New(opts)
	if err == nil {
		s.without.Store(key, e)
	}
	return e, err
}

// forgetWorld drops what is kept in memory of a world.
func (s *Service) forgetWorld(world string) {
	s.segments.forget(func(k segmentKey) bool { return k.world == world })
	s.books.removeIf(func(_ string, b *bookSet) bool { return b.world == world })
	s.ready.removeIf(func(_ string, r *ready) bool { return r.world == world })
	s.turns.removeIf(func(_ string, t *Turn) bool { return t.World == world })
	s.infos.remove(world)
}

// forgetConversation drops what is kept in memory of a conversation.
func (s *Service) forgetConversation(conversation string) {
	s.ready.remove(conversation)
	s.turns.removeIf(func(_ string, t *Turn) bool { return t.Conversation == conversation })
}

// Stats says what the service holds in memory, for metrics.
func (s *Service) Stats() Stats {
	out := Stats{
		Views: s.ready.len(), ViewHits: s.viewHits.Load(), ViewMisses: s.viewMisses.Load(), ViewFolds: s.viewFolds.Load(),
		Turns: s.turns.len(), Hits: s.hits.Stats(),
	}
	s.segments.stats(&out)
	return out
}

// Stats are counts since the service was opened.
type Stats struct {
	// Segments are compiled books, SegmentBytes the size of their JSON.
	Segments     int
	SegmentBytes int64
	Compiled     int64 // how often a book was compiled
	// Views are conversations that are kept ready; ViewHits and ViewMisses say
	// how often one was found so, ViewFolds how often one was folded anew from
	// the log.
	Views                           int
	ViewHits, ViewMisses, ViewFolds int64
	// Turns are those begun and neither finished nor dropped.
	Turns int
	Hits  engine.CacheStats
}
