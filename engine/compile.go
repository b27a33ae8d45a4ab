package engine

import (
	"errors"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/match"
	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/diag"
)

// compileEntries compiles entries of s, on several cores if there are many. An
// entry that does not compile is nil in the result.
func compileEntries(s *Segment, entries []*lore.Entry, places []int32) ([]*entry, diag.List) {
	out := make([]*entry, len(entries))
	const chunk = 256 // entries; below that a goroutine costs more than it saves
	workers := min(runtime.GOMAXPROCS(0), (len(entries)+chunk-1)/chunk)
	if workers <= 1 {
		return out, compileRange(s, entries, places, out)
	}
	lists := make([]diag.List, workers)
	var wg sync.WaitGroup
	for w := range workers {
		lo, hi := len(entries)*w/workers, len(entries)*(w+1)/workers
		wg.Go(func() { lists[w] = compileRange(s, entries[lo:hi], places[lo:hi], out[lo:hi]) })
	}
	wg.Wait()
	var list diag.List
	for _, l := range lists {
		list = append(list, l...)
	}
	return out, list
}

func compileRange(s *Segment, entries []*lore.Entry, places []int32, out []*entry) diag.List {
	var list diag.List
	for i, e := range entries {
		c, l := compileEntry(s, e)
		list = append(list, l...)
		if c != nil {
			c.pos = places[i]
			out[i] = c
		}
	}
	return list
}

// compileEntry compiles one entry, or returns nil and the errors.
func compileEntry(s *Segment, le *lore.Entry) (*entry, diag.List) {
	p := &s.book.Policy
	le = keyRelative(le)
	e := &entry{Entry: le, seg: s, slot: le.Slot, depth: scanDepth(s.book, le)}
	if le.Folder != "" && !le.Disabled && s.book.FolderDisabled(le.Folder) {
		off := *le
		off.Disabled = true
		e.Entry = &off
	}
	e.member = memberOf(le)
	e.keyless = le.Force != lore.ForceSuppress && (le.Constant || le.Force == lore.ForceActivate)
	if e.slot == "" {
		e.slot = s.book.DefaultSlot
	}
	if e.slot == "" {
		e.slot = lore.DefaultSlot
	}
	c := compiler{entry: le, lang: language(p)}
	orders, text := p.Decorators.Split(le.Content)
	for _, d := range p.Decorators.Ignored(le.Content) {
		c.report(diagnostic(diag.Note, "decorator", le,
			"the decorator @@"+shorten(strings.TrimSpace(d.Name+" "+d.Value))+" is not obeyed: it is unknown here, has a value it cannot take, or another one excludes it", ""))
	}
	if p.Faithful && len(orders) > 0 {
		e.Entry = exactForce(le, orders)
	}
	e.body = c.content(text)
	e.brief = c.content(le.Sizes.Brief)
	e.oneLine = c.content(le.Sizes.OneLine)
	if le.Condition != "" {
		e.condition = c.condition(le.Condition)
	}
	switch {
	case le.Foreign == nil:
	case le.Foreign.Language == "nai":
		var err error
		if e.nai, err = parseNai(le.Foreign.Source, comparison(s.book, le)); err != nil {
			e.nai = nil
			c.report(diagnostic(diag.Warning, "foreign-condition", le,
				"a condition of NovelAI is not evaluated, so the entry activates without it: "+err.Error(), ""))
		}
	default:
		c.report(diagnostic(diag.Warning, "foreign-condition", le,
			"a condition in "+le.Foreign.Language+" is not evaluated; the entry activates without it", ""))
	}
	if c.list.HasErrors() {
		return nil, c.list
	}
	comp := comparison(s.book, le)
	e.keys = c.keys(le.Keys, comp)
	for _, k := range e.keys {
		e.always = e.always || k.tryAlways()
	}
	for _, cl := range le.Clauses {
		e.clauses = append(e.clauses, clause{cl.Logic, c.keys(cl.Keys, comp)})
	}
	return e, c.list
}

// exactForce returns the entry as SillyTavern takes it: it cuts a decorator
// with anything behind its word off, but obeys only the bare word.
func exactForce(e *lore.Entry, orders []lore.Decorator) *lore.Entry {
	out := *e
	out.Force = lore.ForceNone
	for _, d := range orders {
		switch {
		case d.Raw == "@@activate":
			out.Force = lore.ForceActivate
		case d.Raw == "@@dont_activate" && out.Force == lore.ForceNone:
			out.Force = lore.ForceSuppress
		}
	}
	return &out
}

