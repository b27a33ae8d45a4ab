package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Schema is a compiled JSON Schema. It is immutable and safe to share.
type Schema struct {
	raw      json.RawMessage
	tree     map[string]any
	compiled *jsonschema.Schema
}

// Problem is one place where a value does not fit its schema.
type Problem struct {
	// Path leads to the place, as in /facts/2/name; "" is the whole value.
	Path string
	// Message says what is wrong, for a model to read.
	Message string
}

func (p Problem) String() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

// noLoader refuses references to other documents: a schema is self-contained.
type noLoader struct{}

func (noLoader) Load(u string) (any, error) {
	return nil, fmt.Errorf("a schema may not refer to another document (%s)", u)
}

// Compile compiles a schema. References may only lead within it.
func Compile(raw json.RawMessage) (*Schema, error) {
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("the schema is not JSON: %w", err)
	}
	m, ok := tree.(map[string]any)
	if !ok {
		return nil, errors.New("the schema is not an object")
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	here := (&url.URL{Scheme: "mem", Host: "schema", Path: "/root.json"}).String()
	if err := c.AddResource(here, tree); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	compiled, err := c.Compile(here)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return &Schema{raw: bytes.Clone(raw), tree: m, compiled: compiled}, nil
}

// MustCompile is [Compile] for schemas of the program itself; it panics.
func MustCompile(raw string) *Schema {
	s, err := Compile(json.RawMessage(raw))
	if err != nil {
		panic(err)
	}
	return s
}

// JSON returns the schema's text.
func (s *Schema) JSON() json.RawMessage { return bytes.Clone(s.raw) }

// Has reports whether the schema names a member of its object.
func (s *Schema) Has(name string) bool {
	_, ok := s.properties()[name]
	return ok
}

func (s *Schema) properties() map[string]any {
	m, _ := s.tree["properties"].(map[string]any)
	return m
}

// Validate returns everything that is wrong with a value, by path; nil if it
// fits.
func (s *Schema) Validate(value json.RawMessage) []Problem {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return []Problem{{Message: "this is not JSON: " + err.Error()}}
	}
	err = s.compiled.Validate(v)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []Problem{{Message: err.Error()}}
	}
	var list []Problem
	english := message.NewPrinter(language.English)
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 && len(list) < 50 {
			path := ""
			for _, p := range e.InstanceLocation {
				path += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(p)
			}
			list = append(list, Problem{Path: path, Message: clip(e.ErrorKind.LocalizedString(english))})
		}
		for _, c := range e.Causes {
			walk(c)
		}
	}
	walk(invalid)
	slices.SortStableFunc(list, func(a, b Problem) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return strings.Compare(a.Message, b.Message)
	})
	return slices.Compact(list)
}

func clip(s string) string {
	if len(s) > 200 {
		return strings.ToValidUTF8(s[:200], "") + "…"
	}
	return s
}
