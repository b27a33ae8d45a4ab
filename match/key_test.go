package match

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

var allWords = []Words{
	Substring, WholeWordUnicode, WholeWordPhrase, WholeWordASCII, WholeWordSpaces, WholeWordNovelAI, GlobAgnai,
}

func TestKeyFind(t *testing.T) {
	for _, tt := range []struct {
		key   string
		fold  Fold
		words Words
		text  string
		want  []string // the pieces of text found
	}{
		{"oar", FoldLower, Substring, "The roaring surf", []string{"oar"}},
		{"oar", FoldLower, WholeWordASCII, "The roaring surf", nil},
		{"oar", FoldLower, WholeWordASCII, "that (\"Oar\"), you", []string{"Oar"}},
		{"caf", FoldLower, WholeWordASCII, "in the café", []string{"caf"}},
		{"caf", FoldLower, WholeWordUnicode, "in the café", nil},
		{"潮", FoldLower, WholeWordASCII, "計器はX潮Yを示した", nil},
		{"潮", FoldLower, WholeWordUnicode, "計器はX潮Yを示した", []string{"潮"}},
		{"潮", FoldLower, WholeWordASCII, "今夜の満潮は高い", []string{"潮"}},
		{"NPC", FoldLower, WholeWordUnicode, "新NPCです", []string{"NPC"}},
		{"лес", FoldLower, WholeWordUnicode, "В лесу лес шумит", []string{"лес"}},
		{"лис", FoldLower, WholeWordUnicode, "листва падает", nil},
		{"Zoë", FoldLower, WholeWordUnicode, "Zoë, zoëy", []string{"Zoë"}},
		{"ëm", FoldLower, WholeWordUnicode, "noëmi", nil},
		{"東京", FoldLower, WholeWordUnicode, "新東京駅へ", []string{"東京"}},
		{"ターミナル", FoldNFKC, WholeWordUnicode, "新ﾀｰﾐﾅﾙ駅", []string{"ﾀｰﾐﾅﾙ"}},
		{"ไทย", FoldLower, WholeWordUnicode, "ภาษาไทยง่าย", []string{"ไทย"}},
		{"pier", FoldLower, WholeWordUnicode, "pier_9", nil},
		{"dock", FoldLower, WholeWordUnicode, "dock-9", []string{"dock"}},
		{"🐙", FoldLower, WholeWordASCII, "mark🐙here", nil},
		{"🐙", FoldLower, WholeWordUnicode, "mark🐙here", []string{"🐙"}},
		{"❤", FoldLower, WholeWordUnicode, "I ❤\ufe0f you", []string{"❤"}},
		{"d'Arn", FoldLower, WholeWordUnicode, "Lady d'Arn walks", []string{"d'Arn"}},
		{"iron gate", FoldLower, WholeWordASCII, "the iron gates", []string{"iron gate"}},
		{"iron gate", FoldLower, WholeWordUnicode, "the iron gates", []string{"iron gate"}},
		{"iron gate", FoldLower, WholeWordPhrase, "the iron gates, the iron gate", []string{"iron gate"}},
		{"赤い　月", FoldLower, WholeWordASCII, "X赤い　月Y", []string{"赤い　月"}},
		{"Wilf:", FoldLower, WholeWordUnicode, "\x01Wilf: Hello.", []string{"Wilf:"}},
		{"izmir", FoldLower, Substring, "They left İZMİR", nil},
		{"νησος", FoldLower, Substring, "Η ΝΗΣΟΣ φαίνεται", []string{"ΝΗΣΟΣ"}},
		{"νησοσ", FoldLower, Substring, "Η ΝΗΣΟΣ φαίνεται", nil},
		{"May", FoldNone, WholeWordASCII, "it may rain in May", []string{"May"}},
		{"stras", FoldNFKC, WholeWordUnicode, "die Straß", nil},
		{"strass", FoldNFKC, WholeWordUnicode, "die Straß", []string{"Straß"}},
		{"barge", FoldNFKC, WholeWordUnicode, "the barge² sank", []string{"barge"}},
		{"aa", FoldLower, Substring, "aaa", []string{"aa", "aa"}},
		// RisuAI
		{"black gate", FoldLower | FoldNoSpaces, Substring, "the Black  Gates", []string{"Black  Gate"}},
		{"gate", FoldLower, WholeWordSpaces, "gate, the gate stands", []string{"gate"}},
		{"black gate", FoldLower, WholeWordSpaces, "the black gate stands", nil},
		{"gate", FoldLower, WholeWordSpaces, "the\ngate", nil},
		// NovelAI
		{"fire", FoldLower, WholeWordNovelAI, "firefly, fire!", []string{"fire"}},
		{" fire", FoldLower, WholeWordNovelAI, "campfire firefly a fire", []string{" fire"}},
		{"fire*", FoldLower, WholeWordNovelAI, "fire*x", []string{"fire*"}},
		{"7th", FoldLower, WholeWordNovelAI, "the 17th", []string{"7th"}},
		// Agnai
		{"dragon*", FoldLower, GlobAgnai, "Dragonfly, a dragon; snapdragon", []string{"Dragonfly", "dragon"}},
		{"dr?gon", FoldLower, GlobAgnai, "dragon drgon DROGON dr gon", []string{"dragon", "DROGON"}},
		{"*fire", FoldLower, GlobAgnai, "campfire fires", []string{"campfire"}},
		{"f*e f*y", FoldLower, GlobAgnai, "a fine filly", []string{"fine filly"}},
		{"a_(b)", FoldLower, GlobAgnai, "ab a_b", []string{"ab"}},
		{"лес*", FoldLower, GlobAgnai, "в лесу", []string{"лесу"}},
		{"潮?", FoldLower, GlobAgnai, "満潮は高い", []string{"潮は"}},
	} {
		k, err := CompileKey(tt.key, tt.fold, tt.words)
		if err != nil {
			t.Errorf("CompileKey(%q, %v, %v): %v", tt.key, tt.fold, tt.words, err)
			continue
		}
		var got []string
		for _, h := range k.FindAll(tt.text) {
			got = append(got, tt.text[h.Start:h.End])
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q, %v, %v in %q (-want +got):\n%s", tt.key, tt.fold, tt.words, tt.text, diff)
		}
	}
}

