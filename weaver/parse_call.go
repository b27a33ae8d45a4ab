package weaver

import "strings"

// Calls, triggers and documents.

// call reads $[name(…)] or @[ns.name(…)].
func (p *parser) call(kind CallableKind) (e expr, before, after bool) {
	if !p.enter() {
		return nil, false, false
	}
	defer p.leave()
	start := p.pos
	p.pos += 2
	before = p.marker()
	p.log(tokOpen, start, p.pos)
	p.skipSpace()
	at := p.pos
	if p.ident() == "" {
		p.unexpected("the name of a " + string(kind))
		return nil, false, false
	}
	for p.peek(0) == '.' {
		if kind == CommandKind {
			p.errorAt("dotted-command", between(at, p.pos+1), "the name of a command has no dots").Hint = "processors have: @[ns.name(…)]"
			return nil, false, false
		}
		p.pos++
		if p.ident() == "" {
			p.unexpected("a name after the dot")
			return nil, false, false
		}
	}
	name := p.src[at:p.pos]
	p.log(tokOperand, at, p.pos)
	if p.peek(0) != '(' {
		p.unexpected("( right after " + shorten(name))
		return nil, false, false
	}
	c := &callExpr{kind: kind, name: name}
	if !p.arguments(c) {
		return nil, false, false
	}
	p.skipSpace()
	at = p.pos
	switch {
	case p.peek(0) == ']':
		p.pos++
	case p.at("-]"):
		p.pos += 2
		after = true
	default:
		p.unclosed("]", string(kind), between(start, start+2))
		return nil, false, false
	}
	p.log(tokClose, at, p.pos)
	c.place = placeOf(start, p.pos)
	p.mentionCall(c)
	return c, before, after
}

// arguments reads "(" args ")".
func (p *parser) arguments(c *callExpr) bool {
	p.log(tokLCall, p.pos, p.pos+1)
	p.pos++
	p.skipSpace()
	for done := p.peek(0) == ')'; !done; {
		start := p.pos
		name := p.argumentName()
		switch {
		case name == "" && c.argNames != nil:
			p.errorAt("positional-after-named", p.nextSpan(), "a positional argument after a named one").
				Hint = "put it in front, or give it a name"
			return false
		case name != "":
			if c.argNames == nil {
				c.argNames = make([]string, len(c.args))
			}
			for _, other := range c.argNames {
				if other == name {
					p.errorAt("duplicate-argument", between(start, start+len(name)), "the argument %s is given twice", name)
					return false
				}
			}
		}
		e := p.expression()
		if e == nil {
			return false
		}
		c.args = append(c.args, e)
		if c.argNames != nil {
			c.argNames = append(c.argNames, name)
		}
		var ok bool
		if done, ok = p.separator(")", "an operator, a comma or )"); !ok {
			return false
		}
	}
	p.log(tokRParen, p.pos, p.pos+1)
	p.pos++
	return true
}

// argumentName reads "name:" in front of an argument, if it is there.
func (p *parser) argumentName() string {
	start := p.pos
	name := p.ident()
	if name == "" {
		return ""
	}
	end := p.pos
	p.skipSpace()
	if p.peek(0) != ':' {
		p.pos = start
		return ""
	}
	p.log(tokOperand, start, end)
	p.log(tokColon, p.pos, p.pos+1)
	p.pos++
	p.skipSpace()
	return name
}

// mentionCall notes a call for checkers.
func (p *parser) mentionCall(c *callExpr) {
	if p.facts == nil {
		return
	}
	use := CallUse{Kind: c.kind, Name: c.name, Span: c.span()}
	for i, name := range c.names() {
		a := ArgUse{Name: name, Span: c.args[i].span()}
		if k, ok := c.args[i].(*constExpr); ok {
			a.Literal = k.val
		} else {
			a.Computed = true
		}
		use.Args = append(use.Args, a)
	}
	p.facts.calls = append(p.facts.calls, use)
}

// mentionID notes a document or trigger for checkers.
func (p *parser) mentionID(list *[]IDUse, id expr, sp Span) {
	use := IDUse{Span: sp, Dynamic: true}
	if k, ok := id.(*constExpr); ok {
		if s, ok := k.val.AsString(); ok {
			use.ID, use.Dynamic = s, false
		}
	}
	*list = append(*list, use)
}

// trigger reads <trigger id=…>.
func (p *parser) trigger() expr {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	start := p.pos
	p.pos += len("<trigger")
	p.log(tokOpen, start, p.pos)
	glued := isIdentStart(p.peek(0))
	p.skipSpace()
	at := p.pos
	if p.ident() != "id" {
		p.pos = at
		p.unexpected(`id="…"`)
		return nil
	}
	if glued {
		p.warnAt("glued-trigger", between(start, p.pos), "there is no space between trigger and id").Hint = `write <trigger id="…">`
	}
	p.log(tokKeyword, at, p.pos)
	p.skipSpace()
	if p.peek(0) != '=' {
		p.unexpected("=")
		return nil
	}
	p.log(tokEq, p.pos, p.pos+1)
	p.pos++
	p.skipSpace()
	var id expr
	switch c := p.peek(0); {
	case c == '"':
		id = p.stringLiteral()
	case c == '(', p.at("{{"), p.at("@["), p.at("$["):
		id = p.idHead()
	default:
		p.unexpected("the id in quotes, or a computed one in parentheses")
	}
	if id == nil {
		return nil
	}
	p.skipSpace()
	if p.peek(0) != '>' {
		p.unclosed(">", "trigger", between(start, start+len("<trigger")))
		if n := len(p.list); n > 0 && p.list[n-1].Hint == "" && !p.atEnd() {
			p.list[n-1].Hint = "a computed id stands in parentheses: id=(…)"
		}
		return nil
	}
	p.log(tokClose, p.pos, p.pos+1)
	p.pos++
	e := &triggerExpr{placeOf(start, p.pos), id}
	if p.facts != nil {
		p.mentionID(&p.facts.trigs, id, e.span())
	}
	return e
}

