package check

import (
	"fmt"
	"strings"

	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/diag"
)

// calls compares the calls of an entry with the signatures of the registry.
func (c *checker) calls(n *node) {
	if c.opts.Registry == nil {
		return
	}
	if n.body != nil {
		c.checkCalls(n, n.body.Calls(), func(s diag.Span) place { return c.inBody(n, s) })
	}
	if n.cond != nil {
		c.checkCalls(n, n.cond.Calls(), func(s diag.Span) place { return c.inCondition(n, s) })
	}
	for _, t := range n.sizes {
		c.checkCalls(n, t.Calls(), func(diag.Span) place { return c.field(n, "sizes") })
	}
}

func (c *checker) checkCalls(n *node, calls []weaver.CallUse, at func(diag.Span) place) {
	for _, call := range calls {
		sig, ok := c.signature(call)
		if !ok {
			c.unknownCall(n, call, at(call.Span))
			continue
		}
		c.checkArguments(n, call, sig, at)
	}
}

func (c *checker) signature(call weaver.CallUse) (weaver.Signature, bool) {
	if call.Kind == weaver.CommandKind {
		return c.opts.Registry.Command(call.Name)
	}
	return c.opts.Registry.Processor(call.Name)
}

func (c *checker) unknownCall(n *node, call weaver.CallUse, at place) {
	var names []string
	for _, s := range c.opts.Registry.Signatures() {
		if s.Kind == call.Kind {
			names = append(names, s.Name)
		} else if s.Name == call.Name {
			other, written := "$[", "$["+call.Name+"(…)]"
			if s.Kind == weaver.ProcessorKind {
				other, written = "@[", "@["+call.Name+"(…)]"
			}
			c.report(n, codeCallUnknown, at,
				fmt.Sprintf("there is no %s %q, but a %s of that name", call.Kind, call.Name, s.Kind),
				fmt.Sprintf("a %s is called with %s, as in %s", s.Kind, other, written))
			return
		}
	}
	hint := "weft signatures lists what there is"
	if guess := didYouMean(call.Name, names); guess != "" {
		hint = fmt.Sprintf("did you mean %s?", guess)
	} else if _, last, ok := cutLast(call.Name, "."); ok {
		for _, name := range names { // the right function in the wrong family
			if strings.HasSuffix(name, "."+last) {
				hint = fmt.Sprintf("did you mean %s?", name)
				break
			}
		}
	}
	c.report(n, codeCallUnknown, at, fmt.Sprintf("there is no %s %q", call.Kind, call.Name), hint)
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

func (c *checker) checkArguments(n *node, call weaver.CallUse, sig weaver.Signature, at func(diag.Span) place) {
	what := fmt.Sprintf("%s %s", call.Kind, call.Name)
	var names []string
	for _, p := range sig.Params {
		names = append(names, p.Name)
	}
	takes := "it takes " + strings.Join(names, ", ")
	if len(names) == 0 {
		takes = "it declares no parameters"
	}
	given := make(map[string]bool)
	for i, arg := range call.Args {
		span := arg.Span
		if span.IsZero() {
			span = call.Span
		}
		p := -1
		switch {
		case arg.Name == "" && i < len(sig.Params):
			p = i
		case arg.Name == "" && call.Kind == weaver.ProcessorKind:
			c.report(n, codeCallArgs, at(span), fmt.Sprintf("%s takes %s at most", what, count(len(names), "argument")), takes)
			return
		case arg.Name == "":
			if len(names) > 0 { // a command without declared ones takes a list
				c.reportAs(n, diag.Warning, codeCallArgs, at(span),
					fmt.Sprintf("%s takes %s; the rest is ignored", what, count(len(names), "argument")), takes)
			}
			return
		default:
			for k, name := range names {
				if name == arg.Name {
					p = k
				}
			}
		}
		if p < 0 {
			hint := takes
			if guess := didYouMean(arg.Name, names); guess != "" {
				hint = fmt.Sprintf("did you mean %s? %s", guess, takes)
			}
			if _, ok := c.namespaces(n.b)[arg.Name]; ok {
				hint = fmt.Sprintf("what begins with a name and a colon is a named argument; put the variable in parentheses: (%s:…)", arg.Name)
			}
			sev := diag.Error // a command fails on it, a processor passes it on
			if call.Kind == weaver.ProcessorKind {
				if sev = diag.Warning; len(names) == 0 {
					continue // it takes any
				}
			}
			c.reportAs(n, sev, codeCallArgs, at(span), fmt.Sprintf("%s has no parameter %q", what, arg.Name), hint)
			continue
		}
		given[names[p]] = true
		if want := sig.Params[p].Type; !arg.Computed && mismatch(arg.Literal.Kind(), want) {
			c.reportAs(n, diag.Warning, codeCallArgs, at(span),
				fmt.Sprintf("%s: %s should be of type %s, not %s", what, names[p], want, arg.Literal.Kind()),
				"a value of another type counts as missing")
		}
	}
	for _, p := range sig.Params {
		if p.Required && !given[p.Name] {
			c.report(n, codeCallArgs, at(call.Span), fmt.Sprintf("%s needs %s", what, p.Name), takes)
		}
	}
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// mismatch reports whether a literal of this kind cannot be what is wanted.
func mismatch(k weaver.Kind, want string) bool {
	switch want {
	case "", "any":
		return false
	}
	return k != weaver.KindNone && k.String() != want
}
