package weaver

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestFormatterUnderstands checks, on generated sources with odd spacing,
// that the formatter's own output does the same as its input: Format would
// hide a mistake by giving the source back.
func TestFormatterUnderstands(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		src := sourceGen{t}.template(3)
		var p program
		if err := p.parse("gen", src, false, nil).Err(); err != nil {
			t.Fatalf("%q: %v", src, err)
		}
		f := formatter{src: src}
		q := newParser("gen", src, nil)
		q.tokens = &f.tokens
		q.run(false)
		out := f.format()
		var again program
		if err := again.parse("gen", out, false, nil).Err(); err != nil {
			t.Fatalf("%q formatted as %q: %v", src, out, err)
		}
		if outline(&p) != outline(&again) {
			t.Fatalf("%q formatted as %q:\n%s\n%s", src, out, outline(&p), outline(&again))
		}
		if twice, _ := Format("gen", out); twice != out {
			t.Fatalf("%q formatted as\n%q and then as\n%q", src, out, twice)
		}
	})
}

// sourceGen writes well-formed sources.
type sourceGen struct{ t *rapid.T }

func (g sourceGen) pick(s ...string) string { return rapid.SampledFrom(s).Draw(g.t, "pick") }
func (g sourceGen) n(most int) int          { return rapid.IntRange(0, most).Draw(g.t, "n") }

// sp is space within a line, nl space where a line break is free as well.
func (g sourceGen) sp() string { return g.pick("", "", " ", "  ", "\t") }
func (g sourceGen) nl() string { return g.pick("", "", " ", "\n", " // note\n", "\n\n\n  ") }

func (g sourceGen) name() string { return g.pick("a", "b", "town", "x1", "_k") }
func (g sourceGen) ref() string  { return g.pick("a", "s", "local") + ":" + g.name() }
func (g sourceGen) mark() string { return g.pick("", "", "", "-") }

func (g sourceGen) template(depth int) string {
	var b strings.Builder
	for range g.n(4) {
		b.WriteString(g.pick("text", "\n", "  ", " } ", "x\n  ", ""))
		b.WriteString(g.construct(depth))
	}
	b.WriteString(g.pick("", "\n", "end"))
	return b.String()
}

func (g sourceGen) open(s string) string {
	if m := g.mark(); m != "" {
		return s + m + " "
	}
	return s + g.pick(" ", "\n")
}

func (g sourceGen) construct(depth int) string {
	if depth == 0 {
		return "{{" + g.sp() + g.ref() + g.sp() + "}}"
	}
	switch g.n(7) {
	case 0:
		return g.open("{{") + g.expr(depth) + g.nl() + g.mark() + "}}"
	case 1:
		return g.call(depth, g.mark(), g.mark())
	case 2:
		return "[[" + g.sp() + g.name() + g.sp() + "]]"
	case 3:
		return "[[" + g.sp() + "(" + g.expr(depth-1) + g.nl() + ")" + g.sp() + "]]"
	case 4:
		return "<trigger" + g.pick(" ", "\n") + "id" + g.sp() + "=" + g.sp() + "\"x\"" + g.sp() + ">"
	case 5:
		return g.tag("if "+g.expr(depth-1)+g.nl()) + g.template(depth-1) +
			g.pick("", g.tag("elif "+g.ref()+g.nl())) + g.template(depth-1) +
			g.pick("", g.tag("else")) + g.template(depth-1) + g.tag("endif")
	case 6:
		return g.tag("foreach "+g.name()+" in "+g.expr(depth-1)+g.nl()) + g.template(depth-1) + g.tag("endforeach")
	}
	return g.tag(g.pick("stop", "return", "return "+g.expr(depth-1)+g.nl()))
}

func (g sourceGen) tag(s string) string {
	return g.open("{#") + s + g.pick("", " ") + g.mark() + "#}"
}

func (g sourceGen) call(depth int, before, after string) string {
	head := g.pick("$[", "@[")
	if before != "" {
		head += before + " "
	}
	return head + g.sp() + g.name() + "(" + g.list(depth-1, func(i int) string {
		e := g.expr(depth - 1)
		if i > 0 {
			e = "p" + string(rune('0'+i)) + g.sp() + ":" + g.nl() + e
		} else if isIdentStart(e[0]) {
			e = "(" + e + ")"
		}
		return e
	}) + ")" + g.sp() + after + "]"
}

func (g sourceGen) list(_ int, item func(i int) string) string {
	var b strings.Builder
	b.WriteString(g.nl())
	n := g.n(3)
	for i := range n {
		b.WriteString(item(i))
		if i < n-1 {
			b.WriteString(g.pick(",", " , ", ",\n", "\n", " // c\n", ", // c\n"))
		} else {
			b.WriteString(g.pick("", ",", " ,", "\n,", " // c\n,", ",\n"))
		}
	}
	b.WriteString(g.nl())
	return b.String()
}

func (g sourceGen) expr(depth int) string {
	if depth <= 0 {
		return g.pick(g.ref(), "1", "2.5", "-3", `"s  t"`, `r#"q"#`, "true", "none", g.name())
	}
	e := g.operand(depth)
	for range g.n(2) {
		e += g.sp() + g.pick("+", "-", "*", "/", "%", "<", "<=", "==", "!=", "&&", "||") + g.nl() + g.operand(depth)
	}
	return e
}

func (g sourceGen) operand(depth int) string {
	pre := g.pick("", "", "", "!", "! ", "!!", "- ", "!- ")
	switch g.n(8) {
	case 0:
		return pre + "(" + g.nl() + g.expr(depth-1) + g.nl() + ")"
	case 1:
		return pre + "[ " + g.list(depth, func(int) string { return g.item(depth, false) }) + "]"
	case 2:
		keys := 0
		return pre + "{ " + g.list(depth, func(int) string { keys++; return g.entry(depth, keys) }) + "}"
	case 3:
		return pre + g.call(depth, "", "")
	case 4:
		return pre + g.ref() + g.pick("", ".k", "[0]", "["+g.sp()+g.expr(depth-1)+g.nl()+"]", `["k"].m`)
	case 5:
		return pre + "{{" + g.sp() + g.ref() + g.sp() + "}}"
	case 6:
		return pre + "V(" + g.list(depth, func(int) string { return g.expr(depth - 1) }) + ")"
	case 7:
		return pre + "[[" + g.sp() + g.name() + g.sp() + "]]"
	}
	return pre + g.expr(0)
}

func (g sourceGen) entry(depth, i int) string {
	return "k" + string(rune('0'+i)) + g.sp() + ":" + g.nl() + g.expr(depth-1)
}

func (g sourceGen) item(depth int, inBlock bool) string {
	if inBlock || g.n(3) > 0 {
		return g.expr(depth - 1)
	}
	if g.n(1) == 0 {
		return "{#" + g.sp() + "if " + g.ref() + g.sp() + "#}" + g.nl() + g.item(depth, true) + g.pick("", ",", "\n") +
			"{# else #}" + g.nl() + "{#endif#}"
	}
	return "{#" + g.sp() + "foreach x in " + g.ref() + g.sp() + "#}" + g.nl() + g.item(depth, true) + g.pick("", ",", "\n") + "{# endforeach #}"
}
