package compendium

import (
	"encoding/json"
	"fmt"
	"strings"
)

// MarshalJSON writes {"nodes": […], "edges": […]}; never null.
func (s Subgraph) MarshalJSON() ([]byte, error) {
	type plain Subgraph
	if s.Nodes == nil {
		s.Nodes = []Node{}
	}
	if s.Edges == nil {
		s.Edges = []Edge{}
	}
	return json.Marshal(plain(s))
}

// Text returns the graph in few words for a prompt, one edge a line:
// "Valen -member_of-> Shadow Guild (scout; former)".
func (s Subgraph) Text() string {
	names := s.names()
	var b strings.Builder
	for _, e := range s.Edges {
		fmt.Fprintf(&b, "%s -%s-> %s", names[e.From], e.Kind, names[e.To])
		if more := joinNonEmpty("; ", e.Label, e.Status); more != "" {
			b.WriteString(" (" + more + ")")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (s Subgraph) names() map[string]string {
	names := make(map[string]string, len(s.Nodes))
	for _, n := range s.Nodes {
		names[n.ID] = oneLine(n.Name)
	}
	return names
}

func joinNonEmpty(sep string, parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, sep)
}

// oneLine takes line ends and control characters out of a text.
func oneLine(s string) string { return cleanText(s) }

// DOT returns the graph in the language of Graphviz.
func (s Subgraph) DOT() string {
	var b strings.Builder
	b.WriteString("digraph compendium {\n")
	for _, n := range s.Nodes {
		style := ""
		if n.Ghost {
			style = ", style=dashed"
		}
		fmt.Fprintf(&b, "  %s [label=%s, class=%s%s];\n", dotString(n.ID), dotString(oneLine(n.Name)), dotString(string(n.Type)), style)
	}
	for _, e := range s.Edges {
		fmt.Fprintf(&b, "  %s -> %s [label=%s];\n", dotString(e.From), dotString(e.To), dotString(edgeText(e)))
	}
	b.WriteString("}\n")
	return b.String()
}

// edgeText is the label of an edge in pictures.
func edgeText(e Edge) string {
	return oneLine(joinNonEmpty(": ", strings.ReplaceAll(e.Kind, "_", " "), joinNonEmpty(", ", e.Label, e.Status)))
}

// dotString quotes a text for DOT, where only the quote and the backslash, which
// begins escapes in labels, have a meaning.
func dotString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ", "\r", " ").Replace(strings.ToValidUTF8(s, "�")) + `"`
}

// Mermaid returns the graph as a Mermaid flowchart. Nodes are numbered, since
// their ids may be any text.
func (s Subgraph) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	number := make(map[string]int, len(s.Nodes))
	for i, n := range s.Nodes {
		number[n.ID] = i
		fmt.Fprintf(&b, "  n%d[\"%s\"]\n", i, mermaidText(n.Name))
	}
	var ghosts []string
	for i, n := range s.Nodes {
		if n.Ghost {
			ghosts = append(ghosts, fmt.Sprintf("n%d", i))
		}
	}
	for _, e := range s.Edges {
		fmt.Fprintf(&b, "  n%d -->|\"%s\"| n%d\n", number[e.From], mermaidText(edgeText(e)), number[e.To])
	}
	if len(ghosts) > 0 {
		b.WriteString("  classDef ghost stroke-dasharray: 4\n  class " + strings.Join(ghosts, ",") + " ghost\n")
	}
	return b.String()
}

// mermaidText writes a text so that Mermaid shows it and reads nothing in it:
// everything but letters, digits, spaces and harmless signs as entities.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range oneLine(s) {
		switch {
		case r > 127, r == ' ', r == ',', r == '.', r == ':', r == '-', r == '_', r == '\'', r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

// GraphML returns the graph as GraphML.
func (s Subgraph) GraphML() string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
`)
	keys := []struct{ id, of, kind string }{
		{"name", "node", "string"},
		{"type", "node", "string"},
		{"status", "node", "string"},
		{"importance", "node", "int"},
		{"ghost", "node", "boolean"},
		{"kind", "edge", "string"},
		{"label", "edge", "string"},
		{"state", "edge", "string"},
		{"since", "edge", "string"},
		{"until", "edge", "string"},
		{"turn", "edge", "int"},
	}
	for _, k := range keys {
		fmt.Fprintf(&b, "  <key id=\"%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n", k.id, k.of, k.id, k.kind)
	}
	b.WriteString("  <graph id=\"compendium\" edgedefault=\"directed\">\n")
	data := func(key, v string) {
		if v != "" && v != "0" && v != "false" {
			fmt.Fprintf(&b, "      <data key=\"%s\">%s</data>\n", key, xmlText(v))
		}
	}
	for _, n := range s.Nodes {
		fmt.Fprintf(&b, "    <node id=\"%s\">\n", xmlText(n.ID))
		data("name", n.Name)
		data("type", string(n.Type))
		data("status", n.Status)
		data("importance", fmt.Sprint(n.Importance))
		data("ghost", fmt.Sprint(n.Ghost))
		b.WriteString("    </node>\n")
	}
	for i, e := range s.Edges {
		fmt.Fprintf(&b, "    <edge id=\"e%d\" source=\"%s\" target=\"%s\">\n", i, xmlText(e.From), xmlText(e.To))
		data("kind", e.Kind)
		data("label", e.Label)
		data("state", e.Status)
		data("since", e.Since)
		data("until", e.Until)
		data("turn", fmt.Sprint(e.Turn))
		b.WriteString("    </edge>\n")
	}
	b.WriteString("  </graph>\n</graphml>\n")
	return b.String()
}

// xmlText escapes a text for XML and replaces what no XML may hold.
func xmlText(s string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "�") {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"':
			b.WriteString("&quot;")
		case r == '\t' || r == '\n' || r == '\r':
			fmt.Fprintf(&b, "&#%d;", r)
		case r < 0x20 || r == 0xfffe || r == 0xffff:
			b.WriteRune('�')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
