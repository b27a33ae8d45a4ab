package check

import (
	"strings"
	"testing"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/stdlib"
)

// Whatever stands in an entry, checking ends, with known codes and places
// inside the file.
func FuzzEntry(f *testing.F) {
	for _, c := range []string{
		"---\nid: a\nkeywords: [ring]\n---\nThe [[b]] <trigger id=\"c\"> {{state:x}} @[text.upper(\"{{\")]",
		"---\nid: \"é\"\ncondition: 'state:x == \"\\u0041\"'\nslot: nowhere\n---\n{# if r#\"}}\"# #}Mira{# endif #} // Mira\n",
		"---\r\nid: c\r\ncooldown: 1\r\n---\r\nMira $[set_var(key: \"char:x\", value: [1, 2])]\r\n",
		`{"entries": [{"id": "j", "content": "Mira {{ local:y }}", "keywords": ["ox"]}]}`,
	} {
		f.Add(c)
	}
	registry := stdlib.NewRegistry()
	f.Fuzz(func(t *testing.T, src string) {
		book := &lore.Book{ID: "b", Policy: lore.PolicyWeaver()}
		path := "b.weaver"
		if strings.HasPrefix(src, "{") {
			path = "b.json"
			book, _ = lore.ParseBook(path, []byte(src))
		} else if file, _ := lore.ParseEntry(path, []byte(src)); file.Entry() != nil {
			book.Entries = append(book.Entries, file.Entry())
		}
		list := Book(book, Options{
			Registry: registry, Characters: []string{"Mira"}, MaxTokens: 10,
			Source: func(string) []byte { return []byte(src) },
		})
		for _, d := range list {
			severityOf(d.Code) // panics if there is no such rule
			if d.Message == "" || d.File == "" {
				t.Errorf("no message or file: %+v", d)
			}
			if d.Span.Start < 0 || d.Span.End < d.Span.Start || d.Span.End > len(src) {
				t.Errorf("the span lies outside of the file (%d bytes): %+v", len(src), d)
			}
			if lines := strings.Count(src, "\n") + 1; d.Line > lines {
				t.Errorf("line %d of %d: %+v", d.Line, lines, d)
			}
		}
	})
}

// prose keeps what is printed as it stands, at its place, and nothing that
// stands inside a construct.
func FuzzProse(f *testing.F) {
	for _, c := range []string{
		"Mira {{ x }} Mira", `a {{ "}}" }} b`, `{# if r#"#}"# #}x{# endif #}`, "[[a]] ]] <trigger id=\"x>\"> y",
		"@[a.b([[c]], {d: \"]\"})] e", "{{ x // }}\n }} f", "$[set_var(\"a:b\", [1, [2]])] g",
	} {
		f.Add(c)
	}
	f.Fuzz(func(t *testing.T, src string) {
		got := prose(src)
		if len(got) != len(src) {
			t.Fatalf("prose(%q) has %d bytes, want %d", src, len(got), len(src))
		}
		for i := range len(src) {
			if got[i] != src[i] && got[i] != ' ' {
				t.Fatalf("prose(%q) changed byte %d to %q", src, i, got[i])
			}
		}
		// The texts of the template are what prose leaves: a template whose
		// constructs are blanked out has none left.
		if _, list := weaver.Parse("t", src); !list.HasErrors() {
			left, list := weaver.Parse("t", got)
			if list.HasErrors() || len(left.References())+len(left.Documents())+len(left.Triggers())+len(left.Calls()) > 0 {
				t.Fatalf("prose(%q) = %q leaves constructs", src, got)
			}
		}
	})
}
