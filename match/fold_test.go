package match

import (
	"iter"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// tricky are pieces in which folding, borders and offsets differ between rules.
var tricky = []string{
	"a", "b", "K", "ring", "Ring", " ", "  ", "\n", "_", "-", "'", ".", ":", "1", "9", "²", "½",
	"é", "e\u0301", "É", "ë", "ß", "ẞ", "SS", "ﬁ", "fi", "İ", "i\u0307", "I", "ı", "\u0307", "\u0301", "\u0327",
	"Σ", "σ", "ς", "ΝΗΣ", "Ϊ\u0301", "ΐ", "ᾳ", "\u0345", "α", "Ω", "K", "Å", "Ⱥ", "ſ",
	"лес", "Лесу", "ё", "Й", "東京", "駅", "潮", "ア", "ｱ", "ｶﾞ", "ﾞ", "が", "か\u3099", "ー", "Ａ", "ａ", "　",
	"한국", "\u1112\u1161\u11ab", "\u1161", "ไทย", "ก่", "မြန်", "ខ្មែរ", "🐙", "👩\u200d🚀", "❤\ufe0f", "𝒜", "𐐀",
	"\xff", "\xe3\x81", "\u0340", "´", "\u0344", "\ufffd", "ø", "ł", "שָׁ", "عَ", "ǅ", "ŉ", "\x01",
}

func genText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for range rapid.IntRange(0, 12).Draw(t, "pieces") {
			if rapid.IntRange(0, 9).Draw(t, "kind") == 0 {
				b.WriteString(rapid.String().Draw(t, "any"))
			} else {
				b.WriteString(rapid.SampledFrom(tricky).Draw(t, "piece"))
			}
		}
		return b.String()
	})
}

var allFolds = []Fold{
	FoldNone, FoldLower, FoldNFKC, FoldNFKCNoAccents,
	FoldSimple, FoldLower | FoldNoSpaces, FoldNFKC | FoldNoSpaces, FoldNone | FoldNoSpaces, FoldNFKCNoAccents | FoldNoSpaces,
}

// TestFoldMakesEqual holds the table of spellings that a rule has to take for
// the same, or to tell apart.
func TestFoldMakesEqual(t *testing.T) {
	const none, lower, nfkc, bare = 1, 2, 4, 8
	for _, tt := range []struct {
		a, b string
		in   int // the rules under which they are equal
	}{
		{"Oak", "Oak", none | lower | nfkc | bare},
		{"Oak", "oAK", lower | nfkc | bare},
		{"straße", "STRASSE", nfkc | bare},
		{"straße", "STRAẞE", lower | nfkc | bare},
		{"istanbul", "İSTANBUL", nfkc | bare},
		{"i\u0307stanbul", "İSTANBUL", lower | nfkc | bare},
		{"café", "CAFÉ", lower | nfkc | bare},
		{"café", "cafe\u0301", nfkc | bare},
		{"Σίσυφος", "ΣΊΣΥΦΟΣ", lower | nfkc | bare},
		{"σίσυφοσ", "ΣΊΣΥΦΟΣ", nfkc | bare},
		{"アルカディア", "ｱﾙｶﾃﾞｨｱ", nfkc | bare},
		{"ARCADIA", "ＡＲＣＡＤＩＡ", nfkc | bare},
		{"cafe", "café", bare},
		{"Malmo", "Malmø", bare},
		{"ежик", "Ёжик", bare},
		{"か", "が", 0},
		{"Ꭰ", "ꭰ", nfkc | bare | lower},
		{"ΐ", "Ϊ\u0301", nfkc | bare},
		{"лес", "ЛЕС", lower | nfkc | bare},
		{"\xff", "\ufffd", none | lower | nfkc | bare},
	} {
		for i, f := range []Fold{FoldNone, FoldLower, FoldNFKC, FoldNFKCNoAccents} {
			want := tt.in&(1<<i) != 0
			if got := f.Apply(tt.a) == f.Apply(tt.b); got != want {
				t.Errorf("%v: %q equals %q: %v, want %v (%q, %q)", f, tt.a, tt.b, got, want, f.Apply(tt.a), f.Apply(tt.b))
			}
		}
	}
}

// wholeFold is the definition of the rules, on the text as a whole.
func wholeFold(f Fold, s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		b.WriteRune(r)
		i += size
	}
	s = b.String()
	switch f &^ FoldNoSpaces {
	case FoldLower:
		// Here only what is not the sigma, which has a test of its own.
		b.Reset()
		for i, r := range s {
			switch {
			case r == 'İ':
				b.WriteString("i\u0307")
			case r == 'Σ' && finalSigma(s, i):
				b.WriteRune('ς')
			default:
				b.WriteRune(unicode.ToLower(r))
			}
		}
		s = b.String()
	case FoldSimple:
		s = strings.Map(foldSimple, s)
	case FoldNFKC:
		s = norm.NFKC.String(fullFold(norm.NFKC.String(s)))
	case FoldNFKCNoAccents:
		s = strings.Map(func(r rune) rune {
			if isAccent(r) {
				return -1
			}
			return unstroked(r)
		}, norm.NFKD.String(s))
		s = norm.NFKC.String(fullFold(s))
	}
	if f&FoldNoSpaces != 0 {
		s = strings.ReplaceAll(s, " ", "")
	}
	return s
}

