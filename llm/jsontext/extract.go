package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"
)

// Options say what is looked for in a text.
type Options struct {
	// Schema is what the value has to fit. Nil means that any object or list
	// will do.
	Schema *Schema
	// Examples are values that the prompt showed: they are no answers.
	Examples []json.RawMessage
	// Candidates bounds how many values are looked at. Defaults to 64.
	Candidates int
}

// Found is a value that was found in a text.
type Found struct {
	Value
	// Start and End are the bytes of the text that it was read from.
	Start, End int
	// Coerced lists values that were brought into the form of the schema.
	Coerced []string
}

// Error says why no value of a text would do.
type Error struct {
	// Problems are what is wrong with the value that came nearest; empty if
	// there was none at all.
	Problems []Problem
	// Echo is true if the text repeats the schema or an example.
	Echo bool
	// Best is that value, if there was one.
	Best json.RawMessage
}

func (e *Error) Error() string {
	switch {
	case e.Echo:
		return "the answer repeats the schema or the example instead of giving data"
	case len(e.Problems) == 0:
		return ErrNoJSON.Error()
	}
	var list []string
	for _, p := range e.Problems {
		list = append(list, p.String())
	}
	return "the JSON does not fit: " + strings.Join(list, "; ")
}

// Unwrap lets errors.Is find [ErrNoJSON].
func (e *Error) Unwrap() error {
	if len(e.Problems) == 0 && !e.Echo {
		return ErrNoJSON
	}
	return nil
}

// Extract returns the value that a text gives as its answer: the last complete
// one that fits the schema; if none does, the last one that was cut off and
// fits as far as it goes. Thoughts are left out if there is JSON beside them.
func Extract(text string, o Options) (*Found, error) {
	if len(text) > MaxText {
		return nil, fmt.Errorf("the text has %d bytes, at most %d are read", len(text), MaxText)
	}
	if rest, ok := afterThoughts(text); ok {
		if found, err := extract(rest, len(text)-len(rest), o); err == nil || !errors.Is(err, ErrNoJSON) {
			return found, err
		}
	}
	return extract(text, 0, o)
}

func extract(text string, offset int, o Options) (*Found, error) {
	all := Candidates(text, o.Candidates)
	failed := &Error{}
	var partly *Found
	for i := len(all) - 1; i >= 0; i-- {
		found := all[i]
		found.Start, found.End = found.Start+offset, found.End+offset
		if isEcho(found.JSON, o) {
			failed.Echo = true
			continue
		}
		if o.Schema != nil {
			fixed, notes := o.Schema.Coerce(found.JSON)
			problems := o.Schema.Validate(fixed)
			if len(problems) > 0 {
				if failed.Problems == nil {
					failed.Problems, failed.Best = problems, found.JSON
				}
				continue
			}
			found.JSON, found.Coerced = fixed, notes
		}
		if !found.Truncated {
			return &found, nil
		}
		if partly == nil {
			partly = &found
		}
	}
	if partly != nil {
		return partly, nil
	}
	if failed.Echo && failed.Problems != nil {
		failed.Echo = false
	}
	return nil, failed
}

// Candidates returns the objects and lists of a text that stand in nothing
// larger, in their order. Most is how many are kept, the last ones; 0 means 64.
func Candidates(text string, most int) []Found {
	if most <= 0 {
		most = 64
	}
	src := []byte(text)
	if v, ok := inString(src); ok {
		return []Found{{Value: v, End: len(src)}}
	}
	var all []Found
	budget := 8*len(src) + 1<<14 // what failed readings may cost in all
	for i := 0; i < len(src) && budget > 0; {
		if src[i] != '{' && src[i] != '[' || !begins(src, i) {
			i++
			continue
		}
		v, n, ok := readAt(src[i:])
		if !ok {
			budget -= n
			i++
			continue
		}
		all = append(all, Found{Value: v, Start: i, End: i + n})
		if len(all) > most {
			all = all[1:]
		}
		i += max(n, 1)
	}
	return all
}

