package memory

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weft-memory/weft/lore"
)

// Overlay is what a story lays over an entry that it may not change.
type Overlay struct {
	// Name is what the entry is called now; "" if that did not change.
	Name string
	// Keys and Tags were added.
	Keys []lore.Key
	Tags []string
	// Fields are status, state and whatever else was said, as JSON.
	Fields map[string]json.RawMessage
	// Facts are the added sentences.
	Facts string
}

// Overlay returns what is laid over an entry; ok is false if nothing is.
func (v *View) Overlay(book, id string) (o Overlay, ok bool) {
	_, s := v.follow(Ref{book, id})
	if s == nil || s.over == nil {
		return Overlay{}, false
	}
	e := s.over.lore()
	o = Overlay{Name: e.Name, Keys: e.Keys, Tags: e.Tags, Facts: e.Content}
	for _, f := range s.over.list() {
		if !nativeFields[f.name] {
			if o.Fields == nil {
				o.Fields = map[string]json.RawMessage{}
			}
			o.Fields[f.name] = f.raw
		}
	}
	return o, true
}

// rendered returns a live entry as the engine sees it: what was laid over it
// first, the entry's own text behind.
func (v *View) rendered(s *state) *lore.Entry {
	s.renderOnce.Do(func() {
		own := s.own.lore()
		if s.over == nil {
			s.rendered = own
			return
		}
		over := s.over.lore()
		policy := v.base.policy(s.ref.Book)
		e := *own
		e.Keys = append(slices.Clip(own.Keys), over.Keys...)
		e.Tags = append(slices.Clip(own.Tags), over.Tags...)
		head := v.header(s)
		facts := fresh(over.Content, own.Content)
		e.Content = layText(policy, own.Content, head, facts)
		if head != "" {
			short := own.Sizes
			for _, size := range []*string{&short.Brief, &short.OneLine} {
				if *size != "" {
					*size = escape(policy.Language, strings.ReplaceAll(head, "\n", " ")) + " " + *size
				}
			}
			e.Sizes = short
		}
		s.rendered = &e
	})
	return s.rendered
}

// fresh returns the sentences of facts that the text does not hold: one that was
// promoted into it is said once.
func fresh(facts, text string) string {
	t := &target{text: text, set: sentenceSet(text)}
	return strings.TrimSpace(t.fresh(facts, nil, true))
}

// header returns the lines that say what changed about an entry.
func (v *View) header(s *state) string {
	label := v.opts.Label
	if label == nil {
		label = englishLabel
	}
	var lines []string
	for _, f := range s.over.list() {
		if f.name == "name" {
			lines = slices.Insert(lines, 0, label(f.name, plainValue(f.raw)))
		}
		if !nativeFields[f.name] && string(f.raw) != "null" {
			lines = append(lines, label(f.name, plainValue(f.raw)))
		}
	}
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return l == "" }), "\n")
}

func englishLabel(name, value string) string {
	if name == "name" {
		return "Now called " + value + "."
	}
	name = strings.ReplaceAll(name, "_", " ")
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToTitle(first)) + name[size:] + ": " + value + "."
}

// plainValue writes a JSON value for readers: texts and numbers as they are,
// lists with commas.
func plainValue(raw json.RawMessage) string {
	v, _ := decodeJSON(raw)
	switch v := v.(type) {
	case string:
		return strings.TrimRight(strings.TrimSpace(v), ".")
	case []any:
		var parts []string
		for _, item := range v {
			parts = append(parts, plainValue(encodeJSON(item)))
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		var parts []string
		for _, name := range sortedKeys(v) {
			parts = append(parts, name+" "+plainValue(encodeJSON(v[name])))
		}
		return strings.Join(parts, ", ")
	}
	return string(raw)
}

// layText puts texts before the body of a content, behind its decorators.
func layText(p lore.Policy, content, head, facts string) string {
	_, body := p.Decorators.Split(content)
	if !strings.HasSuffix(content, body) {
		body = content
	}
	var parts []string
	for _, s := range []string{head, facts} {
		if s != "" {
			parts = append(parts, escape(p.Language, s))
		}
	}
	if strings.TrimSpace(body) != "" {
		parts = append(parts, body)
	}
	return content[:len(content)-len(body)] + strings.Join(parts, "\n")
}

// escape makes a text that a model wrote print as it stands in a language of
// templates.
func escape(lang lore.Language, text string) string {
	switch lang {
	case lore.LangPlain:
		return text
	case lore.LangWeaver:
		if !strings.ContainsAny(text, "{$@[<") {
			return text
		}
		return weaverEscapes.Replace(text)
	}
	return macroEscapes.Replace(text)
}

var (
	weaverEscapes = strings.NewReplacer(
		"{{", `{{ "{{" }}`, "{#", `{{ "{#" }}`, "$[", `{{ "$[" }}`, "@[", `{{ "@[" }}`, "[[", `{{ "[[" }}`, "<trigger", `{{ "<trigger" }}`)
	macroEscapes = strings.NewReplacer("{{", "{ {", "}}", "} }", "<user>", "< user>", "<USER>", "< USER>", "<char>", "< char>", "<CHAR>", "< CHAR>", "<BOT>", "< BOT>", "<bot>", "< bot>")
)

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
