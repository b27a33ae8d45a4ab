package sidecar

import (
	"cmp"
	"encoding/json"
	"sort"
	"strings"
	"sync"

	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/resolve"
)

// Finder ranks the entries of a view for a query, best first. Package search has
// a better one than the one that is used if a [Searcher] gets none.
type Finder func(query string, limit int) []memory.Ref

// Searcher answers the tool search_lorebook: for the narrator while it writes,
// and for the sidecar. It lasts for one turn, guards against loops, and is for
// one goroutine.
type Searcher struct {
	scene *Scene
	find  Finder
	// known is made when it is first asked: most turns search for nothing.
	known func() *known
	// shown are entries that stand in the prompt, or were read already.
	shown map[memory.Ref]bool
	asked map[string]bool
	calls int
	// Found are the entries that were given, in order.
	Found []memory.Ref
}

// The bounds of a search.
const (
	// MaxSearches is how often one turn may search.
	MaxSearches  = 4
	searchHits   = 6
	searchText   = 6000 // characters of one answer
	searchListed = 40
)

// NewSearcher returns a searcher over the view of a scene. Entries that the
// scene's Retrieved names stand in the prompt already.
func NewSearcher(s *Scene, find Finder) *Searcher {
	r := &Searcher{scene: s, find: find, known: sync.OnceValue(func() *known { return newKnown(s, s.View) }), shown: map[memory.Ref]bool{}, asked: map[string]bool{}}
	for _, ref := range s.Retrieved {
		r.shown[s.View.Redirect(ref.Book, ref.Entry)] = true
	}
	if find == nil {
		r.find = r.plainFind
	}
	return r
}

// Done reports whether no more searches are answered in this turn: the tool is
// not offered then, so that prose comes.
func (r *Searcher) Done() bool { return r.calls >= MaxSearches }

// Run answers one call with a text for the model.
func (r *Searcher) Run(arguments json.RawMessage) string {
	a := readArgs(arguments)
	key := string(arguments)
	if r.asked[key] {
		return "That was answered above already."
	}
	r.asked[key] = true
	if r.Done() {
		return "No more searches now: go on with what you know."
	}
	r.calls++
	switch {
	case len(a.list("entry_ids")) > 0:
		return r.read(a.list("entry_ids"))
	case a.text("node_id") != "":
		return r.list(a.text("node_id"))
	case a.text("query") != "":
		return r.query(clip(a.text("query"), 500))
	}
	return "Give a query, the id of a category, or ids of entries."
}

func (r *Searcher) query(q string) string {
	refs := r.find(q, searchHits)
	if ref, why := r.known().find(q); why == "" {
		refs = append([]memory.Ref{ref}, refs...)
	}
	text := r.entries(refs, searchHits)
	if text == "" {
		return "Nothing is known of that."
	}
	return text
}

func (r *Searcher) read(ids []string) string {
	var refs []memory.Ref
	var unknown []string
	for _, id := range ids {
		if ref, why := r.known().find(strings.Trim(id, "[] ")); why == "" {
			refs = append(refs, ref)
		} else {
			unknown = append(unknown, id)
		}
	}
	text := r.entries(refs, len(refs))
	if unknown != nil {
		text += "There is no entry " + strings.Join(unknown, ", ") + ".\n"
	}
	return text
}

func (r *Searcher) list(id string) string {
	id = strings.Trim(id, "{} ")
	for _, root := range r.scene.View.Categories() {
		if !r.scene.book(root.Book).Read {
			continue
		}
		for _, c := range append([]*memory.Category{root}, allCategories(root)...) {
			if c.ID != "" && (c.ID == id || strings.EqualFold(c.Name, id)) || c.ID == "" && c.Book == id {
				var b strings.Builder
				for i, l := range categoryLines(r.scene, r.scene.View, c, 0) {
					if i == searchListed {
						b.WriteString("…\n")
						break
					}
					b.WriteString(l + "\n")
				}
				if b.Len() > 0 {
					return b.String()
				}
			}
		}
	}
	return "There is no such category, or it is empty."
}

// entries writes entries, each once, marking those that stand in the prompt.
func (r *Searcher) entries(refs []memory.Ref, most int) string {
	var b strings.Builder
	seen := map[memory.Ref]bool{}
	for _, ref := range refs {
		ref = r.scene.View.Redirect(ref.Book, ref.Entry)
		e := r.scene.View.Entry(ref.Book, ref.Entry)
		if seen[ref] || e == nil || e.Disabled || !r.scene.book(ref.Book).Read || len(seen) == most {
			continue
		}
		seen[ref] = true
		head := displayName(r.scene.View, ref) + " [" + ref.Entry + "]"
		if r.shown[ref] {
			b.WriteString(head + ": given already.\n\n")
			continue
		}
		text := strings.TrimSpace(e.Content)
		if b.Len()+len(text) > searchText {
			text = cmp.Or(e.Sizes.Brief, OneLine(e))
		}
		r.shown[ref] = true
		r.Found = append(r.Found, ref)
		b.WriteString(head + "\n" + text + "\n\n")
	}
	return b.String()
}

// plainFind ranks by the words of the query that an entry has, names first.
func (r *Searcher) plainFind(query string, limit int) []memory.Ref {
	words := strings.Fields(resolve.Normal(query))
	type hit struct {
		ref   memory.Ref
		score float64
	}
	var hits []hit
	for _, ref := range r.scene.View.Live() {
		e := r.scene.View.Entry(ref.Book, ref.Entry)
		if ref.IsCategory() || e == nil || !r.scene.book(ref.Book).Read {
			continue
		}
		name, text := resolve.Normal(displayName(r.scene.View, ref)), foldName(e.Content)
		score := resolve.Containment(query, name)
		for _, w := range words {
			if len([]rune(w)) > 3 || w[0] >= 0x80 { // shorter ones are in every text
				if strings.Contains(name, w) {
					score++
				}
				if strings.Contains(text, w) {
					score += 0.5
				}
			}
		}
		if score >= 0.5 {
			hits = append(hits, hit{ref, score})
		}
	}
	sort.SliceStable(hits, func(i, j int) bool { return hits[i].score > hits[j].score })
	var out []memory.Ref
	for _, h := range hits[:min(limit, len(hits))] {
		out = append(out, h.ref)
	}
	return out
}
