package weaver

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Func is the body of a command or processor. Args is valid only during the
// call. A command without a result returns None.
type Func func(ctx *Context, args Args) (Value, error)

// CallableKind tells commands from processors.
type CallableKind string

// The kinds of callable.
const (
	// CommandKind: $[name(…)], may change the host.
	CommandKind CallableKind = "command"
	// ProcessorKind: @[ns.name(…)], computes a value from its arguments.
	ProcessorKind CallableKind = "processor"
)

// Param describes one declared parameter.
type Param struct {
	Name string `json:"name"`
	// Type is string, number, bool, array, object or any, for people and
	// editors.
	Type     string `json:"type"`
	Required bool   `json:"required,omitempty"`
	// Default is what a missing argument counts as.
	Default Value  `json:"default,omitzero"`
	Doc     string `json:"doc,omitempty"`
}

// Signature describes a command or processor for editors and messages.
type Signature struct {
	// Name is a plain name for a command and a dotted one for a processor.
	Name string       `json:"name"`
	Kind CallableKind `json:"kind"`
	// Params are the declared parameters in positional order. A callable
	// without any takes positional arguments only (commands) or named ones
	// only (processors).
	Params []Param `json:"params"`
	// Returns is the type of the result; "none" for commands without one.
	Returns string `json:"returns,omitempty"`
	Doc     string `json:"doc,omitempty"`
	// Owner names the plugin that provides the callable.
	Owner string `json:"owner,omitempty"`
}

// Command is a command to register. Kind is filled in.
type Command struct {
	Signature
	Run Func
	// Override lets the command take the place of one of the same name.
	Override bool

	err error
}

// Processor is a processor to register. Kind is filled in.
type Processor struct {
	Signature
	Run Func
	// Override lets the processor take the place of one of the same name.
	Override bool

	err error
}

// Registry holds the commands and processors that templates may call. It is
// passed to each evaluation in Options; there is no global one. It is safe
// for use by several goroutines: an evaluation sees the registry as it was
// when the evaluation began.
type Registry struct {
	mu     sync.Mutex
	cmds   map[string]*callable
	procs  map[string]*callable
	frozen bool
	snap   atomic.Pointer[table]
}

// table is an immutable snapshot of a registry.
type table struct {
	cmds, procs map[string]*callable
}

// callable is a registered command or processor.
type callable struct {
	sig  Signature
	run  Func
	kind CallableKind
}

// label names the callable in messages.
func (c *callable) label() string { return string(c.kind) + " " + c.sig.Name }

// maxParams bounds the declared parameters of a callable.
const maxParams = 64

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	return &Registry{cmds: make(map[string]*callable), procs: make(map[string]*callable)}
}

// RegisterCommand adds a command. A name that is already taken is an error
// naming both owners, unless c.Override is set; so are a malformed name and a
// frozen registry.
func (r *Registry) RegisterCommand(c Command) error {
	c.Kind = CommandKind
	return r.register(c.Signature, c.Run, c.Override, c.err)
}

// RegisterProcessor adds a processor, with the same errors as
// RegisterCommand.
func (r *Registry) RegisterProcessor(p Processor) error {
	p.Kind = ProcessorKind
	return r.register(p.Signature, p.Run, p.Override, p.err)
}

