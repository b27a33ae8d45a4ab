package search

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/weft-memory/weft/search/embed"
)

// Index holds the terms of all documents of a world, whatever branch or
// version they belong to. What a search sees of it is a [View]'s matter.
//
// All methods may be called from several goroutines. A search holds up
// changes, and the other way round, for the time that it takes; neither is
// long.
type Index struct {
	mu    sync.RWMutex
	terms map[string]uint32 // by term, its number
	lists [][]posting       // by number of the term, in order of slots
	docs  []document        // by slot
	kinds []Kind            // by slot; 0: gone
	// refs number the ids of documents, known and only mentioned; current is
	// the slot of each, or none.
	refs    map[string]uint32
	ids     []string
	current []uint32

	groups, authors *names
	vectors         map[string]*embed.Matrix // by model
	languages       map[Language]int
	live            int // documents
	dead            int // slots whose document is gone but not its postings
	analyzer        *analyzer
	counts          map[uint32]uint32 // reused by Put
	version         uint64
}

const none = ^uint32(0)

// document is what the index keeps of a [Document].
type document struct {
	id       string
	sources  []uint32 // refs
	made     int64    // seconds since 1970
	ref      uint32
	group    uint32
	author   uint32
	uses     uint32
	length   uint32 // terms of the text
	kind     Kind   // 0: gone
	timed    bool   // has a word for a time
	language Language
}

// names numbers texts; 0 is the empty one.
type names struct {
	of   map[string]uint32
	list []string
}

func newNames() *names { return &names{of: map[string]uint32{"": 0}, list: []string{""}} }

func (n *names) number(s string) uint32 {
	if i, ok := n.of[s]; ok {
		return i
	}
	s = strings.Clone(s)
	i := uint32(len(n.list))
	n.of[s] = i
	n.list = append(n.list, s)
	return i
}

// NewIndex returns an empty index.
func NewIndex() *Index {
	return &Index{
		terms: map[string]uint32{}, refs: map[string]uint32{}, groups: newNames(), authors: newNames(),
		vectors: map[string]*embed.Matrix{}, languages: map[Language]int{}, analyzer: newAnalyzer(), counts: map[uint32]uint32{},
	}
}

// Len returns the number of documents.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.live
}

// Has reports whether the index holds a document of this id.
func (x *Index) Has(id string) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	_, ok := x.slot(id)
	return ok
}

// slot returns the slot of a document.
func (x *Index) slot(id string) (uint32, bool) {
	ref, ok := x.refs[id]
	if !ok || x.current[ref] == none {
		return 0, false
	}
	return x.current[ref], true
}

// ref returns the number of an id.
func (x *Index) ref(id string) uint32 {
	if r, ok := x.refs[id]; ok {
		return r
	}
	r := uint32(len(x.current))
	id = strings.Clone(id)
	x.refs[id] = r
	x.ids = append(x.ids, id)
	x.current = append(x.current, none)
	return r
}

