package tokens

import (
	"fmt"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

const (
	// chunkBytes bounds the piece of text that is split and merged at once.
	// The splitter turns a piece into runes, so this also bounds memory.
	chunkBytes = 32 << 10
	// exactBytes is the length up to which every byte is counted. Longer texts
	// are sampled, see encoder.sample.
	exactBytes = 256 << 10
)

// encoder counts with the vocabulary of one encoding. The vocabulary is
// unpacked at the first count.
type encoder struct {
	name  Encoding
	load  func() *codec.Codec
	cache *cache
}

var encoders = map[Encoding]*encoder{
	O200kBase:  newEncoder(O200kBase, codec.NewO200kBase),
	Cl100kBase: newEncoder(Cl100kBase, codec.NewCl100kBase),
	P50kBase:   newEncoder(P50kBase, codec.NewP50kBase),
	R50kBase:   newEncoder(R50kBase, codec.NewR50kBase),
}

func newEncoder(name Encoding, create func() *codec.Codec) *encoder {
	return &encoder{name: name, cache: newCache(cacheEntries), load: sync.OnceValue(func() *codec.Codec {
		c := create()
		c.SetErrorMode(codec.ErrorModeReplace)
		return c
	})}
}

// ForEncoding returns the exact counter of an encoding. All callers of one
// encoding share a counter and its cache. Special tokens such as
// "<|endoftext|>" are counted as the plain text they are in a message.
//
// Counts are exact for texts up to 256 KiB, save that a run of more than 32 KiB
// without a word border is cut there, which can add a token. Of a longer text
// evenly spread parts are counted, at least 128 KiB together, and the rest
// is taken from [Estimate] corrected by how it did on those parts: such a text
// is beyond most context windows, and its exact length matters less than an
// answer at once.
//
// The error names the encodings that exist.
func ForEncoding(name Encoding) (Counter, error) {
	if e, ok := encoders[name]; ok {
		return e, nil
	}
	return nil, fmt.Errorf("tokens: no encoding %q: use %s, %s, %s or %s", name, O200kBase, Cl100kBase, P50kBase, R50kBase)
}

func (e *encoder) String() string { return string(e.name) }

// Count implements Counter. Results are remembered by a hash of the text in a
// cache of bounded size.
func (e *encoder) Count(text string) int {
	if text == "" {
		return 0
	}
	key := keyOf(text)
	if n, ok := e.cache.get(key); ok {
		return n
	}
	n := e.count(text)
	e.cache.put(key, n)
	return n
}

func (e *encoder) count(text string) int {
	if len(text) > exactBytes {
		return e.sample(text)
	}
	total := 0
	for text != "" {
		n := cut(text, chunkBytes)
		total += e.countChunk(text[:n])
		text = text[n:]
	}
	return total
}

// sample counts every k-th chunk exactly and estimates the others.
func (e *encoder) sample(text string) int {
	every := (len(text) + exactBytes - 1) / exactBytes
	exact, seen, unseen := 0, 0, 0
	for i := 0; text != ""; i++ {
		n := cut(text, chunkBytes)
		chunk := text[:n]
		text = text[n:]
		if i%every == 0 {
			exact += e.countChunk(chunk)
			seen += estimate(chunk)
		} else {
			unseen += estimate(chunk)
		}
	}
	return exact + int(float64(unseen)*float64(exact)/float64(max(seen, 1)))
}

func (e *encoder) countChunk(chunk string) int {
	n, err := e.load().Count(chunk)
	if err != nil {
		// The splitter has no time limit set and its patterns are fixed, so
		// this does not happen; an estimate is still better than a panic.
		return estimate(chunk)
	}
	return n
}

// cut returns where to end the first piece of at most limit bytes of text so
// that counting the pieces apart gives the same sum. Every encoding starts a
// new token between a letter and a following character that is neither a
// letter, nor a mark, nor an apostrophe, whatever stands around them. Without
// such a place in the second half of the piece it is cut between two
// characters.
func cut(text string, limit int) int {
	if len(text) <= limit {
		return len(text)
	}
	end := limit
	for end > limit-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	next, _ := utf8.DecodeRuneInString(text[end:])
	for at := end; at > limit/2; {
		r, size := utf8.DecodeLastRuneInString(text[:at])
		if endsWord(r) && startsGap(next) {
			return at
		}
		next = r
		at -= size
	}
	return end
}

func endsWord(r rune) bool { return unicode.IsLetter(r) }

func startsGap(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\'' && r != utf8.RuneError
}
