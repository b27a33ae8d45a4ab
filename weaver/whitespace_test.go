package weaver_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/weft-memory/weft/weaver"
)

// TestWhiteSpace compares templates drawn at random with a model that renders
// them by the rules for trim markers, tag lines and own lines, word for word
// and without regard to speed.
func TestWhiteSpace(t *testing.T) {
	t.Parallel()
	reg := testRegistry(t)
	host := &weaver.MapHost{Documents: map[string]weaver.Value{}, Triggers: map[string]string{}}
	for i, v := range modelValues {
		id := "d" + strconv.Itoa(i)
		host.Documents[id], host.Triggers[id] = weaver.String(v), v
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			body := drawBody(t, 0)
			src := writeBody(body)
			want := renderModel(settleModel(body, false, false, false))
			r, err := weaver.MustParse("t", src).Render(t.Context(), host, weaver.Options{Registry: reg})
			if err != nil {
				t.Fatalf("%q: %v", src, err)
			}
			if r.Text != want {
				t.Fatalf("%q gives %q, want %q", src, r.Text, want)
			}
		}
	})
}

var (
	modelTexts  = []string{"a", "b ", " ", "  ", "\n", "\n\n", "\r\n", "\t", "x\n", "\n  ", "\u00a0", "\n\t", "y \n ", "c"}
	modelValues = []string{"", "v", "v\n", " ", "\n", "  w", "\u00a0", "\r\n", "q\r\n"}
)

// modelNode is a node of the model: a text, a construct with a value, or a
// block, whose arms are those of an if or the one body of a foreach.
type modelNode struct {
	kind          string // text $ {{ @ [[ < if for
	text          string // of a text, or the value
	before, after bool   // trim markers of the first opener and the last closer
	arms          []modelArm
	endBefore     bool // trim marker of the end tag's opener
	rounds        int
}

type modelArm struct {
	cond, isElse  bool
	before, after bool // trim markers of its tag
	body          []modelNode
}

func drawBody(t *rapid.T, depth int) []modelNode {
	var out []modelNode
	for range rapid.IntRange(0, 5).Draw(t, "nodes") {
		if rapid.Bool().Draw(t, "text") && (len(out) == 0 || out[len(out)-1].kind != "text") {
			parts := rapid.SliceOfN(rapid.SampledFrom(modelTexts), 1, 4).Draw(t, "parts")
			out = append(out, modelNode{kind: "text", text: strings.Join(parts, "")})
		} else {
			out = append(out, drawNode(t, depth))
		}
	}
	return out
}

