package world

import (
	"context"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/match"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

// Hit is an entry, a message or a category that a search found.
type Hit struct {
	// Ref is the entry; Node the message. One of them is set.
	Ref  memory.Ref
	Node string
	Name string
	// Where is "name", "key", "tag" or "content"; Snippet shows it.
	Where   string
	Snippet string
	Score   float64
}

// Search looks for words in the names, keys, tags and content of the live
// entries at a place, and with messages also in what was said on the path to
// it. All words have to be found; names count more than keys, keys more than
// content. Nothing of other branches is found.
func (s *Service) Search(ctx context.Context, world string, at Place, query string, messages bool, limit int) ([]Hit, error) {
	words := searchWords(query)
	if len(words) == 0 {
		return nil, store.Errorf(store.Invalid, "there is nothing to search for")
	}
	if limit <= 0 || limit > 1000 {
		limit = 20
	}
	return view(ctx, s, world, func(tx *txn) ([]Hit, error) {
		l, err := tx.lore(at)
		if err != nil {
			return nil, err
		}
		var hits []Hit
		for _, r := range l.Live() {
			e := l.View.Entry(r.Book, r.Entry)
			if e == nil {
				continue
			}
			if h, ok := searchEntry(e, words); ok {
				h.Ref = r
				hits = append(hits, h)
			}
		}
		if messages && l.Node != "" {
			c, err := tx.conversation(l.conversation)
			if err != nil {
				return nil, err
			}
			t, err := tx.trailAsOf(c, l.Node, at.AsOf)
			if err != nil {
				return nil, err
			}
			for _, n := range t.nodes {
				if n.Hidden {
					continue
				}
				if score, snippet, ok := searchText(n.Content, words); ok {
					hits = append(hits, Hit{Node: n.ID, Name: n.Name, Where: "content", Snippet: snippet, Score: score})
				}
			}
		}
		sort.SliceStable(hits, func(i, j int) bool { return hits[i].Score > hits[j].Score })
		return hits[:min(limit, len(hits))], nil
	})
}

// fold is how words are compared: case and forms of letters say nothing.
func fold(s string) string { return match.FoldNFKC.Apply(s) }

// maxWords bounds a query.
const maxWords = 32

func searchWords(query string) []string {
	words := strings.Fields(fold(query))
	return words[:min(len(words), maxWords)]
}

// The weights of where a word was found.
const (
	weightName    = 8
	weightKey     = 4
	weightTag     = 3
	weightContent = 1
)

// searchEntry looks for words in an entry.
func searchEntry(e *lore.Entry, words []string) (Hit, bool) {
	h := Hit{Name: e.Name}
	best := 0.0
	for _, w := range words {
		score, where, snippet := 0.0, "", ""
		try := func(weight float64, name, text string) {
			folded := fold(text)
			if !strings.Contains(folded, w) {
				return
			}
			if folded == w {
				weight *= 1.5
			}
			if weight > score {
				score, where, snippet = weight, name, text
			}
		}
		try(weightName, "name", e.Name)
		try(weightName, "name", e.ID)
		for _, k := range e.Keys {
			try(weightKey, "key", k.Text)
		}
		for _, t := range e.Tags {
			try(weightTag, "tag", t)
		}
		if score == 0 && strings.Contains(fold(e.Content), w) {
			score, where, snippet = weightContent, "content", excerpt(e.Content, w)
		}
		if score == 0 {
			return h, false
		}
		h.Score += score
		if score > best {
			best, h.Where, h.Snippet = score, where, snippet
		}
	}
	return h, true
}

// searchText looks for words in a message.
func searchText(text string, words []string) (score float64, snippet string, ok bool) {
	folded := fold(text)
	for _, w := range words {
		if !strings.Contains(folded, w) {
			return 0, "", false
		}
		score += weightContent
	}
	return score, excerpt(text, words[0]), true
}

// excerptSize is about how many bytes an excerpt has.
const excerptSize = 160

// excerpt returns what stands around a folded word in a text.
func excerpt(text, word string) string {
	if len(text) <= excerptSize {
		return text
	}
	at := strings.Index(strings.ToLower(text), word)
	if at < 0 {
		at = min(strings.Index(fold(text), word), len(text)-1) // near enough: folding seldom moves much
	}
	start := max(0, at-excerptSize/3)
	end := min(len(text), start+excerptSize)
	for start > 0 && start < len(text) && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	out := text[start:end]
	if start > 0 {
		out = "…" + out
	}
	if end < len(text) {
		out += "…"
	}
	return out
}
