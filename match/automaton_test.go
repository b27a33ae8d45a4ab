package match

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// scanned and naiveScan write hits down as "pattern:start-end".
func scanned(a *Automaton, text string) []string {
	var hits []string
	a.Scan(text, func(p, start, end int) bool {
		hits = append(hits, fmt.Sprintf("%d:%d-%d", p, start, end))
		return true
	})
	return hits
}

func naiveScan(patterns []string, text string) []string {
	var hits []string
	for end := 1; end <= len(text); end++ {
		for size := end; size > 0; size-- {
			for p, s := range patterns {
				if len(s) == size && text[end-size:end] == s {
					hits = append(hits, fmt.Sprintf("%d:%d-%d", p, end-size, end))
				}
			}
		}
	}
	return hits
}

func TestAutomatonFindsAll(t *testing.T) {
	patterns := []string{"he", "she", "hers", "his", "e", "he", "東京", "京"}
	a, err := NewAutomaton(patterns)
	if err != nil {
		t.Fatal(err)
	}
	const text = "ushers, 新東京 his"
	got, want := scanned(a, text), naiveScan(patterns, text)
	if !slices.Equal(got, want) {
		t.Errorf("Scan(%q) = %v, want %v", text, got, want)
	}
	if a.Len() != len(patterns) || a.MaxPatternLen() != len("東京") || a.Size() <= 0 {
		t.Errorf("Len, MaxPatternLen, Size = %d, %d, %d", a.Len(), a.MaxPatternLen(), a.Size())
	}
}

func TestAutomatonOfNothing(t *testing.T) {
	a, err := NewAutomaton(nil)
	if err != nil {
		t.Fatal(err)
	}
	if hits := scanned(a, "any text"); hits != nil || a.MaxPatternLen() != 0 {
		t.Errorf("an empty automaton finds %v, longest pattern %d", hits, a.MaxPatternLen())
	}
	if _, err := NewAutomaton([]string{"a", ""}); !errors.Is(err, ErrEmptyPattern) || !strings.Contains(err.Error(), "pattern 1") {
		t.Errorf("empty pattern: %v, want ErrEmptyPattern for pattern 1", err)
	}
}

func TestAutomatonStops(t *testing.T) {
	a, err := NewAutomaton([]string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	if a.Scan("aaaa", func(_, _, _ int) bool { n++; return n < 2 }) || n != 2 {
		t.Errorf("after %d calls: Scan should stop at the second and report false", n)
	}
}

// TestAutomatonOfAllBytes has more classes than a byte can count.
func TestAutomatonOfAllBytes(t *testing.T) {
	var patterns []string
	for c := range 256 {
		patterns = append(patterns, string([]byte{byte(c), byte(c + 1)}))
	}
	a, err := NewAutomaton(patterns)
	if err != nil {
		t.Fatal(err)
	}
	text := string([]byte{0xfe, 0xff, 0, 1, 7, 8})
	if got, want := scanned(a, text), naiveScan(patterns, text); !slices.Equal(got, want) {
		t.Errorf("Scan(%x) = %v, want %v", text, got, want)
	}
}

func genPatterns() *rapid.Generator[[]string] {
	return rapid.SliceOfN(rapid.StringMatching(`[ab]{1,6}|[a-d]{1,3}|[東京ab\n]{1,4}`), 1, 40)
}

func TestAutomatonIsNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		patterns := genPatterns().Draw(t, "patterns")
		text := rapid.StringMatching(`[abcd東京\n]{0,40}`).Draw(t, "text")
		a, err := NewAutomaton(patterns)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := scanned(a, text), naiveScan(patterns, text); !slices.Equal(got, want) {
			t.Fatalf("Scan(%q) for %q = %v, want %v", text, patterns, got, want)
		}
	})
}

func TestSetIsScan(t *testing.T) {
	var set Set
	rapid.Check(t, func(t *rapid.T) {
		patterns := genPatterns().Draw(t, "patterns")
		text := rapid.StringMatching(`[abcd東京\n]{0,40}`).Draw(t, "text")
		a, err := NewAutomaton(patterns)
		if err != nil {
			t.Fatal(err)
		}
		even := func(_, start, _ int) bool { return start%2 == 0 }
		a.ScanSet(text, &set, even)
		var want []SetHit
		a.Scan(text, func(p, start, end int) bool {
			if start%2 == 0 {
				i := slices.IndexFunc(want, func(h SetHit) bool { return h.Pattern == p })
				if i < 0 {
					want = append(want, SetHit{p, start, end, 1})
				} else {
					want[i].Count++
				}
			}
			return true
		})
		if !slices.Equal(set.Hits(), want) {
			t.Fatalf("ScanSet(%q) for %q = %v, want %v", text, patterns, set.Hits(), want)
		}
		for p := range patterns {
			i := slices.IndexFunc(want, func(h SetHit) bool { return h.Pattern == p })
			if h, ok := set.Get(p); ok != (i >= 0) || ok && h != want[i] {
				t.Fatalf("Get(%d) = %v, %v", p, h, ok)
			}
		}
	})
}

// TestSeamsAreTheJoinedText: scans of the pieces and of the seams find what a
// scan of the joined text finds, each once.
func TestSeamsAreTheJoinedText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		patterns := genPatterns().Draw(t, "patterns")
		texts := rapid.SliceOfN(rapid.StringMatching(`[abcd東京\n]{0,6}`), 0, 6).Draw(t, "texts")
		sep := rapid.SampledFrom([]string{"\n", "", "a", "ab", "\na"}).Draw(t, "sep")
		a, err := NewAutomaton(patterns)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		at := make([]int, len(texts))
		pos := 0
		for i, s := range texts {
			at[i] = pos
			a.Scan(s, func(p, start, end int) bool {
				got = append(got, fmt.Sprintf("%d:%d-%d", p, pos+start, pos+end))
				return true
			})
			pos += len(s) + len(sep)
		}
		a.ScanSeams(texts, sep, func(h SeamHit) bool {
			got = append(got, fmt.Sprintf("%d:%d-%d", h.Pattern, at[h.First]+h.Start, at[h.Last]+h.End))
			return true
		})
		want := naiveScan(patterns, strings.Join(texts, sep))
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%q joined by %q for %q: got %v, want %v", texts, sep, patterns, got, want)
		}
	})
}

func FuzzAutomaton(f *testing.F) {
	f.Add("he,she,hers", "ushers")
	f.Add("aa,a,aaa", "aaaaa")
	f.Add("東京,\x80,\xff\xfe", "新東京\xff\xfe")
	f.Fuzz(func(t *testing.T, list, text string) {
		if len(list) > 200 || len(text) > 200 {
			return
		}
		patterns := slices.DeleteFunc(strings.Split(list, ","), func(s string) bool { return s == "" })
		a, err := NewAutomaton(patterns)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := scanned(a, text), naiveScan(patterns, text); !slices.Equal(got, want) {
			t.Errorf("Scan(%q) for %q = %v, want %v", text, patterns, got, want)
		}
	})
}