func drawNode(t *rapid.T, depth int) modelNode {
	mark := func() bool { return rapid.IntRange(0, 7).Draw(t, "mark") == 0 }
	kinds := []string{"$", "{{", "@", "[[", "<", "if", "for"}
	if depth == 3 {
		kinds = kinds[:5]
	}
	n := modelNode{kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
	switch n.kind {
	case "[[", "<":
		n.text = rapid.SampledFrom(modelValues).Draw(t, "value")
		return n
	case "$", "{{", "@":
		n.text = rapid.SampledFrom(modelValues).Draw(t, "value")
	case "for":
		n.rounds = rapid.IntRange(0, 3).Draw(t, "rounds")
		n.arms = []modelArm{{after: mark(), body: drawBody(t, depth+1)}}
	case "if":
		for range rapid.IntRange(1, 3).Draw(t, "arms") {
			n.arms = append(n.arms, modelArm{cond: rapid.Bool().Draw(t, "cond"), before: mark(), after: mark(), body: drawBody(t, depth+1)})
		}
		if rapid.Bool().Draw(t, "else") {
			n.arms = append(n.arms, modelArm{cond: true, isElse: true, before: mark(), after: mark(), body: drawBody(t, depth+1)})
		}
	}
	n.before, n.after, n.endBefore = mark(), mark(), mark()
	return n
}

func writeBody(body []modelNode) string {
	var b strings.Builder
	m := func(on bool) string {
		if on {
			return "-"
		}
		return ""
	}
	for _, n := range body {
		v, _ := weaver.String(n.text).MarshalJSON()
		id := "d"
		for i := range modelValues {
			if modelValues[i] == n.text {
				id = "d" + strconv.Itoa(i)
			}
		}
		switch n.kind {
		case "text":
			b.WriteString(n.text)
		case "$":
			fmt.Fprintf(&b, "$[%secho(%s)%s]", m(n.before), v, m(n.after))
		case "{{":
			fmt.Fprintf(&b, "{{%s %s %s}}", m(n.before), v, m(n.after))
		case "@":
			fmt.Fprintf(&b, "@[%sbare(%s)%s]", m(n.before), v, m(n.after))
		case "[[":
			b.WriteString("[[" + id + "]]")
		case "<":
			b.WriteString("<trigger id=\"" + id + "\">")
		case "for":
			items := strings.TrimSuffix(strings.Repeat("0, ", n.rounds), ", ")
			fmt.Fprintf(&b, "{#%s foreach i in [%s] %s#}%s{#%s endforeach %s#}",
				m(n.before), items, m(n.arms[0].after), writeBody(n.arms[0].body), m(n.endBefore), m(n.after))
		case "if":
			for i, arm := range n.arms {
				before, tag := arm.before, fmt.Sprintf("elif %t", arm.cond)
				switch {
				case i == 0:
					before, tag = n.before, fmt.Sprintf("if %t", arm.cond)
				case arm.isElse:
					tag = "else"
				}
				fmt.Fprintf(&b, "{#%s %s %s#}%s", m(before), tag, m(arm.after), writeBody(arm.body))
			}
			fmt.Fprintf(&b, "{#%s endif %s#}", m(n.endBefore), m(n.after))
		}
	}
	return b.String()
}

// settleModel applies trim markers and the rule for the lines of tags. A text
// that becomes empty is no node.
func settleModel(body []modelNode, trimStart, trimEnd, block bool) []modelNode {
	var out []modelNode
	for i, n := range body {
		if n.kind == "text" {
			first, last := i == 0, i == len(body)-1
			if first && trimStart || !first && body[i-1].after {
				n.text = strings.TrimLeftFunc(n.text, unicode.IsSpace)
			}
			if last && trimEnd || !last && body[i+1].before {
				n.text = strings.TrimRightFunc(n.text, unicode.IsSpace)
			}
			if block && first {
				n.text = strings.TrimPrefix(n.text, lineBreak(n.text))
			}
			if line := strings.TrimRight(n.text, " \t"); block && last && strings.HasSuffix(line, "\n") {
				n.text = line
			}
			if n.text == "" {
				continue
			}
		}
		arms := make([]modelArm, len(n.arms))
		for j, arm := range n.arms {
			end := n.endBefore || j+1 < len(n.arms) && n.arms[j+1].before
			arm.body = settleModel(arm.body, arm.after, end, true)
			arms[j] = arm
		}
		n.arms = arms
		out = append(out, n)
	}
	return out
}

// lineBreak returns the line break that s begins with.
func lineBreak(s string) string {
	for _, br := range []string{"\n", "\r\n"} {
		if strings.HasPrefix(s, br) {
			return br
		}
	}
	return ""
}

func renderModel(body []modelNode) string {
	buf, drop := "", ""
	for i, n := range body {
		if n.kind == "text" {
			buf += strings.TrimPrefix(n.text, drop)
			drop = ""
			continue
		}
		printed := n.text
		if n.kind == "for" {
			printed = strings.Repeat(renderModel(n.arms[0].body), n.rounds)
		}
		for _, arm := range n.arms {
			if n.kind == "if" && arm.cond {
				printed = renderModel(arm.body)
				break
			}
		}
		next := "" // the line break that follows
		isLast := i == len(body)-1
		if !isLast && body[i+1].kind == "text" {
			next = lineBreak(body[i+1].text)
		}
		line := strings.TrimRight(buf, " \t")
		switch owns := (line == "" || strings.HasSuffix(line, "\n")) && (isLast || next != "") && len(body) > 1; {
		case !owns:
			buf += printed
		case n.kind == "$" || strings.TrimFunc(printed, unicode.IsSpace) == "":
			buf, drop = line, next
			if isLast {
				buf = strings.TrimSuffix(strings.TrimSuffix(buf, "\n"), "\r")
				if !strings.HasSuffix(line, "\n") {
					buf = line
				}
			}
		default:
			if len(n.arms) > 0 {
				buf = line
			}
			buf += printed
			if strings.HasSuffix(printed, "\n") {
				drop = next
			}
		}
	}
	return buf
}
