package weaver

import (
	"strings"
	"unicode"
)

// rawNode is a node before white space is settled, with its trim markers.
type rawNode struct {
	node
	trimBefore, trimAfter bool
	arms                  []rawBranch // of an if
	inner                 *rawBody    // of a foreach
}

type rawBranch struct {
	cond expr
	body rawBody
}

// rawBody is a body before white space is settled. trimStart and trimEnd come
// from the markers on the tags around it.
type rawBody struct {
	nodes              []rawNode
	trimStart, trimEnd bool
}

// finish applies trim markers and, in the body of a block, the rule for the
// line breaks next to its tags; then it works out which nodes may own their
// line.
func (b *rawBody) finish(block bool) []node {
	nodes := b.nodes
	for i := range nodes {
		if nodes[i].kind != nodeText {
			continue
		}
		text := nodes[i].text
		if i > 0 && nodes[i-1].trimAfter || i == 0 && b.trimStart {
			text = strings.TrimLeftFunc(text, unicode.IsSpace)
		}
		last := i == len(nodes)-1
		if !last && nodes[i+1].trimBefore || last && b.trimEnd {
			text = strings.TrimRightFunc(text, unicode.IsSpace)
		}
		if block && i == 0 {
			text = text[leadingBreak(text):]
		}
		if block && last {
			if t := strings.TrimRight(text, " \t"); strings.HasSuffix(t, "\n") {
				text = t
			}
		}
		nodes[i].text = text
	}
	out := make([]node, 0, len(nodes))
	for i := range nodes {
		n := nodes[i].node
		switch n.kind {
		case nodeText:
			if n.text == "" {
				continue
			}
		case nodeFor:
			n.body = nodes[i].inner.finish(true)
		case nodeIf:
			n.arms = make([]branch, len(nodes[i].arms))
			for j := range n.arms {
				arm := &nodes[i].arms[j]
				n.arms[j] = branch{cond: arm.cond, body: arm.body.finish(true)}
			}
		}
		out = append(out, n)
	}
	for i := range out {
		n := &out[i]
		n.last = i == len(out)-1
		if !n.last && out[i+1].kind == nodeText {
			n.eol = uint8(leadingBreak(out[i+1].text))
		}
		n.mayOwn = len(out) > 1 && (n.last || n.eol > 0)
	}
	return out
}

// leadingBreak returns the length of the line break that s begins with.
func leadingBreak(s string) int {
	switch {
	case strings.HasPrefix(s, "\n"):
		return 1
	case strings.HasPrefix(s, "\r\n"):
		return 2
	}
	return 0
}

// body reads text and constructs up to the end or a tag that belongs to an
// enclosing block, which is left for the caller.
func (p *parser) body() (b rawBody) {
	for !p.atEnd() {
		if text := p.text(); text != "" {
			b.nodes = append(b.nodes, rawNode{node: node{kind: nodeText, text: text}})
			continue
		}
		start := p.pos
		var n rawNode
		ok := true
		switch p.src[p.pos] {
		case '{':
			if p.src[p.pos+1] == '{' {
				n, ok = p.interpolationNode()
				break
			}
			word := p.tagWord()
			if isEndWord(word) {
				return b
			}
			n, ok = p.tag(word)
		case '$':
			n, ok = p.callNode(CommandKind)
		case '@':
			n, ok = p.callNode(ProcessorKind)
		case '[':
			n, ok = p.documentNode()
		default:
			n, ok = p.triggerNode()
		}
		if ok {
			b.nodes = append(b.nodes, n)
		} else if p.pos == start { // always move on
			p.pos++
		}
	}
	return b
}

// text reads text up to the next opener.
func (p *parser) text() string {
	start := p.pos
	i := start
	for ; i < len(p.src); i++ {
		switch p.src[i] {
		case '{':
			if i+1 < len(p.src) && (p.src[i+1] == '{' || p.src[i+1] == '#') {
				goto done
			}
		case '@', '$', '[':
			if i+1 < len(p.src) && p.src[i+1] == '[' {
				goto done
			}
		case '<':
			if opensTrigger(p.src[i:]) {
				goto done
			}
		}
	}
done:
	p.pos = i
	return p.src[start:i]
}

