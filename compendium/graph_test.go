package compendium

import (
	"encoding/json"
	"encoding/xml"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGraph(t *testing.T) {
	t.Parallel()
	w := saltmere(t)
	g := w.Graph()
	golden(t, "graph_text.golden", g.Whole().Text())
	golden(t, "graph_dot.golden", g.Whole().DOT())
	golden(t, "graph_mermaid.golden", g.Whole().Mermaid())
	golden(t, "graph_graphml.golden", g.Whole().GraphML())
	raw, err := json.MarshalIndent(g.Whole(), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "graph_json.golden", string(raw)+"\n")

	var ghosts []string
	for _, n := range g.Ghosts() {
		ghosts = append(ghosts, n.Name)
	}
	if want := []string{"Captain Osk", "Ferris House", "Gull Rock"}; !slices.Equal(ghosts, want) {
		t.Errorf("ghosts %v, want %v", ghosts, want)
	}
	// A ghost becomes the entry that appears.
	x := w.With(New(Location, "gull", "Gull Rock"))
	if e := x.Graph().Between("quay", "gull"); len(e) != 1 || e[0].Kind != "connects_to" {
		t.Errorf("edges to Gull Rock: %v", e)
	}
	d := DiffGraphs(g, x.Graph())
	if len(d.AddedNodes) != 1 || len(d.RemovedNodes) != 1 || len(d.AddedEdges) != 1 || len(d.RemovedEdges) != 1 || len(d.ChangedEdges) != 0 {
		t.Errorf("diff %+v", d)
	}
	if d := DiffGraphs(g, NewWorld(w.Entries(), Options{}).Graph()); !cmp.Equal(d, GraphDiff{}) {
		t.Errorf("diff of equal graphs: %+v", d)
	}
	path := g.Path("bell", "maud", Filter{})
	var steps []string
	for _, e := range path {
		steps = append(steps, e.From+">"+e.To)
	}
	if got := strings.Join(steps, " "); got != "bell>ines ines>maud" {
		t.Errorf("path %s", got)
	}
	if p := g.Path("bell", "maud", Filter{Kinds: []string{"held_by"}}); p != nil {
		t.Errorf("a path by one kind of edge: %v", p)
	}
	near := g.Neighbourhood("bell", 1, Filter{Types: []Type{Character}})
	if len(near.Nodes) != 3 || near.Nodes[0].ID != "bell" {
		t.Errorf("around the glass: %v", near.Nodes)
	}
	if s := g.Neighbourhood("nothing", 2, Filter{}); len(s.Nodes) != 0 {
		t.Errorf("around nothing: %v", s)
	}
	parts := g.Components()
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	if n != len(g.Nodes()) || len(parts[0]) < 10 {
		t.Errorf("components %v", parts)
	}
}

// A reference to two of one name is a ghost until it is bound.
func TestNamesakes(t *testing.T) {
	t.Parallel()
	a, b := New(Character, "a", "Tom"), New(Character, "b", "Tom")
	c := New(Character, "c", "Ysolt")
	c.Data["relationships"] = Object{"tom|friendship": Object{"with": Ref{Text: "Tom"}, "category": "friendship"}}
	g := NewWorld([]*Entry{a, b, c}, Options{}).Graph()
	if len(g.Ghosts()) != 1 || len(g.Touching("a"))+len(g.Touching("b")) != 0 {
		t.Errorf("ghosts %v", g.Ghosts())
	}
	c.Data["relationships"] = Object{"tom|friendship": Object{"with": Ref{ID: "b", Text: "Tom"}, "category": "friendship"}}
	if g = NewWorld([]*Entry{a, b, c}, Options{}).Graph(); len(g.Ghosts()) != 0 || len(g.Touching("b")) != 1 {
		t.Errorf("bound: ghosts %v", g.Ghosts())
	}
	// Rows of namesakes are two rows.
	res := tomResolver{}
	p := func(name string) Patch {
		return Patch{Type: Character, Data: Object{"relationships": []Object{{"with": Ref{Text: name}, "nature": "friend"}}}}
	}
	e, _ := Merge(New(Character, "c", "Ysolt"), p("Tom"), Context{Resolver: res, Source: Source{Turn: 1}})
	e, _ = Merge(e, p("the other Tom"), Context{Resolver: res, Source: Source{Turn: 2}})
	e, _ = Merge(e, p("Old Tom"), Context{Resolver: res, Source: Source{Turn: 3}})
	if n := len(e.Rows("relationships")); n != 2 {
		t.Errorf("%d rows, want 2: %s", n, dump(e))
	}
}

type tomResolver struct{}

func (tomResolver) Resolve(name string, _ ...Type) (string, bool) {
	switch name {
	case "Tom", "Old Tom":
		return "a", true
	case "the other Tom":
		return "b", true
	}
	return "", false
}

// Whatever a name holds, the exports stay well formed.
func TestExportsEscape(t *testing.T) {
	t.Parallel()
	evil := "\"]; click x \"javascript:alert(1)\" --> <script>&amp; \\\" | ` #35; \x00\x1b\nend"
	a := New(Character, evil, evil)
	a.Data["relationships"] = Object{"b|other": Object{"with": Ref{Text: evil + "b"}, "category": "other", "nature": evil}}
	s := NewWorld([]*Entry{a}, Options{}).Graph().Whole()
	dec := xml.NewDecoder(strings.NewReader(s.GraphML()))
	for {
		if _, err := dec.Token(); err != nil {
			if err.Error() != "EOF" {
				t.Errorf("GraphML: %v\n%s", err, s.GraphML())
			}
			break
		}
	}
	for line := range strings.SplitSeq(strings.TrimSpace(s.Mermaid()), "\n") {
		if n := strings.Count(line, `"`); n != 0 && n != 2 {
			t.Errorf("Mermaid: %s", line)
		}
		if strings.ContainsAny(line, "<\x00\x1b`\\") {
			t.Errorf("Mermaid: %s", line)
		}
	}
	for line := range strings.SplitSeq(strings.TrimSpace(s.DOT()), "\n") {
		plain := strings.NewReplacer(`\\`, "", `\"`, "").Replace(line)
		if strings.Count(plain, `"`)%2 != 0 {
			t.Errorf("DOT: %s", line)
		}
	}
	if !json.Valid(encode(s)) {
		t.Error("no JSON")
	}
}
