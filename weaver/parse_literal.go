package weaver

// Lists: arguments, arrays, objects. Items are separated by a comma, a line
// break, or both.

// separator reads what stands between two items. done is true at the closer;
// ok is false, with an error reported, if neither is there.
func (p *parser) separator(closer string, want string) (done, ok bool) {
	newline := p.skipSpace()
	comma := false
	if p.peek(0) == ',' {
		p.log(tokComma, p.pos, p.pos+1)
		p.pos++
		comma = true
		p.skipSpace()
	}
	if p.at(closer) {
		return true, true
	}
	if !newline && !comma || p.atEnd() {
		p.unexpected(want)
		return false, false
	}
	return false, true
}

// array reads [ … ].
func (p *parser) array() expr {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	start := p.pos
	p.log(tokLBracket, start, start+1)
	p.pos++
	p.skipSpace()
	return p.arrayRest(start, nil)
}

// arrayRest reads an array from its first item on; first is that item if it
// has been read already.
func (p *parser) arrayRest(start int, first expr) expr {
	var items []item
	if first != nil {
		items = append(items, item{expr: first})
		done, ok := p.separator("]", "an operator, a comma or ]")
		if !ok {
			return nil
		}
		if done {
			return p.endArray(start, items)
		}
	} else if p.peek(0) == ']' {
		return p.endArray(start, items)
	}
	items, ok := p.items(items, "]", false)
	if !ok {
		return nil
	}
	return p.endArray(start, items)
}

func (p *parser) endArray(start int, items []item) expr {
	p.log(tokRBracket, p.pos, p.pos+1)
	p.pos++
	return &arrayExpr{placeOf(start, p.pos), items}
}

// object reads { … }.
func (p *parser) object() expr {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	start := p.pos
	p.log(tokLBrace, start, start+1)
	p.pos++
	p.skipSpace()
	var items []item
	if p.peek(0) != '}' {
		var ok bool
		if items, ok = p.items(nil, "}", true); !ok {
			return nil
		}
		p.checkKeys(items)
	}
	p.log(tokRBrace, p.pos, p.pos+1)
	p.pos++
	return &objectExpr{placeOf(start, p.pos), items}
}

// checkKeys reports keys that are written twice in one list.
func (p *parser) checkKeys(items []item) {
	if len(items) < 2 {
		return
	}
	seen := make(map[string]bool, len(items))
	for i := range items {
		it := &items[i]
		if it.kind != itemValue {
			continue
		}
		if seen[it.key] {
			p.errorAt("duplicate-key", it.place.span(), "the key %s is there twice", shorten(it.key))
		}
		seen[it.key] = true
	}
}

// items reads one or more items up to a closer, which is left; "{#" stands
// for the end of a block.
func (p *parser) items(items []item, closer string, entries bool) ([]item, bool) {
	want := "a comma or " + closer
	if closer == "{#" {
		want = "a comma or the end of the block"
	} else if !entries {
		want = "an operator, " + want
	}
	for {
		it, ok := p.item(entries)
		if !ok {
			return nil, false
		}
		items = append(items, it)
		if closer == "{#" { // a further block may follow, as an item of its own
			done, ok := p.blockSeparator(want)
			if !ok {
				return nil, false
			}
			if done {
				return items, true
			}
			continue
		}
		done, ok := p.separator(closer, want)
		if !ok {
			return nil, false
		}
		if done {
			return items, true
		}
	}
}

// blockSeparator is separator inside a block, whose end is a tag.
func (p *parser) blockSeparator(want string) (done, ok bool) {
	newline := p.skipSpace()
	comma := false
	if p.peek(0) == ',' {
		p.log(tokComma, p.pos, p.pos+1)
		p.pos++
		comma = true
		p.skipSpace()
	}
	if p.at("{#") && isEndWord(p.tagWord()) {
		return true, true
	}
	if !newline && !comma || p.atEnd() {
		p.unexpected(want)
		return false, false
	}
	return false, true
}

// item reads an element, an entry, or a block that yields such.
func (p *parser) item(entries bool) (item, bool) {
	if p.at("{#") {
		return p.itemBlock(entries)
	}
	if !entries {
		e := p.expression()
		return item{expr: e}, e != nil
	}
	start := p.pos
	var key string
	if p.peek(0) == '"' {
		var ok bool
		if key, ok = p.quoted(); !ok {
			return item{}, false
		}
	} else if key = p.ident(); key == "" {
		p.unexpected("a key")
		return item{}, false
	}
	it := item{key: key, place: placeOf(start, p.pos)}
	p.log(tokOperand, start, p.pos)
	p.skipSpace()
	if p.peek(0) != ':' {
		p.unexpected("a colon after the key " + shorten(key))
		return item{}, false
	}
	p.log(tokColon, p.pos, p.pos+1)
	p.pos++
	p.skipSpace()
	it.expr = p.expression()
	return it, it.expr != nil
}

