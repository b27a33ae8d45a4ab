package engine

import (
	"context"

	"github.com/weft-memory/weft/lore"
)

// HookPoint is a point of the pipeline at which hooks are called.
type HookPoint string

// The points, in the order of the pipeline.
const (
	AtPreActivation  HookPoint = "pre_activation"
	AtPostActivation HookPoint = "post_activation"
	AtPreEvaluate    HookPoint = "pre_evaluate"
	AtPostEvaluate   HookPoint = "post_evaluate"
	AtTriggerFired   HookPoint = "on_trigger_fired"
	AtPostAssemble   HookPoint = "post_assemble"
	AtTurnAdvance    HookPoint = "on_turn_advance"
)

// Hook takes part in the pipeline. What it takes part in it says by
// implementing some of [PreActivator], [PostActivator], [PreEvaluator],
// [PostEvaluator], [TriggerObserver], [PostAssembler], [TurnAdvancer], and
// [Effectful]. [NewHook] makes one of closures.
//
// A hook may change what its argument holds, and may call outside services: the
// context ends with the assembly's or after [Options].HookDeadline. An error
// ends the assembly with a [HookError].
//
// An engine may run many assemblies at once, so a hook must be safe for
// concurrent use.
type Hook interface {
	// Name names the hook's owner in errors and traces.
	Name() string
}

// PreActivator is called before the scan.
type PreActivator interface {
	PreActivation(ctx context.Context, c *PreActivation) error
}

// PostActivator is called after the scan, before the list is cut to the
// greatest number of active entries.
type PostActivator interface {
	PostActivation(ctx context.Context, c *PostActivation) error
}

// PreEvaluator is called before an active entry is evaluated.
type PreEvaluator interface {
	PreEvaluate(ctx context.Context, c *PreEvaluate) error
}

// PostEvaluator is called after an active entry was evaluated.
type PostEvaluator interface {
	PostEvaluate(ctx context.Context, c *PostEvaluate) error
}

// TriggerObserver is called at the start of each pass of triggered entries.
type TriggerObserver interface {
	TriggerFired(ctx context.Context, c *TriggerFired) error
}

// PostAssembler is called with the finished blocks.
type PostAssembler interface {
	PostAssemble(ctx context.Context, c *PostAssemble) error
}

// TurnAdvancer is called by [Engine.Advance], once for each book.
type TurnAdvancer interface {
	TurnAdvance(ctx context.Context, c *TurnAdvance) error
}

// Effectful is implemented by hooks that have effects outside of the assembly,
// such as writing to a service. Preview and replay skip those that answer true.
type Effectful interface {
	Effectful() bool
}

// HookInfo is what every hook sees.
type HookInfo struct {
	// Purpose and Kind are those of the input.
	Purpose Purpose
	Kind    lore.TurnKind
	// Turn is the turn's number.
	Turn int
	// Registry gives access to processors and commands, for looking only.
	Registry RegistryView
}

// PreActivation is the argument of a [PreActivator].
type PreActivation struct {
	HookInfo
	// Messages are what the scan will search. Changes count.
	Messages []lore.Message
}

// PostActivation is the argument of a [PostActivator].
type PostActivation struct {
	HookInfo
	// Activations are what the scan found, in order. Remove and reorder at will;
	// add with Force.
	Activations []Activation
}

// Force adds an entry to the activations, as if it had been triggered. An
// empty book means the first one that has the entry. Unknown entries are
// reported as a problem and ignored.
func (c *PostActivation) Force(book, entry string) {
	c.Activations = append(c.Activations, Activation{
		Book: book, Entry: entry, Reason: Reason{Kind: ReasonTriggered, By: "a hook"}, ownPriority: true,
	})
}

// Remove takes an entry out. An empty book means every book.
func (c *PostActivation) Remove(book, entry string) {
	kept := c.Activations[:0]
	for _, a := range c.Activations {
		if a.Entry == entry && (book == "" || a.Book == book) {
			continue
		}
		kept = append(kept, a)
	}
	c.Activations = kept
}

// PreEvaluate is the argument of a [PreEvaluator].
type PreEvaluate struct {
	HookInfo
	Activation Activation
	// Skip keeps the entry from being evaluated: it gives no block, but its
	// activation is recorded. Later hooks still run.
	Skip bool
}

// PostEvaluate is the argument of a [PostEvaluator].
type PostEvaluate struct {
	HookInfo
	Activation Activation
	// Content is the text of the entry; changes count, for budgets too.
	Content string
}

// TriggerFired is the argument of a [TriggerObserver].
type TriggerFired struct {
	HookInfo
	// Pass counts from 0.
	Pass int
	// Triggered are the entries that templates triggered. Changes count.
	Triggered []EntryRef
}

// PostAssemble is the argument of a [PostAssembler].
type PostAssemble struct {
	HookInfo
	// Blocks are the result; changes count.
	Blocks []Block
}

// TurnAdvance is the argument of a [TurnAdvancer].
type TurnAdvance struct {
	HookInfo
	// Book is the id of the book.
	Book string
}

// HookFuncs are the closures of a hook; those that are nil are not called.
type HookFuncs struct {
	PreActivation  func(context.Context, *PreActivation) error
	PostActivation func(context.Context, *PostActivation) error
	PreEvaluate    func(context.Context, *PreEvaluate) error
	PostEvaluate   func(context.Context, *PostEvaluate) error
	TriggerFired   func(context.Context, *TriggerFired) error
	PostAssemble   func(context.Context, *PostAssemble) error
	TurnAdvance    func(context.Context, *TurnAdvance) error
	// Effectful marks effects outside of the assembly, see [Effectful].
	Effectful bool
}

// NewHook returns a hook of closures.
func NewHook(name string, funcs HookFuncs) Hook { return &funcHook{name, funcs} }

type funcHook struct {
	name string
	f    HookFuncs
}

func (h *funcHook) Name() string    { return h.name }
func (h *funcHook) Effectful() bool { return h.f.Effectful }
