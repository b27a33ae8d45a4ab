package weaver

import (
	"slices"
	"strings"
)

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// The functions below return nil after reporting an error.

// expression reads a whole expression.
func (p *parser) expression() expr {
	left := p.unary()
	if left == nil {
		return nil
	}
	return p.climb(left, lowestPrecedence)
}

// climb reads the operators of at least a precedence that follow left, by
// precedence climbing; a run of operators of one precedence becomes one node.
func (p *parser) climb(left expr, lowest int) expr {
	for {
		op, n := p.operator()
		if n == 0 || precedence[op] < lowest {
			return left
		}
		prec := precedence[op]
		var rest []link
		for n > 0 && precedence[op] == prec {
			p.log(tokBinary, p.pos, p.pos+n)
			p.pos += n
			p.skipSpace()
			right := p.unary()
			if right == nil {
				return nil
			}
			if prec < highestPrecedence {
				if right = p.climb(right, prec+1); right == nil {
					return nil
				}
			}
			rest = append(rest, link{op, right})
			op, n = p.operator()
		}
		left = chain(left, rest)
	}
}

// chain makes the node for a run of operators of one precedence.
func chain(first expr, rest []link) expr {
	sp := placeOf(first.span().Start, rest[len(rest)-1].y.span().End)
	switch op := rest[0].op; {
	case op == opAnd || op == opOr:
		terms := make([]expr, 1, 1+len(rest))
		terms[0] = first
		for _, l := range rest {
			terms = append(terms, l.y)
		}
		return &logicExpr{place: sp, or: op == opOr, terms: terms}
	case len(rest) == 1:
		e := &binaryExpr{place: sp, op: op, x: first, y: rest[0].y}
		if k, ok := e.y.(*constExpr); ok {
			e.y, e.k = nil, k.val
		}
		if v, ok := first.(*varExpr); ok && v.steps == nil {
			e.ref = v
		}
		return e
	}
	return &chainExpr{place: sp, first: first, rest: rest}
}

// operator looks for a binary operator on the line and returns it with its
// length, which is 0 if there is none.
func (p *parser) operator() (operator, int) {
	p.skipInline()
	c, d := p.peek(0), p.peek(1)
	switch c {
	case '+':
		if d == '+' {
			return 0, 0
		}
		return opAdd, 1
	case '-':
		if e := p.peek(2); e == '}' && (d == '}' || d == '#') { // a trim marker
			return 0, 0
		}
		return opSub, 1
	case '*':
		return opMul, 1
	case '/':
		if d != '/' {
			return opDiv, 1
		}
	case '%':
		return opMod, 1
	case '<':
		if d == '=' {
			return opLessEq, 2
		}
		return opLess, 1
	case '>':
		if d == '=' {
			return opGreaterEq, 2
		}
		return opGreater, 1
	case '=':
		if d == '=' {
			return opEq, 2
		}
	case '!':
		if d == '=' {
			return opNotEq, 2
		}
	case '&':
		if d == '&' {
			return opAnd, 2
		}
	case '|':
		if d == '|' {
			return opOr, 2
		}
	}
	return 0, 0
}

// unary reads an operand with its prefix operators.
func (p *parser) unary() expr {
	switch p.peek(0) {
	case '!':
		start := p.pos
		nots := 0
		for p.peek(0) == '!' {
			p.log(tokUnary, p.pos, p.pos+1)
			p.pos++
			nots++
			p.skipSpace()
		}
		x := p.unary() // no further !: at most a minus
		if x == nil {
			return nil
		}
		return &notExpr{place: placeOf(start, x.span().End), x: x, twice: nots%2 == 0}
	case '-':
		if isDigit(p.peek(1)) {
			break
		}
		start := p.pos
		p.log(tokUnary, p.pos, p.pos+1)
		p.pos++
		p.skipSpace()
		x := p.operand()
		if x == nil {
			return nil
		}
		return &negExpr{place: placeOf(start, x.span().End), x: x}
	}
	return p.operand()
}

// operand reads an atom with its subscripts and fields.
func (p *parser) operand() expr {
	x := p.atom()
	if x == nil {
		return nil
	}
	return p.postfix(x)
}

