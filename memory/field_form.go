package memory

import (
	"encoding/json"
	"slices"
	"strings"
)

// Weft's own JSON has several fields for keys (keywords, regex, keys) and for
// secondary keys (secondary_keys, secondary_logic, selective, clauses), of which
// a writer takes the simplest. Changes are worked out on one of each, so that an
// entry that gains a pattern still merges with one that gained a word.
const (
	fieldKeys    = "keys"
	fieldClauses = "clauses"
	fieldFolder  = "folder"
	// fieldKnows, in the change of a learn operation, is the list of those who
	// know; it takes back what Names would add.
	fieldKnows = "knows"
)

// inOneForm returns the fields of an entry without id and content, keys and
// clauses in their one form.
func inOneForm(list []field) []field {
	out := make([]field, 0, len(list))
	var keys []json.RawMessage
	keysAt := -1
	for _, f := range list {
		switch f.name {
		case "id", fieldContent, "secondary_logic", "selective":
		case "keywords", "regex", fieldKeys:
			if keysAt < 0 {
				keysAt = len(out)
				out = append(out, field{name: fieldKeys})
			}
			keys = append(keys, keyItems(f.name, f.raw)...)
		case "secondary_keys":
			out = append(out, field{fieldClauses, oneClause(f.raw, getField(list, "secondary_logic"), getField(list, "selective"))})
		default:
			out = append(out, f)
		}
	}
	if keysAt >= 0 {
		out[keysAt].raw = encodeJSON(keys)
	}
	return out
}

// keyItems returns the items of one of the fields for keys as items of keys.
func keyItems(name string, raw json.RawMessage) []json.RawMessage {
	list, _, _, ok := lists(raw)
	if !ok && len(raw) > 0 { // a single one may stand alone
		list = []json.RawMessage{raw}
	}
	if name != "regex" {
		return list
	}
	out := make([]json.RawMessage, len(list))
	for i, item := range list {
		out[i] = objectJSON([]field{{"text", item}, {"kind", json.RawMessage(`"re2"`)}})
	}
	return out
}

func oneClause(keys, logic, selective json.RawMessage) json.RawMessage {
	if list, _, _, ok := lists(keys); !ok || len(list) == 0 {
		return nil
	}
	if len(logic) == 0 {
		logic = json.RawMessage(`"any_of"`)
	}
	c := []field{{"logic", logic}, {"keys", keys}}
	if string(selective) == "false" {
		c = append(c, field{"inactive", json.RawMessage("true")})
	}
	return json.RawMessage("[" + string(objectJSON(c)) + "]")
}

// namedField is a field of a change with its name.
type namedField struct {
	name string
	Field
}

// oneForm returns the changes of fields in the order of their names, keys and
// clauses in their one form. What is no field of its own is left out.
func (v *version) oneForm(fields map[string]Field) []namedField {
	var out []namedField
	var old, new []json.RawMessage
	keys, clauses := false, false
	for _, name := range sortedFields(fields) {
		f := fields[name]
		switch name {
		case "", "id", fieldContent, fieldBase64, fieldOrder, fieldKnows:
		case "keywords", "regex", fieldKeys:
			keys = true
			old, new = append(old, keyItems(name, f.Old)...), append(new, keyItems(name, f.New)...)
		case "secondary_keys", "secondary_logic", "selective":
			clauses = true
		default:
			out = append(out, namedField{name, f})
		}
	}
	if keys {
		out = append(out, namedField{fieldKeys, Field{listJSON(old), listJSON(new)}})
	}
	if _, both := fields[fieldClauses]; clauses && !both {
		out = append(out, namedField{fieldClauses, v.clauseField(fields)})
	}
	slices.SortStableFunc(out, func(a, b namedField) int { return strings.Compare(a.name, b.name) })
	return out
}

// listJSON encodes a list; an empty one is absent.
func listJSON(list []json.RawMessage) json.RawMessage {
	if len(list) == 0 {
		return nil
	}
	return encodeJSON(list)
}

// clauseField makes one change of clauses of the changes of the three fields
// for a single clause; what the change does not name is as it is.
func (v *version) clauseField(fields map[string]Field) Field {
	var keys, logic, selective json.RawMessage
	if list, _, _, ok := lists(v.get(fieldClauses)); ok && len(list) > 0 {
		c, _ := objectFields(list[0])
		keys, logic = getField(c, "keys"), getField(c, "logic")
		if string(getField(c, "inactive")) == "true" {
			selective = json.RawMessage("false")
		}
	}
	pick := func(name string, cur json.RawMessage) (old, new json.RawMessage) {
		if f, ok := fields[name]; ok {
			return f.Old, f.New
		}
		return cur, cur
	}
	k1, k2 := pick("secondary_keys", keys)
	l1, l2 := pick("secondary_logic", logic)
	s1, s2 := pick("selective", selective)
	return Field{oneClause(k1, l1, s1), oneClause(k2, l2, s2)}
}

// readable puts the change of keys into the fields that people know, where they
// can say it: words and patterns.
func readable(fields map[string]Field) {
	f, ok := fields[fieldKeys]
	if !ok {
		return
	}
	oldWords, oldPatterns, ok1 := plainKeys(f.Old)
	newWords, newPatterns, ok2 := plainKeys(f.New)
	if !ok1 || !ok2 {
		return
	}
	delete(fields, fieldKeys)
	if w := (Field{oldWords, newWords}); !equalJSON(w.Old, w.New) {
		fields["keywords"] = w
	}
	if p := (Field{oldPatterns, newPatterns}); !equalJSON(p.Old, p.New) {
		fields["regex"] = p
	}
}

// plainKeys splits keys into words and, behind them, patterns.
func plainKeys(raw json.RawMessage) (words, patterns json.RawMessage, ok bool) {
	list, _, _, _ := lists(raw)
	var w, p []json.RawMessage
	for _, item := range list {
		if item[0] == '"' {
			if len(p) > 0 {
				return nil, nil, false
			}
			w = append(w, item)
			continue
		}
		fields, err := objectFields(item)
		if err != nil || len(fields) != 2 || string(getField(fields, "kind")) != `"re2"` || len(getField(fields, "text")) == 0 {
			return nil, nil, false
		}
		p = append(p, getField(fields, "text"))
	}
	return listJSON(w), listJSON(p), true
}