// opensTrigger reports whether s begins with a trigger. A longer word, as in
// <triggerfish>, is text; but <triggerid= is a trigger without its space.
func opensTrigger(s string) bool {
	s, ok := strings.CutPrefix(s, "<trigger")
	if !ok {
		return false
	}
	if s == "" {
		return true
	}
	switch s[0] {
	case ' ', '\t', '\r', '\n', '>', '=', '"', '/':
		return true
	}
	if s, ok = strings.CutPrefix(s, "id"); ok {
		return strings.HasPrefix(strings.TrimLeft(s, " \t\r\n"), "=")
	}
	return false
}

func (p *parser) interpolationNode() (rawNode, bool) {
	e, before, after := p.interpolation()
	if e == nil {
		p.recoverTo("}}")
		return rawNode{}, false
	}
	n := node{kind: nodeExpr, expr: e}
	if v, ok := e.(*varExpr); ok && v.steps == nil {
		n.kind, n.ref = nodeVar, v
	}
	return rawNode{node: n, trimBefore: before, trimAfter: after}, true
}

func (p *parser) callNode(kind CallableKind) (rawNode, bool) {
	e, before, after := p.call(kind)
	if e == nil {
		p.recoverTo("]")
		return rawNode{}, false
	}
	n := node{kind: nodeExpr, expr: e}
	if kind == CommandKind {
		n.kind = nodeCommand
	}
	return rawNode{node: n, trimBefore: before, trimAfter: after}, true
}

func (p *parser) documentNode() (rawNode, bool) {
	start := p.pos
	p.log(tokOpen, start, start+2)
	p.pos += 2
	p.skipSpace()
	e := p.documentFrom(start, true)
	if e == nil {
		p.recoverTo("]]")
		return rawNode{}, false
	}
	return rawNode{node: node{kind: nodeExpr, expr: e}}, true
}

func (p *parser) triggerNode() (rawNode, bool) {
	e := p.trigger()
	if e == nil {
		p.recoverTo(">")
		return rawNode{}, false
	}
	return rawNode{node: node{kind: nodeExpr, expr: e}}, true
}

// Tags.

var (
	tagWords  = []string{"if", "foreach", "break", "continue", "return", "stop", "elif", "else", "endif", "endforeach"}
	flowKinds = map[string]nodeKind{"break": nodeBreak, "continue": nodeContinue, "stop": nodeStop, "return": nodeReturn}
	// otherWords are what people write who know other languages.
	otherWords = map[string]string{
		"for": "foreach", "each": "foreach", "elseif": "elif", "elsif": "elif", "fi": "endif",
		"endfor": "endforeach", "endeach": "endforeach", "exit": "stop", "next": "continue",
	}
)

func isEndWord(w string) bool {
	return w == "elif" || w == "else" || w == "endif" || w == "endforeach"
}

// tagWord returns the keyword of the tag at the position, without moving on.
// A misspelt one is read as what was meant, or the other tags of its block
// would look misplaced; openTag reports it.
func (p *parser) tagWord() string {
	start := p.pos
	p.pos += 2
	p.marker()
	p.skipSpace()
	w := p.ident()
	p.pos = start
	return p.meant(w)
}

// meant returns the keyword that a word stands for, or the word itself.
func (p *parser) meant(w string) string {
	for _, known := range tagWords {
		if strings.EqualFold(w, known) {
			return known
		}
	}
	if known, ok := otherWords[w]; ok {
		return known
	}
	if n := len(p.blocks); w == "end" && n > 0 {
		return p.blocks[n-1]
	}
	if best := closest(w, tagWords); best != "" && len(w) > 1 {
		return best
	}
	return w
}

// openTag reads "{#", a marker and the keyword.
func (p *parser) openTag() (start int, before bool) {
	start = p.pos
	p.pos += 2
	before = p.marker()
	p.log(tokOpen, start, p.pos)
	p.skipSpace()
	at := p.pos
	w := p.ident()
	p.log(tokKeyword, at, p.pos)
	if known := p.meant(w); known != w {
		d := p.errorAt("unknown-tag", between(at, p.pos), "unknown tag %s", quoteSource(w))
		if d.Hint = "did you mean " + known + "?"; strings.EqualFold(w, known) {
			d.Hint = "keywords are lower case: " + known
		}
	}
	return start, before
}

// marker reads a trim marker after an opener. Before a digit the minus is a
// sign.
func (p *parser) marker() bool {
	if p.peek(0) == '-' && !isDigit(p.peek(1)) {
		p.pos++
		return true
	}
	return false
}

