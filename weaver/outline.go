package weaver

import (
	"strconv"
	"strings"
)

// outline writes the compiled form of a program without places: two sources
// with the same outline do the same.
func outline(p *program) string {
	var o outliner
	if p.root != nil {
		o.expr(p.root)
	}
	o.body(p.body)
	return o.String()
}

type outliner struct{ strings.Builder }

func (o *outliner) word(s string) {
	o.WriteByte(' ')
	o.WriteString(s)
}

func (o *outliner) quote(s string) { o.word(strconv.Quote(s)) }
func (o *outliner) number(n int)   { o.word(strconv.Itoa(n)) }

func (o *outliner) list(name string, write func()) {
	o.word("(" + name)
	write()
	o.WriteByte(')')
}

func (o *outliner) body(nodes []node) {
	for i := range nodes {
		n := &nodes[i]
		o.list("node", func() {
			o.number(int(n.kind))
			o.number(int(n.slot))
			o.number(int(n.eol))
			o.word(strconv.FormatBool(n.mayOwn))
			o.word(strconv.FormatBool(n.last))
			o.quote(n.text)
			if n.expr != nil {
				o.expr(n.expr)
			}
			for j := range n.arms {
				o.list("arm", func() {
					if n.arms[j].cond != nil {
						o.expr(n.arms[j].cond)
					}
					o.list("body", func() { o.body(n.arms[j].body) })
				})
			}
			o.list("body", func() { o.body(n.body) })
		})
	}
}

func (o *outliner) items(items []item) {
	for i := range items {
		it := &items[i]
		o.list("item", func() {
			o.number(int(it.kind))
			o.number(int(it.slot))
			o.quote(it.key)
			if it.expr != nil {
				o.expr(it.expr)
			}
			for j := range it.arms {
				o.list("arm", func() {
					if it.arms[j].cond != nil {
						o.expr(it.arms[j].cond)
					}
					o.list("items", func() { o.items(it.arms[j].body) })
				})
			}
			o.list("items", func() { o.items(it.body) })
		})
	}
}

func (o *outliner) steps(steps []step) {
	for i := range steps {
		s := &steps[i]
		switch s.kind {
		case stepKey:
			o.quote(s.key)
		case stepIndex:
			o.word(Number(s.index).Text())
		default:
			o.list("at", func() { o.expr(s.expr) })
		}
	}
}

func (o *outliner) value(v Value) {
	o.word(v.Kind().String())
	o.quote(v.Text())
}

func (o *outliner) expr(e expr) {
	switch e := e.(type) {
	case *constExpr:
		o.value(e.val)
	case *varExpr:
		o.list("var", func() {
			o.quote(e.scope)
			o.quote(e.name)
			o.word(strconv.FormatBool(e.bare))
			o.steps(e.steps)
		})
	case *loopExpr:
		o.list("loop", func() { o.number(e.slot); o.word(strconv.FormatBool(e.local)); o.steps(e.steps) })
	case *unboundExpr:
		o.list("unbound", func() { o.quote(e.name); o.steps(e.steps) })
	case *indexExpr:
		o.list("index", func() { o.expr(e.x); o.steps(e.steps) })
	case *notExpr:
		o.list("not", func() { o.word(strconv.FormatBool(e.twice)); o.expr(e.x) })
	case *negExpr:
		o.list("neg", func() { o.expr(e.x) })
	case *binaryExpr:
		o.list(operatorText[e.op], func() {
			o.expr(e.x)
			if e.y != nil {
				o.expr(e.y)
			} else {
				o.value(e.k)
			}
		})
	case *chainExpr:
		o.list("chain", func() {
			o.expr(e.first)
			for _, l := range e.rest {
				o.word(operatorText[l.op])
				o.expr(l.y)
			}
		})
	case *logicExpr:
		o.list("logic", func() {
			o.word(strconv.FormatBool(e.or))
			for _, t := range e.terms {
				o.expr(t)
			}
		})
	case *arrayExpr:
		o.list("array", func() { o.items(e.items) })
	case *objectExpr:
		o.list("object", func() { o.items(e.items) })
	case *callExpr:
		o.list(string(e.kind), func() {
			o.quote(e.name)
			for i, name := range e.names() {
				o.quote(name)
				o.expr(e.args[i])
			}
		})
	case *triggerExpr:
		o.list("trigger", func() { o.expr(e.id) })
	case *documentExpr:
		o.list("document", func() { o.expr(e.id) })
	}
}
