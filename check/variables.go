package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/diag"
)

// setters are the commands of the standard library that write the variable
// named by their first argument; askers only look whether it is there.
var (
	setters = map[string]bool{"set_var": true, "inc_var": true, "push_var": true, "default_var": true}
	askers  = map[string]bool{"var_exists": true, "get_var": true, "default_var": true}
)

// assignments are the variables that the templates of all books write.
type assignments struct {
	names map[string]map[string]bool // namespace, name
	// any is set where a template writes a variable with a computed name.
	any bool
}

func (c *checker) collectAssignments() assignments {
	a := assignments{names: make(map[string]map[string]bool)}
	for _, n := range c.nodes {
		for _, call := range n.allCalls() {
			if call.Kind != weaver.CommandKind || !setters[call.Name] {
				continue
			}
			key, ok := keyArgument(call)
			if !ok {
				a.any = a.any || len(call.Args) > 0
				continue
			}
			namespace, name, ok := strings.Cut(key, ":")
			if !ok {
				continue
			}
			if a.names[namespace] == nil {
				a.names[namespace] = make(map[string]bool)
			}
			a.names[namespace][name] = true
			// state:a.b may be read as state:a with a step into it.
			head, _, _ := strings.Cut(name, ".")
			a.names[namespace][head] = true
		}
	}
	return a
}

// keyArgument returns the literal first argument or the one named key.
func keyArgument(call weaver.CallUse) (string, bool) {
	for i, arg := range call.Args {
		if (arg.Name == "" && i == 0 || arg.Name == "key") && !arg.Computed {
			return arg.Literal.AsString()
		}
	}
	return "", false
}

func keySpan(call weaver.CallUse) diag.Span {
	for i, arg := range call.Args {
		if (arg.Name == "" && i == 0 || arg.Name == "key") && !arg.Span.IsZero() {
			return arg.Span
		}
	}
	return call.Span
}

// allCalls lists the calls of all templates of the entry.
func (n *node) allCalls() []weaver.CallUse {
	var out []weaver.CallUse
	if n.body != nil {
		out = append(out, n.body.Calls()...)
	}
	for _, t := range n.sizes {
		out = append(out, t.Calls()...)
	}
	if n.cond != nil {
		out = append(out, n.cond.Calls()...)
	}
	return out
}

// namespaces returns what is known to the entries of a book.
func (c *checker) namespaces(b *lore.Book) map[string]lore.Namespace {
	out := maps.Clone(c.opts.Namespaces)
	for name, ns := range b.Namespaces {
		if _, reserved := out[name]; !reserved {
			out[name] = ns
		}
	}
	for name := range c.opts.Vars {
		if _, ok := out[name]; !ok {
			out[name] = lore.Namespace{Access: lore.ReadOnly}
		}
	}
	return out
}

// variables reports variables that nothing sets, and namespaces that nobody
// provides or that must not be written.
func (c *checker) variables(n *node) {
	known := c.namespaces(n.b)
	// A template that asks first, or brings a default, expects that the
	// variable may be missing.
	asked := make(map[string]bool)
	for _, call := range n.allCalls() {
		if call.Kind == weaver.CommandKind && askers[call.Name] {
			if key, ok := keyArgument(call); ok {
				asked[key] = true
			}
		}
	}
	reported := make(map[string]bool)
	read := func(refs []weaver.Reference, at func(diag.Span) place, where string) {
		for _, r := range refs {
			full := r.Scope + ":" + r.Name
			if r.Scope == "" {
				if !reported[r.Name] {
					reported[r.Name] = true
					c.report(n, codeUnset, at(r.Span),
						fmt.Sprintf("%s reads %s, which no loop binds", where, r.Name),
						fmt.Sprintf("variables have a namespace, as in {{state:%s}}", r.Name))
				}
				continue
			}
			if reported[full] {
				continue
			}
			ns, ok := known[r.Scope]
			if !ok {
				reported[full] = true
				c.report(n, codeNamespace, at(r.Span),
					fmt.Sprintf("%s reads %s, but there is no namespace %q", where, r.Path, r.Scope),
					c.namespaceHint(n.b, r.Scope))
				continue
			}
			if c.isSet(n.b, r.Scope, ns, r.Name) || asked[full] {
				continue
			}
			reported[full] = true
			c.report(n, codeUnset, at(r.Span),
				fmt.Sprintf("%s reads %s, which nothing sets", where, r.Path), c.unsetHint(n.b, r.Scope, r.Name))
		}
	}
	inBody := func(s diag.Span) place { return c.inBody(n, s) }
	if n.cond != nil {
		read(n.cond.References(), func(s diag.Span) place { return c.inCondition(n, s) }, "the condition")
	}
	if n.body != nil {
		read(n.body.References(), inBody, "the content")
		c.writes(n, known, n.body.Calls(), inBody)
	}
	if n.cond != nil {
		c.writes(n, known, n.cond.Calls(), func(s diag.Span) place { return c.inCondition(n, s) })
	}
	for _, t := range n.sizes {
		at := func(diag.Span) place { return c.field(n, "sizes") }
		read(t.References(), at, "a shorter version")
		c.writes(n, known, t.Calls(), at)
	}
}