func TestCompileKeyEmpty(t *testing.T) {
	for _, tt := range []struct {
		key   string
		fold  Fold
		words Words
	}{
		{"", FoldLower, Substring},
		{"  ", FoldLower | FoldNoSpaces, Substring},
		{"({_})", FoldLower, GlobAgnai},
		{"\u0301", FoldNFKCNoAccents, Substring},
	} {
		if _, err := CompileKey(tt.key, tt.fold, tt.words); !errors.Is(err, ErrEmptyKey) {
			t.Errorf("CompileKey(%q, %v, %v) = %v, want ErrEmptyKey", tt.key, tt.fold, tt.words, err)
		}
	}
}

// genKeyFor draws keys that have a chance: pieces of the text, in other
// spellings, and keys of the same alphabet.
func genKeyFor(t *rapid.T, text string) string {
	if len(text) > 0 && rapid.Bool().Draw(t, "piece of the text") {
		r := []rune(text)
		i := rapid.IntRange(0, len(r)-1).Draw(t, "from")
		key := string(r[i:min(len(r), i+rapid.IntRange(1, 5).Draw(t, "len"))])
		switch rapid.IntRange(0, 3).Draw(t, "spelling") {
		case 0:
			key = strings.ToUpper(key)
		case 1:
			key = FoldNFKC.Apply(key)
		}
		return key
	}
	key := strings.Join(rapid.SliceOfN(rapid.SampledFrom(tricky), 1, 3).Draw(t, "key"), "")
	if rapid.IntRange(0, 3).Draw(t, "wild") == 0 {
		key += rapid.SampledFrom([]string{"*", "?", "*a", "?*"}).Draw(t, "wildcard")
	}
	return key
}

