package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Operations are read by the thousand when a view is made anew, so they are
// read in one pass, by hand. Whatever is not of the common form goes to
// encoding/json, which decides what is an error.

var errSyntax = errors.New("is no JSON object")

// members calls yield for each member of a JSON object in its order. The values
// are cut out by their brackets; whether they are JSON is for yield to find out.
func members(src []byte, yield func(name string, raw json.RawMessage) error) error {
	i := space(src, 0)
	if i == len(src) || src[i] != '{' {
		return errSyntax
	}
	if i = space(src, i+1); i < len(src) && src[i] == '}' {
		return ended(src, i+1)
	}
	for {
		end := skipString(src, i)
		if end < 0 {
			return errSyntax
		}
		name, err := text(src[i:end])
		if err != nil {
			return err
		}
		if i = space(src, end); i == len(src) || src[i] != ':' {
			return errSyntax
		}
		i = space(src, i+1)
		if end = skipValue(src, i); end < 0 {
			return errSyntax
		}
		if err := yield(name, json.RawMessage(src[i:end:end])); err != nil {
			return err
		}
		if i = space(src, end); i == len(src) {
			return errSyntax
		}
		switch src[i] {
		case '}':
			return ended(src, i+1)
		case ',':
			i = space(src, i+1)
		default:
			return errSyntax
		}
	}
}

// ended makes sure that nothing follows.
func ended(src []byte, i int) error {
	if space(src, i) < len(src) {
		return errSyntax
	}
	return nil
}

func space(src []byte, i int) int {
	for i < len(src) && (src[i] == ' ' || src[i] == '\n' || src[i] == '\t' || src[i] == '\r') {
		i++
	}
	return i
}

