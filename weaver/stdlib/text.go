package stdlib

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/weft-memory/weft/weaver"
)

type textArgs struct {
	Text string `weaver:"text" doc:"the text"`
}

type containsArgs struct {
	Text      string `weaver:"text" doc:"the text"`
	Substring string `weaver:"substring" doc:"what to look for; the empty text is always found"`
}

type startsArgs struct {
	Text   string `weaver:"text" doc:"the text"`
	Prefix string `weaver:"prefix" doc:"what the text is to begin with"`
}

type endsArgs struct {
	Text   string `weaver:"text" doc:"the text"`
	Suffix string `weaver:"suffix" doc:"what the text is to end with"`
}

type replaceArgs struct {
	Text string `weaver:"text" doc:"the text"`
	From string `weaver:"from" doc:"what to replace, wherever it occurs; empty: the gaps between all characters"`
	To   string `weaver:"to" doc:"what to put there"`
}

type substrArgs struct {
	Text   string               `weaver:"text" doc:"the text"`
	Start  int                  `weaver:"start" doc:"position of the first character to take, from 0"`
	Length weaver.Optional[int] `weaver:"length" doc:"how many characters to take; missing: all the rest"`
}

type joinArgs struct {
	Items     []weaver.Value `weaver:"items" doc:"the pieces, printed as they would be in a text"`
	Separator string         `weaver:"separator" default:", " doc:"what to put between them"`
}

type repeatArgs struct {
	Text  string `weaver:"text" doc:"the text"`
	Count int    `weaver:"count" default:"1" doc:"how often"`
}

type splitArgs struct {
	Text      string `weaver:"text" doc:"the text"`
	Separator string `weaver:"separator" default:"," doc:"what stands between the pieces; empty: split into characters"`
}

func textProcessors() []weaver.Processor {
	return []weaver.Processor{
		processor("text.upper", "Returns the text in upper case, by the rules of Unicode: \"straße\" gives \"STRASSE\".",
			func(a textArgs) string { return upper(a.Text) }),
		processor("text.lower", "Returns the text in lower case, by the rules of Unicode.",
			func(a textArgs) string { return lower(a.Text) }),
		processor("text.title", "Returns the text with the first letter of each word in upper case and the others in lower case.",
			func(a textArgs) string { return cases.Title(language.Und).String(a.Text) }),
		processor("text.capitalize", "Returns the text with its first character in upper case and the rest as it was.",
			func(a textArgs) string { return capitalize(a.Text) }),
		processor("text.length", "Returns the number of characters (code points).",
			func(a textArgs) int { return utf8.RuneCountInString(a.Text) }),
		processor("text.trim", "Returns the text without white space at both ends.",
			func(a textArgs) string { return strings.TrimFunc(a.Text, unicode.IsSpace) }),
		processor("text.contains", "Tells whether a text occurs in another, letter for letter.",
			func(a containsArgs) bool { return strings.Contains(a.Text, a.Substring) }),
		processor("text.starts_with", "Tells whether the text begins with another, letter for letter.",
			func(a startsArgs) bool { return strings.HasPrefix(a.Text, a.Prefix) }),
		processor("text.ends_with", "Tells whether the text ends with another, letter for letter.",
			func(a endsArgs) bool { return strings.HasSuffix(a.Text, a.Suffix) }),
		fallible("text.replace", "Returns the text with every occurrence of a text replaced by another.", replace),
		processor("text.substr", "Returns a part of the text.",
			func(a substrArgs) string { return substr(a) }),
		fallible("text.join", "Returns the items of an array as one text.", join),
		fallible("text.repeat", "Returns the text several times in a row.", repeat),
		fallible("text.split", "Returns the pieces of a text between separators. The empty text gives an empty array.", split),
		fallible("text.lines", "Returns the lines of a text, without their line breaks. A break at the very end begins no further line.", lines),
		fallible("text.words", "Returns the pieces of a text between white space.", words),
	}
}

// upper is the full upper-case mapping. A caser of x/text keeps state, so each
// call makes its own; plain ASCII needs none.
func upper(s string) string {
	if ascii(s) {
		return strings.ToUpper(s)
	}
	return cases.Upper(language.Und).String(s)
}

// lower is the full lower-case mapping, a final sigma included.
func lower(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	return cases.Lower(language.Und).String(s)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func capitalize(s string) string {
	if s == "" {
		return ""
	}
	_, size := utf8.DecodeRuneInString(s)
	return upper(s[:size]) + s[size:]
}

func replace(ctx *weaver.Context, a replaceArgs) (string, error) {
	if grow := len(a.To) - len(a.From); grow > 0 {
		if err := charge(ctx, strings.Count(a.Text, a.From), grow); err != nil {
			return "", err
		}
	}
	return strings.ReplaceAll(a.Text, a.From, a.To), nil
}

func substr(a substrArgs) string {
	rest := a.Text[offset(a.Text, a.Start):]
	if !a.Length.Given {
		return rest
	}
	return rest[:offset(rest, a.Length.Value)]
}

// offset returns where in s the character at position n begins.
func offset(s string, n int) int {
	if n <= 0 {
		return 0
	}
	if n >= len(s) {
		return len(s)
	}
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

func join(ctx *weaver.Context, a joinArgs) (string, error) {
	if err := charge(ctx, len(a.Items)-1, len(a.Separator)); err != nil {
		return "", err
	}
	var out []byte
	for i, item := range a.Items {
		if err := ctx.Charge(item.Size()); err != nil {
			return "", err
		}
		if i > 0 {
			out = append(out, a.Separator...)
		}
		out = item.AppendText(out)
	}
	return string(out), nil
}

func repeat(ctx *weaver.Context, a repeatArgs) (string, error) {
	if a.Count <= 0 || a.Text == "" {
		return "", nil
	}
	if err := charge(ctx, a.Count, len(a.Text)); err != nil {
		return "", err
	}
	return strings.Repeat(a.Text, a.Count), nil
}

func split(ctx *weaver.Context, a splitArgs) ([]weaver.Value, error) {
	if a.Text == "" {
		return nil, nil
	}
	if err := charge(ctx, strings.Count(a.Text, a.Separator)+1, valueBytes); err != nil {
		return nil, err
	}
	return stringValues(strings.Split(a.Text, a.Separator)), nil
}

func lines(ctx *weaver.Context, a textArgs) ([]weaver.Value, error) {
	if a.Text == "" {
		return nil, nil
	}
	if err := charge(ctx, strings.Count(a.Text, "\n")+1, valueBytes); err != nil {
		return nil, err
	}
	list := strings.Split(strings.TrimSuffix(a.Text, "\n"), "\n")
	for i := range list {
		list[i] = strings.TrimSuffix(list[i], "\r")
	}
	return stringValues(list), nil
}

func words(ctx *weaver.Context, a textArgs) ([]weaver.Value, error) {
	n, inside := 0, false
	for _, r := range a.Text {
		if unicode.IsSpace(r) {
			inside = false
		} else if !inside {
			inside = true
			n++
		}
	}
	if err := charge(ctx, n, valueBytes); err != nil {
		return nil, err
	}
	return stringValues(strings.Fields(a.Text)), nil
}

func stringValues(list []string) []weaver.Value {
	out := make([]weaver.Value, len(list))
	for i, s := range list {
		out[i] = weaver.String(s)
	}
	return out
}
