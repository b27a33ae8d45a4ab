package engine

import (
	"context"
	"sync"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/match"
	"github.com/weft-memory/weft/weaver"
)

// assembly is one run of the pipeline.
type assembly struct {
	engine *Engine
	index  *Index
	ctx    context.Context
	in     *Input
	// messages are what is scanned: the input's, or what a hook made of them.
	messages []lore.Message
	vars     variables
	// list are the active entries in order; active finds them.
	list   []*activation
	active map[*entry]*activation
	// cut are the entries that were too many; those from index lateCut on had
	// been evaluated, and their activation is recorded.
	cut     []*activation
	lateCut int
	// queue are the triggered entries that were not looked at yet; refresh
	// those that were active already and stay for it.
	queue   []queued
	refresh []queued
	slab    []activation
	// top is the host of the entry that is being evaluated.
	top frame

	searchers map[lore.Join]*searcher
	// givenUp are the expressions that ran out of time, each reported once.
	givenUp  map[*key]bool
	set      *match.Set
	budget   *match.Budget
	prompt   prompt
	state    State
	trace    *Trace
	problems []Problem

	// sweeping is the recursive scan that runs.
	sweeping *sweepScan
	// macroSeen are the macros that were reported.
	macroSeen map[string]bool

	// circle is the error of entries that include each other, on its way to the
	// outermost of them.
	circle error
	// unset are the last variables that were read and not there.
	unset []string
	// notes gathers what an evaluation reads and writes, where asked for.
	notes *notes
	// asked are the entries whose absence is to be explained; refused what kept
	// entries out so far.
	asked   map[*entry]bool
	refused map[*entry]Absence
}

// activation is an active entry on its way through the pipeline.
type activation struct {
	Activation
	view  *view
	entry *entry
	// use is the entry that is evaluated: a pick may replace it.
	use  *entry
	size Size
	// carried entries are here because they are sticky; refreshed ones were
	// triggered on top of that.
	carried, refreshed bool

	// keyAge is the age of the newest message with a key, once asked for.
	keyAge *int
	// readyText is the text where the scan has made it already.
	readyText string
	ready     bool

	content   string
	evaluated bool
	skipped   bool
	fired     Fired
}

// queued is an entry that was triggered.
type queued struct {
	view  *view
	entry *entry
	by    string
}

// notes is what an evaluation did.
type notes struct {
	reads, writes []VarValue
	includes      []EntryRef
}

var setPool = sync.Pool{New: func() any { return new(match.Set) }}

func newAssembly(ctx context.Context, e *Engine, ix *Index, in *Input) *assembly {
	a := &assembly{
		engine: e, index: ix, ctx: ctx, in: in, messages: in.Messages,
		vars:   variables{state: in.State.Vars, host: in.Vars, max: e.limits.state, clock: clock{in.Now, in.LastUser}},
		active: make(map[*entry]*activation),
		set:    setPool.Get().(*match.Set),
		budget: match.NewBudget(e.opts.RegexTime),
		prompt: newPrompt(ix.slots, in.Slots),
		state:  in.State,
		trace:  &Trace{Turn: in.State.Turn},
	}
	for _, ref := range in.State.Pending {
		if v, en := ix.find(ref); en != nil {
			a.queue = append(a.queue, queued{view: v, entry: en, by: "an earlier assembly of this turn"})
		}
	}
	if len(in.Why) > 0 {
		a.asked = make(map[*entry]bool, len(in.Why))
		for _, ref := range in.Why {
			if _, en := ix.find(ref); en != nil {
				a.asked[en] = true
			}
		}
	}
	return a
}

// release gives the scratch back.
func (a *assembly) release() {
	setPool.Put(a.set)
	a.set = nil
}