// language returns the language of a policy's content; a policy without one is
// taken for weaver's.
func language(p *lore.Policy) lore.Language {
	if p.Language == "" {
		return lore.LangWeaver
	}
	return p.Language
}

// scanDepth returns how much of the chat's end an entry looks at.
func scanDepth(b *lore.Book, e *lore.Entry) lore.Amount {
	switch {
	case e.ScanDepth != nil:
		return *e.ScanDepth
	case b.ScanDepth != nil:
		return *b.ScanDepth
	case b.Policy.ScanDepth.Unit != "":
		return b.Policy.ScanDepth
	}
	return lore.Amount{N: lore.DefaultScanDepth, Unit: lore.UnitMessages}
}

// compiler compiles the parts of one entry and gathers what is wrong.
type compiler struct {
	entry *lore.Entry
	lang  lore.Language
	list  diag.List
}

func (c *compiler) report(d diag.Diagnostic) { c.list = append(c.list, d) }

func (c *compiler) content(text string) content {
	if c.lang != lore.LangWeaver || text == "" {
		return content{text: text, lang: c.lang}
	}
	t, list := weaver.Parse(sourceName(c.entry), text, weaver.At(0, max(c.entry.Origin.BodyLine, 1), 1))
	c.list = append(c.list, list...)
	return content{tmpl: t, lang: c.lang}
}

func (c *compiler) condition(text string) *weaver.Expr {
	x, list := weaver.ParseExpr(sourceName(c.entry)+" (condition)", text)
	c.list = append(c.list, list...)
	return x
}

// keyRule is how the literal keys of an entry are compared.
type keyRule struct {
	fold  match.Fold
	words match.Words
}

// comparison works out the rule from entry, book and policy, in this order.
func comparison(b *lore.Book, e *lore.Entry) keyRule {
	p := &b.Policy
	fold := match.FoldNFKC
	if p.Fold == lore.FoldLower {
		fold = match.FoldLower
	}
	if b.AccentBlind != nil && *b.AccentBlind {
		fold = match.FoldNFKCNoAccents
	}
	sensitive := p.CaseSensitive
	if b.CaseSensitive != nil {
		sensitive = *b.CaseSensitive
	}
	if e.CaseSensitive != nil {
		sensitive = *e.CaseSensitive
	}
	if sensitive {
		fold = match.FoldNone
	}
	whole := p.Words != lore.WordsSubstring && p.Words != ""
	if b.WholeWords != nil {
		whole = *b.WholeWords
	}
	if e.WholeWords != nil {
		whole = *e.WholeWords
	}
	switch {
	case p.Words == lore.WordsRisu && whole:
		return keyRule{fold, match.WholeWordSpaces}
	case p.Words == lore.WordsRisu:
		return keyRule{fold | match.FoldNoSpaces, match.Substring}
	case p.Words == lore.WordsNovelAI:
		return keyRule{fold, match.WholeWordNovelAI}
	case p.Words == lore.WordsAgnai:
		return keyRule{fold, match.GlobAgnai}
	case !whole:
		return keyRule{fold, match.Substring}
	case p.Words == lore.WordsASCII:
		return keyRule{fold, match.WholeWordASCII}
	case p.Words == lore.WordsUnicode:
		return keyRule{fold, match.WholeWordUnicode}
	}
	return keyRule{fold, match.WholeWordPhrase}
}

func (c *compiler) keys(keys []lore.Key, rule keyRule) []key {
	if len(keys) == 0 {
		return nil
	}
	out := make([]key, 0, len(keys))
	for _, k := range keys {
		out = append(out, c.key(k, rule))
	}
	return out
}

