package weaver

// Host is the world that a template reads and changes. A host that several
// evaluations use at once must be safe for that.
//
// A method may return an *Error made with Errorf to choose its kind; any
// other error counts as a HostError.
type Host interface {
	// Get returns a variable. If it is not there, ok is false; the language
	// then reports an undefined variable.
	Get(scope, name string) (v Value, ok bool, err error)
	// Set writes a variable. It is called by commands, never by the language
	// itself.
	Set(scope, name string, v Value) error
	// Fire fires a trigger and returns the text that stands in its place. An
	// unknown id is an error of kind TriggerNotFound.
	Fire(ctx *Context, id string) (string, error)
	// Document returns the text or value of a document. A host whose
	// documents are templates evaluates them with Context.Sub. An unknown id
	// is an error of kind DocumentNotFound.
	Document(ctx *Context, id string) (Value, error)
}

// ScopeHost is implemented by hosts that keep whole scopes in maps. The
// evaluator then reads such a scope directly, which is quicker than Get.
type ScopeHost interface {
	Host
	// ScopeVars returns the map that holds the variables of a scope, or nil
	// if Get has to be asked. It is called at most once for each scope and
	// evaluation while it returns a map; changes to the map are seen, so the
	// host must not replace it during an evaluation.
	ScopeVars(scope string) map[string]Value
}

// Namer is implemented by hosts that can list the variables of a scope. The
// evaluator asks only when a variable is undefined, to guess which was meant.
type Namer interface {
	Names(scope string) []string
}

// MapHost is a Host for tests, tools and small programs: variables in maps,
// documents as ready values, triggers as texts. It is not safe for use by
// several evaluations at once if any of them writes.
type MapHost struct {
	Vars      map[string]map[string]Value
	Documents map[string]Value
	Triggers  map[string]string
	// Fired collects the ids of the triggers fired, in order.
	Fired []string
}

// Get returns Vars[scope][name].
func (h *MapHost) Get(scope, name string) (Value, bool, error) {
	v, ok := h.Vars[scope][name]
	return v, ok, nil
}

// Set writes Vars[scope][name], making the maps as needed.
func (h *MapHost) Set(scope, name string, v Value) error {
	m := h.Vars[scope]
	if m == nil {
		if h.Vars == nil {
			h.Vars = make(map[string]map[string]Value)
		}
		m = make(map[string]Value)
		h.Vars[scope] = m
	}
	m[name] = v
	return nil
}

// Fire records the id and returns Triggers[id].
func (h *MapHost) Fire(_ *Context, id string) (string, error) {
	text, ok := h.Triggers[id]
	if !ok {
		return "", Errorf(TriggerNotFound, "unknown trigger: %s", id)
	}
	h.Fired = append(h.Fired, id)
	return text, nil
}

// Document returns Documents[id].
func (h *MapHost) Document(_ *Context, id string) (Value, error) {
	v, ok := h.Documents[id]
	if !ok {
		return None, Errorf(DocumentNotFound, "unknown document: %s", id)
	}
	return v, nil
}

// Names lists the variables of a scope.
func (h *MapHost) Names(scope string) []string {
	names := make([]string, 0, len(h.Vars[scope]))
	for name := range h.Vars[scope] {
		names = append(names, name)
	}
	return names
}

var (
	_ Host  = (*MapHost)(nil)
	_ Namer = (*MapHost)(nil)
)