// run goes through the phases and returns the blocks. An error ends the
// assembly.
func (a *assembly) run() ([]Block, error) {
	if err := a.preActivation(); err != nil {
		return nil, err
	}
	if err := a.scan(); err != nil {
		return nil, err
	}
	if err := a.postActivation(); err != nil {
		return nil, err
	}
	a.list = a.cutActive(a.list)
	for _, x := range a.cut {
		delete(a.active, x.entry)
	}
	a.lateCut = len(a.cut)
	if err := a.evaluateAll(a.list); err != nil {
		return nil, err
	}
	if err := a.triggers(); err != nil {
		return nil, err
	}
	a.record(false)
	blocks := a.place()
	a.record(true)
	return a.postAssemble(blocks)
}

// result returns what there is: blocks only if nothing ended the assembly.
func (a *assembly) result(blocks []Block) *Result {
	a.finishState()
	a.explain(blocks)
	return &Result{
		Blocks: blocks, State: a.state, Trace: a.trace, Problems: a.problems,
		DisabledPrompts: a.disabledPrompts(),
	}
}

// finishState puts variables and pending triggers into the state.
func (a *assembly) finishState() {
	a.state.Vars = a.vars.merged(func(scope string) bool { return a.engine.writable(a.index, scope) })
	a.state.Pending = nil
	for _, q := range a.queue {
		a.state.Pending = append(a.state.Pending, EntryRef{q.view.id, q.entry.ID})
	}
}

func (a *assembly) problem(v *view, e *entry, code, message string, err error) {
	p := Problem{Code: code, Message: message, Err: err}
	if v != nil {
		p.Book = v.id
	}
	if e != nil {
		p.Entry = e.ID
	}
	a.problems = append(a.problems, p)
}

// searcher returns the searcher of the books that join messages alike.
func (a *assembly) searcher(join lore.Join) *searcher {
	if s := a.searchers[join]; s != nil {
		return s
	}
	s := newSearcher(join, a.messages, a.in.Sources)
	s.cache, s.budget, s.set, s.tokens = a.in.Cache, a.budget, a.set, a.engine.tokenizer
	s.report = func(e *entry, k *key, err error) {
		if a.givenUp[k] {
			return
		}
		if a.givenUp == nil {
			a.givenUp = make(map[*key]bool)
		}
		a.givenUp[k] = true
		a.problem(a.viewOf(e), e, "regex", "the expression "+quote(k.text)+" was given up: "+err.Error(), err)
	}
	if a.searchers == nil {
		a.searchers = make(map[lore.Join]*searcher)
	}
	a.searchers[join] = s
	return s
}

// viewOf returns the book of an entry.
func (a *assembly) viewOf(e *entry) *view {
	for _, v := range a.index.views {
		if v.base == e.seg || v.over == e.seg {
			return v
		}
	}
	return nil
}

// builtin are the variables that the input itself provides.
func (a *assembly) builtin(scope, name string) (weaver.Value, bool) {
	switch {
	case scope == "char" && name == "name" && a.in.Character.Name != "":
		return weaver.String(a.in.Character.Name), true
	case scope == "user" && name == "name" && a.in.User != "":
		return weaver.String(a.in.User), true
	}
	return weaver.None, false
}

// maxUnset bounds what is remembered of them.
const maxUnset = 7

func (a *assembly) noteRead(scope, name string, v weaver.Value, ok bool) {
	if !ok {
		a.unset = append(a.unset[:min(len(a.unset), maxUnset)], scope+":"+name)
	}
	if a.notes == nil {
		return
	}
	r := VarValue{Name: scope + ":" + name}
	if ok {
		r.Value = shortJSON(v)
	}
	a.notes.reads = append(a.notes.reads, r)
}

func (a *assembly) noteWrite(scope, name string, v weaver.Value) {
	if a.notes != nil {
		a.notes.writes = append(a.notes.writes, VarValue{scope + ":" + name, shortJSON(v)})
	}
}

func (a *assembly) noteInclude(v *view, e *entry) {
	if a.notes != nil {
		a.notes.includes = append(a.notes.includes, EntryRef{v.id, e.ID})
	}
}

// shortJSON writes a value for a trace.
func shortJSON(v weaver.Value) string {
	const most = 200
	s := string(v.AppendJSON(nil))
	if len(s) > most {
		return firstBytes(s, most) + "…"
	}
	return s
}