// fullFold is the full case folding of Unicode, without dots on a folded i.
func fullFold(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.Is(unicode.Cherokee, r) && unicode.IsUpper(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(cases.Fold().String(string(r)))
		}
	}
	s = b.String()
	for strings.Contains(s, "i\u0307") {
		s = strings.ReplaceAll(s, "i\u0307", "i")
	}
	return s
}

func TestFoldDropsTheDotsOfAnI(t *testing.T) {
	for _, text := range []string{"İ", "i\u0307", "I\u0307", "İ\u0307", "i\u0307\u0307", "I\u0307\u0307"} {
		if got := FoldNFKC.Apply(text); got != "i" {
			t.Errorf("Apply(%+q) = %+q, want i", text, got)
		}
	}
}

func TestFoldIsTheFoldOfTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := genText().Draw(t, "text")
		for _, f := range allFolds {
			if got, want := f.Apply(s), wholeFold(f, s); got != want {
				t.Fatalf("%v.Apply(%q) = %q, want %q", f, s, got, want)
			}
		}
	})
}

// assigned yields the characters, but of Han and Hangul, which are many and
// alike, only some.
func assigned() iter.Seq[rune] {
	return func(yield func(rune) bool) {
		for r := rune(0); r < 0xe0200; r++ {
			switch {
			case 0x3400 <= r && r < 0xd700 && r%37 != 0, 0x17000 <= r && r < 0x1a000 && r%37 != 0,
				0x20000 <= r && r < 0xe0000 && r%4099 != 0, !utf8.ValidRune(r):
			default:
				if !yield(r) {
					return
				}
			}
		}
	}
}

// TestFoldEveryCharacter holds the tables against the definition.
func TestFoldEveryCharacter(t *testing.T) {
	for r := range assigned() {
		for _, f := range []Fold{FoldNFKC, FoldNFKCNoAccents, FoldLower, FoldSimple} {
			s := string(r)
			if got, want := f.Apply(s), wholeFold(f, s); got != want {
				t.Errorf("%v.Apply(%U) = %q, want %q", f, r, got, want)
			}
		}
	}
}

func TestFoldIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := genText().Draw(t, "text")
		for _, f := range []Fold{FoldNone, FoldNFKC, FoldSimple} {
			once := f.Apply(s)
			if twice := f.Apply(once); twice != once {
				t.Fatalf("%v: %q folds to %q, that to %q", f, s, once, twice)
			}
		}
	})
}

// checkOffsets demands that the map is monotone, stays inside of the text, hits
// borders of characters, and that the pieces of the text it names fold to a
// text that holds what was asked for.
func checkOffsets(t interface {
	Fatalf(string, ...any)
}, f Fold, s string,
) {
	v := f.Fold(s)
	if !utf8.ValidString(v.Text) {
		t.Fatalf("%v.Fold(%q).Text = %q is not UTF-8", f, s, v.Text)
	}
	if o, oe := v.Original(0, len(v.Text)); len(v.Text) > 0 && (o < 0 || oe > len(s) || o > oe) {
		t.Fatalf("%v.Fold(%q).Original of all = %d, %d", f, s, o, oe)
	}
	last, lastEnd := 0, 0
	for i, r := range v.Text {
		o, oe := v.Original(i, i+utf8.RuneLen(r))
		if o < last || oe < lastEnd || oe <= o || oe > len(s) {
			t.Fatalf("%v.Fold(%q) = %q: character at %d comes from %d to %d, the one before from %d to %d",
				f, s, v.Text, i, o, oe, last, lastEnd)
		}
		if o > lastEnd && f&FoldNoSpaces == 0 && f&^FoldNoSpaces != FoldNFKCNoAccents {
			t.Fatalf("%v.Fold(%q) = %q: nothing comes from %d to %d", f, s, v.Text, lastEnd, o)
		}
		if f&^FoldNoSpaces != FoldLower && !strings.ContainsRune(f.Apply(s[o:oe]), r) {
			t.Fatalf("%v.Fold(%q): %q at %d should come from %q", f, s, r, i, s[o:oe])
		}
		last, lastEnd = o, oe
	}
}

func TestFoldOffsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := genText().Draw(t, "text")
		for _, f := range allFolds {
			checkOffsets(t, f, s)
		}
	})
}