// skipString returns where the string that begins at i ends; -1 if none does.
func skipString(src []byte, i int) int {
	if i >= len(src) || src[i] != '"' {
		return -1
	}
	for i++; i < len(src); i++ {
		switch src[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return -1
}

// skipValue returns where the value that begins at i ends; -1 if none does.
func skipValue(src []byte, i int) int {
	if i >= len(src) {
		return -1
	}
	switch src[i] {
	case '"':
		return skipString(src, i)
	case '{', '[':
	default:
		start := i
		for i < len(src) && !strings.ContainsRune(" \n\t\r,:]}[{\"", rune(src[i])) {
			i++
		}
		if i == start {
			return -1
		}
		return i
	}
	for depth := 0; i < len(src); i++ {
		switch src[i] {
		case '"':
			if i = skipString(src, i) - 1; i < 0 {
				return -1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// text reads a JSON string.
func text(raw json.RawMessage) (string, error) {
	if len(raw) >= 2 && raw[0] == '"' {
		inner := raw[1 : len(raw)-1]
		plain := raw[len(raw)-1] == '"'
		for _, c := range inner {
			if c < ' ' || c == '\\' || c == '"' {
				plain = false
				break
			}
		}
		if plain && utf8.Valid(inner) {
			return string(inner), nil
		}
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err
}

// list reads a JSON array item by item.
func list(raw json.RawMessage, yield func(json.RawMessage) error) error {
	i := space(raw, 0)
	if i == len(raw) || raw[i] != '[' {
		return errors.New("is no list")
	}
	if i = space(raw, i+1); i < len(raw) && raw[i] == ']' {
		return ended(raw, i+1)
	}
	for {
		end := skipValue(raw, i)
		if end < 0 {
			return errSyntax
		}
		if err := yield(raw[i:end:end]); err != nil {
			return err
		}
		if i = space(raw, end); i == len(raw) {
			return errSyntax
		}
		switch raw[i] {
		case ']':
			return ended(raw, i+1)
		case ',':
			i = space(raw, i+1)
		default:
			return errSyntax
		}
	}
}

func isNull(raw json.RawMessage) bool { return string(raw) == "null" }

// keep returns a value as it may be kept: JSON of its own.
func keep(raw json.RawMessage) (json.RawMessage, error) {
	if !json.Valid(raw) {
		return nil, errSyntax
	}
	return bytes.Clone(raw), nil
}

// known returns the name of a field as it is meant: encoding/json takes other
// cases too.
func known(name string, names map[string]bool) (string, bool) {
	if names[name] {
		return name, true
	}
	name = strings.ToLower(name)
	return name, names[name]
}

// read reads the members of an object into fields; what no field takes is
// returned.
func read(src []byte, names map[string]bool, field func(name string, raw json.RawMessage) error) (Extra, error) {
	if isNull(bytes.TrimSpace(src)) {
		return nil, nil
	}
	var extra Extra
	err := members(src, func(name string, raw json.RawMessage) error {
		if meant, ok := known(name, names); ok {
			if isNull(raw) {
				return nil
			}
			if err := field(meant, raw); err != nil {
				return fmt.Errorf("%s: %w", meant, err)
			}
			return nil
		}
		value, err := keep(raw)
		if err != nil {
			return err
		}
		if extra == nil {
			extra = Extra{}
		}
		extra[name] = value
		return nil
	})
	return extra, err
}

// UnmarshalJSON reads an operation and keeps unknown fields.
func (o *Operation) UnmarshalJSON(src []byte) error {
	var v Operation
	extra, err := read(src, operationFields, func(name string, raw json.RawMessage) (err error) {
		switch name {
		case "id":
			v.ID, err = text(raw)
		case "world":
			v.World, err = text(raw)
		case "layer":
			err = word(raw, &v.Layer)
		case "conversation":
			v.Conversation, err = text(raw)
		case "node":
			v.Node, err = text(raw)
		case "book":
			v.Book, err = text(raw)
		case "entry":
			v.Entry, err = text(raw)
		case "kind":
			err = word(raw, &v.Kind)
		case "phase":
			v.Phase, err = text(raw)
		case "model":
			v.Model, err = text(raw)
		case "reason":
			v.Reason, err = text(raw)
		case "digest":
			v.Digest, err = text(raw)
		case "on":
			v.On, err = text(raw)
		case "undo":
			v.Undo, err = text(raw)
		case "change":
			err = v.Change.UnmarshalJSON(raw)
		case "inverse":
			v.Inverse = new(Change)
			err = v.Inverse.UnmarshalJSON(raw)
		case "author":
			err = v.Author.read(raw)
		case "seq":
			err = json.Unmarshal(raw, &v.Seq)
		case "quotes":
			err = json.Unmarshal(raw, &v.Quotes)
		case "time":
			err = json.Unmarshal(raw, &v.Time)
		case "retracted":
			err = json.Unmarshal(raw, &v.Retracted)
		}
		return err
	})
	v.Extra = extra
	*o = v
	return err
}

func word[T ~string](raw json.RawMessage, to *T) error {
	s, err := text(raw)
	*to = T(s)
	return err
}

func (a *Author) read(src json.RawMessage) error {
	return members(src, func(name string, raw json.RawMessage) (err error) {
		switch name {
		case "kind":
			return word(raw, &a.Kind)
		case "name":
			a.Name, err = text(raw)
			return err
		}
		return json.Unmarshal(src, a) // in some other case, or unknown
	})
}

// UnmarshalJSON reads a change and keeps unknown fields.
func (c *Change) UnmarshalJSON(src []byte) error {
	var v Change
	extra, err := read(src, changeFields, func(name string, raw json.RawMessage) (err error) {
		switch name {
		case "entry":
			v.Entry, err = readEntry(raw)
		case "parts":
			v.Parts = nil
			err = list(raw, func(item json.RawMessage) error {
				e, err := readEntry(item)
				if err != nil {
					return fmt.Errorf("[%d]: %w", len(v.Parts), err)
				}
				v.Parts = append(v.Parts, e)
				return nil
			})
		case "fields":
			v.Fields = map[string]Field{}
			err = members(raw, func(name string, raw json.RawMessage) error {
				var f Field
				err := f.UnmarshalJSON(raw)
				v.Fields[name] = f
				return err
			})
		case "content":
			v.Content = nil
			err = list(raw, func(item json.RawMessage) error {
				var h Hunk
				err := h.read(item)
				v.Content = append(v.Content, h)
				return err
			})
		case "names":
			v.Names, err = texts(raw)
		case "into":
			err = (*refs)(&v.Into).UnmarshalJSON(raw)
		case "from":
			err = (*refs)(&v.From).UnmarshalJSON(raw)
		case "category":
			v.Category, err = text(raw)
		case "overlay":
			err = json.Unmarshal(raw, &v.Overlay)
		}
		return err
	})
	if err != nil {
		return err
	}
	v.Extra = extra
	*c = v
	return nil
}

func texts(raw json.RawMessage) (out []string, err error) {
	err = list(raw, func(item json.RawMessage) error {
		s, err := text(item)
		out = append(out, s)
		return err
	})
	return out, err
}

func (h *Hunk) read(src json.RawMessage) error {
	if isNull(src) {
		return nil
	}
	return members(src, func(name string, raw json.RawMessage) (err error) {
		switch name {
		case "before":
			h.Before, err = text(raw)
		case "old":
			h.Old, err = text(raw)
		case "new":
			h.New, err = text(raw)
		case "after":
			h.After, err = text(raw)
		default: // in some other case, or unknown
			err = json.Unmarshal(src, h)
		}
		return err
	})
}

// UnmarshalJSON reads what MarshalJSON writes; null is a value.
func (f *Field) UnmarshalJSON(src []byte) error {
	*f = Field{}
	if isNull(src) {
		return nil
	}
	err := members(src, func(name string, raw json.RawMessage) (err error) {
		switch name {
		case "old":
			f.Old, err = keep(raw)
		case "new":
			f.New, err = keep(raw)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("a field is {\"old\": …, \"new\": …}: %w", err)
	}
	return nil
}
