package lore

import (
	"slices"
	"strconv"
	"strings"
)

// Decorator is an order at the head of an entry's content, such as
// `@@depth 4` or `@@additional_keys lamp,oil`.
type Decorator struct {
	// Name is the word behind the signs, Value the rest of the line.
	Name, Value string
	// Raw is the line as it stands, with one leading @ less for fallbacks.
	Raw string
}

// Int returns the value as a whole number.
func (d Decorator) Int() (n int, ok bool) {
	n, err := strconv.Atoi(strings.TrimSpace(d.Value))
	return n, err == nil
}

// List returns the value split at its commas, trimmed, without empty parts. A
// comma behind a backslash is part of the text.
func (d Decorator) List() []string {
	var list []string
	part := strings.Builder{}
	flush := func() {
		if s := strings.TrimSpace(part.String()); s != "" {
			list = append(list, s)
		}
		part.Reset()
	}
	for i := 0; i < len(d.Value); i++ {
		switch {
		case d.Value[i] == '\\' && i+1 < len(d.Value) && d.Value[i+1] == ',':
			part.WriteByte(',')
			i++
		case d.Value[i] == ',':
			flush()
		default:
			part.WriteByte(d.Value[i])
		}
	}
	flush()
	return list
}

// Split takes the decorators off the head of a content and returns those that
// count, in order, and the text that goes into the prompt.
//
// With [DecoratorsTavern] it does what SillyTavern does: only @@activate and
// @@dont_activate are known (whatever follows the word), and a content of
// nothing but decorator lines keeps them. Otherwise it follows the
// specification of V3 cards: a line with three signs is a fallback for the
// line above, used if that one is unknown, invalid or ignored; of a repeated
// name the first counts, unless it may be repeated; blank lines around
// decorators are dropped.
func (set Decorators) Split(content string) (list []Decorator, body string) {
	switch set {
	case DecoratorsTavern:
		return splitTavern(content)
	case DecoratorsV3, DecoratorsRisu:
		return splitV3(content, set)
	}
	return nil, content
}

// Ignored returns the decorator lines at the head of a content that are not
// obeyed: unknown ones, those with a value that they cannot take, those that
// another one excludes or repeats, and for which no fallback counts either.
func (set Decorators) Ignored(content string) []Decorator {
	if set == DecoratorsNone || !strings.HasPrefix(strings.TrimLeft(content, " \t\r\n"), "@@") {
		return nil
	}
	list, body := set.Split(content)
	if body == content {
		return nil // nothing is taken off, so nothing is lost
	}
	chains, _ := decoratorChains(content)
	var out []Decorator
	for _, chain := range chains {
		if len(chain) == 0 {
			continue
		}
		if at := slices.IndexFunc(list, func(d Decorator) bool { return slices.Contains(chain, d) }); at >= 0 {
			list = slices.Delete(list, at, at+1)
			continue
		}
		out = append(out, chain[0])
	}
	return out
}

func splitTavern(content string) (list []Decorator, body string) {
	if !strings.HasPrefix(content, "@@") {
		return nil, content
	}
	body = content
	open := false // an unknown line waits for its fallback
	rest := content
	for {
		line, after, more := strings.Cut(rest, "\n")
		if !strings.HasPrefix(line, "@@") {
			return list, rest
		}
		fallback := strings.HasPrefix(line, "@@@")
		switch known := strings.TrimPrefix(line, "@"); {
		case fallback && !open:
		case !fallback && isTavern(line):
			list, open = append(list, parseDecorator(line)), false
		case fallback && isTavern(known):
			list, open = append(list, parseDecorator(known)), false
		default:
			open = true
		}
		if !more {
			return list, body
		}
		rest = after
	}
}

func isTavern(line string) bool {
	return strings.HasPrefix(line, "@@activate") || strings.HasPrefix(line, "@@dont_activate")
}

func parseDecorator(line string) Decorator {
	text := strings.TrimPrefix(line, "@@")
	name, value := text, ""
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		name, value = text[:i], text[i:]
	}
	return Decorator{Name: name, Value: strings.TrimSpace(value), Raw: line}
}