// itemBlock reads {# if #} or {# foreach #} around items.
func (p *parser) itemBlock(entries bool) (item, bool) {
	if !p.enter() {
		return item{}, false
	}
	defer p.leave()
	start := p.pos
	switch word := p.tagWord(); word {
	case "if":
		p.openTag()
		return p.itemIf(start, entries)
	case "foreach":
		p.openTag()
		return p.itemFor(start, entries)
	default:
		sp := between(start, min(start+2, len(p.src)))
		d := p.errorAt("misplaced-block", sp, "only if and foreach can stand inside a literal")
		if _, flow := flowKinds[word]; flow {
			d.Hint = word + " stands in text, outside { } and [ ]"
		}
		p.pos = sp.End
		p.recoverTo("#}")
		return item{}, false
	}
}

// itemBody reads the items of a block up to the tag that ends them.
func (p *parser) itemBody(open Span, entries bool) ([]item, bool) {
	p.skipSpace()
	if p.at("{#") && isEndWord(p.tagWord()) {
		return nil, true
	}
	if p.atEnd() {
		p.errorAt("unclosed-block", open, "this block is never closed")
		return nil, false
	}
	items, ok := p.items(nil, "{#", entries)
	if ok && entries {
		p.checkKeys(items)
	}
	return items, ok
}

func (p *parser) itemIf(start int, entries bool) (item, bool) {
	it := item{kind: itemIf}
	hasElse := false
	cond, ok := p.itemCondition()
	for ok {
		var body []item
		if body, ok = p.itemBody(between(start, start+2), entries); !ok {
			break
		}
		it.arms = append(it.arms, itemBranch{cond, body})
		at := p.pos
		word := p.tagWord()
		p.openTag()
		switch {
		case word == "endif":
			_, ok := p.closeTag("")
			return it, ok
		case word == "endforeach":
			p.errorAt("misplaced-endforeach", between(at, p.pos), "this if is not closed before endforeach").Hint = "write {# endif #} first"
			return it, false
		case hasElse:
			p.errorAt("misplaced-"+word, between(at, p.pos), "%s after else", word)
			return it, false
		case word == "else":
			hasElse = true
			cond = nil
			_, ok = p.closeTag("")
		default:
			cond, ok = p.itemCondition()
		}
	}
	return it, false
}

func (p *parser) itemCondition() (expr, bool) {
	p.skipSpace()
	cond := p.expression()
	if cond == nil {
		return nil, false
	}
	_, ok := p.closeTag("an operator or ")
	return cond, ok
}

func (p *parser) itemFor(start int, entries bool) (item, bool) {
	name, src, ok := p.loopHead()
	if !ok {
		return item{}, false
	}
	if _, ok := p.closeTag("an operator or "); !ok {
		return item{}, false
	}
	it := item{kind: itemFor, expr: src, slot: int32(p.bind(name))}
	defer p.unbind()
	if it.body, ok = p.itemBody(between(start, start+2), entries); !ok {
		return item{}, false
	}
	at := p.pos
	word := p.tagWord()
	p.openTag()
	if word != "endforeach" {
		p.errorAt("misplaced-"+word, between(at, p.pos), "this foreach is not closed before %s", word).Hint = "write {# endforeach #} first"
		return item{}, false
	}
	_, ok = p.closeTag("")
	return it, ok
}

// variant reads the parenthesised values after a name: Name(x) is {Name: x},
// Name(x, y) is {Name: [x, y]}.
func (p *parser) variant(start int, name string) expr {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	p.log(tokLCall, p.pos, p.pos+1)
	open := p.pos
	p.pos++
	p.skipSpace()
	var values []item
	for done := p.peek(0) == ')'; !done; {
		e := p.expression()
		if e == nil {
			return nil
		}
		values = append(values, item{expr: e})
		var ok bool
		if done, ok = p.separator(")", "an operator, a comma or )"); !ok {
			return nil
		}
	}
	p.log(tokRParen, p.pos, p.pos+1)
	p.pos++
	sp := placeOf(start, p.pos)
	var value expr = &arrayExpr{placeOf(open, p.pos), values}
	if len(values) == 1 {
		value = values[0].expr
	}
	return &objectExpr{sp, []item{{key: name, place: placeOf(start, start+len(name)), expr: value}}}
}
