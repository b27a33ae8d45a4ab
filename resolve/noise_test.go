package resolve

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// entity is one line of testdata/entities.txt.
type entity struct {
	typ         string
	forms       []string
	shared      bool // another entity has the same name
	bracket     string
	description string
}

func readEntities(t testing.TB) []entity {
	t.Helper()
	f, err := os.Open("testdata/entities.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []entity
	for scan := bufio.NewScanner(f); scan.Scan(); {
		if scan.Text() == "" || scan.Text()[0] == '#' {
			continue
		}
		cols := strings.Split(scan.Text(), " | ")
		if len(cols) != 4 {
			t.Fatalf("%q has %d columns, want 4", scan.Text(), len(cols))
		}
		e := entity{typ: cols[0], bracket: cols[2], description: cols[3]}
		for _, f := range strings.Split(cols[1], " / ") {
			name, shared := strings.CutPrefix(f, "!")
			e.shared = e.shared || shared
			e.forms = append(e.forms, name)
		}
		out = append(out, e)
	}
	return out
}

// write returns a thing as a careless writer would give it.
func (e *entity) write(r *rand.Rand) Thing {
	name := e.forms[r.IntN(len(e.forms))]
	if r.IntN(4) == 0 {
		if r.IntN(2) == 0 {
			name += " (" + e.bracket + ")"
		} else {
			name += "（" + e.bracket + "）"
		}
	}
	for range r.IntN(3) {
		if i := r.IntN(len(noises)); i != addAccents || !e.accented() {
			name = noises[i](name, r)
		}
	}
	t := Thing{Type: e.typ, Name: name}
	if e.shared || r.IntN(5) > 1 {
		t.Description = spoilDescription(e.description, r)
	}
	return t
}

// accented reports whether the name has accents: others in their place would
// make another name of it.
func (e *entity) accented() bool {
	return slices.ContainsFunc(e.forms, func(f string) bool { return !isASCII(f) })
}

const addAccents = 0

// noises are what writers do to names.
var noises = []func(name string, r *rand.Rand) string{
	addAccents: func(s string, _ *rand.Rand) string { return strings.NewReplacer("a", "á", "i", "í").Replace(s) },
	func(s string, _ *rand.Rand) string { return strings.ToUpper(s) },
	func(s string, _ *rand.Rand) string { return strings.ToLower(s) },
	func(s string, _ *rand.Rand) string { return strings.ReplaceAll(s, " ", "  ") },
	func(s string, _ *rand.Rand) string { return " " + s + "." },
	func(s string, _ *rand.Rand) string { return strings.ReplaceAll(s, "'", "’") },
	// Hyphens for spaces and back.
	func(s string, _ *rand.Rand) string {
		if strings.ContainsAny(s, ",(（«-") {
			return strings.ReplaceAll(s, "-", " ")
		}
		return strings.ReplaceAll(s, " ", []string{"-", "‑", "_"}[len(s)%3])
	},
	// Full width.
	func(s string, _ *rand.Rand) string {
		return strings.Map(func(r rune) rune {
			if '!' < r && r < '~' && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
				return r + 0xfee0
			}
			return r
		}, s)
	},
	// Accents gone.
	func(s string, _ *rand.Rand) string {
		return strings.NewReplacer("é", "e", "ü", "u", "ö", "o", "ø", "o", "ё", "е", "ή", "η", "ά", "α", "ί", "ι", "أ", "ا").Replace(s)
	},
	// Invisible characters.
	func(s string, r *rand.Rand) string {
		runes := []rune(s)
		return string(slices.Insert(runes, r.IntN(len(runes)+1), '\u200b'))
	},
}

// spoilDescription leaves out some words and turns the sentence round.
func spoilDescription(s string, r *rand.Rand) string {
	words := strings.Fields(s)
	for range len(words) / 5 {
		i := r.IntN(len(words))
		words = slices.Delete(words, i, i+1)
	}
	if r.IntN(2) == 0 {
		i := r.IntN(len(words))
		words = append(slices.Clone(words[i:]), words[:i]...)
	}
	return strings.Join(words, " ")
}

// TestNoisyWrites is invariant I10: a thousand careless writes about a hundred
// things give a hundred things, and no two things become one. Where the
// decision is ambiguous because the one with the name has another description,
// the writer makes a new thing, as somebody who was asked would; where several
// fit, the write would wait, which must not happen here.
func TestNoisyWrites(t *testing.T) {
	t.Parallel()
	entities := readEntities(t)
	if len(entities) != 100 {
		t.Fatalf("%d entities, want 100", len(entities))
	}
	for seed := range uint64(10) {
		t.Run(fmt.Sprintf("seed_%d", seed), func(t *testing.T) {
			t.Parallel()
			noisyWrites(t, entities, 1000, seed)
		})
	}
}

func noisyWrites(t *testing.T, entities []entity, writes int, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 10))
	index := NewIndex(nil)
	owner := map[string]int{} // the entity of each thing
	count := make([]int, len(entities))
	// Everything is written about once, in any order, and then at random.
	order := r.Perm(len(entities))
	for len(order) < writes {
		order = append(order, r.IntN(len(entities)))
	}
	for _, e := range order {
		w := entities[e].write(r)
		d := index.Decide(w, Options{})
		switch {
		case d.Verdict == Same && owner[d.Target] != e:
			known, _ := index.Thing(d.Target)
			t.Errorf("wrong merge: %+v\ninto %+v\n%s", w, known, d.Trace())
		case d.Verdict == Same:
			known, _ := index.Thing(d.Target)
			if !slices.Contains(known.Aliases, w.Name) && w.Name != known.Name {
				known.Aliases = append(slices.Clone(known.Aliases), w.Name)
			}
			if known.Description == "" {
				known.Description = w.Description
			}
			index = index.With(known)
		case d.Verdict == Ambiguous && d.Agreement != Unlike && d.Agreement != Conflict:
			t.Errorf("nobody decides about %+v\n%s", w, d.Trace())
		default:
			w.ID = fmt.Sprintf("thing-%d", len(owner))
			owner[w.ID] = e
			if count[e]++; count[e] > 1 {
				t.Errorf("duplicate: %+v of %v\n%s", w, entities[e].forms, d.Trace())
			}
			index = index.With(w)
		}
	}
	if index.Len() != len(entities) {
		t.Errorf("%d things, want %d", index.Len(), len(entities))
	}
}