// idHead reads what may compute the id of a trigger or document: {{ }}, a
// call, or a group.
func (p *parser) idHead() expr {
	switch {
	case p.at("{{"):
		e, _, _ := p.interpolation()
		return e
	case p.at("@["):
		return p.callExprOrNil(ProcessorKind)
	case p.at("$["):
		return p.callExprOrNil(CommandKind)
	}
	return p.group()
}

// documentOrArray reads what begins with [[ in an expression: a document, or
// an array whose first element is an array. Its head is read once and then
// used either way.
func (p *parser) documentOrArray() expr {
	start := p.pos
	p.pos += 2
	p.skipSpace()
	c := p.peek(0)
	switch {
	case isIdentStart(c):
		p.ident()
		p.skipSpace()
		if !p.at("]]") {
			break
		}
		p.pos = start + 2
		p.log(tokOpen, start, start+2)
		p.skipSpace()
		return p.documentFrom(start, false)
	case c == '(', p.at("{{") && p.peek(2) != '#', p.at("@["), p.at("$["):
		return p.computedDocumentOrArray(start)
	}
	p.pos = start
	return p.array()
}

func (p *parser) computedDocumentOrArray(start int) expr {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	if !p.enter() {
		return nil
	}
	defer p.leave()
	mark := 0
	if p.tokens != nil { // a guess; put right below if it is an array
		mark = len(*p.tokens)
	}
	p.log(tokOpen, start, start+2)
	head := p.idHead()
	if head == nil {
		return nil
	}
	end := p.pos
	p.skipSpace()
	if p.at("]]") {
		return p.endDocument(start, head)
	}
	p.pos = end
	inner := start + 1
	for p.src[inner] != '[' {
		inner++
	}
	if p.tokens != nil {
		(*p.tokens)[mark] = token{tokLBracket, start, start + 1}
		*p.tokens = append(*p.tokens, token{})
		copy((*p.tokens)[mark+2:], (*p.tokens)[mark+1:])
		(*p.tokens)[mark+1] = token{tokLBracket, inner, inner + 1}
	}
	first := p.postfix(head)
	if first != nil {
		first = p.climb(first, lowestPrecedence)
	}
	if first == nil {
		return nil
	}
	array := p.arrayRest(inner, first)
	if array == nil {
		return nil
	}
	if array = p.postfix(array); array != nil {
		array = p.climb(array, lowestPrecedence)
	}
	if array == nil {
		return nil
	}
	return p.arrayRest(start, array)
}

// documentFrom reads a document after its [[ and white space. top says that
// it stands in text, where nothing else can begin so.
func (p *parser) documentFrom(start int, top bool) expr {
	at := p.pos
	if name := p.ident(); name != "" {
		id := &constExpr{placeOf(at, p.pos), String(name)}
		p.log(tokOperand, at, p.pos)
		p.skipSpace()
		if p.at("]]") {
			return p.endDocument(start, id)
		}
		p.badDocumentName(at)
		return nil
	}
	switch c := p.peek(0); {
	case c == '(', p.at("{{"), p.at("@["), p.at("$["):
		id := p.idHead()
		if id == nil {
			return nil
		}
		p.skipSpace()
		if p.at("]]") {
			return p.endDocument(start, id)
		}
		p.unclosed("]]", "document", between(start, start+2))
		return nil
	}
	if top {
		p.badDocumentName(at)
	}
	return nil
}

func (p *parser) endDocument(start int, id expr) expr {
	p.log(tokClose, p.pos, p.pos+2)
	p.pos += 2
	e := &documentExpr{placeOf(start, p.pos), id}
	if p.facts != nil {
		p.mentionID(&p.facts.docs, id, e.span())
	}
	return e
}

// badDocumentName reports what stands in [[ ]] where a name should, and how
// to write an id that is not a plain name.
func (p *parser) badDocumentName(at int) {
	inside, _, closed := strings.Cut(p.src[at:], "]]")
	inside = strings.TrimSpace(inside)
	if !closed || strings.Contains(inside, "\n") || len(inside) > 80 {
		p.unclosed("]] after the name of a document", "document", between(at-2, at))
		return
	}
	d := p.errorAt("bad-document-id", between(at, at+len(inside)), "the id of a document is a plain name, or computed in parentheses")
	if inside != "" && !strings.ContainsAny(inside, "()[]{},") {
		d.Hint = `write [[("` + strings.Trim(inside, `"'`) + `")]]`
	}
}
