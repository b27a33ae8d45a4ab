package compendium

import (
	"cmp"
	"slices"

	"github.com/weft-memory/weft/resolve"
)

// Node is a node of the graph: an entry, or a ghost, a name that entries speak
// of and that has no entry yet.
type Node struct {
	ID         string `json:"id"`
	Type       Type   `json:"type,omitempty"`
	Name       string `json:"name"`
	Status     string `json:"status,omitempty"`
	Importance int    `json:"importance,omitempty"`
	Ghost      bool   `json:"ghost,omitempty"`
}

// Edge leads from one node to another. It stands in a field of one of them.
type Edge struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Kind is the kind of edge that the schema gives the field: located_at,
	// relates_to, member_of, …
	Kind string `json:"kind"`
	// Label says more: the nature of a relationship, a rank, a stance.
	Label  string `json:"label,omitempty"`
	Status string `json:"status,omitempty"`
	Since  string `json:"since,omitempty"`
	Until  string `json:"until,omitempty"`
	// Entry and Path name the field that says so, Turn the message that
	// changed it last.
	Entry string `json:"entry"`
	Path  string `json:"path"`
	Turn  int    `json:"turn,omitempty"`

	// text is the name that was used.
	text string
}

// compareEdges is the fixed order of edges.
func compareEdges(a, b *Edge) int {
	return cmp.Or(
		compareStrings(a.From, b.From), compareStrings(a.To, b.To), compareStrings(a.Kind, b.Kind),
		compareStrings(a.Entry, b.Entry), compareStrings(a.Path, b.Path))
}

// ghostPrefix begins the ids of ghosts, which no entry's id does.
const ghostPrefix = "~ghost:"

// Graph is the graph of a world. It is immutable.
type Graph struct {
	w *World
	// of holds the edges of each entry's fields, at those of each node.
	of, at map[string][]*Edge
	// mentions holds for a name in normal form the entries whose references
	// are found by it, bound for an id those with a reference bound to it.
	mentions, bound map[string][]string
}

// Graph returns the graph of the world's references. It is built once.
func (w *World) Graph() *Graph {
	w.once.Do(func() { w.graph = buildGraph(w) })
	return w.graph
}

func buildGraph(w *World) *Graph {
	g := &Graph{
		w: w, of: make(map[string][]*Edge, len(w.ids)), at: make(map[string][]*Edge, len(w.ids)),
		mentions: map[string][]string{}, bound: map[string][]string{},
	}
	b := &edgeBuilder{w: w, normal: map[string]string{}}
	for _, id := range w.ids {
		b.entry(w.entries[id])
		if len(b.edges) > 0 {
			g.of[id] = b.edges
		}
		for _, n := range b.names {
			g.mentions[n] = append(g.mentions[n], id)
		}
		for _, to := range b.ids {
			g.bound[to] = append(g.bound[to], id)
		}
		for _, e := range b.edges {
			g.at[e.From] = append(g.at[e.From], e)
			g.at[e.To] = append(g.at[e.To], e)
		}
	}
	for _, list := range g.at {
		slices.SortFunc(list, compareEdges)
	}
	return g
}