func (c *compiler) key(k lore.Key, rule keyRule) key {
	out := key{text: k.Text, kind: k.Kind}
	var err error
	switch k.Kind {
	case lore.KeyRE2:
		out.re, err = match.CompileRE2(k.Text, match.RegexOptions{})
	case lore.KeyJS:
		out.re, err = match.CompileJS(k.Text, k.Flags, match.RegexOptions{})
	case lore.KeyGlob:
		out.lit, err = match.CompileKey(k.Text, rule.fold, match.GlobAgnai)
	default:
		out.kind = lore.KeyLiteral
		out.lit, err = match.CompileKey(k.Text, rule.fold, rule.words)
	}
	switch {
	case err == nil:
	case errors.Is(err, match.ErrEmptyKey):
		out.lit = nil
		c.report(diagnostic(diag.Warning, "blank-key", c.entry, "the key "+quote(k.Text)+" is blank and never matches",
			"remove it"))
	default:
		out.lit, out.re = nil, nil
		d := diagnostic(diag.Warning, "regex", c.entry, "a key is not used: "+err.Error(), "")
		var re *match.RegexError
		if errors.As(err, &re) {
			d = diagnostic(diag.Warning, "regex", c.entry, "a key is not used: "+re.What(), re.Hint)
		}
		c.report(d)
	}
	return out
}

// tryAlways reports whether no automaton proposes the key.
func (k *key) tryAlways() bool {
	switch {
	case k.lit != nil:
		return k.lit.Literal() == ""
	case k.re != nil:
		return len(k.re.Literals()) == 0
	}
	return false
}

// buildKeysets makes an automaton for each folding rule in use.
func (s *Segment) buildKeysets() diag.List {
	var builders []*keysetBuilder
	builder := func(f match.Fold) (int8, *keysetBuilder) {
		for i, b := range builders {
			if b.fold == f {
				return int8(i), b
			}
		}
		b := &keysetBuilder{fold: f, sep: f.Apply(s.book.Policy.Join.Separator), ids: make(map[keyID]int32)}
		builders = append(builders, b)
		return int8(len(builders) - 1), b
	}
	add := func(k *key, rank int32) {
		switch {
		case k.tryAlways():
		case k.lit != nil:
			n, b := builder(k.lit.Fold())
			id := b.add(keyID{text: k.text, words: k.lit.Words()}, k.lit.Literal(), k.lit)
			k.set, k.ids = n, []int32{id}
		case k.re != nil:
			n, b := builder(match.RegexFold)
			k.set = n
			for _, lit := range k.re.Literals() {
				k.ids = append(k.ids, b.add(keyID{text: lit, regex: true}, lit, nil))
			}
		}
		if rank >= 0 {
			for _, id := range k.ids {
				builders[k.set].uses = append(builders[k.set].uses, keyUse{id, rank})
			}
		}
	}
	for _, e := range s.entries {
		rank := e.rank
		if e.constant() {
			rank = -1 // needs no key to be found
		}
		for i := range e.keys {
			add(&e.keys[i], rank)
		}
		for i := range e.clauses {
			for j := range e.clauses[i].keys {
				add(&e.clauses[i].keys[j], -1)
			}
		}
	}
	for _, e := range s.entries {
		e.eachKey(func(k *key) { k.seamy = k.reachesOver(builders) })
	}
	var list diag.List
	for _, b := range builders {
		set, err := b.build()
		if err != nil { // no literal is empty, so this cannot happen
			list = append(list, diag.Diagnostic{Severity: diag.Error, Code: "automaton", File: s.book.Origin.Path, Message: err.Error()})
			set = &keyset{fold: b.fold}
		}
		s.sets = append(s.sets, set)
	}
	return list
}

// reachesOver reports whether a literal of the key may lie over a separator.
func (k *key) reachesOver(builders []*keysetBuilder) bool {
	for _, id := range k.ids {
		b := builders[k.set]
		if b.sep == "" || strings.ContainsAny(b.literals[id], b.sep) {
			return true
		}
	}
	return false
}

// sourceName returns how messages call an entry.
func sourceName(e *lore.Entry) string {
	if e.Origin.Path != "" {
		return e.Origin.Path
	}
	return e.ID
}

func diagnostic(sev diag.Severity, code string, e *lore.Entry, message, hint string) diag.Diagnostic {
	d := diag.Diagnostic{Severity: sev, Code: code, File: e.Origin.Path, Line: e.Origin.Line, Message: message, Hint: hint}
	if e.Origin.BodyLine > 0 {
		d.Line = 0 // the file is the entry: its first line says nothing
	}
	if e.ID != "" {
		d.Message = "entry " + quote(e.ID) + ": " + message
	}
	return d
}

func quote(s string) string { return strconv.Quote(s) }
