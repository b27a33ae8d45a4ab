package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Coerce brings a value into the form that the schema asks for, where only the
// form differs, and returns notes of what it changed. What does not fit either
// way stays as it is, for [Schema.Validate] to report. A value that fits is
// returned byte for byte.
//
//   - texts with a number or a boolean become one, and numbers texts;
//   - a value of an enumeration gets its case;
//   - one value where a list is wanted becomes a list of one, a text of short
//     names with commas between a list of them;
//   - an object or list written into a string is read;
//   - null for a member that is not required is left out, as is a member that
//     the schema forbids;
//   - a member is found by its name without regard to case, hyphens and
//     underscores.
func (s *Schema) Coerce(value json.RawMessage) (json.RawMessage, []string) {
	v, err := decode(value)
	if err != nil {
		return value, nil
	}
	c := &coercion{root: s.tree}
	v = c.value(v, s.tree, "", 0)
	if len(c.notes) == 0 {
		return value, nil
	}
	out, err := Encode(v)
	if err != nil {
		return value, nil
	}
	return out, c.notes
}

// Encode writes JSON as people would: without escapes for HTML, and without a
// line break behind it.
func Encode(v any) (json.RawMessage, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(buf.Bytes()), nil
}

type coercion struct {
	root  map[string]any
	notes []string
}

func (c *coercion) note(path, format string, args ...any) {
	if len(c.notes) < 100 {
		if path == "" {
			path = "/"
		}
		c.notes = append(c.notes, path+": "+fmt.Sprintf(format, args...))
	}
}

// resolve follows a reference within the schema.
func (c *coercion) resolve(schema map[string]any) map[string]any {
	for range 16 {
		ref, ok := schema["$ref"].(string)
		if !ok {
			return schema
		}
		path, ok := strings.CutPrefix(ref, "#/")
		if !ok {
			return schema
		}
		var at any = c.root
		for part := range strings.SplitSeq(path, "/") {
			m, _ := at.(map[string]any)
			at = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]
		}
		next, ok := at.(map[string]any)
		if !ok {
			return schema
		}
		schema = next
	}
	return schema
}

// types returns the types that a schema allows; none means any.
func types(schema map[string]any) []string {
	switch t := schema["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var list []string
		for _, x := range t {
			if s, ok := x.(string); ok {
				list = append(list, s)
			}
		}
		return list
	}
	return nil
}

func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		if isInteger(v) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return ""
}

func isInteger(n json.Number) bool {
	s := n.String()
	if len(s) > 30 {
		return false
	}
	r, ok := new(big.Rat).SetString(s)
	return ok && r.IsInt()
}

func allows(types []string, t string) bool {
	return len(types) == 0 || slices.Contains(types, t) || t == "integer" && slices.Contains(types, "number")
}

func (c *coercion) value(v any, schema map[string]any, path string, depth int) any {
	if depth > maxDepth {
		return v
	}
	schema = c.resolve(schema)
	want := types(schema)
	if !allows(want, typeOf(v)) {
		v = c.retype(v, want, schema, path)
	}
	if list, ok := schema["enum"].([]any); ok {
		v = c.enum(v, list, path)
	}
	switch x := v.(type) {
	case map[string]any:
		return c.object(x, schema, path, depth)
	case []any:
		if items, ok := schema["items"].(map[string]any); ok {
			for i := range x {
				x[i] = c.value(x[i], items, fmt.Sprintf("%s/%d", path, i), depth+1)
			}
		}
		return x
	}
	return v
}

var numberInText = regexp.MustCompile(`^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$`)

// retype turns a value into one of the wanted types.
func (c *coercion) retype(v any, want []string, schema map[string]any, path string) any {
	for _, t := range want {
		switch t {
		case "integer", "number":
			s, ok := v.(string)
			if !ok {
				continue
			}
			s = strings.TrimSpace(s)
			if len(s) > 40 || !numberInText.MatchString(s) {
				continue
			}
			n := json.Number(fixFraction(strings.TrimPrefix(s, "+")))
			if r, ok := new(big.Rat).SetString(n.String()); !ok || t == "integer" && !r.IsInt() {
				continue
			} else if r.IsInt() {
				n = json.Number(r.Num().String())
			}
			c.note(path, "the text %q became a number", s)
			return n
		case "boolean":
			if s, ok := v.(string); ok {
				switch strings.ToLower(strings.TrimSpace(s)) {
				case "true", "yes":
					c.note(path, "the text %q became true", s)
					return true
				case "false", "no":
					c.note(path, "the text %q became false", s)
					return false
				}
			}
		case "string":
			switch x := v.(type) {
			case json.Number:
				c.note(path, "the number %s became a text", x)
				return x.String()
			case bool:
				c.note(path, "%v became a text", x)
				return fmt.Sprint(x)
			case []any:
				if len(x) == 1 {
					if s, ok := x[0].(string); ok {
						c.note(path, "a list of one text became the text")
						return s
					}
				}
			}
		case "array":
			return c.list(v, schema, path)
		case "object":
			if s, ok := v.(string); ok {
				if inner, ok := c.unquote(s, '{', path); ok {
					return inner
				}
			}
			if x, ok := v.([]any); ok && len(x) == 1 {
				if m, ok := x[0].(map[string]any); ok {
					c.note(path, "a list of one object became the object")
					return m
				}
			}
		}
	}
	return v
}

