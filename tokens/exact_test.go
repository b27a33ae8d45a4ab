package tokens_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tiktoken-go/tokenizer/codec"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/tokens"
)

var encodings = []tokens.Encoding{tokens.O200kBase, tokens.Cl100kBase, tokens.P50kBase, tokens.R50kBase}

func encoder(t testing.TB, name tokens.Encoding) tokens.Counter {
	t.Helper()
	c, err := tokens.ForEncoding(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Counts worked out by hand from the published vocabularies.
func TestExactCounts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text          string
		o200k, cl100k int
	}{
		{"", 0, 0},
		{"hello", 1, 1},
		{"hello world", 2, 2},
		{"Hello, world!", 4, 4},
		{"1234567", 3, 3},
		{"\xff", 1, 1},
		{"<|endoftext|>", 7, 7},
	}
	for _, tt := range tests {
		if got := encoder(t, tokens.O200kBase).Count(tt.text); got != tt.o200k {
			t.Errorf("o200k_base: Count(%q) = %d, want %d", tt.text, got, tt.o200k)
		}
		if got := encoder(t, tokens.Cl100kBase).Count(tt.text); got != tt.cl100k {
			t.Errorf("cl100k_base: Count(%q) = %d, want %d", tt.text, got, tt.cl100k)
		}
	}
}

func TestForEncodingNamesTheKnownOnes(t *testing.T) {
	t.Parallel()
	_, err := tokens.ForEncoding("q400k")
	if err == nil || !strings.Contains(err.Error(), `"q400k"`) || !strings.Contains(err.Error(), "o200k_base") {
		t.Errorf("error %v, want one naming q400k and the encodings that exist", err)
	}
}

// Long texts are counted in pieces. Where words are shorter than a piece the
// sum is the count of the whole.
func TestLongTextIsCountedAsAWhole(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"english_a", "chinese_a", "thai_b", "russian_a", "vietnamese_a", "code_a", "json_a", "emoji_a", "mixed_a"} {
		sample, err := os.ReadFile(filepath.Join("testdata", "scripts", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Repeat(string(sample), 1+150_000/len(sample))
		for encoding, create := range map[tokens.Encoding]func() *codec.Codec{
			tokens.O200kBase: codec.NewO200kBase, tokens.Cl100kBase: codec.NewCl100kBase, tokens.R50kBase: codec.NewR50kBase,
		} {
			want, err := create().Count(text)
			if err != nil {
				t.Fatal(err)
			}
			if got := encoder(t, encoding).Count(text); got != want {
				t.Errorf("%s, %s: %d tokens, the whole has %d", name, encoding, got, want)
			}
		}
	}
}

func TestVeryLongTextIsSampled(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"english_a", "chinese_a", "code_b"} {
		sample, err := os.ReadFile(filepath.Join("testdata", "scripts", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		one := encoder(t, tokens.O200kBase).Count(string(sample))
		times := 4_000_000 / len(sample)
		got := encoder(t, tokens.O200kBase).Count(strings.Repeat(string(sample), times))
		if want := one * times; got < want*97/100 || got > want*103/100 {
			t.Errorf("%s × %d: %d tokens, want %d ± 3 %%", name, times, got, want)
		}
	}
}

// Neither one endless word nor a text as large as a library may hold up a turn.
// The limit is for a busy machine with the race detector; without, the slowest
// of them takes a fifth of a second.
func TestHostileTextIsFast(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"20,000 × a":         strings.Repeat("a", 20_000),
		"200 kB × a":         strings.Repeat("a", 200_000),
		"200 kB of spaces":   strings.Repeat(" ", 200_000),
		"200 kB of breaks":   strings.Repeat("\n", 200_000),
		"200 kB of marks":    strings.Repeat("e\u0301\u0302", 40_000),
		"200 kB of capitals": strings.Repeat("A", 200_000),
		"200 kB of bad UTF8": strings.Repeat("\xff", 200_000),
		"10 MB of Chinese":   strings.Repeat("渡口的老船夫从不收夜归人的钱", 10_000_000/42),
		"10 MB of a":         strings.Repeat("a", 10_000_000),
	}
	for name, text := range texts {
		for _, encoding := range encodings[:1] {
			start := time.Now()
			if n := encoder(t, encoding).Count(text); n < 1 || n > 3*len(text) {
				t.Errorf("%s, %s: %d tokens of %d bytes", name, encoding, n, len(text))
			}
			if took := time.Since(start); took > time.Minute {
				t.Errorf("%s, %s: took %v", name, encoding, took)
			}
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for j := range 50 {
				text := strings.Repeat(" tide", 1+(i+j)%7)
				if got, want := encoder(t, tokens.O200kBase).Count(text), 1+(i+j)%7; got != want {
					t.Errorf("Count(%q) = %d, want %d", text, got, want)
				}
			}
		})
	}
	group.Wait()
}

// Joining two texts can merge tokens across the seam or, seldom, split them
// otherwise; it never changes much.
func TestCountIsNearlyAdditive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.String().Draw(t, "a")
		b := rapid.String().Draw(t, "b")
		for _, encoding := range encodings {
			c, err := tokens.ForEncoding(encoding)
			if err != nil {
				t.Fatal(err)
			}
			checkAdditive(t, c, a, b)
		}
		checkAdditive(t, tokens.Estimate(), a, b)
	})
}

type failer interface {
	Errorf(format string, args ...any)
}

func checkAdditive(t failer, c tokens.Counter, a, b string) {
	sum, joined := c.Count(a)+c.Count(b), c.Count(a+b)
	if joined > 2*sum+8 || sum > 2*joined+8 {
		t.Errorf("%s: Count(%q) + Count(%q) = %d, joined %d", tokens.Describe(c), a, b, sum, joined)
	}
}

func FuzzCount(f *testing.F) {
	for _, seed := range []string{"", "The tide turns at noon.", "港口 ทะเล مرحبا", "👨‍👩‍👧 \xff\x00", "camelCase ÄÖÜ ŁÓDŹ 12345\r\n\t"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 1<<16 {
			t.Skip("longer than needed")
		}
		counters := []tokens.Counter{tokens.Estimate(), tokens.ByBytes(4), encoder(t, tokens.O200kBase), encoder(t, tokens.Cl100kBase)}
		for _, c := range counters {
			if n := c.Count(a); n < 0 || n > 3*len(a) {
				t.Errorf("%s: %d tokens of %d bytes", tokens.Describe(c), n, len(a))
			}
			checkAdditive(t, c, a, b)
		}
	})
}

func BenchmarkCount(b *testing.B) {
	for _, sample := range []string{"english_a", "chinese_a", "code_a"} {
		text, err := os.ReadFile(filepath.Join("testdata", "scripts", sample+".txt"))
		if err != nil {
			b.Fatal(err)
		}
		b.Run("exact/"+sample, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			c := encoder(b, tokens.O200kBase)
			buf := []byte(string(text))
			for i := 0; b.Loop(); i++ {
				// A new text each round, so that the cache does not answer.
				buf[0], buf[1], buf[2] = byte('a'+i%26), byte('a'+i/26%26), byte('a'+i/676%26)
				c.Count(string(buf) + string(rune('a'+i/17576%26)))
			}
		})
		b.Run("cached/"+sample, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			c := encoder(b, tokens.O200kBase)
			s := string(text)
			for b.Loop() {
				c.Count(s)
			}
		})
		b.Run("estimate/"+sample, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			s := string(text)
			for b.Loop() {
				tokens.Estimate().Count(s)
			}
		})
	}
}