// postfix reads the subscripts and fields that follow x without a space.
func (p *parser) postfix(x expr) expr {
	// Only what follows a bare reference belongs to it: {{a:b}}.c and (a:b).c
	// step into a value.
	sp := x.span()
	direct := sp.End == p.pos && isIdentStart(p.src[sp.Start])
	var steps []step
	for {
		start := p.pos
		switch {
		case p.peek(0) == '.' && isIdentStart(p.peek(1)):
			p.pos++
			steps = append(steps, step{kind: stepKey, key: p.ident()})
			p.log(tokGlued, start, p.pos)
		case p.peek(0) == '[':
			s, ok := p.subscript()
			if !ok {
				return nil
			}
			steps = append(steps, s)
		default:
			switch {
			case direct:
				x = withSteps(x, steps, p.pos)
				p.mention(x)
			case steps != nil:
				x = &indexExpr{place: placeOf(sp.Start, p.pos), x: x, steps: steps}
			}
			return x
		}
	}
}

// withSteps adds steps, if any, to what a name stands for.
func withSteps(x expr, steps []step, end int) expr {
	if steps == nil {
		return x
	}
	sp := placeOf(x.span().Start, end)
	switch e := x.(type) {
	case *varExpr:
		e.steps, e.place = steps, sp
		return e
	case *loopExpr:
		e.steps, e.place = steps, sp
		return e
	case *unboundExpr:
		e.steps, e.place = steps, sp
		return e
	}
	return &indexExpr{place: sp, x: x, steps: steps}
}

func (p *parser) subscript() (step, bool) {
	if !p.enter() {
		return step{}, false
	}
	defer p.leave()
	p.log(tokLSub, p.pos, p.pos+1)
	p.pos++
	p.skipSpace()
	e := p.expression()
	if e == nil {
		return step{}, false
	}
	p.skipSpace()
	if p.peek(0) != ']' {
		p.unexpected("an operator or ]")
		return step{}, false
	}
	p.log(tokRBracket, p.pos, p.pos+1)
	p.pos++
	if k, ok := e.(*constExpr); ok {
		switch k.val.kind {
		case KindString:
			return step{kind: stepKey, key: k.val.str()}, true
		case KindNumber:
			return step{kind: stepIndex, index: k.val.num()}, true
		}
	}
	return step{kind: stepComputed, expr: e}, true
}

// mention notes a reference for checkers.
func (p *parser) mention(x expr) {
	if p.facts == nil {
		return
	}
	switch e := x.(type) {
	case *varExpr:
		p.facts.refs = append(p.facts.refs, Reference{
			Scope: e.scope, Name: e.name, Span: e.span(),
			Path: pathText(e.scope+":"+e.name, e.steps),
		})
	case *unboundExpr:
		p.facts.refs = append(p.facts.refs, Reference{
			Name: e.name, Span: e.span(), Path: pathText(e.name, e.steps),
		})
	}
}

func (p *parser) atom() expr {
	start := p.pos
	c := p.peek(0)
	switch {
	case c == '"':
		return p.stringLiteral()
	case isDigit(c) || c == '-' && isDigit(p.peek(1)):
		return p.number()
	case c == 'r' && p.atRaw():
		return p.rawString()
	case isIdentStart(c):
		return p.word()
	case c == '(':
		return p.group()
	case p.at("[["):
		return p.documentOrArray()
	case c == '[':
		return p.array()
	case p.at("{{") && p.peek(2) != '#':
		e, _, _ := p.interpolation()
		return e
	case p.at("{#"):
		p.errorAt("misplaced-block", between(start, start+2), "a block cannot stand in an expression").
			Hint = "blocks that yield items go inside [ ] or { }"
		return nil
	case c == '{':
		return p.object()
	case p.at("$["):
		return p.callExprOrNil(CommandKind)
	case p.at("@["):
		return p.callExprOrNil(ProcessorKind)
	case p.at("<trigger"):
		return p.trigger()
	}
	p.unexpected("an expression")
	return nil
}

func (p *parser) callExprOrNil(kind CallableKind) expr {
	e, _, _ := p.call(kind)
	return e
}

// group reads a parenthesised expression. The parentheses leave no trace in
// the tree.
func (p *parser) group() expr {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	open := between(p.pos, p.pos+1)
	p.log(tokLParen, p.pos, p.pos+1)
	p.pos++
	p.skipSpace()
	e := p.expression()
	if e == nil {
		return nil
	}
	p.skipSpace()
	if p.peek(0) != ')' {
		p.unclosed("an operator or )", "parenthesis", open)
		return nil
	}
	p.log(tokRParen, p.pos, p.pos+1)
	p.pos++
	return e
}

// unclosed reports that something is not closed where it should be; at the
// end of the source it points at the opener.
func (p *parser) unclosed(want, what string, open Span) {
	if p.atEnd() && !p.fatal {
		d := p.errorAt("unclosed", open, "this %s is never closed", what)
		line, _, _ := strings.Cut(p.src[open.Start:], "\n")
		if strings.Contains(line, "//") {
			d.Hint = "// begins a comment, which runs to the end of the line"
		}
		return
	}
	p.unexpected(want)
}

