package check

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// prose returns the template with every construct overwritten by spaces, so
// that only what is printed as it stands is left, at its place. The template
// parses, so brackets and quotes are in order.
func prose(src string) string {
	if !strings.ContainsAny(src, "{@$<[") {
		return src
	}
	out := []byte(src)
	for i := 0; i < len(src); {
		end := constructEnd(src, i)
		if end == i {
			i++
			continue
		}
		for k := i; k < end; k++ {
			if out[k] != '\n' {
				out[k] = ' '
			}
		}
		i = end
	}
	return string(out)
}

var closers = map[string]string{"{{": "}}", "{#": "#}", "@[": "]", "$[": "]", "[[": "]]", "<trigger": ">"}

// constructEnd returns the end of the construct that begins at i, or i.
func constructEnd(src string, i int) int {
	opener := ""
	for _, o := range []string{"{{", "{#", "@[", "$[", "[[", "<trigger"} {
		if strings.HasPrefix(src[i:], o) {
			opener = o
			break
		}
	}
	if opener == "" {
		return i
	}
	closer := closers[opener]
	var depth int // of brackets inside the construct
	for k := i + len(opener); k < len(src); {
		switch {
		case depth == 0 && strings.HasPrefix(src[k:], closer):
			return k + len(closer)
		case src[k] == '"':
			k = stringEnd(src, k)
			continue
		case strings.HasPrefix(src[k:], "r\"") || strings.HasPrefix(src[k:], "r#"):
			if end := rawEnd(src, k); end > k {
				k = end
				continue
			}
		case strings.HasPrefix(src[k:], "//"):
			if nl := strings.IndexByte(src[k:], '\n'); nl >= 0 {
				k += nl
				continue
			}
			return len(src)
		case strings.IndexByte("([{", src[k]) >= 0:
			depth++
		case strings.IndexByte(")]}", src[k]) >= 0 && depth > 0:
			depth--
		}
		k++
	}
	return len(src)
}

func stringEnd(src string, k int) int {
	for k++; k < len(src); k++ {
		switch src[k] {
		case '\\':
			k++
		case '"':
			return k + 1
		}
	}
	return len(src)
}

func rawEnd(src string, k int) int {
	i := k + 1
	for i < len(src) && src[i] == '#' {
		i++
	}
	if i >= len(src) || src[i] != '"' {
		return k
	}
	end := strings.Index(src[i+1:], "\""+strings.Repeat("#", i-k-1))
	if end < 0 {
		return len(src)
	}
	return i + 1 + end + i - k
}

// wordAt returns the first place where word stands in text as a word of its
// own, and how often it does.
func wordAt(text, word string) (first, count int) {
	first = -1
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return first, count
		}
		i += at
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(word):])
		head, _ := utf8.DecodeRuneInString(word)
		tail, _ := utf8.DecodeLastRuneInString(word)
		if (i == 0 || !joins(before, head)) && (i+len(word) == len(text) || !joins(after, tail)) {
			if first < 0 {
				first = i
			}
			count++
		}
		at = i + len(word)
	}
}

// joins reports whether two neighbouring characters belong to one word.
// Scripts without spaces between words have no borders to look for.
func joins(outer, inner rune) bool {
	if isDense(inner) {
		return false
	}
	return outer == '_' || unicode.IsLetter(outer) || unicode.IsDigit(outer) || unicode.IsMark(outer)
}
