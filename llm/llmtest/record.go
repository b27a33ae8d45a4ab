package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"regexp"
	"slices"
	"strings"
)

// Times in texts change from run to run.
var timeInText = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?`)

// Record returns all requests so far as text, to be kept as a golden file: the
// steps by their names, so that the order in which phases happened to run does
// not matter, and the bodies indented, with ids and times masked.
func (s *Server) Record() string {
	list := s.Requests()
	slices.SortStableFunc(list, func(a, b *Request) int { return s.position(a.Step) - s.position(b.Step) })
	var out strings.Builder
	for _, r := range list {
		step := r.Step
		if step == "" {
			step = "(no step)"
		}
		fmt.Fprintf(&out, "### %s: %s %s\n", step, r.Method, r.Path)
		if len(r.Body) > 0 {
			out.WriteString(masked(r.Body))
			out.WriteByte('\n')
		}
		out.WriteByte('\n')
	}
	return out.String()
}

func (s *Server) position(step string) int {
	for i, st := range s.script.Steps {
		if st.Name == step {
			return i
		}
	}
	return len(s.script.Steps)
}

var idMember = regexp.MustCompile(`"(id|tool_call_id|tool_use_id)": "((?:[^"\\]|\\.)*)"`)

// masked returns a body with its ids numbered in the order in which they come.
func masked(body []byte) string {
	var buf bytes.Buffer
	if err := json.Indent(&buf, body, "", "  "); err != nil {
		return string(body)
	}
	ids := map[string]string{}
	text := idMember.ReplaceAllStringFunc(buf.String(), func(m string) string {
		parts := idMember.FindStringSubmatch(m)
		if ids[parts[2]] == "" {
			ids[parts[2]] = fmt.Sprintf("<id %d>", len(ids)+1)
		}
		return `"` + parts[1] + `": "` + ids[parts[2]] + `"`
	})
	return timeInText.ReplaceAllString(text, "<time>")
}

func lines(s string) []string { return strings.Split(s, "\n") }

// discard is for what http.Server says of connections that were broken on
// purpose.
func discard() *log.Logger { return log.New(io.Discard, "", 0) }