// update returns the graph of the world now, in which some entries differ.
func (g *Graph) update(was, now *World, touched []string) *Graph {
	out := &Graph{w: now, of: cloneMap(g.of), at: cloneMap(g.at), mentions: cloneMap(g.mentions), bound: cloneMap(g.bound)}
	again := map[string]bool{}
	for _, id := range touched {
		again[id] = true
		for _, w := range []*World{was, now} {
			if e := w.entries[id]; e != nil {
				for _, n := range namesOf(e) {
					for _, m := range g.mentions[n] {
						again[m] = true
					}
				}
			}
		}
		for _, m := range g.bound[id] {
			again[m] = true
		}
	}
	b := &edgeBuilder{w: now, normal: map[string]string{}}
	nodes := map[string]bool{}
	old := &edgeBuilder{w: was, normal: map[string]string{}}
	for _, id := range sortedNames(again) {
		if e := was.entries[id]; e != nil {
			old.entry(e)
			out.unlist(out.mentions, old.names, id)
			out.unlist(out.bound, old.ids, id)
		}
		for _, e := range g.of[id] {
			for _, n := range []string{e.From, e.To} {
				nodes[n] = true
				out.at[n] = slices.DeleteFunc(slices.Clone(out.at[n]), func(x *Edge) bool { return x == e })
			}
		}
		delete(out.of, id)
		e := now.entries[id]
		if e == nil {
			continue
		}
		b.entry(e)
		if len(b.edges) > 0 {
			out.of[id] = b.edges
		}
		for _, n := range b.names {
			out.mentions[n] = insertSorted(out.mentions[n], id)
		}
		for _, to := range b.ids {
			out.bound[to] = insertSorted(out.bound[to], id)
		}
		for _, e := range b.edges {
			for _, n := range []string{e.From, e.To} {
				nodes[n] = true
				out.at[n] = append(slices.Clip(out.at[n]), e)
			}
		}
	}
	for n := range nodes {
		if len(out.at[n]) == 0 {
			delete(out.at, n)
			continue
		}
		list := slices.Clone(out.at[n])
		slices.SortFunc(list, compareEdges)
		out.at[n] = list
	}
	return out
}

func (g *Graph) unlist(m map[string][]string, names []string, id string) {
	for _, n := range names {
		list := slices.DeleteFunc(slices.Clone(m[n]), func(s string) bool { return s == id })
		if len(list) == 0 {
			delete(m, n)
		} else {
			m[n] = list
		}
	}
}

func insertSorted(list []string, s string) []string {
	i, found := slices.BinarySearch(list, s)
	if found {
		return list
	}
	return slices.Insert(slices.Clone(list), i, s)
}

// edgeBuilder reads the edges off the fields of one entry after the other.
type edgeBuilder struct {
	w      *World
	normal map[string]string

	e     *Entry
	edges []*Edge
	// names and ids are what the references of the entry are found by.
	names, ids []string
}

func (b *edgeBuilder) entry(e *Entry) {
	b.e, b.edges, b.names, b.ids = e, nil, nil, nil
	b.object(e.Data, Fields(e.Type), "", nil)
	slices.SortFunc(b.edges, compareEdges)
	slices.Sort(b.names)
	b.names = slices.Compact(b.names)
	slices.Sort(b.ids)
	b.ids = slices.Compact(b.ids)
}

// object walks the fields that hold references. Row is the row they are in.
func (b *edgeBuilder) object(o Object, fields []Field, path string, row Object) {
	for i := range fields {
		f := &fields[i]
		if f.Kind < Reference || f.Kind == Set || f.Kind == Time || f.Name == "knowledge" {
			continue
		}
		v, ok := o[f.Name]
		if !ok {
			continue
		}
		switch v := v.(type) {
		case Ref:
			if f.Edge != "" {
				b.edge(v, f, joinPath(path, f.Name), row)
			}
		case Object:
			where := joinPath(path, f.Name)
			switch f.Kind {
			case Group:
				b.object(v, f.Fields, where, row)
			case Rows:
				if hasEdge(f) {
					for k, r := range v {
						if r, ok := r.(Object); ok {
							b.object(r, f.Fields, rowPath(where, k), r)
						}
					}
				}
			case References:
				if f.Edge != "" {
					for k, r := range v {
						if r, ok := r.(Ref); ok {
							b.edge(r, f, rowPath(where, k), nil)
						}
					}
				}
			}
		}
	}
}

// hasEdge reports whether rows of a field make edges.
func hasEdge(f *Field) bool {
	for i := range f.Fields {
		if f.Fields[i].Edge != "" {
			return true
		}
	}
	return false
}

// edgeLabels are the members of a row that say what an edge means, the first
// that is there counts.
var edgeLabels = []string{"nature", "rank", "role", "stance", "part", "what", "level", "how", "side"}

