package lore

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/weft-memory/weft/internal/testenv"
)

var fenced = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// Every example of the page about books reads without a report.
func TestExamplesOfTheDocumentation(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(testenv.Root(), "docs", "books.md"))
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, m := range fenced.FindAllStringSubmatch(string(page), -1) {
		kind, src := m[1], m[2]
		count[kind]++
		switch kind {
		case "weaver":
			parseOK(t, src)
		case "yaml":
			if _, list := ParseConfig("lorebook.yaml", []byte(src)); len(list) > 0 {
				t.Errorf("%v\n%s", list, src)
			}
		case "json":
			if _, list := ParseBook("book.json", []byte(src)); len(list) > 0 {
				t.Errorf("%v\n%s", list, src)
			}
		case "chat":
			if messages, list := ParseChat("chat", []byte(src)); len(list) > 0 || len(messages) < 2 {
				t.Errorf("%v %v\n%s", messages, list, src)
			}
		case "text":
		default:
			t.Errorf("an example of an unknown kind %q", kind)
		}
	}
	for _, kind := range []string{"weaver", "yaml", "json", "chat"} {
		if count[kind] == 0 {
			t.Errorf("the page has no example of %s", kind)
		}
	}
}

// The page names every field, and every policy.
func TestDocumentationNamesEveryField(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(testenv.Root(), "docs", "books.md"))
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	words = append(words, entryFieldNames...)
	words = append(words, bookFieldNames...)
	words = append(words, policyNames()...)
	words = append(words, names(slotOrder...)...)
	for _, w := range words {
		if !strings.Contains(string(page), "`"+w+"`") {
			t.Errorf("the page does not name %s", w)
		}
	}
	for _, w := range dialectNames {
		if !strings.Contains(string(page), "`"+w) {
			t.Errorf("the page does not name %s of dialect", w)
		}
	}
}
