package compendium

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// Language holds the words that renderings and snapshots are made of. What
// stands in entries stays in the language in which it was written.
//
// A language is a JSON file: its code and name, phrases with places in braces,
// labels of fields, and words for the values of enums and for states. What a
// file leaves out is taken from English. [Languages] lists those that come with
// the package; [ParseLanguage] reads others.
type Language struct {
	Code string `json:"code"`
	Name string `json:"name"`
	// Phrases by key, as in "former": "formerly {x}".
	Phrases map[string]string `json:"phrases"`
	// Labels of fields by their name, or by type and name: "plot.question".
	Labels map[string]string `json:"labels"`
	// Words for values of enums and states: "dead", "event.past".
	Words map[string]string `json:"words"`
}

//go:embed lang/*.json
var langFiles embed.FS

var languages = sync.OnceValue(func() map[string]*Language {
	out := map[string]*Language{}
	files, err := fs.Glob(langFiles, "lang/*.json")
	if err != nil {
		panic(err) // the pattern is ours
	}
	for _, name := range files {
		src, err := langFiles.ReadFile(name)
		if err != nil {
			panic(err)
		}
		l := &Language{}
		if err := json.Unmarshal(src, l); err != nil {
			panic(fmt.Sprintf("%s: %v", name, err)) // a test reads them all
		}
		out[l.Code] = l
	}
	return out
})

// Languages returns the codes of the languages that come with the package.
func Languages() []string { return sortedNames(languages()) }

// LanguageFor returns the language of a code such as "de" or "de-AT"; English if
// there is none.
func LanguageFor(code string) *Language {
	code = strings.ToLower(code)
	base, _, _ := strings.Cut(strings.ReplaceAll(code, "_", "-"), "-")
	for _, c := range []string{code, base, "en"} {
		if l := languages()[c]; l != nil {
			return l
		}
	}
	return &Language{}
}

// ParseLanguage reads the file of a language. Unknown phrases, and places that a
// phrase of the key does not have in English, are errors: they would not be
// shown.
func ParseLanguage(src []byte) (*Language, error) {
	l := &Language{}
	if err := json.Unmarshal(src, l); err != nil {
		return nil, fmt.Errorf("language: %w", err)
	}
	if l.Code == "" {
		return nil, fmt.Errorf("language: it has no code")
	}
	en := languages()["en"]
	for _, k := range sortedNames(l.Phrases) {
		known, ok := en.Phrases[k]
		if !ok {
			return nil, fmt.Errorf("language %s: there is no phrase %q", l.Code, k)
		}
		for _, p := range places(l.Phrases[k]) {
			if !slices.Contains(places(known), p) {
				return nil, fmt.Errorf("language %s: phrase %q has no place {%s}", l.Code, k, p)
			}
		}
	}
	return l, nil
}

// places returns the names in braces.
func places(s string) []string {
	var out []string
	for {
		_, rest, ok := strings.Cut(s, "{")
		if !ok {
			return out
		}
		name, after, ok := strings.Cut(rest, "}")
		if !ok {
			return out
		}
		out = append(out, name)
		s = after
	}
}

// phrase returns a phrase with values in its places, given in pairs. Values are
// put in once: braces in them stay as they are.
func (l *Language) phrase(key string, pairs ...string) string {
	p, ok := l.Phrases[key]
	if !ok {
		p = languages()["en"].Phrases[key]
	}
	if len(pairs) == 0 {
		return p
	}
	repl := make([]string, len(pairs))
	for i := 0; i < len(pairs); i += 2 {
		repl[i], repl[i+1] = "{"+pairs[i]+"}", pairs[i+1]
	}
	return strings.NewReplacer(repl...).Replace(p)
}

// label returns what a field is called.
func (l *Language) label(t Type, name string) string {
	for _, x := range []*Language{l, languages()["en"]} {
		for _, k := range []string{string(t) + "." + name, name} {
			if s, ok := x.Labels[k]; ok {
				return s
			}
		}
	}
	return strings.ReplaceAll(name, "_", " ")
}

// word returns the word for a value of an enum or a state.
func (l *Language) word(t Type, value string) string {
	for _, x := range []*Language{l, languages()["en"]} {
		for _, k := range []string{string(t) + "." + value, value} {
			if s, ok := x.Words[k]; ok {
				return s
			}
		}
	}
	return strings.ReplaceAll(value, "_", " ")
}