func (b *edgeBuilder) edge(r Ref, f *Field, path string, row Object) {
	to := b.target(r, f)
	if to == b.e.ID {
		return
	}
	e := &Edge{From: b.e.ID, To: to, Kind: f.Edge, Entry: b.e.ID, Path: path, Turn: b.turn(path, row), text: r.Text}
	if f.Inverse {
		e.From, e.To = e.To, e.From
	}
	if row != nil {
		for _, name := range edgeLabels {
			if s, ok := row[name].(string); ok && s != "" {
				e.Label = s
				break
			}
		}
		e.Status, _ = row["status"].(string)
		e.Since = firstMoment(row, "since", "from", "valid_from")
		e.Until = firstMoment(row, "to", "valid_to")
	}
	b.edges = append(b.edges, e)
}

// turn returns when what an edge stands on was changed.
func (b *edgeBuilder) turn(path string, row Object) int {
	turn := b.e.Sources[path].Turn
	if row != nil {
		i := len(path)
		for i > 0 && path[i-1] != '.' {
			i--
		}
		for name := range row {
			turn = max(turn, b.e.Sources[path[:i]+name].Turn)
		}
	}
	return turn
}

func firstMoment(row Object, names ...string) string {
	for _, name := range names {
		if m, ok := row[name].(Moment); ok && !m.IsZero() {
			return m.String()
		}
	}
	return ""
}

// target finds the node that a reference means.
func (b *edgeBuilder) target(r Ref, f *Field) string {
	if r.ID != "" {
		id := b.w.follow(r.ID)
		b.ids = append(b.ids, r.ID)
		if id != r.ID {
			b.ids = append(b.ids, id)
		}
		if b.w.entries[id] != nil {
			return id
		}
	}
	n, ok := b.normal[r.Text]
	if !ok {
		n = resolve.Normal(r.Text)
		b.normal[r.Text] = n
	}
	b.names = append(b.names, n)
	if id, ok := b.w.lookup(n, f.Targets); ok {
		return id
	}
	return ghostPrefix + keyPart(r.Text)
}

// Node returns a node by id; ok is false if there is none.
func (g *Graph) Node(id string) (n Node, ok bool) {
	if e := g.w.entries[id]; e != nil {
		return Node{ID: id, Type: e.Type, Name: e.Name(), Status: e.Status(), Importance: e.Importance()}, true
	}
	for _, e := range g.at[id] {
		if e.From != id && e.To != id {
			continue
		}
		if n.Name == "" || e.text < n.Name {
			n = Node{ID: id, Name: e.text, Ghost: true}
		}
	}
	return n, n.ID != ""
}

// Nodes returns all nodes: the entries by id, then the ghosts.
func (g *Graph) Nodes() []Node {
	out := make([]Node, 0, len(g.w.ids))
	for _, id := range g.w.ids {
		n, _ := g.Node(id)
		out = append(out, n)
	}
	return append(out, g.Ghosts()...)
}

// Ghosts returns the names that entries speak of and that have no entry, by
// their ids: what is still to be described.
func (g *Graph) Ghosts() []Node {
	var out []Node
	for id := range g.at {
		if g.w.entries[id] == nil {
			n, _ := g.Node(id)
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(a, b Node) int { return compareStrings(a.ID, b.ID) })
	return out
}

// Edges returns all edges in their fixed order.
func (g *Graph) Edges() []Edge {
	var list []*Edge
	for _, edges := range g.of {
		list = append(list, edges...)
	}
	slices.SortFunc(list, compareEdges)
	return values(list)
}

func values(list []*Edge) []Edge {
	out := make([]Edge, len(list))
	for i, e := range list {
		out[i] = *e
	}
	return out
}

// Touching returns the edges of a node, from it or to it.
func (g *Graph) Touching(id string) []Edge { return values(g.at[id]) }

// Weight says how much an edge matters at a turn: the mean importance of its
// ends, less with every message since it changed.
func (g *Graph) Weight(e Edge, turn int) float64 {
	imp := func(id string) float64 {
		if x := g.w.entries[id]; x != nil {
			return float64(x.Importance())
		}
		return 1
	}
	return (imp(e.From) + imp(e.To)) / 2 * freshness(turn, e.Turn)
}

// freshness is 1 for what changed now and halves in ten turns.
func freshness(now, changed int) float64 { return 1 / (1 + float64(max(now-changed, 0))/10) }