// unquote reads JSON that was written into a string.
func (c *coercion) unquote(s string, bracket byte, path string) (any, bool) {
	s = strings.TrimSpace(s)
	if len(s) == 0 || s[0] != bracket || len(s) > MaxText {
		return nil, false
	}
	inner, err := Repair([]byte(s))
	if err != nil || inner.Truncated {
		return nil, false
	}
	v, err := decode(inner.JSON)
	if err != nil {
		return nil, false
	}
	c.note(path, "JSON in a string was read")
	return v, true
}

// list makes a list of one value.
func (c *coercion) list(v any, schema map[string]any, path string) any {
	items, _ := schema["items"].(map[string]any)
	items = c.resolve(items)
	of := types(items)
	switch x := v.(type) {
	case nil:
		return v
	case string:
		if inner, ok := c.unquote(x, '[', path); ok {
			return inner
		}
		if strings.TrimSpace(x) == "" {
			c.note(path, "an empty text became an empty list")
			return []any{}
		}
		if allows(of, "string") {
			if names := splitNames(x); len(names) > 1 {
				c.note(path, "a text with commas became a list of %d", len(names))
				list := make([]any, len(names))
				for i, n := range names {
					list[i] = n
				}
				return list
			}
		}
	case map[string]any:
		// {"item": [..]} and {"0": …} are lists of XML and of PHP.
		if len(x) == 1 {
			for k, inner := range x {
				if l, ok := inner.([]any); ok && !allows(of, "object") || ok && k == "item" {
					c.note(path, "the list inside of %q was taken", k)
					return l
				}
			}
		}
	}
	c.note(path, "one value became a list of one")
	return []any{v}
}

// splitNames splits a text of short names with commas, semicolons or lines
// between. Sentences are not split.
func splitNames(s string) []string {
	for _, sep := range []string{"\n", ";", ",", "、", "，"} {
		if !strings.Contains(s, sep) {
			continue
		}
		var names []string
		for part := range strings.SplitSeq(s, sep) {
			part = strings.TrimSpace(part)
			if sep == "\n" {
				part = strings.TrimSpace(strings.TrimLeft(part, "-*• "))
			}
			if part == "" {
				continue
			}
			if utf8.RuneCountInString(part) > 40 || len(strings.Fields(part)) > 4 || strings.ContainsAny(part, ".!?。") && sep != "\n" {
				return nil
			}
			names = append(names, part)
		}
		return names
	}
	return nil
}

// enum finds the value of an enumeration that a text means.
func (c *coercion) enum(v any, list []any, path string) any {
	s, ok := v.(string)
	if !ok {
		return v
	}
	for _, e := range list {
		if e == v {
			return v
		}
	}
	var hit any
	for _, e := range list {
		if t, ok := e.(string); ok && fold(t) == fold(s) {
			if hit != nil {
				return v // two could be meant
			}
			hit = e
		}
	}
	if hit == nil {
		return v
	}
	c.note(path, "%q became %q", s, hit)
	return hit
}

// fold is a name without case, hyphens, underscores and spaces.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

func (c *coercion) object(m, schema map[string]any, path string, depth int) any {
	properties, _ := schema["properties"].(map[string]any)
	if len(properties) == 0 {
		return m
	}
	var required []string
	if list, ok := schema["required"].([]any); ok {
		for _, r := range list {
			if s, ok := r.(string); ok {
				required = append(required, s)
			}
		}
	}
	closed := schema["additionalProperties"] == false
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if _, known := properties[name]; known {
			continue
		}
		target := ""
		for _, p := range slices.Sorted(maps.Keys(properties)) {
			if _, taken := m[p]; !taken && fold(p) == fold(name) {
				target = p
				break
			}
		}
		switch {
		case target != "":
			c.note(path+"/"+name, "became %s", target)
			m[target] = m[name]
			delete(m, name)
		case closed:
			c.note(path+"/"+name, "is not in the schema and was left out")
			delete(m, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		sub, ok := properties[name].(map[string]any)
		if !ok {
			continue
		}
		if m[name] == nil && !slices.Contains(required, name) && !allows(types(c.resolve(sub)), "null") {
			c.note(path+"/"+name, "null was left out")
			delete(m, name)
			continue
		}
		m[name] = c.value(m[name], sub, path+"/"+name, depth+1)
	}
	return m
}