// begins reports whether the bracket at i may begin JSON rather than prose, a
// macro or a stage direction.
func begins(src []byte, i int) bool {
	rest := bytes.TrimLeft(src[i+1:min(len(src), i+256)], " \t\r\n")
	if len(rest) == 0 {
		return i == 0 || src[i-1] == '\n'
	}
	c := rest[0]
	if src[i] == '[' {
		return c == '{' || c == '[' || c == ']' || c == '-' || c >= '0' && c <= '9' || quoteAt(rest) > 0 && c != '\''
	}
	return c == '}' || c == '/' || c == '_' || quoteAt(rest) > 0 || isWordByte(c)
}

// readAt reads the value at the start of a text. n is how far it read.
func readAt(src []byte) (v Value, n int, ok bool) {
	p := &parser{src: src, prose: true}
	p.valid()
	if !p.value(0, false) || p.err != nil {
		return Value{}, max(p.pos, 1), false
	}
	if p.cut && len(p.out) <= 2 && p.pos < len(src) {
		return Value{}, max(p.pos, 1), false // a bracket in prose
	}
	// What is valid keeps its bytes.
	dec := json.NewDecoder(bytes.NewReader(src))
	var raw json.RawMessage
	if err := dec.Decode(&raw); err == nil && utf8.Valid(raw) {
		return Value{JSON: raw}, int(dec.InputOffset()), true
	}
	return p.result(), min(p.pos, len(src)), true
}

// inString reads a text that is one JSON string with JSON in it.
func inString(src []byte) (Value, bool) {
	src = bytes.TrimSpace(src)
	if len(src) < 2 || src[0] != '"' {
		return Value{}, false
	}
	var inner string
	if json.Unmarshal(src, &inner) != nil {
		return Value{}, false
	}
	inner = strings.TrimSpace(inner)
	if !strings.HasPrefix(inner, "{") && !strings.HasPrefix(inner, "[") {
		return Value{}, false
	}
	v, err := Repair([]byte(inner))
	if err != nil {
		return Value{}, false
	}
	repairs := map[string]int{RepairString: 1}
	maps.Copy(repairs, v.Repairs)
	v.Repairs = repairs
	return v, true
}

// afterThoughts returns what follows the last end of a block of thoughts.
func afterThoughts(text string) (string, bool) {
	at := -1
	for _, tag := range []string{"</think>", "</thinking>", "</reasoning>", "</thought>", "<|channel|>final<|message|>", "<channel|>"} {
		if i := strings.LastIndex(text, tag); i >= 0 {
			at = max(at, i+len(tag))
		}
	}
	if at < 0 {
		return "", false
	}
	// A tag inside of a string ends nothing: some value then spans it.
	for _, c := range Candidates(text, 0) {
		if c.Start < at && at <= c.End && !c.Truncated {
			return "", false
		}
	}
	return text[at:], true
}

// isEcho reports whether a value is the schema or an example of the prompt.
func isEcho(value json.RawMessage, o Options) bool {
	for _, e := range o.Examples {
		if Equal(value, e) {
			return true
		}
	}
	if o.Schema == nil {
		return false
	}
	if Equal(value, o.Schema.raw) {
		return true
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(value, &m) != nil {
		return false
	}
	_, hasProperties := m["properties"]
	_, hasType := m["type"]
	_, hasSchema := m["$schema"]
	if !hasSchema && (!hasProperties || !hasType) {
		return false
	}
	for _, name := range []string{"$schema", "properties"} {
		if _, wanted := o.Schema.properties()[name]; wanted {
			return false
		}
	}
	return true
}

// Equal reports whether two texts are the same JSON value: the order of members
// and the spelling of strings do not count.
func Equal(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, err := canonical(a)
	if err != nil {
		return false
	}
	y, err := canonical(b)
	return err == nil && bytes.Equal(x, y)
}

func canonical(src []byte) ([]byte, error) {
	v, err := decode(src)
	if err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// decode reads one value and keeps the digits of its numbers.
func decode(src []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if dec.More() {
		return nil, errors.New("more than one value")
	}
	return v, nil
}
