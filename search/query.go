package search

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Query is what is looked for: a question or some words, or a scene whose lore
// is wanted.
type Query struct {
	// Text is a question, a name, some words.
	Text string
	// Scene is the last messages, oldest first. It is asked what they are
	// about. Text may be empty then.
	Scene []Turn
	// Vector is the vector of the query in the space of Model, if vectors are
	// to count.
	Vector []float32
	// Model names the vectors; see [Index.SetVector].
	Model string
	// Clear is about how many words of content the query may have before its
	// vector blurs, for models that average words. 0 means no limit.
	Clear int
	// Kinds are what is returned; empty means all. The others still help to
	// find it.
	Kinds []Kind
	// Exclude are the ids of documents that are not returned: those that are
	// before the asker's eyes.
	Exclude []string
	// Limit is how many hits are returned at most. Defaults to 20.
	Limit int
	// Language is the language of the query; empty means that its little words
	// tell.
	Language Language
}

// Turn is a message of a scene.
type Turn struct{ Author, Text string }

const (
	// maxQuery bounds the text of a query in bytes. Of a longer text the
	// beginning is looked at, of a longer scene the end.
	maxQuery = 32 << 10
	// maxQueryTerms bounds the terms that are looked up; the rarest are taken.
	maxQueryTerms = 512
	maxName       = 256 // bytes of an author's name
	defaultLimit  = 20
)

// term is a word that a query asks for.
type term struct {
	lists []uint32 // numbers of its stems in the index's languages
	tf    float64
	word  string // as the query has it
}

// parsed is a query cut into terms.
type parsed struct {
	terms   []term
	content int // words that are not little
	authors []uint32
	when    bool
	cut     bool
}

var analyzers = sync.Pool{New: func() any { return newAnalyzer() }}

// parse cuts a query into terms. The index is locked for reading.
func (x *Index) parse(q *Query) parsed {
	a := analyzers.Get().(*analyzer)
	defer analyzers.Put(a)
	if len(a.words) > maxWordCache/4 {
		clear(a.words)
	}
	var p parsed
	languages := x.spoken()
	at := map[string]int{}
	named := map[string]bool{}
	take := func(text string, all bool) {
		tokens := a.cut(text)
		bit := languageBit(language(tokens, q.Language))
		if len(q.Scene) == 0 && !slices.ContainsFunc(tokens, func(t token) bool { return !t.isLittle(bit) }) {
			all = true // nothing but little words: they are meant
		}
		for i := range tokens {
			t := &tokens[i]
			if all || !t.isLittle(bit) {
				named[t.word.plain] = true
			}
			p.when = p.when || len(q.Scene) == 0 && whenWords[t.word.plain]
			if !all && t.isLittle(bit) {
				continue
			}
			p.content++
			key, lists := x.lookup(t, languages)
			if len(lists) == 0 {
				continue
			}
			if k, ok := at[key]; ok {
				p.terms[k].tf++
				continue
			}
			at[key] = len(p.terms)
			p.terms = append(p.terms, term{lists, 1, t.source})
		}
	}
	if text, cut := head(q.Text, maxQuery); text != "" {
		p.cut = cut
		take(text, false)
		for _, phrase := range whenPhrases {
			p.when = p.when || len(q.Scene) == 0 && strings.Contains(text, phrase)
		}
	}
	if len(q.Scene) > 0 {
		left := maxQuery
		from := len(q.Scene)
		for from > 0 && left > 0 {
			from--
			left -= len(q.Scene[from].Text)
		}
		for i, t := range q.Scene[from:] {
			text := t.Text
			if i == 0 && left < 0 {
				text, p.cut = tail(text, len(text)+left), true
			}
			take(text, false)
			if t.Author != "" {
				name, _ := head(t.Author, maxName)
				take(name, true)
			}
		}
	}
	p.authors = x.named(a, named)
	return p
}

// head returns at most n bytes of a text's beginning, tail of its end.
func head(s string, n int) (string, bool) {
	if len(s) <= n {
		return s, false
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], true
}

func tail(s string, n int) string {
	if n = min(max(n, 0), len(s)); n == len(s) {
		return s
	}
	at := len(s) - n
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return s[at:]
}

// spoken returns the languages of the documents, in order.
func (x *Index) spoken() []Language {
	list := make([]Language, 0, len(x.languages))
	for l := range x.languages {
		list = append(list, l)
	}
	slices.Sort(list)
	if len(list) == 0 {
		list = append(list, fallback)
	}
	return list
}

// lookup returns the numbers of a token's stems, and a key that is the same
// for tokens of the same stems.
func (x *Index) lookup(t *token, languages []Language) (string, []uint32) {
	var lists []uint32
	key := ""
	for _, lang := range languages {
		stem := t.word.stem(t.source, lang)
		if stem == key {
			continue
		}
		if n, ok := x.terms[stem]; ok && !slices.Contains(lists, n) {
			lists = append(lists, n)
		}
		if key == "" || stem < key {
			key = stem
		}
	}
	return key, lists
}

// named returns the numbers of the authors of whose names a word is among the
// query's.
func (x *Index) named(a *analyzer, words map[string]bool) []uint32 {
	var list []uint32
	for i, name := range x.authors.list {
		if i == 0 {
			continue
		}
		for _, t := range a.cut(name) {
			if words[t.word.plain] {
				list = append(list, uint32(i))
				break
			}
		}
	}
	return list
}