func TestFoldOriginal(t *testing.T) {
	for _, tt := range []struct {
		fold            Fold
		text, hit, want string
	}{
		{FoldNFKC, "die Große Straße", "strasse", "Straße"},
		{FoldNFKC, "die Große Straße", "stras", "Straß"},
		{FoldNFKC, "im cafe\u0301 hier", "café", "cafe\u0301"},
		{FoldNFKC, "x ｱﾙｶﾃﾞｨｱ y", "ディア", "ﾃﾞｨｱ"},
		{FoldNFKCNoAccents, "un e\u0301lan ici", "elan", "e\u0301lan"},
		{FoldLower, "le İzmir x", "zmir", "zmir"},
		{FoldLower, "le İzmir x", "i\u0307z", "İz"},
		{FoldLower | FoldNoSpaces, "the Black  Gate", "ckga", "ck  Ga"},
		{FoldNFKC | FoldNoSpaces, "ß ß x", "ssss", "ß ß"},
		{FoldNFKC | FoldNoSpaces, "ß  x", "ss", "ß"},
		{FoldNFKC, "a\xffb ring", "ring", "ring"},
	} {
		v := tt.fold.Fold(tt.text)
		i := strings.Index(v.Text, tt.hit)
		if i < 0 {
			t.Errorf("%v: %q is not in %q", tt.fold, tt.hit, v.Text)
			continue
		}
		o, oe := v.Original(i, i+len(tt.hit))
		if got := tt.text[o:oe]; got != tt.want {
			t.Errorf("%v: %q in %q comes from %q, want %q", tt.fold, tt.hit, tt.text, got, tt.want)
		}
	}
}

// TestFoldOfJoined is the property that lets messages be folded one by one.
func TestFoldOfJoined(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(genText(), 1, 4).Draw(t, "texts")
		for _, f := range allFolds {
			for _, sep := range []string{"\n", " ", "\n\x01"} {
				folded := make([]string, len(texts))
				for i, s := range texts {
					folded[i] = f.Apply(s)
				}
				got := strings.Join(folded, f.Apply(sep))
				if want := f.Apply(strings.Join(texts, sep)); got != want {
					t.Fatalf("%v: %q joined by %q: pieces fold to %q, the whole to %q", f, texts, sep, got, want)
				}
			}
		}
	})
}

func TestFolderReuse(t *testing.T) {
	fo := NewFolder(FoldNFKC)
	for range 3 {
		for _, s := range tricky {
			v := fo.Fold(s)
			if w := FoldNFKC.Fold(s); v.Text != w.Text || len(v.spans) != len(w.spans) {
				t.Errorf("reused folder: %q folds to %q %v, want %q %v", s, v.Text, v.spans, w.Text, w.spans)
			}
		}
	}
	v := FoldLower.Fold("ABC")
	FoldLower.Fold("xyz")
	if v.Text != "abc" {
		t.Errorf("a second Fold changed the first result to %q", v.Text)
	}
}

// TestFoldLongSegment is about marks without end behind one letter.
func TestFoldLongSegment(t *testing.T) {
	s := "x" + strings.Repeat("\u0301", 200_000) + " ring"
	v := FoldNFKC.Fold(s)
	i := strings.Index(v.Text, "ring")
	if o, oe := v.Original(i, i+4); s[o:oe] != "ring" {
		t.Errorf("ring found at %q", s[o:oe])
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range tricky {
		f.Add(s)
	}
	f.Add(strings.Join(tricky, ""))
	f.Fuzz(func(t *testing.T, s string) {
		for _, fold := range allFolds {
			checkOffsets(t, fold, s)
		}
	})
}

func BenchmarkFold(b *testing.B) {
	prose := makeText(makeKeys(300), 20000)
	ascii := strings.Map(func(r rune) rune {
		if r > 127 {
			return 'x'
		}
		return r
	}, prose)
	for _, tt := range []struct{ name, text string }{
		{"ascii", strings.ToLower(ascii)},
		{"capitals", strings.ToUpper(ascii)},
		{"mixed", prose},
		{"french", strings.Repeat("Où l'été déjà s'achève, la forêt rêve. ", 500)},
		{"russian", strings.Repeat("Старый Лес шумит за рекой, и никто не спит. ", 300)},
		{"japanese", strings.Repeat("新東京駅へ急いだ。アルカディアの夜は長い。", 300)},
		{"decomposed", norm.NFD.String(strings.Repeat("Où l'été déjà s'achève, la forêt rêve. ", 500))},
	} {
		for _, f := range []Fold{FoldLower, FoldNFKC} {
			b.Run(f.String()+"/"+tt.name, func(b *testing.B) {
				fo := NewFolder(f)
				b.SetBytes(int64(len(tt.text)))
				b.ReportAllocs()
				for b.Loop() {
					fo.Fold(tt.text)
				}
			})
		}
	}
}
