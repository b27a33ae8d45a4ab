package llm

import (
	"encoding/json"
	"slices"
	"strings"
)

// SystemAsUser returns messages without system messages, for models that have no
// role for them or take them only at the start. They become messages of the user
// in the same place, so that a note at some depth keeps its depth. If keepFirst,
// those at the start are joined into one system message instead.
func SystemAsUser(messages []Message, keepFirst bool) []Message {
	out := make([]Message, 0, len(messages))
	var first []string
	leading := true
	for i, m := range messages {
		if m.Role != RoleSystem {
			leading = false
			out = append(out, m)
			continue
		}
		if leading {
			first = append(first, m.Content)
			continue
		}
		// A note may not part calls from their results.
		m.Role = RoleUser
		if i > 0 && messages[i-1].Role == RoleAssistant && len(messages[i-1].Calls) > 0 {
			m.Role = RoleSystem
		}
		out = append(out, m)
	}
	if len(first) == 0 {
		return out
	}
	text := strings.Join(first, "\n\n")
	if keepFirst {
		return append([]Message{System(text)}, out...)
	}
	// Into the first message of the user, or before everything.
	if i := slices.IndexFunc(out, func(m Message) bool { return m.Role == RoleUser }); i == 0 {
		out = slices.Clone(out)
		out[0].Content = text + "\n\n" + out[0].Content
		return out
	}
	return append([]Message{User(text)}, out...)
}

// Alternate returns messages in which the user and the assistant take turns,
// beginning with the user: neighbours of one role become one message. Calls and
// results stay what they are.
func Alternate(messages []Message) []Message {
	var out []Message
	for _, m := range messages {
		if len(out) > 0 {
			last := &out[len(out)-1]
			if last.Role == m.Role && m.Role != RoleTool && len(last.Calls) == 0 {
				merged := last.Clone()
				if merged.Content != "" && m.Content != "" {
					merged.Content += "\n\n"
				}
				merged.Content += m.Content
				merged.Calls = m.Calls
				if m.Kept != nil {
					merged.Kept = m.Kept
				}
				*last = merged
				continue
			}
		}
		if m.Role == RoleAssistant && (len(out) == 0 || len(out) == 1 && out[0].Role == RoleSystem) {
			out = append(out, User(Opening))
		}
		out = append(out, m)
	}
	return out
}

// Opening is what the user says before a chat that the assistant begins.
const Opening = "(The scene begins.)"

// AskForJSON returns messages that ask for JSON in words, for servers that cannot
// be made to send it. The words stand at the end, where they do not disturb what
// stays the same from request to request.
func AskForJSON(messages []Message, f Format) []Message {
	text := "Answer with one JSON object and nothing else: no explanation, no code fence."
	if len(f.Schema) > 0 {
		schema := f.Schema
		var v any
		if json.Unmarshal(schema, &v) == nil {
			if compact, err := json.Marshal(v); err == nil {
				schema = compact
			}
		}
		text += " The object has to fit this JSON Schema; give data, do not repeat the schema:\n" + string(schema)
	}
	out := slices.Clone(messages)
	if n := len(out); n > 0 && out[n-1].Role == RoleUser {
		out[n-1].Content += "\n\n" + text
		return out
	}
	return append(out, User(text))
}
