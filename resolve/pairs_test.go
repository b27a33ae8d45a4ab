package resolve

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
)

// pair is one line of testdata/pairs.txt.
type pair struct {
	line int
	want Verdict
	a, b Thing
}

func readPairs(t testing.TB) []pair {
	t.Helper()
	f, err := os.Open("testdata/pairs.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []pair
	scan := bufio.NewScanner(f)
	for line := 1; scan.Scan(); line++ {
		text := scan.Text()
		if text == "" || text[0] == '#' {
			continue
		}
		cols := strings.Split(text, " | ")
		if len(cols) == 3 && strings.HasSuffix(cols[0], "|") {
			cols = []string{strings.TrimSuffix(cols[0], "|"), "", cols[1], cols[2]}
		}
		if strings.Contains(text, "| |") {
			parts := strings.SplitN(text, "| |", 2)
			cols = append([]string{parts[0], ""}, strings.Split(parts[1], " | ")...)
		}
		if len(cols) != 4 {
			t.Fatalf("line %d: %d columns, want 4", line, len(cols))
		}
		p := pair{line: line}
		switch v := strings.TrimSpace(cols[0]); v {
		case "same":
			p.want = Same
		case "different":
			p.want = Different
		case "ambiguous":
			p.want = Ambiguous
		default:
			t.Fatalf("line %d: verdict %q", line, v)
		}
		typ := strings.TrimSpace(cols[1])
		p.a, p.b = readPairThing(typ, cols[2]), readPairThing(typ, cols[3])
		out = append(out, p)
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func readPairThing(typ, text string) Thing {
	text, desc, _ := strings.Cut(text, " :: ")
	names := strings.Split(text, " =")
	t := Thing{Type: typ, Name: strings.TrimSpace(names[0]), Description: strings.TrimSpace(desc)}
	for _, a := range names[1:] {
		t.Aliases = append(t.Aliases, strings.TrimSpace(a))
	}
	return t
}

// TestPairs holds every labelled pair, in both directions, with Decide and
// with an Index.
func TestPairs(t *testing.T) {
	t.Parallel()
	pairs := readPairs(t)
	if len(pairs) < 220 {
		t.Fatalf("%d pairs, want at least 220", len(pairs))
	}
	for _, p := range pairs {
		t.Run(fmt.Sprintf("line_%d", p.line), func(t *testing.T) {
			for _, turn := range []bool{false, true} {
				a, b := p.a, p.b
				if turn {
					a, b = b, a
				}
				b.ID = "known"
				d := Decide(a, []Thing{b}, Options{})
				if d.Verdict != p.want {
					t.Errorf("Decide(%q, %q) = %v, want %v\n%s", a.Name, b.Name, d.Verdict, p.want, d.Trace())
				}
				if len(d.Steps) == 0 {
					t.Errorf("Decide(%q, %q) leaves no trace", a.Name, b.Name)
				}
				if x := NewIndex([]Thing{b}).Decide(a, Options{}); x.Verdict != d.Verdict {
					t.Errorf("Index.Decide(%q, %q) = %v, Decide gives %v", a.Name, b.Name, x.Verdict, d.Verdict)
				}
			}
		})
	}
}
