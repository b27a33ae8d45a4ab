package compendium

import (
	"slices"
)

// Subgraph is a part of a graph, nodes and edges in their fixed order.
type Subgraph struct {
	Nodes []Node `json:"nodes"`
	Edges []Edge `json:"edges"`
}

// Filter chooses nodes and edges. Empty lists choose all.
type Filter struct {
	// Types are types of nodes; the one that is asked about always counts.
	Types []Type
	// Kinds are kinds of edges.
	Kinds []string
	// NoGhosts leaves ghosts out.
	NoGhosts bool
}

func (f Filter) edge(e *Edge) bool { return len(f.Kinds) == 0 || slices.Contains(f.Kinds, e.Kind) }

func (f Filter) node(g *Graph, id string) bool {
	e := g.w.entries[id]
	if e == nil {
		return !f.NoGhosts && len(f.Types) == 0
	}
	return len(f.Types) == 0 || slices.Contains(f.Types, e.Type)
}

// Whole returns the whole graph.
func (g *Graph) Whole() Subgraph { return Subgraph{g.Nodes(), g.Edges()} }

// Neighbourhood returns what can be reached from a node in so many steps, in
// either direction, and all edges between those nodes. It is empty for an
// unknown node.
func (g *Graph) Neighbourhood(id string, depth int, f Filter) Subgraph {
	if _, ok := g.Node(id); !ok {
		return Subgraph{}
	}
	seen := map[string]bool{id: true}
	front := []string{id}
	for range depth {
		var next []string
		for _, n := range front {
			for _, e := range g.at[n] {
				o := e.other(n)
				if !seen[o] && f.edge(e) && f.node(g, o) {
					seen[o] = true
					next = append(next, o)
				}
			}
		}
		front = next
	}
	return g.induced(seen, f)
}

func (e *Edge) other(id string) string {
	if e.From == id {
		return e.To
	}
	return e.From
}

// induced returns the nodes of a set and the edges between them.
func (g *Graph) induced(set map[string]bool, f Filter) Subgraph {
	var s Subgraph
	var edges []*Edge
	for _, id := range sortedNames(set) {
		n, _ := g.Node(id)
		s.Nodes = append(s.Nodes, n)
		for _, e := range g.at[id] {
			if e.From == id && set[e.To] && f.edge(e) {
				edges = append(edges, e)
			}
		}
	}
	slices.SortFunc(edges, compareEdges)
	s.Edges = values(edges)
	return s
}

// Path returns a shortest way between two nodes, in either direction of the
// edges: of several the first in the order of the edges. Nil if there is none.
func (g *Graph) Path(from, to string, f Filter) []Edge {
	if from == to {
		return nil
	}
	came := map[string]*Edge{from: nil}
	front := []string{from}
	for len(front) > 0 {
		var next []string
		for _, n := range front {
			for _, e := range g.at[n] {
				o := e.other(n)
				if _, seen := came[o]; seen || !f.edge(e) || o != to && !f.node(g, o) {
					continue
				}
				came[o] = e
				if o == to {
					return g.way(came, from, to)
				}
				next = append(next, o)
			}
		}
		front = next
	}
	return nil
}

func (g *Graph) way(came map[string]*Edge, from, to string) []Edge {
	var out []Edge
	for at := to; at != from; {
		e := came[at]
		out = append(out, *e)
		at = e.other(at)
	}
	slices.Reverse(out)
	return out
}

// Components returns the ids of the nodes of each connected part, the largest
// first.
func (g *Graph) Components() [][]string {
	seen := map[string]bool{}
	var out [][]string
	visit := func(id string) {
		if seen[id] {
			return
		}
		seen[id] = true
		part := []string{id}
		for i := 0; i < len(part); i++ {
			for _, e := range g.at[part[i]] {
				if o := e.other(part[i]); !seen[o] {
					seen[o] = true
					part = append(part, o)
				}
			}
		}
		slices.Sort(part)
		out = append(out, part)
	}
	for _, id := range g.w.ids {
		visit(id)
	}
	for _, n := range g.Ghosts() {
		visit(n.ID)
	}
	slices.SortStableFunc(out, func(a, b []string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return compareStrings(a[0], b[0])
	})
	return out
}

// Between returns the edges between two nodes, in either direction.
func (g *Graph) Between(a, b string) []Edge {
	var list []*Edge
	for _, e := range g.at[a] {
		if e.other(a) == b {
			list = append(list, e)
		}
	}
	return values(list)
}

// GraphDiff says how one graph differs from another.
type GraphDiff struct {
	AddedNodes   []Node `json:"added_nodes,omitempty"`
	RemovedNodes []Node `json:"removed_nodes,omitempty"`
	ChangedNodes []Node `json:"changed_nodes,omitempty"`
	AddedEdges   []Edge `json:"added_edges,omitempty"`
	RemovedEdges []Edge `json:"removed_edges,omitempty"`
	// ChangedEdges lead between the same nodes as before but say something
	// else.
	ChangedEdges []Edge `json:"changed_edges,omitempty"`
}

// DiffGraphs returns how b differs from a. The turns of edges are not looked at.
func DiffGraphs(a, b *Graph) GraphDiff {
	var d GraphDiff
	old := map[string]Node{}
	for _, n := range a.Nodes() {
		old[n.ID] = n
	}
	for _, n := range b.Nodes() {
		was, ok := old[n.ID]
		switch {
		case !ok:
			d.AddedNodes = append(d.AddedNodes, n)
		case was != n:
			d.ChangedNodes = append(d.ChangedNodes, n)
		}
		delete(old, n.ID)
	}
	for _, id := range sortedNames(old) {
		d.RemovedNodes = append(d.RemovedNodes, old[id])
	}
	x, y := a.Edges(), b.Edges()
	for len(x) > 0 || len(y) > 0 {
		order := 0
		switch {
		case len(x) == 0:
			order = 1
		case len(y) == 0:
			order = -1
		default:
			order = compareEdges(&x[0], &y[0])
		}
		switch {
		case order < 0:
			d.RemovedEdges = append(d.RemovedEdges, x[0])
			x = x[1:]
		case order > 0:
			d.AddedEdges = append(d.AddedEdges, y[0])
			y = y[1:]
		default:
			p, q := x[0], y[0]
			p.Turn, p.text = q.Turn, q.text
			if p != q {
				d.ChangedEdges = append(d.ChangedEdges, y[0])
			}
			x, y = x[1:], y[1:]
		}
	}
	return d
}