// Put adds documents, or replaces those of the same id. It changes nothing if
// it returns an error, which names the document that has no id or no kind.
func (x *Index) Put(docs ...Document) error {
	for i := range docs {
		switch d := &docs[i]; {
		case d.ID == "":
			return fmt.Errorf("search: document %d of %d has no id", i+1, len(docs))
		case d.Kind == 0 || d.Kind >= kinds:
			return fmt.Errorf("search: document %q has the unknown kind %d", d.ID, d.Kind)
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range docs {
		x.put(&docs[i])
	}
	x.version++
	x.sweep()
	return nil
}

func (x *Index) put(d *Document) {
	ref := x.ref(d.ID)
	x.drop(ref)
	slot := uint32(len(x.docs))
	doc := document{
		id: x.ids[ref], ref: ref, kind: d.Kind, made: d.Time.Unix(), uses: uint32(max(0, d.Uses)),
		group: x.groups.number(d.Group), author: x.authors.number(d.Author),
	}
	for _, s := range d.Sources {
		doc.sources = append(doc.sources, x.ref(s))
	}

	counts := x.counts
	clear(counts)
	tokens := x.analyzer.cut(d.Text)
	doc.language = language(tokens, d.Language)
	bit := languageBit(doc.language)
	for i := range tokens {
		t := &tokens[i]
		doc.timed = doc.timed || t.word.time
		if t.isLittle(bit) {
			continue
		}
		doc.length++
		x.count(t, doc.language, fieldText)
	}
	if d.Kind == Message {
		// A speaker's name is common in a chat although nobody says it.
		x.countAll(d.Author, doc.language, fieldName)
	} else {
		x.countAll(d.Author, doc.language, fieldExtra)
	}
	x.countAll(d.Name, doc.language, fieldName)
	for _, s := range d.Aliases {
		x.countAll(s, doc.language, fieldAlias)
	}
	for _, s := range d.Keys {
		x.countAll(s, doc.language, fieldKey)
	}
	x.countAll(d.Date, doc.language, fieldExtra)
	for term, tf := range counts {
		x.lists[term] = append(x.lists[term], posting{slot, tf})
	}
	x.docs = append(x.docs, doc)
	x.kinds = append(x.kinds, d.Kind)
	x.current[ref] = slot
	x.languages[doc.language]++
	x.live++
}

// countAll counts the terms of a short field, in which no word is little.
func (x *Index) countAll(text string, lang Language, f field) {
	if text == "" {
		return
	}
	for i, tokens := 0, x.analyzer.cut(text); i < len(tokens); i++ {
		x.count(&tokens[i], lang, f)
	}
}

func (x *Index) count(t *token, lang Language, f field) {
	stem := t.word.stem(t.source, lang)
	term, ok := x.terms[stem]
	if !ok {
		term = uint32(len(x.lists))
		x.terms[strings.Clone(stem)] = term
		x.lists = append(x.lists, nil)
	}
	x.counts[term] = raise(x.counts[term], f)
}

// Remove takes documents out. It returns how many were there. Views made
// before do not see them any more.
func (x *Index) Remove(ids ...string) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := 0
	for _, id := range ids {
		if ref, ok := x.refs[id]; ok && x.drop(ref) {
			n++
		}
	}
	if n > 0 {
		x.version++
		x.sweep()
	}
	return n
}

// drop marks the document of a ref as gone.
func (x *Index) drop(ref uint32) bool {
	slot := x.current[ref]
	if slot == none {
		return false
	}
	d := &x.docs[slot]
	if x.languages[d.language]--; x.languages[d.language] == 0 {
		delete(x.languages, d.language)
	}
	*d = document{}
	x.kinds[slot] = 0
	for _, m := range x.vectors {
		m.Clear(int(slot))
	}
	x.current[ref] = none
	x.live--
	x.dead++
	return true
}

// sweep takes the postings of documents that are gone out of the lists when
// they have become many. Slots keep their numbers.
func (x *Index) sweep() {
	if x.dead < 1024 || x.dead < x.live/2 {
		return
	}
	for i, list := range x.lists {
		x.lists[i] = slices.Clip(slices.DeleteFunc(list, func(p posting) bool { return x.kinds[p.slot] == 0 }))
	}
	x.dead = 0
}

// Touch sets how often documents entered a prompt, by id. Unknown ids are
// passed over.
func (x *Index) Touch(uses map[string]int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id, n := range uses {
		if slot, ok := x.slot(id); ok {
			x.docs[slot].uses = uint32(max(0, n))
		}
	}
}

// Size returns about how many bytes the index takes in memory.
func (x *Index) Size() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	const str, mapped = 16, 48
	n := len(x.docs)*96 + len(x.current)*4
	for _, l := range x.lists {
		n += cap(l)*8 + 24
	}
	for t := range x.terms {
		n += len(t) + mapped
	}
	for id := range x.refs {
		n += len(id) + mapped
	}
	for i := range x.docs {
		n += cap(x.docs[i].sources) * 4
	}
	for _, w := range x.analyzer.words {
		n += len(w.plain)*2 + 120 + cap(w.stems)*48
	}
	for _, m := range x.vectors {
		n += m.Size()
	}
	return n + len(x.ids)*str
}
