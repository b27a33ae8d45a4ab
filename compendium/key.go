package compendium

import (
	"fmt"
	"hash/fnv"
	"strings"
	"unicode/utf8"

	"github.com/weft-memory/weft/resolve"
)

// maxKey is how many characters of a text its key shows; a longer one ends in
// a hash.
const maxKey = 48

// keyPart returns the key of a text: its normal form, so that "Brothers in
// Arms", "brothers in arms" and "Brothers-in-Arms" have one key, without the
// signs that paths are written with.
func keyPart(s string) string {
	n := resolve.Normal(s)
	if strings.ContainsAny(n, "[]|.#~\x00\n\r\t") || !utf8.ValidString(n) {
		n = keyEscapes.Replace(strings.ToValidUTF8(n, "_"))
	}
	if utf8.RuneCountInString(n) <= maxKey {
		return n
	}
	h := fnv.New64a()
	h.Write([]byte(n))
	r := []rune(n)
	return strings.TrimSpace(string(r[:maxKey-14])) + fmt.Sprintf("~%013x", h.Sum64()&(1<<52-1))
}

var keyEscapes = strings.NewReplacer("[", "_", "]", "_", "|", "_", ".", "_", "#", "_", "~", "_", "\x00", "_", "\n", "_", "\r", "_", "\t", "_")

// plainID makes an id fit into a key.
func plainID(id string) string { return keyEscapes.Replace(strings.ToValidUTF8(id, "_")) }

// keyOf returns the key of a row by its members, "" if a member is missing that
// cannot be.
func keyOf(f *Field, row Object) string {
	parts := make([]string, 0, len(f.Key))
	for i, name := range f.Key {
		switch v := row[name].(type) {
		case string:
			parts = append(parts, keyPart(v))
		case Ref:
			parts = append(parts, keyPart(v.Text))
		case Moment:
			parts = append(parts, keyPart(v.Label))
		default:
			if i == 0 && len(f.Key) == 1 {
				return ""
			}
			parts = append(parts, "")
		}
	}
	k := strings.Join(parts, "|")
	if strings.Trim(k, "|") == "" {
		return ""
	}
	return k
}

// freeKey returns the key of a row, made different from those in rows if it is
// taken.
func freeKey(rows Object, f *Field, row Object) string {
	k := keyOf(f, row)
	if k == "" {
		k = "row"
	}
	base := k
	if id := boundID(f, row); id != "" {
		if _, taken := rows[k]; taken {
			k = base + "#" + plainID(id)
		}
	}
	for i := 2; ; i++ {
		if _, taken := rows[k]; !taken {
			return k
		}
		k = fmt.Sprintf("%s#%d", base, i)
	}
}

// findRow returns the key under which rows hold the row that a patch means: all
// members of the key are the same. References that are both bound are the same
// if they lead to one entry, whatever name was used.
func findRow(rows Object, f *Field, row Object) (string, bool) {
	if k := keyOf(f, row); k != "" { // the common case
		if have, ok := rows[k].(Object); ok && sameKey(f, have, row) {
			return k, true
		}
	}
	if boundID(f, row) == "" && !hasSuffixed(rows) {
		return "", false // names that are equal have one key, but for namesakes
	}
	for _, k := range sortedNames(rows) {
		if have, ok := rows[k].(Object); ok && sameKey(f, have, row) {
			return k, true
		}
	}
	return "", false
}

// boundID returns the entry that the key of a row names, "" if it is not known.
func boundID(f *Field, row Object) string {
	for _, name := range f.Key {
		if r, ok := row[name].(Ref); ok && r.ID != "" {
			return r.ID
		}
	}
	return ""
}

func hasSuffixed(rows Object) bool {
	for k := range rows {
		if strings.Contains(k, "#") {
			return true
		}
	}
	return false
}

// sameKey reports whether two rows agree in all members of the key.
func sameKey(f *Field, a, b Object) bool {
	for _, name := range f.Key {
		x, y := a[name], b[name]
		if isEmpty(x) && isEmpty(y) {
			continue
		}
		rx, ok1 := x.(Ref)
		ry, ok2 := y.(Ref)
		if ok1 && ok2 {
			if !rx.Same(ry) {
				return false
			}
			continue
		}
		if keyPart(plain(x)) != keyPart(plain(y)) {
			return false
		}
	}
	return true
}

// plain returns a scalar as text.
func plain(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case Ref:
		return v.Text
	case Moment:
		return v.Label
	case float64:
		return formatNumber(v)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case []string:
		return strings.Join(v, ", ")
	}
	return ""
}
