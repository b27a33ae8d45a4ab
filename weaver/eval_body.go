package weaver

import (
	"unicode"
	"unicode/utf8"
)

// body renders nodes to the end of the output, by the rules for constructs
// that stand alone on their line.
//
// A node owns its line if only spaces and tabs stand between it and the
// beginning of its line or body, a line break or the end of the body follows,
// and it is not alone in its body. Then a command's value is dropped, a
// construct that printed nothing but white space takes its whole line with
// it, and a block that printed text leaves the indentation to its body.
func (c *Context) body(nodes []node) (signal, *Error) {
	start := len(c.out)
	drop := 0 // bytes to drop from the next text: the break of an owned line
	for i := range nodes {
		n := &nodes[i]
		if n.kind == nodeText {
			// A text whose break was dropped belongs to the line above and is
			// not counted.
			if drop == 0 {
				if err := c.tick(); err != nil {
					return sigNone, err
				}
			}
			if err := c.write(n.text[drop:]); err != nil {
				return sigNone, err
			}
			drop = 0
			continue
		}
		if err := c.tick(); err != nil {
			return sigNone, err
		}
		owns := n.mayOwn && lineStart(c.out[start:])
		var sig signal
		var err *Error
		switch n.kind {
		case nodeVar:
			var v Value
			if v, err = c.read(n.ref); err != nil {
				return sigNone, err
			}
			mark := len(c.out)
			if v.kind == KindString {
				err = c.write(v.str())
			} else {
				err = c.print(v)
			}
			if err != nil {
				return sigNone, err
			}
			if owns && c.settle(n, start, mark) {
				drop = int(n.eol)
			}
			continue
		case nodeExpr:
			var v Value
			if v, err = n.expr.eval(c); err != nil {
				return sigNone, err
			}
			mark := len(c.out)
			if err = c.print(v); err != nil {
				return sigNone, err
			}
			if owns && c.settle(n, start, mark) {
				drop = int(n.eol)
			}
			continue
		case nodeCommand:
			var v Value
			if v, err = n.expr.eval(c); err != nil {
				return sigNone, err
			}
			if owns {
				c.settle(n, start, len(c.out))
				drop = int(n.eol)
			} else if err = c.print(v); err != nil {
				return sigNone, err
			}
			continue
		case nodeIf, nodeFor:
			if owns {
				c.out = c.out[:len(c.out)-indent(c.out[start:])]
			}
			mark := len(c.out)
			if n.kind == nodeIf {
				sig, err = c.choose(n)
			} else {
				sig, err = c.loop(n)
			}
			if err != nil {
				return sigNone, err
			}
			dropped := owns && c.settle(n, start, mark)
			if dropped {
				drop = int(n.eol)
			}
			if sig != sigNone {
				if dropped && drop > 0 && len(c.out) > mark {
					// The text after a block that printed whole lines belongs
					// to the last of them, so it is out before the statement
					// takes effect. See docs/decisions.md.
					err = c.write(nodes[i+1].text[drop:])
				}
				return sig, err
			}
		case nodeBreak:
			return sigBreak, nil
		case nodeContinue:
			return sigContinue, nil
		case nodeStop:
			return sigStop, nil
		case nodeReturn:
			c.ret = None
			if n.expr != nil {
				c.ret, err = n.expr.eval(c)
			}
			return sigReturn, err
		}
	}
	return sigNone, nil
}

// choose renders the first arm of an if whose condition holds.
func (c *Context) choose(n *node) (signal, *Error) {
	for i := range n.arms {
		arm := &n.arms[i]
		if arm.cond != nil {
			v, err := arm.cond.eval(c)
			if err != nil {
				return sigNone, err
			}
			if !v.Truthy() {
				continue
			}
		}
		return c.body(arm.body)
	}
	return sigNone, nil
}

// loop renders the body of a foreach for each item of its source.
func (c *Context) loop(n *node) (signal, *Error) {
	items, err := c.iterable(n.expr)
	if err != nil {
		return sigNone, err
	}
	for _, item := range items {
		if err := c.round(); err != nil {
			return sigNone, err
		}
		c.slots[n.slot] = item
		sig, err := c.body(n.body)
		if err != nil {
			return sigNone, err
		}
		if sig == sigBreak {
			break
		}
		if sig > sigContinue {
			return sig, nil
		}
	}
	return sigNone, nil
}

// iterable evaluates the source of a loop.
func (c *Context) iterable(src expr) ([]Value, *Error) {
	v, err := src.eval(c)
	if err != nil {
		return nil, err
	}
	if v.kind != KindArray {
		e := c.fail(NotIterable, src.span(), "foreach requires an array, got %s", v.kind)
		if v.kind == KindString {
			e.Hint = "wrap a single value as [value]"
		}
		return nil, e
	}
	return v.items(), nil
}

// round counts one round of a loop.
func (c *Context) round() *Error {
	if c.rounds >= c.limits.Iterations {
		return limitError(c.prog, "%d loop iterations", c.limits.Iterations)
	}
	c.rounds++
	return c.work(1)
}

// settle finishes a node that owns its line and printed the output from mark
// on; start is where its body began. It reports whether the line break after
// the node goes away.
func (c *Context) settle(n *node, start, mark int) bool {
	if !blank(c.out[mark:]) {
		return c.out[len(c.out)-1] == '\n'
	}
	c.fuel -= (len(c.out) - mark) >> 4 // looking for white space takes longer than copying
	out := c.out[:mark]
	out = out[:len(out)-indent(out[start:])]
	if n.last {
		out = out[:len(out)-trailingBreak(out[start:])]
	}
	c.out = out
	return true
}

// print writes the text of a value to the output.
func (c *Context) print(v Value) *Error {
	if v.kind == KindString {
		return c.write(v.str())
	}
	if v.kind == KindNone {
		return nil
	}
	mark := len(c.out)
	c.out = appendText(c.out, v, c.limits.OutputBytes)
	if len(c.out) > c.limits.OutputBytes {
		return c.tooLong()
	}
	c.fuel -= (len(c.out) - mark) >> 6
	return nil
}

// write appends to the output. The work is counted here and looked at with
// the next node.
func (c *Context) write(s string) *Error {
	if len(s) > c.limits.OutputBytes-len(c.out) {
		return c.tooLong()
	}
	c.out = append(c.out, s...)
	c.fuel -= len(s) >> 6
	return nil
}

func (c *Context) tooLong() *Error {
	return limitError(c.prog, "%d bytes of output", c.limits.OutputBytes)
}

// lineStart reports whether b ends at the beginning of a line, apart from
// spaces and tabs.
func lineStart(b []byte) bool {
	i := len(b) - indent(b)
	return i == 0 || b[i-1] == '\n'
}

// indent returns the number of spaces and tabs that b ends with.
func indent(b []byte) int {
	i := len(b)
	for i > 0 && (b[i-1] == ' ' || b[i-1] == '\t') {
		i--
	}
	return len(b) - i
}

// trailingBreak returns the length of the line break that b ends with.
func trailingBreak(b []byte) int {
	n := len(b)
	switch {
	case n == 0 || b[n-1] != '\n':
		return 0
	case n > 1 && b[n-2] == '\r':
		return 2
	}
	return 1
}

// blank reports whether b holds nothing but white space.
func blank(b []byte) bool {
	for i := 0; i < len(b); {
		c := b[i]
		if c < utf8.RuneSelf {
			if c != ' ' && (c < '\t' || c > '\r') {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if !unicode.IsSpace(r) {
			return false
		}
		i += n
	}
	return true
}
