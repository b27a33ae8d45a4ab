package llmtest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
)

// fallback answers a request that no step is for: always the same to the same
// request.
func (s *Server) fallback(r *Request) Respond {
	a := Respond{Pace: s.script.Pace}
	last := lastSaid(r)
	switch {
	case r.Format == "json_schema" && r.schema != nil:
		a.Text = string(mustJSON(sample(r.schema, last)))
	case r.Format == "json_object":
		a.Text = "{}"
	case len(r.Tools) > 0 && r.ToolChoice != "auto" && r.ToolChoice != "none":
		tool := r.Tools[0]
		for _, t := range r.Tools {
			if t.Name == r.ToolChoice {
				tool = t
			}
		}
		a.Calls = []ToolCall{{Name: tool.Name, Arguments: sample(tool.Schema, last)}}
	case s.script.Fallback == "echo":
		a.Text = last
		if a.Text == "" {
			a.Text = "(nothing)"
		}
	default:
		a.Text = narrate(last)
	}
	return a
}

func lastSaid(r *Request) string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "user" && r.Messages[i].Text != "" {
			return r.Messages[i].Text
		}
	}
	return ""
}

// narrate writes a little prose about what was said.
func narrate(last string) string {
	first := strings.TrimSpace(last)
	if i := strings.IndexFunc(first, func(r rune) bool { return r == '.' || r == '!' || r == '?' || r == '\n' }); i > 0 {
		first = first[:i]
	}
	if r := []rune(first); len(r) > 80 {
		first = string(r[:80]) + "…"
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(last)) // never fails
	scenes := []string{
		"The rain has stopped, and somewhere a shutter bangs.",
		"A cart rolls by outside; nobody looks up.",
		"The fire has burned low, and the shadows lean closer.",
		"From the yard comes the smell of wet straw.",
	}
	replies := []string{
		"There is a pause before the answer comes.",
		"“As you say,” comes the answer, quietly.",
		"“Then we had better begin,” someone says.",
		"Nobody answers at once.",
	}
	n := int(h.Sum32())
	if first == "" {
		return scenes[n%len(scenes)]
	}
	return fmt.Sprintf("%s “%s” hangs in the air. %s", scenes[n%len(scenes)], strings.Trim(first, "“”\"*_ "), replies[(n/7)%len(replies)])
}

// sample returns the smallest value of a schema. Texts are taken from what was
// said.
func sample(schema json.RawMessage, said string) any {
	var tree map[string]any
	if json.Unmarshal(schema, &tree) != nil {
		return map[string]any{}
	}
	return sampleOf(tree, tree, said, 0)
}

func sampleOf(s, root map[string]any, said string, depth int) any {
	if depth > 8 {
		return nil
	}
	if ref, ok := s["$ref"].(string); ok {
		var at any = root
		for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			m, _ := at.(map[string]any)
			at = m[part]
		}
		if m, ok := at.(map[string]any); ok {
			return sampleOf(m, root, said, depth+1)
		}
	}
	if v, ok := s["const"]; ok {
		return v
	}
	if list, ok := s["enum"].([]any); ok && len(list) > 0 {
		return list[0]
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		if list, ok := s[key].([]any); ok && len(list) > 0 {
			if m, ok := list[0].(map[string]any); ok {
				return sampleOf(m, root, said, depth+1)
			}
		}
	}
	kind, _ := s["type"].(string)
	if list, ok := s["type"].([]any); ok && len(list) > 0 {
		kind, _ = list[0].(string)
	}
	number := func(key string, def float64) float64 {
		if f, ok := s[key].(float64); ok {
			return f
		}
		return def
	}
	switch kind {
	case "string":
		t := said
		if r := []rune(t); len(r) > 60 {
			t = string(r[:60])
		}
		if most := int(number("maxLength", 1e6)); len([]rune(t)) > most {
			t = string([]rune(t)[:most])
		}
		for least := int(number("minLength", 0)); len([]rune(t)) < least; {
			t += "."
		}
		return t
	case "integer", "number":
		return number("minimum", 0)
	case "boolean":
		return false
	case "null":
		return nil
	case "array":
		list := []any{}
		items, _ := s["items"].(map[string]any)
		for n := int(number("minItems", 0)); len(list) < n; {
			list = append(list, sampleOf(items, root, said, depth+1))
		}
		return list
	}
	m := map[string]any{}
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(required, any(name)) {
			if p, ok := properties[name].(map[string]any); ok {
				m[name] = sampleOf(p, root, said, depth+1)
			}
		}
	}
	return m
}

// dimensions is the length of vectors.
const dimensions = 64

// Vector returns the embedding that the server gives a text: a unit vector of its
// words, so that texts that share words are near each other, and the same text
// has always the same vector.
func Vector(text string) []float32 {
	v := make([]float64, dimensions)
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, w := range append(words, "") {
		h := fnv.New64a()
		_, _ = h.Write([]byte(w)) // never fails
		n := h.Sum64()
		for range 3 {
			sign := 1.0
			if n&1 == 1 {
				sign = -1
			}
			weight := 1.0
			if w == "" {
				weight = 0.1
			}
			v[(n>>1)%dimensions] += sign * weight
			n = n>>7 | n<<57
		}
	}
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	out := make([]float32, dimensions)
	if sum == 0 {
		out[0] = 1
		return out
	}
	for i, x := range v {
		out[i] = float32(x / math.Sqrt(sum))
	}
	return out
}
