package engine

import (
	"time"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
)

// Options configure an [Engine]. The zero value is the product's default; see
// [Reference] for the settings of the conformance cases.
//
// Where a count has a default, 0 means that default and a negative number
// means none at all.
type Options struct {
	// Registry holds the processors and commands of templates. Nil means none.
	// New copies it before plugins add to it; it is never changed.
	Registry *weaver.Registry
	// Plugins add processors and commands, in the order given or as their
	// [Ordered] declarations ask.
	Plugins []Plugin
	// Hooks take part in every assembly, in this order.
	Hooks []Hook
	// HookDeadline bounds each call of a hook. Defaults to 2 s; negative means
	// no bound but that of the assembly's context.
	HookDeadline time.Duration

	// Limits bound the evaluation of one entry, the documents it includes
	// counted in. Zero fields take the defaults of the language: 50,000 nodes
	// and 10,000 loop rounds, among others.
	Limits weaver.Limits
	// MaxActive bounds the number of active entries of books whose policy has
	// such a bound; the first ones in order are kept. Defaults to the policy's
	// (100 for weaver books).
	MaxActive int
	// MaxTriggerPasses bounds the rounds of triggered entries. Defaults to the
	// policy's (3 for weaver books).
	MaxTriggerPasses int
	// MaxRecursionDepth is how many entries may be open at once when they
	// include each other, the outermost counted. Defaults to 10.
	MaxRecursionDepth int
	// RegexTime bounds the time of all regular expressions of one assembly.
	// Defaults to 250 ms.
	RegexTime time.Duration

	// Namespaces are reserved by the host: the same for all books, not to be
	// declared by one. Nil means char, user and chat read-only, and state,
	// local and temp writable. The engine adds state and temp if they are
	// missing.
	Namespaces map[string]lore.Namespace
	// TurnLocal are the namespaces that a new turn empties and that an export
	// leaves out. Nil means temp and, if it is reserved, local.
	TurnLocal []string
	// MaxState bounds the JSON size of a persistent namespace, in bytes. A
	// write that would pass it is an error. Defaults to 256 KiB.
	MaxState int

	// Tokenizer counts tokens. Nil means [Estimate].
	Tokenizer Tokenizer

	// Strict ends the assembly at the first error of an entry: no blocks are
	// returned, but the state as it stood. Otherwise the entry alone is left
	// out, its effects on variables are undone, and the result reports it.
	Strict bool
	// Lenient makes templates print the source of what they cannot evaluate.
	Lenient bool
	// StrictConditions makes an undefined variable in a condition an error, and
	// the condition false. Otherwise it reads as none there.
	StrictConditions bool
	// NoTwins keeps an entry whose slot and fallbacks are absent out, instead
	// of trying the slot's twin in the other vocabulary.
	NoTwins bool
	// KeepCounters records the last turn of every activation. Otherwise only
	// the counters that some rule will read are kept.
	KeepCounters bool
}

// Defaults of [Options].
const (
	DefaultHookDeadline      = 2 * time.Second
	DefaultMaxActive         = 100
	DefaultMaxTriggerPasses  = 3
	DefaultMaxRecursionDepth = 10
	DefaultRegexTime         = 250 * time.Millisecond
	DefaultMaxState          = 256 << 10
	// DefaultContext is the context window, in tokens, of a host that does not
	// say how large it is.
	DefaultContext = 8192
)

// Reference returns the settings of the engine that the conformance cases were
// made with: strict evaluation, four bytes a token, every counter kept, and no
// namespaces but state and temp unless the case names them.
func Reference() Options {
	return Options{
		Namespaces:       map[string]lore.Namespace{},
		TurnLocal:        []string{"temp"},
		Tokenizer:        BytesPerToken(4),
		Strict:           true,
		StrictConditions: true,
		NoTwins:          true,
		KeepCounters:     true,
	}
}

// defaultNamespaces are those of [Options].Namespaces.
func defaultNamespaces() map[string]lore.Namespace {
	return map[string]lore.Namespace{
		"char":  {Access: lore.ReadOnly, Description: "the character that speaks"},
		"user":  {Access: lore.ReadOnly, Description: "the user's persona"},
		"chat":  {Access: lore.ReadOnly, Description: "the conversation"},
		"state": {Access: lore.ReadWrite, Description: "kept from turn to turn"},
		"local": {Access: lore.ReadWrite, Description: "cleared when the turn advances"},
		"temp":  {Access: lore.ReadWrite, Description: "cleared when the turn advances"},
	}
}