// writes reports writes to namespaces that cannot be written.
func (c *checker) writes(n *node, known map[string]lore.Namespace, calls []weaver.CallUse, at func(diag.Span) place) {
	for _, call := range calls {
		if call.Kind != weaver.CommandKind || !setters[call.Name] {
			continue
		}
		key, ok := keyArgument(call)
		if !ok {
			continue
		}
		namespace, _, ok := strings.Cut(key, ":")
		if !ok {
			c.report(n, codeCallArgs, at(keySpan(call)),
				fmt.Sprintf("%s: the key %q has no namespace", call.Name, key), fmt.Sprintf("write %q", "state:"+key))
			continue
		}
		switch ns, ok := known[namespace]; {
		case !ok:
			c.report(n, codeNamespace, at(keySpan(call)),
				fmt.Sprintf("%s writes %s, but there is no namespace %q", call.Name, key, namespace), c.namespaceHint(n.b, namespace))
		case ns.Access != lore.ReadWrite:
			c.report(n, codeReadOnly, at(keySpan(call)),
				fmt.Sprintf("%s writes %s, but the namespace %q is read-only", call.Name, key, namespace),
				"write to state: (kept) or local: (this turn only)")
		}
	}
}

// isSet reports whether a variable may have a value.
func (c *checker) isSet(b *lore.Book, namespace string, ns lore.Namespace, name string) bool {
	vars, listed := c.opts.Vars[namespace]
	if _, ok := vars[name]; ok {
		return true
	}
	if ns.Access == lore.ReadWrite {
		return c.sets.any || c.sets.names[namespace][name]
	}
	// The name of character and user is always there. Of a read-only namespace
	// that was not given, the host alone knows what is in it.
	return !listed || name == "name" && (namespace == "char" || namespace == "user")
}

func (c *checker) unsetHint(b *lore.Book, namespace, name string) string {
	known := slices.Sorted(maps.Keys(c.sets.names[namespace]))
	known = append(known, slices.Sorted(maps.Keys(c.opts.Vars[namespace]))...)
	if guess := didYouMean(name, known); guess != "" {
		return fmt.Sprintf("did you mean %s:%s?", namespace, guess)
	}
	if ns := c.namespaces(b)[namespace]; ns.Access != lore.ReadWrite {
		return fmt.Sprintf("the variables given for %s: are %s", namespace, quoted(known, 8))
	}
	return fmt.Sprintf("set it in a template ($[default_var(\"%s:%s\", …)]), or pass the host's variables with --vars; provided namespaces: %s",
		namespace, name, c.provided(b))
}

func (c *checker) namespaceHint(b *lore.Book, namespace string) string {
	if guess := didYouMean(namespace, slices.Sorted(maps.Keys(c.namespaces(b)))); guess != "" {
		return fmt.Sprintf("did you mean %s:? provided are %s", guess, c.provided(b))
	}
	return fmt.Sprintf("provided are %s; declare others under namespaces in lorebook.yaml", c.provided(b))
}

// provided lists the namespaces with their access.
func (c *checker) provided(b *lore.Book) string {
	all := c.namespaces(b)
	var fixed, writable []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name].Access == lore.ReadWrite {
			writable = append(writable, name)
		} else {
			fixed = append(fixed, name)
		}
	}
	return fmt.Sprintf("%s (read-only), %s (writable)", strings.Join(fixed, ", "), strings.Join(writable, ", "))
}
