package lore

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

func setText(r *reader, n *yaml.Node, field string, to *string) {
	if s, ok := r.text(n, field); ok {
		*to = s
	}
}

func setInteger(r *reader, n *yaml.Node, field string, to *int) {
	if i, ok := r.integer(n, field, -maxCount, maxCount); ok {
		*to = i
	}
}

func textField[T any](name string, at func(*T) *string) fieldSpec[T] {
	return fieldSpec[T]{
		name, func(r *reader, n *yaml.Node, f string, t *T) { setText(r, n, f, at(t)) },
		func(t *T) *yaml.Node { return optionalText(*at(t)) },
	}
}

func textsField[T any](name string, at func(*T) *[]string) fieldSpec[T] {
	return fieldSpec[T]{
		name, func(r *reader, n *yaml.Node, f string, t *T) {
			if list := r.texts(n, f); len(list) > 0 {
				*at(t) = list
			}
		},
		func(t *T) *yaml.Node { return optionalTexts(*at(t)) },
	}
}

func wordsField[T any, S ~string](name string, at func(*T) *[]S, known []S) fieldSpec[T] {
	words := make([]string, len(known))
	for i, w := range known {
		words[i] = string(w)
	}
	return fieldSpec[T]{
		name, func(r *reader, n *yaml.Node, f string, t *T) {
			items, _ := r.items(n, f, "words")
			for i, item := range items {
				if w, ok := r.word(item, fmt.Sprintf("%s[%d]", f, i), words...); ok {
					*at(t) = append(*at(t), S(w))
				}
			}
		},
		func(t *T) *yaml.Node {
			if len(*at(t)) == 0 {
				return nil
			}
			return textsNode(*at(t))
		},
	}
}

func boolField[T any](name string, at func(*T) *bool) fieldSpec[T] {
	return fieldSpec[T]{
		name, func(r *reader, n *yaml.Node, f string, t *T) {
			if v, ok := r.boolean(n, f); ok {
				*at(t) = v
			}
		},
		func(t *T) *yaml.Node { return trueNode(*at(t)) },
	}
}

func optionalBool[T any](name string, at func(*T) **bool) fieldSpec[T] {
	return fieldSpec[T]{
		name, func(r *reader, n *yaml.Node, f string, t *T) {
			if v, ok := r.boolean(n, f); ok {
				*at(t) = &v
			}
		},
		func(t *T) *yaml.Node { return pointerBool(*at(t)) },
	}
}

func countField[T any](name string, at func(*T) *int) fieldSpec[T] {
	return fieldSpec[T]{
		name, func(r *reader, n *yaml.Node, f string, t *T) {
			if i, ok := r.count(n, f); ok {
				*at(t) = i
			}
		},
		func(t *T) *yaml.Node { return positive(*at(t)) },
	}
}

func similarityField[T any](at func(*T) **Similarity) fieldSpec[T] {
	return fieldSpec[T]{
		"similarity", func(r *reader, n *yaml.Node, f string, t *T) {
			if v := resolve(n); v.Kind == yaml.ScalarNode && v.Tag == "!!bool" {
				if strings.EqualFold(v.Value, "true") {
					*at(t) = &Similarity{}
				}
				return
			}
			s := &Similarity{}
			if r.mapping(n, f, []string{"threshold", "margin", "top_k"}, func(name, f string, v *yaml.Node) {
				switch name {
				case "threshold":
					s.Threshold, _ = r.number(v, f, 0, 1)
				case "margin":
					s.Margin, _ = r.number(v, f, 0, 1)
				case "top_k":
					s.TopK, _ = r.count(v, f)
				}
			}) {
				*at(t) = s
			}
		},
		func(t *T) *yaml.Node {
			s := *at(t)
			if s == nil {
				return nil
			}
			if *s == (Similarity{}) {
				return boolNode(true)
			}
			return mapNode("threshold", nonZero(s.Threshold), "margin", nonZero(s.Margin), "top_k", positive(s.TopK))
		},
	}
}

func optionalText(s string) *yaml.Node {
	if s == "" {
		return nil
	}
	return textNode(s)
}

func optionalTexts(list []string) *yaml.Node {
	if len(list) == 0 {
		return nil
	}
	return textsNode(list)
}

func optionalNumber(f *float64) *yaml.Node {
	if f == nil {
		return nil
	}
	return numberNode(*f)
}

func pointerBool(b *bool) *yaml.Node {
	if b == nil {
		return nil
	}
	return boolNode(*b)
}

func trueNode(b bool) *yaml.Node {
	if !b {
		return nil
	}
	return boolNode(true)
}

func positive(i int) *yaml.Node {
	if i == 0 {
		return nil
	}
	return intNode(i)
}

func nonZero(f float64) *yaml.Node {
	if f == 0 {
		return nil
	}
	return numberNode(f)
}

// emptyMap writes {} where a mapping is there but has nothing to say.
func emptyMap(n *yaml.Node) *yaml.Node {
	if n == nil {
		return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: yaml.FlowStyle}
	}
	return n
}
