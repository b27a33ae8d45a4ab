package sidecar

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// args are the arguments of a call, read kindly: a number where a text is
// wanted, one text where a list is.
type args map[string]json.RawMessage

// maxArg bounds one text of a call, in bytes.
const maxArg = 16 << 10

func readArgs(raw json.RawMessage) args {
	var a args
	if json.Unmarshal(raw, &a) != nil {
		return args{}
	}
	return a
}

func (a args) text(name string) string {
	var s string
	if json.Unmarshal(a[name], &s) == nil {
		return clean(s)
	}
	raw := strings.TrimSpace(string(a[name]))
	if raw == "" || raw == "null" || raw[0] == '{' || raw[0] == '[' {
		return ""
	}
	return clean(raw)
}

func (a args) list(name string) []string {
	var many []any
	if json.Unmarshal(a[name], &many) != nil {
		one := a.text(name)
		if one == "" {
			return nil
		}
		for _, s := range strings.FieldsFunc(one, func(r rune) bool { return r == ',' || r == ';' || r == '、' || r == '，' || r == '\n' }) {
			many = append(many, s)
		}
	}
	var out []string
	for _, v := range many {
		s, ok := v.(string)
		if n, isNumber := v.(float64); isNumber {
			s, ok = strconv.FormatFloat(n, 'g', -1, 64), true
		}
		if s = clean(s); ok && s != "" && len(out) < 64 {
			out = append(out, s)
		}
	}
	return out
}

// clean takes out what no text of a book needs: control characters, broken
// characters, space around it. A text that is too long is cut between words.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < 0x20, r == 0x7f, r == utf8.RuneError, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0xfeff:
			return -1
		}
		return r
	}, s)
	s = strings.TrimSpace(s)
	if len(s) > maxArg {
		cut := strings.LastIndexAny(s[:maxArg], " \n\t")
		if cut < maxArg/2 {
			cut = maxArg
			for !utf8.RuneStart(s[cut]) {
				cut--
			}
		}
		s = strings.TrimSpace(s[:cut])
	}
	return s
}

func itoa(n int) string { return strconv.Itoa(n) }
