package resolve

import "slices"

// lists are lists of names, one after the other.
type lists struct {
	from []int32 // list i is all[from[i]:from[i+1]]
	all  []int32
}

func (l *lists) list(i int32) []int32 { return l.all[l.from[i]:l.from[i+1]] }

// listBuilder gathers pairs of list and name.
type listBuilder struct {
	count []int32
	pairs []int64 // list<<32 | name
}

func (b *listBuilder) add(i, name int32) {
	b.count[i]++
	b.pairs = append(b.pairs, int64(i)<<32|int64(name))
}

func (b *listBuilder) newList() int32 {
	b.count = append(b.count, 0)
	return int32(len(b.count) - 1)
}

func (b *listBuilder) build() lists {
	from := make([]int32, len(b.count)+1)
	for i, n := range b.count {
		from[i+1] = from[i] + n
	}
	next := slices.Clone(from)
	all := make([]int32, len(b.pairs))
	for _, p := range b.pairs {
		i := p >> 32
		all[next[i]] = int32(p)
		next[i]++
	}
	return lists{from: from, all: all}
}

// postings find lists of names by the hash of a feature. Features of one hash
// share a list: what is found is looked at anyway.
type postings struct {
	lists
	at map[uint64]int32
}

func (p *postings) get(k uint64) []int32 {
	i, ok := p.at[k]
	if !ok {
		return nil
	}
	return p.list(i)
}

type postingsBuilder struct {
	listBuilder
	at map[uint64]int32
}

func newPostingsBuilder(features, pairs int) *postingsBuilder {
	b := &postingsBuilder{at: make(map[uint64]int32, features)}
	b.pairs = make([]int64, 0, pairs)
	return b
}

func (b *postingsBuilder) add(k uint64, name int32) {
	i, ok := b.at[k]
	if !ok {
		i = b.newList()
		b.at[k] = i
	}
	b.listBuilder.add(i, name)
}

func (b *postingsBuilder) build() postings { return postings{b.listBuilder.build(), b.at} }

// gramPostings find lists of names by trigram. Trigrams of ASCII letters,
// digits and spaces, nearly all in many books, have a table; others a map.
type gramPostings struct {
	lists
	table []int32 // list+1 by asciiGram; nil in a small index
	at    map[trigram]int32
}

const asciiGrams = 37 * 37 * 37

// asciiGram numbers the trigrams of ASCII letters, digits and spaces; -1 for
// others.
func asciiGram(g trigram) int {
	a, b, c := asciiClass[g>>42&0x7f], asciiClass[g>>21&0x7f], asciiClass[g&0x7f]
	if g&^(0x7f<<42|0x7f<<21|0x7f) != 0 || a < 0 || b < 0 || c < 0 {
		return -1
	}
	return (int(a)*37+int(b))*37 + int(c)
}

var asciiClass = func() (t [128]int8) {
	for i := range t {
		t[i] = -1
	}
	t[' '] = 0
	for c := 'a'; c <= 'z'; c++ {
		t[c] = int8(1 + c - 'a')
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = int8(27 + c - '0')
	}
	return t
}()

func (p *gramPostings) get(g trigram) []int32 {
	if p.table != nil {
		if i := asciiGram(g); i >= 0 {
			if p.table[i] == 0 {
				return nil
			}
			return p.list(p.table[i] - 1)
		}
	}
	i, ok := p.at[g]
	if !ok {
		return nil
	}
	return p.list(i)
}

type gramBuilder struct {
	listBuilder
	gramPostings
}

// newGramBuilder returns a builder for so many pairs. A small index does
// without the table.
func newGramBuilder(pairs int) *gramBuilder {
	b := &gramBuilder{}
	b.pairs = make([]int64, 0, pairs)
	b.at = make(map[trigram]int32)
	if pairs > asciiGrams/4 {
		b.table = make([]int32, asciiGrams)
	}
	return b
}

func (b *gramBuilder) add(g trigram, name int32) {
	if b.table != nil {
		if i := asciiGram(g); i >= 0 {
			if b.table[i] == 0 {
				b.table[i] = b.newList() + 1
			}
			b.listBuilder.add(b.table[i]-1, name)
			return
		}
	}
	i, ok := b.at[g]
	if !ok {
		i = b.newList()
		b.at[g] = i
	}
	b.listBuilder.add(i, name)
}

func (b *gramBuilder) build() gramPostings {
	return gramPostings{lists: b.listBuilder.build(), table: b.table, at: b.at}
}
