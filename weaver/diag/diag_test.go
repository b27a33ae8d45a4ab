package diag_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/weaver/diag"
)

func span(start, end int) diag.Span { return diag.Span{Start: start, End: end} }

// mark returns text without its « » and the span that they stood around.
func mark(text string) (string, diag.Span) {
	start := strings.Index(text, "«")
	text = strings.Replace(text, "«", "", 1)
	end := strings.Index(text, "»")
	return strings.Replace(text, "»", "", 1), span(start, end)
}

func TestRender(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ab ", 100)
	for _, tt := range []struct{ name, text, want string }{
		{"plain", "one\ntwo «here» three\nfour", "2:5|two here three|    ^^^^"},
		{"first", "«x»y", "1:1|xy|^"},
		{"tabs", "\ta\t«b\tc»", "1:4|    a   b   c|        ^^^^^"},
		{"wide", "灯台は«暗い»。", "1:4|灯台は暗い。|      ^^^^"},
		{"combining", "e\u0301«x»", "1:3|e\u0301x| ^"},
		{"crlf", "one\r\ntwo«!»\r\n", "2:4|two!|   ^"},
		{"empty span", "ab«»c", "1:3|abc|  ^"},
		{"end of line", "ab«»\nc", "1:3|ab|  ^"},
		{"end of text", "ab\n«»", "2:1||^"},
		{"several lines", "ab «cd\nef» gh", "1:4|ab cd|   ^^"},
		{"controls", "a\x1b[31m«b»", "1:7|a·[31mb|      ^"},
		{"direction", "a\u202e«b»", "1:3|a·b|  ^"},
		{"invalid", "a\xff«b»", "1:3|a\uFFFDb|  ^"},
		{"long, near the start", "«ab»" + long, "1:1|ab" + long[:96] + "…|^^"},
		{"long, in the middle", long + "«x»" + long, "1:301|…" + long[268:] + "x" + long[:65] + "…| " + strings.Repeat(" ", 32) + "^"},
		{"long, near the end", long + "«x»", "1:301|…" + long[203:] + "x| " + strings.Repeat(" ", 97) + "^"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text, sp := mark(tt.text)
			src := diag.NewSource("f", text)
			out := diag.Renderer{}.Render(src.At(diag.Warning, "code", sp, "msg"), src)
			lines := strings.Split(out, "\n")
			if len(lines) != 6 || lines[0] != "warning: msg" {
				t.Fatalf("drawn as\n%s", out)
			}
			_, pos, _ := strings.Cut(lines[1], "--> f:")
			_, code, _ := strings.Cut(lines[3], "| ")
			_, carets, _ := strings.Cut(lines[4], "| ")
			if got := pos + "|" + code + "|" + carets; got != tt.want {
				t.Errorf("(-want +got):\n%s", cmp.Diff(tt.want, got))
			}
		})
	}
}

func TestRenderWhole(t *testing.T) {
	t.Parallel()
	src := diag.NewSource("books/gate.weaver", strings.Repeat("\n", 9)+"{{ a b }}")
	d := src.At(diag.Error, "unexpected", span(14, 15), "expected an operator")
	d.Hint = "write one"
	want := `error: expected an operator
   --> books/gate.weaver:10:6
    |
 10 | {{ a b }}
    |      ^
    = hint: write one
`
	if diff := cmp.Diff(want, diag.Renderer{}.Render(d, src)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, want := (diag.Renderer{}).Render(d, nil), "error: expected an operator\n --> books/gate.weaver:10:6\n  = hint: write one\n"; got != want {
		t.Errorf("without a source: %q, want %q", got, want)
	}
	if got := (diag.Renderer{Color: true}).Render(d, src); !strings.Contains(got, "\x1b[31merror\x1b[0m") {
		t.Errorf("in colour: %q", got)
	}
	var b strings.Builder
	if err := (diag.Renderer{}).RenderList(&b, diag.List{d, d}, func(string) *diag.Source { return src }); err != nil || b.String() != want+"\n"+want {
		t.Errorf("a list: %q, %v", b.String(), err)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	src := diag.NewSource("f", "abc\ndef")
	warn := src.At(diag.Warning, "w", span(0, 1), "odd")
	late := src.At(diag.Error, "e", span(5, 6), "bad")
	late.Hint = "mend it"
	l := diag.List{late, warn, late}.Sort()
	if len(l) != 2 || l[0].Code != "w" {
		t.Errorf("sorted: %v", l)
	}
	if !l.HasErrors() || len(l.Errors()) != 1 || len(l.Filter(diag.Warning)) != 1 || l[:1].Err() != nil {
		t.Errorf("severities are mixed up in %v", l)
	}
	err := l.Err()
	if err == nil || err.Error() != "f:2:2: bad (mend it)" {
		t.Errorf("Err() = %v", err)
	}
	var d diag.Diagnostic
	if !errors.As(fmt.Errorf("load: %w", err), &d) || d.Code != "e" {
		t.Errorf("errors.As finds %+v", d)
	}
	if got := warn.String(); got != "f:1:1: warning: odd" {
		t.Errorf("String() = %q", got)
	}
	many := make(diag.List, 30)
	if got := strings.Count(many.Err().Error(), "\n"); got != 10 {
		t.Errorf("30 errors take %d lines", got+1)
	}

	b, err := l.JSON()
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"severity":"warning","code":"w","file":"f","span":{"start":0,"end":1},"line":1,"column":1,"message":"odd"},` +
		`{"severity":"error","code":"e","file":"f","span":{"start":5,"end":6},"line":2,"column":2,"message":"bad","hint":"mend it"}]`
	if string(b) != want {
		t.Errorf("JSON %s\nwant %s", b, want)
	}
	var back diag.List
	if err := json.Unmarshal(b, &back); err != nil || !cmp.Equal(back, l) {
		t.Errorf("reads back as %v, %v", back, err)
	}
	if b, _ := diag.List(nil).JSON(); string(b) != "[]" {
		t.Errorf("an empty list is %s", b)
	}
	if err := json.Unmarshal([]byte(`[{"severity":"fatal"}]`), &back); err == nil {
		t.Error("an unknown severity is read")
	}
}

func FuzzRender(f *testing.F) {
	f.Add("one\ttwo\r\n灯台", 2, 5, 40)
	f.Add("\xff\u202e\x00", 1, 1, 0)
	f.Fuzz(func(t *testing.T, text string, start, end, width int) {
		src := diag.NewSource("f", text)
		d := src.At(diag.Error, "c", span(max(0, min(start, len(text))), end), "m")
		line, col := src.Position(d.Span.Start)
		if utf8.ValidString(text) && utf8.RuneStart((text + "x")[d.Span.Start]) && src.Line(line) != "" && col <= utf8.RuneCountInString(src.Line(line)) {
			if at := src.Offset(line, col); at != d.Span.Start {
				t.Errorf("offset %d is %d:%d is offset %d", d.Span.Start, line, col, at)
			}
		}
		out := diag.Renderer{Width: width}.Render(d, src)
		if !utf8.ValidString(out) || strings.Count(out, "\n") != 5 || !strings.Contains(out, "^") {
			t.Errorf("drawn as %q", out)
		}
	})
}
