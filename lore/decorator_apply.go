package lore

import (
	"encoding/json"
	"strings"
)

// Apply sets the fields of an entry to what the decorators at the head of its
// content say. The content keeps its decorators: they are its source, and the
// engine takes them off with [Decorators.Split] before a prompt. With regex,
// keys in decorators are regular expressions and exclusions do not count, as
// V3 cards have it for entries with use_regex.
//
// Reading an entry twice gives the same entry, so Apply is for readers, on an
// entry that carries no decorators' values yet.
func (set Decorators) Apply(e *Entry, regex bool) {
	if set == DecoratorsNone {
		return
	}
	list, _ := set.Split(e.Content)
	for _, d := range list {
		n, _ := d.Int()
		switch d.Name {
		case "activate_only_after":
			e.After = n
		case "activate_only_every":
			e.Every = n
		case "keep_activate_after_match":
			e.Keep = true
		case "dont_activate_after_match":
			e.Once = true
		case "depth", "end", "reverse_depth":
			e.Where, e.Slot = WhereAtDepth, AtDepth(n)
			e.FromStart = d.Name == "reverse_depth"
		case "role":
			e.Role = Role(d.Value)
		case "scan_depth":
			e.ScanDepth = Messages(n)
		case "is_greeting":
			e.Greeting = &n
		case "position":
			applyPosition(e, d.Value)
		case "ignore_on_max_context":
			e.DropFirst = true
		case "additional_keys":
			e.Clauses = append(e.Clauses, Clause{Logic: AnyOf, Keys: decoratorKeys(d, regex)})
		case "exclude_keys":
			if !regex {
				e.Clauses = append(e.Clauses, Clause{Logic: NoneOf, Keys: decoratorKeys(d, false)})
			}
		case "exclude_keys_all":
			if !regex {
				e.Clauses = append(e.Clauses, Clause{Logic: NotAllOf, Keys: decoratorKeys(d, false)})
			}
		case "is_user_icon":
			e.UserIcon = d.Value
		case "disable_ui_prompt":
			raw, _ := json.Marshal(d.Value)
			if e.Ext == nil {
				e.Ext = map[string]json.RawMessage{}
			}
			e.Ext[ExtDisablePrompt] = raw
		default:
			applyForce(e, d.Name)
			applyRisu(e, d, n)
		}
	}
}

// ExtDisablePrompt is where the decorator @@disable_ui_prompt is kept in an
// entry's Ext: "system_prompt" or "post_history_instructions".
const ExtDisablePrompt = "disable_ui_prompt"

// applyForce obeys @@activate, which beats @@dont_activate. SillyTavern reads
// no further than the word.
func applyForce(e *Entry, name string) {
	switch {
	case strings.HasPrefix(name, "activate"):
		e.Force = ForceActivate
	case strings.HasPrefix(name, "dont_activate") && e.Force != ForceActivate:
		e.Force = ForceSuppress
	}
}

func applyPosition(e *Entry, value string) {
	e.Where = decoratorPlaces[value]
	e.Slot = e.Where.Slot()
	if e.Where == "" { // pt_NAME: a named place of the prompt's template
		e.Where, e.Outlet = WhereOutlet, value
	}
}

func applyRisu(e *Entry, d Decorator, n int) {
	inject := func() *Inject {
		if e.Inject == nil {
			e.Inject = &Inject{Mode: "append"}
		}
		return e.Inject
	}
	yes, no := true, false
	switch d.Name {
	case "probability":
		p := float64(n)
		e.Probability = &p
	case "priority":
		e.Priority = n
	case "match_full_word":
		e.WholeWords = &yes
	case "match_partial_word":
		e.WholeWords = &no
	case "recursive":
		e.Recursion.Override = &yes
	case "unrecursive":
		e.Recursion.Override = &no
	case "no_recursive_search":
		e.Recursion.Excluded = true
	case "inject_lore", "inject_at":
		inject().Target = d.Value
	case "inject_replace":
		inject().Mode, inject().Replace = "replace", d.Value
	case "inject_prepend":
		inject().Mode = "prepend"
	}
}

func decoratorKeys(d Decorator, regex bool) []Key {
	keys := LiteralKeys(d.List()...)
	if !regex {
		return keys
	}
	for i, k := range keys {
		keys[i] = ParseRegexKey(k.Text)
	}
	return keys
}

// ParseRegexKey makes a JavaScript expression of a key that is one: /pattern/flags,
// or the bare pattern.
func ParseRegexKey(text string) Key {
	if rest, ok := strings.CutPrefix(text, "/"); ok {
		if i := strings.LastIndexByte(rest, '/'); i > 0 && strings.Trim(rest[i+1:], "gimsuy") == "" {
			return Key{Text: rest[:i], Kind: KeyJS, Flags: rest[i+1:]}
		}
	}
	return Key{Text: text, Kind: KeyJS}
}

// Slot returns the slot that stands nearest to a place of a foreign format; ""
// for places that no slot is near to.
func (w Where) Slot() Slot {
	switch w {
	case WhereBeforeChar:
		return SlotBackdrop
	case WhereAfterChar, WherePersonality, WhereScenario:
		return SlotReference
	case WhereExamplesTop, WhereExamplesBottom:
		return SlotFraming
	case WhereNoteTop, WhereNoteBottom:
		return SlotGuidance
	case WherePromptEnd:
		return SlotAftermath
	}
	return ""
}
