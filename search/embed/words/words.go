// Package words is the embedder that is built in: a table of 50,000 English
// words with a vector each. The vector of a text is the sum of its words', the
// rare ones weighing more, without what all texts have in common.
//
// It knows which words are alike (sword and blade), not what a sentence says.
// Alone it finds little; beside lexical search it finds what is said in other
// words. Texts in other languages than English get no vector, or that of the
// names and loan words in them.
//
// The table is made by internal/gen/wordtable. The vectors are GloVe's
// (Pennington, Socher and Manning, 2014), in the public domain under the PDDL.
package words

import (
	"context"
	_ "embed" // the table
	"encoding/binary"
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/weft-memory/weft/search/embed"
)

//go:embed words.bin
var data string

const (
	magic = "WEFTWORD"
	// Model is the name of the model.
	Model = "weft-words-1"
	// clear is about how many words a text may have before its vector blurs.
	clear = 12
)

// table is the parsed table. Numbers stay where they are in the binary.
type table struct {
	dims    int
	index   map[string]int32
	factors []float32
	ranks   string
	usual   string
	numbers string
}

var load = sync.OnceValue(func() *table {
	if len(data) < 16 || data[:8] != magic {
		panic("search/embed/words: words.bin is not a table of words")
	}
	n := int(binary.LittleEndian.Uint32([]byte(data[8:12])))
	t := &table{dims: int(binary.LittleEndian.Uint32([]byte(data[12:16]))), index: make(map[string]int32, n), factors: make([]float32, n)}
	rest := data[16:]
	for i := range t.factors {
		t.factors[i] = math.Float32frombits(binary.LittleEndian.Uint32([]byte(rest[4*i : 4*i+4])))
	}
	rest = rest[4*n:]
	t.ranks, t.usual, rest = rest[:n], rest[n:2*n], rest[2*n:]
	t.numbers, rest = rest[:n*t.dims], rest[n*t.dims:]
	for i := range n {
		var w string
		w, rest, _ = strings.Cut(rest, "\n")
		t.index[w] = int32(i)
	}
	return t
})

// Table is the embedder. The zero Table is ready.
type Table struct{}

// Model returns the name of the model.
func (Table) Model() string { return Model }

// Dimensions returns 100.
func (Table) Dimensions() int { return load().dims }

// Clear says that texts of more than a dozen words blur.
func (Table) Clear() int { return clear }

// Embed returns the vector of each text.
func (t Table) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	out := make([]embed.Vector, len(texts))
	for i, s := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = t.EmbedText(s)
	}
	return out, nil
}

// maxText bounds how much of a text is looked at, in bytes.
const maxText = 1 << 16

// EmbedText returns the vector of one text: of length 1, or of zeros if it has
// no word of the table.
func (Table) EmbedText(text string) embed.Vector {
	t := load()
	v := make(embed.Vector, t.dims)
	if len(text) > maxText {
		text = text[:maxText]
	}
	each(text, func(w []byte) {
		row, ok := t.index[string(w)]
		if !ok {
			return
		}
		f := t.factors[row]
		numbers := t.numbers[int(row)*t.dims:][:len(v)]
		for i := range v {
			v[i] += float32(int8(numbers[i])) * f
		}
	})
	v.Normalize()
	return v
}

// Has reports whether the table has a word.
func Has(word string) bool {
	_, ok := load().index[strings.ToLower(word)]
	return ok
}

// Word is a word of the table.
type Word struct {
	row int32
	// Rarity is the natural logarithm of the word's rank in English: 0 for
	// "the", 8 for "dwarf", 11 at the end of the table.
	Rarity float32
	// Usual is the [Word.Likeness] that the word has to the most alike word of
	// any text of a few sentences.
	Usual float32
}

// Lookup returns a word in small letters.
func Lookup(word string) (Word, bool) {
	t := load()
	row, ok := t.index[word]
	if !ok {
		return Word{}, false
	}
	return Word{row, float32(t.ranks[row]) / 16 * math.Ln2, float32(t.usual[row]) / 255}, true
}

// lengths are the inverse lengths of the vectors' numbers, by row.
var lengths = sync.OnceValue(func() []float32 {
	t := load()
	list := make([]float32, len(t.factors))
	for row := range list {
		sum := 0
		for i := range t.dims {
			x := int(int8(t.numbers[row*t.dims+i]))
			sum += x * x
		}
		if sum > 0 {
			list[row] = float32(1 / math.Sqrt(float64(sum)))
		}
	}
	return list
})

// floor is the cosine below which words are not alike at all.
const floor = 0.1

// Likeness returns how alike two words are: 1 for the same word, 0 for words
// that have nothing to do with each other.
func (w Word) Likeness(o Word) float32 {
	t, l := load(), lengths()
	a := t.numbers[int(w.row)*t.dims:][:t.dims]
	b := t.numbers[int(o.row)*t.dims:][:len(a)]
	var sum int32
	for i := range len(a) {
		sum += int32(int8(a[i])) * int32(int8(b[i]))
	}
	cosine := float32(sum) * l[w.row] * l[o.row]
	return max(0, cosine-floor) / (1 - floor)
}

// each yields the words of a text in small letters, without a possessive 's.
func each(text string, yield func([]byte)) {
	var buf [48]byte
	w := buf[:0]
	flush := func() {
		for len(w) > 0 && (w[len(w)-1] == '\'' || w[len(w)-1] == '-') {
			w = w[:len(w)-1]
		}
		if n := len(w); n > 2 && w[n-1] == 's' && w[n-2] == '\'' {
			w = w[:n-2]
		}
		if len(w) > 0 && len(w) < cap(buf[:])-utf8.UTFMax {
			yield(w)
		}
		w = w[:0]
	}
	for _, r := range text {
		switch {
		case 'a' <= r && r <= 'z':
			w = append(w, byte(r))
		case 'A' <= r && r <= 'Z':
			w = append(w, byte(r)+'a'-'A')
		case r == '’' || r == '\'':
			if len(w) > 0 {
				w = append(w, '\'')
			}
		case r >= utf8.RuneSelf && unicode.IsLetter(r):
			w = utf8.AppendRune(w, unicode.ToLower(r))
		default:
			flush()
		}
		if len(w) > len(buf)-utf8.UTFMax {
			w = w[:len(buf)-utf8.UTFMax] // too long for any word of the table
		}
	}
	flush()
}

var (
	_ embed.Instant = Table{}
	_ embed.Bag     = Table{}
)
