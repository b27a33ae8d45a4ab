package weaver

// facts are what a template mentions, for checkers. They are gathered by
// parsing again when first asked for, since most templates are never asked.
type facts struct {
	refs  []Reference
	docs  []IDUse
	trigs []IDUse
	calls []CallUse
}

// Reference is a place where a template reads a variable of the host, or a
// bare name that no loop binds.
type Reference struct {
	// Scope and Name are the variable; Scope is empty for a bare name that no
	// loop binds, which always fails when it is reached.
	Scope string `json:"scope"`
	Name  string `json:"name"`
	// Path is the whole reference as a message would write it, with all
	// steps, such as "hero:ilse.gear[1]".
	Path string `json:"path"`
	Span Span   `json:"span"`
}

// IDUse is a place where a template uses a document or trigger.
type IDUse struct {
	// ID is empty if Dynamic is set: the id is then computed.
	ID      string `json:"id"`
	Dynamic bool   `json:"dynamic,omitempty"`
	Span    Span   `json:"span"`
}

// CallUse is a place where a template calls a command or processor.
type CallUse struct {
	Kind CallableKind `json:"kind"`
	Name string       `json:"name"`
	Span Span         `json:"span"`
	// Args are the arguments as written, in order.
	Args []ArgUse `json:"args,omitempty"`
}

// ArgUse is an argument of a call.
type ArgUse struct {
	// Name is empty for a positional argument.
	Name string `json:"name,omitempty"`
	// Literal is the value of an argument written as a literal number,
	// string, bool or none; Computed is set for any other.
	Literal  Value `json:"literal,omitzero"`
	Computed bool  `json:"computed,omitempty"`
	Span     Span  `json:"span"`
}

func (p *program) facts() *facts {
	if f := p.gathered.Load(); f != nil {
		return f
	}
	f := new(facts)
	q := newParser(p.name, p.src, p.parseOpts)
	q.facts = f
	q.run(p.single)
	p.gathered.Store(f)
	return f
}

// Literal returns the literal text of the first argument, as in
// $[set_var("state:gold", 1)], and whether there is one.
func (c CallUse) Literal() (string, bool) {
	if len(c.Args) == 0 || c.Args[0].Computed {
		return "", false
	}
	return c.Args[0].Literal.AsString()
}

// References lists where the template reads variables, in order of place.
// The slice must not be changed.
func (t *Template) References() []Reference { return t.p.facts().refs }

// Documents lists the documents that the template includes.
func (t *Template) Documents() []IDUse { return t.p.facts().docs }

// Triggers lists the triggers that the template fires.
func (t *Template) Triggers() []IDUse { return t.p.facts().trigs }

// Calls lists the commands and processors that the template calls.
func (t *Template) Calls() []CallUse { return t.p.facts().calls }

// References lists where the expression reads variables, in order of place.
// The slice must not be changed.
func (e *Expr) References() []Reference { return e.p.facts().refs }

// Documents lists the documents that the expression includes.
func (e *Expr) Documents() []IDUse { return e.p.facts().docs }

// Triggers lists the triggers that the expression fires.
func (e *Expr) Triggers() []IDUse { return e.p.facts().trigs }

// Calls lists the commands and processors that the expression calls.
func (e *Expr) Calls() []CallUse { return e.p.facts().calls }
