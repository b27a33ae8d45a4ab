package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/weaver/diag"
)

// printJSON prints a value as indented JSON. Text is not escaped for HTML.
func (e *env) printJSON(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fail(ExitInternal, "", "cannot write JSON: %w", err)
	}
	return e.print(b.String())
}

// findings draws diagnostics for people: message, place, the source line with
// a caret, and the hint, set to the width of the console.
func (c *console) findings(list diag.List, source func(string) *diag.Source) string {
	var b strings.Builder
	r := diag.Renderer{Width: max(c.width-8, 20), Color: c.color}
	styles := map[diag.Severity]style{diag.Error: bad, diag.Warning: warning, diag.Note: heading}
	for i, d := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		head := d.Severity.String()
		if d.Code != "" {
			head += "[" + d.Code + "]"
		}
		text := wrap(head+": "+visible(d.Message, false), c.prose())
		for k, line := range text {
			if k == 0 {
				line = c.paint(styles[d.Severity], head) + c.paint(strong, strings.TrimPrefix(line, head))
			} else {
				line = "  " + c.paint(strong, line)
			}
			b.WriteString(line + "\n")
		}
		// The renderer draws place and excerpt; message and hint are set here,
		// where they wrap.
		bare := d
		bare.Message, bare.Hint = "", ""
		var src *diag.Source
		if source != nil {
			src = source(d.File)
		}
		if _, excerpt, ok := strings.Cut(r.Render(bare, src), "\n"); ok {
			b.WriteString(excerpt)
		}
		if d.Hint != "" {
			for k, line := range wrap("hint: "+visible(d.Hint, false), c.prose()-4) {
				indent := "  = "
				if k > 0 {
					indent = "    "
				}
				b.WriteString(indent + line + "\n")
			}
		}
	}
	return b.String()
}

// tally says how many findings there are: "2 errors, 1 warning".
func tally(list diag.List) string {
	var parts []string
	for _, s := range []diag.Severity{diag.Error, diag.Warning, diag.Note} {
		if n := len(list.Filter(s)); n > 0 {
			parts = append(parts, plural(n, s.String()))
		}
	}
	if len(parts) == 0 {
		return "no problems"
	}
	return strings.Join(parts, ", ")
}

// plural writes a count with its noun: "1 entry", "2 entries".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	switch {
	case strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "ey"):
		noun = noun[:len(noun)-1] + "ies"
	default:
		noun += "s"
	}
	return number(n) + " " + noun
}

// number writes a whole number with thousands set apart: 12,480.
func number(n int) string {
	s := strconv.Itoa(n)
	if n < 0 {
		return "-" + number(-n)
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// title writes name and id of a thing: `The Lighthouse (lighthouse)`, or the
// id alone.
func title(name, id string) string {
	if name == "" || name == id {
		return id
	}
	return fmt.Sprintf("%s (%s)", name, id)
}
