package resolve

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestSimilarityIsPostgres compares with what PostgreSQL computed.
func TestSimilarityIsPostgres(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/similarity.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for scan := bufio.NewScanner(f); scan.Scan(); {
		line := scan.Text()
		if strings.HasPrefix(line, "# ") {
			continue
		}
		cols := strings.Split(line, "\t")
		if len(cols) != 3 {
			t.Fatalf("%q has %d columns, want 3", line, len(cols))
		}
		want, err := strconv.ParseFloat(cols[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		n++
		if got := Similarity(cols[0], cols[1]); math.Abs(got-want) > 5e-7 {
			t.Errorf("Similarity(%q, %q) = %.7f, PostgreSQL gives %.7f", cols[0], cols[1], got, want)
		}
	}
	if n < 300 {
		t.Errorf("only %d pairs were compared", n)
	}
}

// TestSimilarityInEveryScript holds that names of one script that differ are
// not all alike, and equal ones are.
func TestSimilarityInEveryScript(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b     string
		from, to float64
	}{
		{"Лукьян", "Лукьян", 1, 1},
		{"Лукьян", "Прокл", 0, 0.05},
		{"Дарина", "Даринка", 0.4, 0.7},
		{"ΕΛΕΝΗ", "Ελενη", 1, 1},
		{"Ελένη", "Μαρία", 0, 0.05},
		{"يوسف حداد", "يوسف نجار", 0.2, 0.6},
		{"يوسف", "مريم", 0, 0.05},
		{"דוד כהן", "דוד לוי", 0.2, 0.6},
		{"山田", "山田", 1, 1},
		{"山田", "山本", 0.2, 0.2},
		{"山田", "小林", 0, 0},
		{"山田太郎", "山田次郎", 0.2, 0.4},
		{"サクラ", "サクヤ", 0.2, 0.5},
		{"김철수", "김철민", 0.2, 0.5},
		{"नमस्ते", "नमस्ते", 1, 1},
		{"क्रम", "कम", 0, 0.5},
		{"!!!", "!!!", 0, 0},
	} {
		if got := Similarity(c.a, c.b); got < c.from || got > c.to {
			t.Errorf("Similarity(%q, %q) = %.3f, want %.2f to %.2f", c.a, c.b, got, c.from, c.to)
		}
	}
}

func TestContainment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"Valen", "Valen the Shadow", 1},
		{"Valen the Shadow", "Valen", 1},
		{"Valen", "Valeria", 4.0 / 6},
		{"", "Valen", 0},
		{"山田", "山田 太郎", 1},
	} {
		if got := Containment(c.a, c.b); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("Containment(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestTrigramProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		s, c := Similarity(a, b), Containment(a, b)
		if s != Similarity(b, a) || c != Containment(b, a) {
			t.Errorf("not symmetric: %v, %v", s, c)
		}
		if s < 0 || s > c || c > 1 {
			t.Errorf("similarity %v, containment %v", s, c)
		}
		if len(trigrams(a)) > 0 && Similarity(a, a) != 1 {
			t.Errorf("Similarity(%q, itself) = %v", a, Similarity(a, a))
		}
	})
}