// TestKeysFindWhatNaiveFinds is the property of the whole package: keys on
// their own, and keys proposed by an automaton, find what trying every place
// finds, in all combinations of rules.
func TestKeysFindWhatNaiveFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := genText().Draw(t, "text")
		raw := make([]string, rapid.IntRange(1, 6).Draw(t, "keys"))
		for i := range raw {
			raw[i] = genKeyFor(t, text)
		}
		for _, fold := range allFolds {
			f := fold.Fold(text)
			for _, words := range allWords {
				var keys []*Key
				var lits []string
				for _, s := range raw {
					k, err := CompileKey(s, fold, words)
					if err != nil {
						if hits := Naive(s, fold, words, text); len(hits) > 0 {
							t.Fatalf("%q, %v, %v: %v, but naive finds %v", s, fold, words, err, hits)
						}
						continue
					}
					want := Naive(s, fold, words, text)
					if got := k.FindAll(text); !slices.Equal(got, want) {
						t.Fatalf("%q, %v, %v in %q: FindAll = %v, naive %v", s, fold, words, text, got, want)
					}
					h, ok := k.Find(text)
					if ok != (len(want) > 0) || ok && h != want[0] {
						t.Fatalf("%q, %v, %v in %q: Find = %v, %v, naive %v", s, fold, words, text, h, ok, want)
					}
					if k.Literal() != "" {
						keys, lits = append(keys, k), append(lits, k.Literal())
					}
				}
				a, err := NewAutomaton(lits)
				if err != nil {
					t.Fatal(err)
				}
				got := make([][]Hit, len(keys))
				a.Scan(f.Text, func(p, start, end int) bool {
					if h, ok := keys[p].Verify(&f, start, end); ok {
						got[p] = append(got[p], h)
					}
					return true
				})
				for p, k := range keys {
					want := Naive(k.String(), fold, words, text)
					if words == GlobAgnai { // its Verify answers for the text
						if (len(got[p]) > 0) != (len(want) > 0) || len(want) > 0 && got[p][0] != want[0] {
							t.Fatalf("%q, %v, %v in %q: automaton %v, naive %v", k, fold, words, text, got[p], want)
						}
						continue
					}
					if !slices.Equal(got[p], want) {
						t.Fatalf("%q, %v, %v in %q: automaton %v, naive %v", k, fold, words, text, got[p], want)
					}
				}
			}
		}
	})
}

func beginsWithMark(s string) bool {
	r, _ := utf8.DecodeRuneInString(norm.NFKD.String(s))
	return combinesBackward(r)
}

// TestSeamsOfKeys: matches within the messages and matches over their seams
// are together the matches in the joined text.
func TestSeamsOfKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(genText(), 1, 4).Draw(t, "texts")
		sep := rapid.SampledFrom([]string{"\n", " ", "\n\x01"}).Draw(t, "sep")
		joined := strings.Join(texts, sep)
		key := genKeyFor(t, joined)
		for _, fold := range []Fold{FoldNone, FoldLower, FoldNFKC, FoldNFKCNoAccents} {
			if fold >= FoldNFKC && slices.ContainsFunc(texts, beginsWithMark) {
				continue // once joined it stands on the separator, and matches there take it along
			}
			for _, words := range []Words{Substring, WholeWordUnicode, WholeWordPhrase, WholeWordASCII, WholeWordNovelAI} {
				k, err := CompileKey(key, fold, words)
				if err != nil {
					continue
				}
				a, err := NewAutomaton([]string{k.Literal()})
				if err != nil {
					t.Fatal(err)
				}
				folded, plain, at := make([]Folded, len(texts)), make([]string, len(texts)), make([]int, len(texts))
				pos := 0
				var got []Hit
				for i, s := range texts {
					folded[i] = fold.Fold(s)
					plain[i], at[i] = folded[i].Text, pos
					a.Scan(plain[i], func(_, start, end int) bool {
						if h, ok := k.Verify(&folded[i], start, end); ok {
							got = append(got, Hit{pos + h.Start, pos + h.End})
						}
						return true
					})
					pos += len(s) + len(sep)
				}
				a.ScanSeams(plain, sep, func(s SeamHit) bool {
					if h, ok := k.VerifySeam(folded, sep, s); ok {
						got = append(got, Hit{at[s.First] + h.Start, at[s.Last] + h.End})
					}
					return true
				})
				slices.SortFunc(got, func(x, y Hit) int { return x.Start*1000 + x.End - y.Start*1000 - y.End })
				want := Naive(key, fold, words, joined)
				if !slices.Equal(got, want) {
					t.Fatalf("%q, %v, %v in %q joined by %q: got %v, joined text has %v", key, fold, words, texts, sep, got, want)
				}
			}
		}
	})
}