// closeTag reads the end of a tag; want says what else might have come.
func (p *parser) closeTag(want string) (after, ok bool) {
	p.skipSpace()
	start := p.pos
	switch {
	case p.at("#}"):
		p.pos += 2
	case p.at("-#}"):
		p.pos += 3
		after = true
	default:
		p.unexpected(want + "#}")
		p.recoverTo("#}")
		return false, false
	}
	p.log(tokClose, start, p.pos)
	return after, true
}

// tag reads a tag and, for a block, everything up to its end.
func (p *parser) tag(word string) (rawNode, bool) {
	switch word {
	case "if":
		return p.ifBlock()
	case "foreach":
		return p.foreachBlock()
	case "break", "continue", "stop", "return":
		return p.flow(word)
	}
	start := p.pos
	p.pos += 2
	p.marker()
	p.skipSpace()
	sp := p.nextSpan()
	switch word {
	case "":
		p.errorAt("unknown-tag", between(start, start+2), "a tag begins with a keyword").
			Hint = "such as {# if … #}, {# foreach … in … #} or {# endif #}"
	case "set", "let", "var":
		p.errorAt("unknown-tag", sp, "unknown tag %s", quoteSource(word)).
			Hint = `set a variable with $[set_var("scope:name", value)]`
	default:
		p.errorAt("unknown-tag", sp, "unknown tag %s", quoteSource(word)).
			Hint = "there are " + strings.Join(tagWords, ", ")
	}
	p.recoverTo("#}")
	return rawNode{}, false
}

func (p *parser) flow(word string) (rawNode, bool) {
	start, before := p.openTag()
	n := rawNode{node: node{kind: flowKinds[word]}, trimBefore: before}
	if word == "return" {
		p.skipSpace()
		if !p.at("#}") && !p.at("-#}") {
			if n.expr = p.expression(); n.expr == nil {
				p.recoverTo("#}")
				return n, false
			}
		}
	}
	want := ""
	if n.expr != nil {
		want = "an operator or "
	}
	after, ok := p.closeTag(want)
	n.trimAfter = after
	if (word == "break" || word == "continue") && p.inLoop == 0 {
		d := p.errorAt("misplaced-"+word, between(start, p.pos), "%s outside a foreach", word)
		if word == "break" {
			d.Hint = "stop ends the template and keeps its text; return ends it and discards the text"
		}
	}
	return n, ok
}

func (p *parser) ifBlock() (rawNode, bool) {
	start, before := p.openTag()
	cond, after := p.condition()
	return p.ifRest(start, cond, before, after)
}

// condition reads the condition of an if or elif and the end of its tag. On
// an error it returns a stand-in, so that the block is read on.
func (p *parser) condition() (cond expr, after bool) {
	p.skipSpace()
	if cond = p.expression(); cond == nil {
		p.recoverTo("#}")
		return &constExpr{}, false
	}
	after, _ = p.closeTag("an operator or ")
	return cond, after
}

// ifRest reads the arms of an if whose opening tag has been read.
func (p *parser) ifRest(start int, cond expr, before, after bool) (rawNode, bool) {
	open := between(start, p.pos)
	n := rawNode{node: node{kind: nodeIf}, trimBefore: before}
	hasElse := false
	if !p.enter() {
		return n, false
	}
	defer p.leave()
	p.blocks = append(p.blocks, "endif")
	defer func() { p.blocks = p.blocks[:len(p.blocks)-1] }()
	for {
		body := p.body()
		body.trimStart = after
		n.arms = append(n.arms, rawBranch{cond: cond, body: body})
		if p.atEnd() {
			p.neverClosed(open, "if", "{# endif #}")
			return n, false
		}
		word, at := p.tagWord(), p.pos
		if word == "endforeach" {
			if p.belongsOutside(word) {
				p.errorAt("unclosed-block", open, "this if is not closed before {# endforeach #}").Hint = "write {# endif #} first"
				return n, true
			}
			p.strayTag()
			continue
		}
		_, left := p.openTag()
		n.arms[len(n.arms)-1].body.trimEnd = left
		switch word {
		case "endif":
			n.trimAfter, _ = p.closeTag("")
			for i := range n.arms {
				n.arms[i].body.trimEnd = n.arms[i].body.trimEnd || left
			}
			return n, true
		case "elif":
			cond, after = p.condition()
			if hasElse {
				p.errorAt("misplaced-elif", between(at, p.pos), "elif after else").Hint = "move the else to the end"
			}
		case "else":
			cond, after = p.elseTag(at)
			if hasElse {
				p.errorAt("misplaced-else", between(at, p.pos), "this if has an else already")
			}
			hasElse = cond == nil
		}
	}
}

