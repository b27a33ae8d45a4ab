package check

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/match"
	"github.com/weft-memory/weft/weaver/diag"
)

// keyFields are the names that a list of primary keys has in our files.
var keyFields = []string{"keywords", "keys", "key"}

// keys looks at the literal primary keys of an entry. Secondary keys narrow an
// entry down, so short and common words are fine among them.
func (c *checker) keys(n *node) {
	seen := make(map[string]string)
	whole := wholeWords(n)
	for _, k := range n.e.Keys {
		text := strings.TrimSpace(k.Text)
		if k.Kind != lore.KeyLiteral && k.Kind != "" || text == "" {
			continue
		}
		folded := fold(text)
		if first, ok := seen[folded]; ok {
			c.report(n, codeKeyTwice, c.item(n, k.Text, keyFields...),
				fmt.Sprintf("the key %q is listed twice%s", k.Text, spelled(first, k.Text)), "remove one of the two")
			continue
		}
		seen[folded] = k.Text
		if n.e.Disabled {
			continue
		}
		switch {
		case tooShort(text) && !whole:
			c.report(n, codeKeyShort, c.item(n, k.Text, keyFields...),
				fmt.Sprintf("the key %q is so short that it stands inside many words", k.Text),
				"use a longer key, or set whole_words: true")
		case tooShort(text):
			c.report(n, codeKeyShort, c.item(n, k.Text, keyFields...),
				fmt.Sprintf("the key %q has fewer than three letters", k.Text),
				"use a longer key, or add secondary_keys")
		default:
			c.commonWords(n, k.Text, text, whole)
		}
	}
}

// commonWords reports a key that common words hold.
func (c *checker) commonWords(n *node, key, text string, whole bool) {
	words := commonWords()
	low := strings.ToLower(text)
	cased := caseSensitive(n) && text != low
	// A second set of keys has to match too: the author has taken care.
	guarded := len(n.e.Clauses) > 0
	suggest := "use a longer key"
	if name := n.e.Name; name != "" && fold(name) != fold(text) && strings.Contains(fold(name), fold(text)) && utf8.RuneCountInString(name) <= 40 {
		suggest = fmt.Sprintf("use a longer key, such as %q", name)
	}
	if words.function[low] && !cased && !guarded {
		c.report(n, codeKeyCommon, c.item(n, key, keyFields...),
			fmt.Sprintf("the key %q is a word that nearly every message holds", key), suggest+", or add secondary_keys")
		return
	}
	if !whole && isASCIIWord(low) {
		others, forms := words.holding(low, cased)
		if len(others) > 0 && !guarded {
			c.report(n, codeKeyInWords, c.item(n, key, keyFields...),
				fmt.Sprintf("the key %q also stands inside common words: %s", key, examples(others, forms, words.homonyms[low])),
				suggest+", or set whole_words: true")
			return
		}
	}
	if phrase, ok := words.homonyms[low]; ok && !cased && !guarded {
		c.report(n, codeKeyMeanings, c.item(n, key, keyFields...),
			fmt.Sprintf("the key %q is an everyday word too: %q", key, phrase), suggest+", or add secondary_keys")
	}
}

// examples names a few of the words: strange ones first, then forms of the key
// itself, then the phrase for its other meaning.
func examples(others, forms []string, phrase string) string {
	pick := slices.Concat(others[:min(len(others), 4)], forms[:min(len(forms), 2)])
	if phrase != "" {
		pick = append(pick, phrase)
	}
	return quoted(pick, len(pick))
}

func spelled(first, second string) string {
	if first == second {
		return ""
	}
	return fmt.Sprintf(" (%q is the same to the matcher)", first)
}

// wholeWords reports whether the literal keys of an entry match whole words
// only.
func wholeWords(n *node) bool {
	switch {
	case n.e.WholeWords != nil:
		return *n.e.WholeWords
	case n.b.WholeWords != nil:
		return *n.b.WholeWords
	}
	// WordsSubstring is the rule of dialects that know no other way unless
	// asked; the others match whole words.
	return n.b.Policy.Words != lore.WordsSubstring && n.b.Policy.Words != ""
}

func caseSensitive(n *node) bool {
	switch {
	case n.e.CaseSensitive != nil:
		return *n.e.CaseSensitive
	case n.b.CaseSensitive != nil:
		return *n.b.CaseSensitive
	}
	return n.b.Policy.CaseSensitive
}

// tooShort reports whether a key has fewer than three letters or digits; a
// character of a script that writes words with one or two of them counts for
// two.
func tooShort(key string) bool {
	n := 0
	for _, r := range key {
		switch {
		case isDense(r):
			n += 2
		case unicode.IsLetter(r), unicode.IsDigit(r):
			n++
		case unicode.Is(unicode.So, r): // an emoji is as good as a word
			n += 3
		}
	}
	return n < 3
}

// isDense reports whether the character belongs to a script in which one or
// two characters make a word.
func isDense(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Yi)
}

func isASCIIWord(s string) bool {
	for i := 0; i < len(s); i++ {
		if !(s[i] >= 'a' && s[i] <= 'z' || s[i] == '\'') {
			return false
		}
	}
	return s != ""
}

// fold makes spellings equal that the weaver dialect takes for equal.
func fold(s string) string { return cases.Fold().String(norm.NFKC.String(s)) }

// regexes reports expressions that cannot be used, with the reason.
func (c *checker) regexes(n *node) {
	look := func(k lore.Key, fields ...string) {
		var err error
		switch k.Kind {
		case lore.KeyRE2:
			_, err = match.CompileRE2(k.Text, match.RegexOptions{})
		case lore.KeyJS:
			_, err = match.CompileJS(k.Text, k.Flags, match.RegexOptions{})
		}
		if err == nil {
			return
		}
		message, hint := err.Error(), ""
		if re, ok := err.(*match.RegexError); ok {
			message, hint = fmt.Sprintf("the regex %q cannot be used: %s", re.Pattern, re.Msg), re.Hint
			if re.Construct != "" && re.Construct != re.Pattern {
				message += fmt.Sprintf(" (at %q)", re.Construct)
			}
		}
		if hint == "" {
			hint = "correct the pattern, or use keywords"
		}
		text := k.Text
		if k.Kind == lore.KeyJS {
			text = "/" + k.Text + "/" + k.Flags
		}
		c.reportAs(n, diag.Error, codeRegex, c.item(n, text, fields...), message, hint)
	}
	for _, k := range n.e.Keys {
		look(k, "regex", "keywords", "keys", "key")
	}
	for _, clause := range n.e.Clauses {
		for _, k := range clause.Keys {
			look(k, "secondary_keys", "keysecondary")
		}
	}
}
