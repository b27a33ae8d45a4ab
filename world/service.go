package world

import (
	"log/slog"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
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
}

// Open returns the services over a database. The database stays the caller's:
// close it after the service. It fails if a plugin cannot be registered.
func Open(db *store.DB, opts Options) (*Service, error) { return nil, errPending }

// Close ends the service. It may be called twice.
func (s *Service) Close() error { return nil }

// DB returns the database.
func (s *Service) DB() *store.DB { return s.db }

// Engine returns the engine.
func (s *Service) Engine() *engine.Engine { return s.eng }

// Stats says what the service holds in memory, for metrics.
func (s *Service) Stats() Stats { return Stats{} }

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