// elseTag reads the rest of an else tag. An "else if" is reported and read as
// elif.
func (p *parser) elseTag(start int) (cond expr, after bool) {
	p.skipSpace()
	at := p.pos
	if p.ident() == "if" {
		p.errorAt("else-if", between(start, p.pos), "there is no else if").Hint = "write {# elif … #}"
		return p.condition()
	}
	p.pos = at
	after, _ = p.closeTag("")
	return nil, after
}

// neverClosed reports a block whose end tag is missing.
func (p *parser) neverClosed(open Span, what, end string) {
	p.errorAt("unclosed-block", open, "this %s is never closed", what).Hint = "write " + end + " where it ends"
}

// belongsOutside reports whether a block around the innermost one waits for
// an end tag.
func (p *parser) belongsOutside(word string) bool {
	for _, w := range p.blocks[:len(p.blocks)-1] {
		if w == word {
			return true
		}
	}
	return false
}

// strayTag reports and skips a tag that belongs to no block.
func (p *parser) strayTag() {
	start := p.pos
	word := p.tagWord()
	p.openTag()
	if word == "elif" {
		p.condition()
	} else {
		p.closeTag("")
	}
	opener := "if"
	if word == "endforeach" {
		opener = "foreach"
	}
	p.errorAt("misplaced-"+word, between(start, p.pos), "%s without %s", word, opener)
}

func (p *parser) foreachBlock() (rawNode, bool) {
	start, before := p.openTag()
	name, src, ok := p.loopHead()
	after := false
	if ok {
		after, _ = p.closeTag("an operator or ")
	} else {
		p.recoverTo("#}")
	}
	slot := p.bind(name)
	return p.foreachRest(start, slot, src, before, after)
}

// loopHead reads "name in source" of a foreach.
func (p *parser) loopHead() (name string, src expr, ok bool) {
	p.skipSpace()
	at := p.pos
	if name = p.ident(); name == "" {
		p.unexpected("a name for the items")
		return "", nil, false
	}
	p.log(tokOperand, at, p.pos)
	switch name {
	case "true", "false", "none", "null":
		p.warnAt("unreadable-binding", between(at, p.pos), "%s cannot be read inside the loop, where it is the literal", name).
			Hint = "choose another name"
	}
	if p.peek(0) == ':' {
		p.errorAt("scoped-binding", between(at, p.pos+1), "the name of the items has no scope").Hint = "write a bare name"
		return name, nil, false
	}
	p.skipSpace()
	at = p.pos
	if p.ident() != "in" {
		p.pos = at
		p.unexpected("in")
		if n := len(p.list); n > 0 && p.list[n-1].Hint == "" {
			p.list[n-1].Hint = "a loop is {# foreach name in source #}"
		}
		return name, nil, false
	}
	p.log(tokKeyword, at, p.pos)
	p.skipSpace()
	src = p.expression()
	return name, src, src != nil
}

// bind opens the scope of a loop and returns the slot of its name.
func (p *parser) bind(name string) int {
	p.loops = append(p.loops, name)
	p.slots = max(p.slots, len(p.loops))
	return len(p.loops) - 1
}

func (p *parser) unbind() { p.loops = p.loops[:len(p.loops)-1] }

// foreachRest reads the body of a foreach whose opening tag has been read and
// whose name is bound.
func (p *parser) foreachRest(start, slot int, src expr, before, after bool) (rawNode, bool) {
	open := between(start, p.pos)
	n := rawNode{node: node{kind: nodeFor, slot: int32(slot), expr: src}, trimBefore: before}
	defer p.unbind()
	if !p.enter() {
		return n, false
	}
	defer p.leave()
	p.blocks = append(p.blocks, "endforeach")
	p.inLoop++
	defer func() { p.blocks = p.blocks[:len(p.blocks)-1]; p.inLoop-- }()
	n.inner = &rawBody{trimStart: after}
	for {
		b := p.body()
		n.inner.nodes = append(n.inner.nodes, b.nodes...)
		if p.atEnd() {
			p.neverClosed(open, "foreach", "{# endforeach #}")
			return n, false
		}
		word := p.tagWord()
		if word == "endforeach" {
			_, n.inner.trimEnd = p.openTag()
			n.trimAfter, _ = p.closeTag("")
			return n, true
		}
		if p.belongsOutside("endif") {
			p.errorAt("unclosed-block", open, "this foreach is not closed before {# %s #}", word).Hint = "write {# endforeach #} first"
			return n, true
		}
		p.strayTag()
	}
}
