package llmtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-memory/weft/llm/jsontext"
)

// differences says how a request differs from what is wanted; nothing if it does
// not.
func (m Match) differences(r *Request) (list []string) {
	bad := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if m.Path != "" && !strings.HasSuffix(r.Path, m.Path) {
		bad("the path is %s, want %s", r.Path, m.Path)
	}
	if m.Model != "" && r.Model != m.Model {
		bad("the model is %q, want %q", r.Model, m.Model)
	}
	if m.Stream != nil && r.Stream != *m.Stream {
		bad("stream is %v, want %v", r.Stream, *m.Stream)
	}
	names := r.toolNames()
	if m.Tools != nil && !slices.Equal(names, m.Tools) {
		bad("the tools are %q, want %q", names, m.Tools)
	}
	for _, name := range m.HasTools {
		if !slices.Contains(names, name) {
			bad("the tools are %q, want %q among them", names, name)
		}
	}
	if m.NoTools && len(names) > 0 {
		bad("the tools are %q, want none", names)
	}
	if m.ToolChoice != "" && r.ToolChoice != m.ToolChoice {
		bad("tool_choice is %q, want %q", r.ToolChoice, m.ToolChoice)
	}
	if m.Format != "" && r.Format != m.Format {
		bad("the format is %q, want %q", r.Format, m.Format)
	}
	if m.Roles != nil {
		var roles []string
		for _, msg := range r.Messages {
			roles = append(roles, msg.Role)
		}
		if !slices.Equal(roles, m.Roles) {
			bad("the roles are %q, want %q", roles, m.Roles)
		}
	}
	if m.System != "" && !strings.Contains(r.system(), m.System) {
		bad("the instructions lack %q", m.System)
	}
	all := r.Text()
	for _, s := range m.Contains {
		if !strings.Contains(all, s) {
			bad("the messages lack %q", s)
		}
	}
	for _, s := range m.Lacks {
		if strings.Contains(all, s) {
			bad("the messages hold %q", s)
		}
	}
	if m.Last != "" && (len(r.Messages) == 0 || !strings.Contains(r.Messages[len(r.Messages)-1].Text, m.Last)) {
		bad("the last message lacks %q", m.Last)
	}
	if m.MaxPromptTokens > 0 && len(all)/4 > m.MaxPromptTokens {
		bad("the messages have about %d tokens, at most %d are wanted", len(all)/4, m.MaxPromptTokens)
	}
	for name, want := range m.Fields {
		if raw := mustJSON(want); !jsontext.Equal(r.fields[name], raw) {
			bad("the field %s is %s, want %s", name, or(r.fields[name], "absent"), raw)
		}
	}
	for _, name := range m.Absent {
		if r.fields[name] != nil {
			bad("the field %s is %s, want it absent", name, r.fields[name])
		}
	}
	for name, want := range m.Headers {
		if got := r.Header.Get(name); got != want {
			bad("the header %s is %q, want %q", name, got, want)
		}
	}
	return list
}

func or(raw json.RawMessage, s string) string {
	if raw == nil {
		return s
	}
	return string(raw)
}
