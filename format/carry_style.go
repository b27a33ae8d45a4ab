package format

import (
	"strings"

	"github.com/weft-memory/weft/format/jsondoc"
)

// styleTree writes how a file was written, so that it can be written so again.
func styleTree(s jsondoc.Style) *jsondoc.Tree {
	t := jsondoc.Obj()
	text := func(key, value, def string) {
		if value != def {
			t.Set(key, jsondoc.Str(value))
		}
	}
	flag := func(key string, on bool) {
		if on {
			t.Set(key, jsondoc.NewBool(true))
		}
	}
	text("indent", s.Indent, "")
	text("newline", s.Newline, "")
	text("colon", s.Colon, "")
	text("comma", s.Comma, "")
	text("final", s.Final, "")
	flag("inlineLists", s.InlineLists)
	flag("ascii", s.ASCII)
	flag("upperHex", s.UpperHex)
	flag("escapeHTML", s.EscapeHTML)
	flag("escapeSlash", s.EscapeSlash)
	flag("bom", s.BOM)
	text("utf16", s.UTF16, "")
	return t
}

func parseStyle(t *jsondoc.Tree) jsondoc.Style {
	// Only white space may come from a file into the gaps of another.
	text := func(key string) string {
		if v := t.Get(key); v != nil && v.Kind == jsondoc.String {
			if s := v.Text; strings.Trim(s, " \t\r\n:") == "" && len(s) <= 16 {
				return s
			}
		}
		return ""
	}
	blank := func(key string) string { return strings.ReplaceAll(text(key), ":", "") }
	flag := func(key string) bool {
		v := t.Get(key)
		return v != nil && v.Kind == jsondoc.Bool && v.Text == "true"
	}
	s := jsondoc.Style{
		Indent: blank("indent"), Newline: blank("newline"), Colon: text("colon"), Comma: blank("comma"), Final: blank("final"),
		InlineLists: flag("inlineLists"), ASCII: flag("ascii"), UpperHex: flag("upperHex"),
		EscapeHTML: flag("escapeHTML"), EscapeSlash: flag("escapeSlash"), BOM: flag("bom"),
	}
	if v := t.Get("utf16"); v != nil && (v.Text == "le" || v.Text == "be") {
		s.UTF16 = v.Text
	}
	if strings.Count(s.Colon, ":") != 1 {
		s.Colon = ":"
	}
	return s
}

func splitPointer(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, t := range tokens {
		tokens[i] = unescapePointer(t)
	}
	return tokens
}
