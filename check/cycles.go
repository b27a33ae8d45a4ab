package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-memory/weft/weaver/diag"
)

// cycles reports entries that include or trigger each other in a circle, each
// circle once.
func (c *checker) cycles() {
	for _, circle := range c.circles(func(n *node) []edge { return n.docs }) {
		n, span := circle[0].to, circle[0].span
		text := path(circle, "[[%s]]")
		c.report(n, codeDocumentCycle, c.inBody(n, span),
			fmt.Sprintf("these entries include each other without end: %s", text),
			"remove one of the inclusions, or make sure that a condition ends the circle")
	}
	for _, circle := range c.circles(func(n *node) []edge { return n.triggers }) {
		n, span := circle[0].to, circle[0].span
		c.report(n, codeTriggerCycle, c.inBody(n, span),
			fmt.Sprintf("these entries trigger each other in a circle: %s", path(circle, "%s")),
			"it ends by itself; remove one of the triggers if it is not meant")
	}
}

// circles finds one circle in each knot of the graph (strongly connected
// component). In a returned edge, to is the entry that holds the reference.
func (c *checker) circles(edges func(*node) []edge) [][]edge {
	const white, grey, black = 0, 1, 2
	color := make(map[*node]int)
	var found [][]edge
	type frame struct {
		n    *node
		next int
		via  diag.Span // of the reference being followed
	}
	for _, start := range c.nodes {
		if color[start] != white {
			continue
		}
		// An explicit stack: chains may be as long as the book.
		stack := []frame{{n: start}}
		color[start] = grey
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			out := edges(top.n)
			if top.next == len(out) {
				color[top.n] = black
				stack = stack[:len(stack)-1]
				continue
			}
			e := out[top.next]
			top.next++
			top.via = e.span
			switch color[e.to] {
			case white:
				color[e.to] = grey
				stack = append(stack, frame{n: e.to})
			case grey:
				i := slices.IndexFunc(stack, func(f frame) bool { return f.n == e.to })
				var circle []edge
				for _, f := range stack[i:] {
					circle = append(circle, edge{f.n, f.via})
				}
				found = append(found, circle)
			}
		}
	}
	return found
}

// path writes a circle as a → b → a.
func path(circle []edge, format string) string {
	const most = 6
	var parts []string
	for i, e := range circle {
		if i == most {
			parts = append(parts, fmt.Sprintf("… %d more", len(circle)-most))
			break
		}
		parts = append(parts, fmt.Sprintf(format, e.to.e.ID))
	}
	parts = append(parts, fmt.Sprintf(format, circle[0].to.e.ID))
	return strings.Join(parts, " → ")
}