func splitV3(content string, set Decorators) (list []Decorator, body string) {
	chains, body := decoratorChains(content)
	if len(chains) == 0 {
		return nil, content
	}
	// Some decorators are ignored beside others, and then their fallbacks are
	// asked: so choose twice.
	has := map[string]bool{}
	for range 2 {
		list = list[:0]
		chosen := map[string]bool{}
		for _, chain := range chains {
			for _, d := range chain {
				if decoratorValid(d, set) && !decoratorIgnored(d.Name, has) {
					if !chosen[d.Name] || decoratorRepeats(d.Name) {
						chosen[d.Name] = true
						list = append(list, d)
					}
					break
				}
			}
		}
		has = chosen
	}
	return list, body
}

// decoratorChains reads the decorator lines at the head of a content: each line
// with its fallbacks. A fallback without a line above it is dropped.
func decoratorChains(content string) (chains [][]Decorator, body string) {
	rest := content
	for rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		line = strings.TrimRight(line, "\r")
		text := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(text, "@@@"):
			d := parseDecorator(text[1:])
			if !decoratorName(d.Name) {
				return chains, rest
			}
			if n := len(chains); n > 0 {
				chains[n-1] = append(chains[n-1], d)
			} else {
				chains = append(chains, nil)
			}
		case strings.HasPrefix(text, "@@"):
			d := parseDecorator(text)
			if !decoratorName(d.Name) {
				return chains, rest
			}
			chains = append(chains, []Decorator{d})
		case text == "":
			if !decoratorFollows(after) {
				if len(chains) == 0 {
					return nil, content
				}
				return chains, strings.TrimLeft(rest, "\r\n")
			}
		default:
			return chains, rest
		}
		rest = after
	}
	return chains, rest
}

// decoratorFollows reports whether the next line that is not blank is a
// decorator.
func decoratorFollows(s string) bool {
	return strings.HasPrefix(strings.TrimLeft(s, " \t\r\n"), "@@")
}

func decoratorName(s string) bool {
	for _, c := range []byte(s) {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return s != ""
}

func decoratorRepeats(name string) bool { return name == "additional_keys" }

// decoratorIgnored applies the rules about decorators that exclude each other.
func decoratorIgnored(name string, has map[string]bool) bool {
	switch name {
	case "depth", "end":
		return has["position"]
	case "reverse_depth":
		return has["position"] || has["depth"] || has["end"]
	}
	return false
}

// decoratorValid reports whether a decorator is known in the set and has a
// value that it can take. The decorators for prompts that are not chats are
// known to nobody here: prompts are chats.
func decoratorValid(d Decorator, set Decorators) bool {
	_, isInt := d.Int()
	if set == DecoratorsRisu {
		switch d.Name {
		case "end", "match_full_word", "match_partial_word", "recursive", "unrecursive", "no_recursive_search", "inject_prepend":
			return true
		case "probability", "priority":
			return isInt
		case "exclude_keys_all":
			return len(d.List()) > 0
		case "inject_lore", "inject_at", "inject_replace":
			return d.Value != ""
		case "is_user_icon":
			return false
		case "position":
			if name, ok := strings.CutPrefix(d.Value, "pt_"); ok {
				return name != ""
			}
		}
	}
	switch d.Name {
	case "activate_only_after", "activate_only_every", "scan_depth", "is_greeting":
		n, _ := d.Int()
		return isInt && n >= 0
	case "depth", "reverse_depth":
		return isInt
	case "keep_activate_after_match", "dont_activate_after_match", "ignore_on_max_context", "activate", "dont_activate":
		return true
	case "role":
		return d.Value == "assistant" || d.Value == "system" || d.Value == "user"
	case "position":
		return decoratorPlaces[d.Value] != ""
	case "additional_keys", "exclude_keys":
		return len(d.List()) > 0
	case "is_user_icon":
		return d.Value != ""
	case "disable_ui_prompt":
		return d.Value == "post_history_instructions" || d.Value == "system_prompt"
	}
	return false
}

var decoratorPlaces = map[string]Where{
	"after_desc": WhereAfterChar, "before_desc": WhereBeforeChar,
	"personality": WherePersonality, "scenario": WhereScenario,
}
