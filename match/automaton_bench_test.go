package match

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// syllables make the names of the generated keys and texts.
var syllables = strings.Fields("ka ro mi ten dor val is ne ra thu el gar on sy pha lo ber quin ash wen dra mor ul ti fen hol")

func makeWord(r *rand.Rand) string {
	if r.IntN(10) == 0 {
		var b strings.Builder
		for range 2 + r.IntN(3) {
			b.WriteRune(rune(0x4e00 + r.IntN(3000)))
		}
		return b.String()
	}
	var b strings.Builder
	for range 2 + r.IntN(3) {
		b.WriteString(syllables[r.IntN(len(syllables))])
	}
	return b.String()
}

func makeKeys(n int) []string {
	r := rand.New(rand.NewPCG(1, 2))
	keys := make([]string, n)
	for i := range keys {
		words := make([]string, 1+r.IntN(3))
		for j := range words {
			words[j] = makeWord(r)
		}
		keys[i] = strings.Join(words, " ")
	}
	return keys
}

// plainWords are what a story is made of between the names.
var plainWords = strings.Fields(`the a and of to in she he it was had with for on at by from over
	under little long lantern river window morning said asked walked turned looked found left hand
	door table bread water night cold rain street before after never always something nobody letter`)

// makeText returns about n bytes of prose in which now and then a key occurs.
func makeText(keys []string, n int) string {
	r := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	for b.Len() < n {
		if r.IntN(15) == 0 {
			b.WriteString(keys[r.IntN(len(keys))])
		} else {
			b.WriteString(plainWords[r.IntN(len(plainWords))])
		}
		b.WriteByte(' ')
	}
	return b.String()
}

func BenchmarkAutomatonBuild(b *testing.B) {
	for _, n := range []int{300, 30000, 100000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			keys := makeKeys(n)
			b.ReportAllocs()
			for b.Loop() {
				a, err := NewAutomaton(keys)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(a.Size())/1e6, "MB-kept")
			}
		})
	}
}

func BenchmarkScan(b *testing.B) {
	for _, n := range []int{300, 30000, 100000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			keys := makeKeys(n)
			text := makeText(keys, 20000)
			a, err := NewAutomaton(keys)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			hits := 0
			for b.Loop() {
				hits = 0
				a.Scan(text, func(_, _, _ int) bool { hits++; return true })
			}
			b.ReportMetric(float64(hits), "hits")
		})
	}
}