// interpolation reads {{ … }}. What is inside takes the span of the whole.
func (p *parser) interpolation() (e expr, before, after bool) {
	if !p.enter() {
		return nil, false, false
	}
	defer p.leave()
	start := p.pos
	p.pos += 2
	before = p.marker()
	p.log(tokOpen, start, p.pos)
	p.skipSpace()
	if p.at("}}") {
		p.errorAt("empty", between(start, p.pos+2), "there is nothing between the braces").Hint = "name a variable, as in {{world:town}}"
		return nil, false, false
	}
	if e = p.expression(); e == nil {
		return nil, false, false
	}
	newline := p.skipSpace()
	at := p.pos
	switch {
	case p.at("}}"):
		p.pos += 2
	case p.at("-}}"):
		p.pos += 3
		after = true
	case newline && !p.atEnd():
		d := p.errorAt("unclosed", between(start, e.span().End), "this {{ is not closed")
		d.Hint = "write }} where the expression ends"
		if _, n := p.operator(); n > 0 {
			d.Hint = "a line may break after an operator, not before it"
		}
		return nil, false, false
	default:
		p.unclosed("an operator or }}", "{{", between(start, start+2))
		return nil, false, false
	}
	p.log(tokClose, at, p.pos)
	e.setSpan(between(start, p.pos))
	return e, before, after
}

// word reads what begins with a name: a literal keyword, a variant or a
// reference.
func (p *parser) word() expr {
	start := p.pos
	name := p.ident()
	switch name {
	case "true", "false":
		p.log(tokOperand, start, p.pos)
		return &constExpr{placeOf(start, p.pos), Bool(name == "true")}
	case "none", "null":
		p.log(tokOperand, start, p.pos)
		return &constExpr{placeOf(start, p.pos), None}
	}
	switch {
	case p.peek(0) == '(':
		p.log(tokOperand, start, p.pos)
		return p.variant(start, name)
	case p.peek(0) == ':' && isIdentStart(p.peek(1)):
		p.pos++
		scope := name
		name = p.ident()
		p.log(tokOperand, start, p.pos)
		if scope == "local" {
			if slot := p.binding(name); slot >= 0 {
				return &loopExpr{place: placeOf(start, p.pos), slot: slot, name: name, local: true}
			}
		}
		return p.variable(start, scope, name)
	case p.peek(0) == ':':
		p.log(tokOperand, start, p.pos)
		p.pos++
		at := p.pos
		p.skipSpace()
		next := p.ident()
		if next == "" {
			p.pos = at
			p.unexpected("the name of a variable in scope " + name)
			return nil
		}
		p.errorAt("space-in-reference", between(start, p.pos), "a reference has no space after its colon").
			Hint = "write " + name + ":" + next
		return nil
	}
	p.log(tokOperand, start, p.pos)
	if slot := p.binding(name); slot >= 0 {
		return &loopExpr{place: placeOf(start, p.pos), slot: slot, name: name}
	}
	stepped := p.peek(0) == '[' || p.peek(0) == '.' && isIdentStart(p.peek(1))
	if (name == "char" || name == "user") && !p.cfg.noNames && !stepped {
		e := p.variable(start, name, "name")
		e.bare = true
		return e
	}
	return &unboundExpr{place: placeOf(start, p.pos), name: name, hint: p.unboundHint(name)}
}

func (p *parser) variable(start int, scope, name string) *varExpr {
	id := slices.Index(p.scopes, scope)
	if id < 0 {
		id = len(p.scopes)
		p.scopes = append(p.scopes, scope)
	}
	return &varExpr{place: placeOf(start, p.pos), scope: scope, name: name, scopeID: int32(id)}
}

// unboundHint guesses what a bare name that no loop binds was meant to be.
func (p *parser) unboundHint(name string) string {
	if best := closest(name, p.loops); best != "" {
		return "did you mean " + best + "?"
	}
	if best := closest(name, []string{"true", "false", "none", "char", "user"}); best != "" && len(name) > 2 {
		return "did you mean " + best + "?"
	}
	if p.peek(0) == '.' && (name == "char" || name == "user") {
		return "write " + name + ": with a colon"
	}
	return "a variable needs its scope, as in state:" + name
}

// binding returns the slot of the innermost loop that binds a name, -1 if
// none does.
func (p *parser) binding(name string) int {
	for i := len(p.loops) - 1; i >= 0; i-- {
		if p.loops[i] == name {
			return i
		}
	}
	return -1
}