func (r *Registry) register(sig Signature, run Func, override bool, err error) error {
	if err != nil {
		return fmt.Errorf("%s %s: %w", sig.Kind, sig.Name, err)
	}
	if err := checkSignature(sig); err != nil {
		return err
	}
	if run == nil {
		return fmt.Errorf("%s %s has no function", sig.Kind, sig.Name)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.frozen {
		return fmt.Errorf("%s %s: the registry is frozen; register before the first use, or register in a Clone", sig.Kind, sig.Name)
	}
	m := r.cmds
	if sig.Kind == ProcessorKind {
		m = r.procs
	}
	if old, taken := m[sig.Name]; taken && !override {
		return fmt.Errorf("%s %s of %s is already registered by %s; rename one, or declare that it overrides",
			sig.Kind, sig.Name, ownerName(sig.Owner), ownerName(old.sig.Owner))
	}
	sig.Params = slices.Clone(sig.Params)
	m[sig.Name] = &callable{sig: sig, run: run, kind: sig.Kind}
	r.snap.Store(nil)
	return nil
}

func ownerName(s string) string {
	if s == "" {
		return "an unnamed owner"
	}
	return fmt.Sprintf("%q", s)
}

func checkSignature(sig Signature) error {
	if sig.Kind == CommandKind && !isIdent(sig.Name) {
		return fmt.Errorf("command name %q: want letters, digits and _, not beginning with a digit", sig.Name)
	}
	for _, part := range strings.Split(sig.Name, ".") {
		if !isIdent(part) {
			return fmt.Errorf("processor name %q: want names of letters, digits and _, joined with dots", sig.Name)
		}
	}
	if len(sig.Params) > maxParams {
		return fmt.Errorf("%s %s declares %d parameters: at most %d", sig.Kind, sig.Name, len(sig.Params), maxParams)
	}
	for i, p := range sig.Params {
		if !isIdent(p.Name) {
			return fmt.Errorf("%s %s: parameter name %q: want letters, digits and _, not beginning with a digit", sig.Kind, sig.Name, p.Name)
		}
		for _, q := range sig.Params[:i] {
			if p.Name == q.Name {
				return fmt.Errorf("%s %s declares parameter %s twice", sig.Kind, sig.Name, p.Name)
			}
		}
	}
	return nil
}

// Freeze makes every later registration an error. A nil registry is fine and
// counts as empty and frozen.
func (r *Registry) Freeze() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.frozen = true
}

// Clone returns a copy that is not frozen.
func (r *Registry) Clone() *Registry {
	out := NewRegistry()
	if r == nil {
		return out
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for k, v := range r.cmds {
		out.cmds[k] = v
	}
	for k, v := range r.procs {
		out.procs[k] = v
	}
	return out
}

// Command returns the signature of a command.
func (r *Registry) Command(name string) (Signature, bool) {
	c, ok := r.table().cmds[name]
	if !ok {
		return Signature{}, false
	}
	return c.sig, true
}

// Processor returns the signature of a processor.
func (r *Registry) Processor(name string) (Signature, bool) {
	c, ok := r.table().procs[name]
	if !ok {
		return Signature{}, false
	}
	return c.sig, true
}

// Signatures lists all callables, commands first, each sorted by name.
func (r *Registry) Signatures() []Signature {
	t := r.table()
	out := make([]Signature, 0, len(t.cmds)+len(t.procs))
	for _, m := range []map[string]*callable{t.cmds, t.procs} {
		from := len(out)
		for _, c := range m {
			sig := c.sig
			if sig.Params == nil {
				sig.Params = []Param{}
			}
			out = append(out, sig)
		}
		slices.SortFunc(out[from:], func(a, b Signature) int { return strings.Compare(a.Name, b.Name) })
	}
	return out
}

var emptyTable = new(table)

// table returns the current snapshot.
func (r *Registry) table() *table {
	if r == nil {
		return emptyTable
	}
	if t := r.snap.Load(); t != nil {
		return t
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.snap.Load(); t != nil {
		return t
	}
	t := &table{cmds: make(map[string]*callable, len(r.cmds)), procs: make(map[string]*callable, len(r.procs))}
	for k, v := range r.cmds {
		t.cmds[k] = v
	}
	for k, v := range r.procs {
		t.procs[k] = v
	}
	r.snap.Store(t)
	return t
}

// lookup finds a callable, nil if there is none.
func (t *table) lookup(kind CallableKind, name string) *callable {
	if kind == CommandKind {
		return t.cmds[name]
	}
	return t.procs[name]
}

func isIdent(s string) bool {
	if s == "" || !isIdentStart(s[0]) {
		return false
	}
	for i := 1; i < len(s); i++ {
		if !isIdentByte(s[i]) {
			return false
		}
	}
	return true
}

func isIdentStart(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isIdentByte(c byte) bool { return isIdentStart(c) || '0' <= c && c <= '9' }
