package llm

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/weft-memory/weft/llm/jsontext"
)

// Texts that take the place of what a chat has lost.
const (
	lostResult  = "There is no result of this call."
	lostCall    = "The arguments of this call could not be read; it was not executed."
	lostMessage = "(nothing)"
)

// Pair returns messages in which calls and results pair, as all servers demand:
// directly behind an assistant's message with calls stand their results, one for
// each and in their order, and nowhere else. It returns notes on what it did.
//
//   - A result that stands too late is moved to its call; a call without one
//     gets a result that says so.
//   - A result without a call is left out.
//   - Ids that are empty or there twice are replaced, in the call and its result.
//   - Arguments that are no JSON object are replaced by an empty one, since they
//     would make the whole chat unacceptable, and the result says so.
//   - Messages without anything in them are left out. Text is made valid UTF-8.
//
// Messages that need nothing of this are returned as they are.
func Pair(messages []Message) ([]Message, []string) {
	var notes []string
	note := func(i int, format string, args ...any) {
		if len(notes) < 50 {
			notes = append(notes, fmt.Sprintf("message %d: ", i+1)+fmt.Sprintf(format, args...))
		}
	}
	used := map[string]bool{}
	taken := make([]bool, len(messages))
	out := make([]Message, 0, len(messages))
	for i, m := range messages {
		if !utf8.ValidString(m.Content) {
			m.Content = strings.ToValidUTF8(m.Content, "\uFFFD")
			note(i, "the text was not UTF-8")
		}
		if strings.ContainsRune(m.Content, 0) {
			m.Content = strings.ReplaceAll(m.Content, "\x00", "")
			note(i, "NUL was taken out")
		}
		switch {
		case m.Role == RoleTool:
			if !taken[i] {
				note(i, "the result of the call %q has no call and was left out", m.CallID)
			}
			continue
		case len(m.Calls) == 0 || m.Role != RoleAssistant:
			if len(m.Calls) > 0 {
				note(i, "only the assistant calls tools")
				m.Calls = nil
			}
			if m.Content == "" && len(m.Kept) == 0 && len(m.Extra) == 0 {
				note(i, "the message is empty and was left out")
				continue
			}
			out = append(out, m)
			continue
		}
		m = m.Clone()
		results := make([]Message, len(m.Calls))
		for k := range m.Calls {
			c := &m.Calls[k]
			if c.Name == "" {
				c.Name = "unknown"
				note(i, "a call had no name")
			}
			results[k] = Message{Role: RoleTool, Name: c.Name, Content: lostResult}
			if at := resultOf(messages, taken, i, c.ID); at >= 0 {
				taken[at] = true
				results[k].Content = messages[at].Content
				results[k].Extra = messages[at].Extra
				if strings.ContainsRune(results[k].Content, 0) || !utf8.ValidString(results[k].Content) {
					results[k].Content = strings.ReplaceAll(strings.ToValidUTF8(results[k].Content, "\uFFFD"), "\x00", "")
				}
				if results[k].Content == "" {
					results[k].Content = lostMessage
				}
			} else {
				note(i, "the call %q of %s had no result", c.ID, c.Name)
			}
			if c.ID == "" || used[c.ID] {
				old := c.ID
				for n := len(used) + 1; c.ID == "" || used[c.ID]; n++ {
					c.ID = fmt.Sprintf("call%05d", n)
				}
				note(i, "the id %q of a call was replaced by %s", old, c.ID)
			}
			used[c.ID] = true
			results[k].CallID = c.ID
			if args := strings.TrimSpace(string(c.Arguments)); !strings.HasPrefix(args, "{") || !jsontext.Valid([]byte(args)) {
				note(i, "the arguments of the call %s are no JSON object", c.ID)
				c.Arguments = []byte("{}")
				if results[k].Content == lostResult {
					results[k].Content = lostCall
				}
			}
		}
		out = append(out, m)
		out = append(out, results...)
	}
	// A result that was moved leaves no other trace.
	if len(out) == len(messages) && len(notes) == 0 {
		for i := range out {
			if out[i].Role != messages[i].Role {
				notes = append(notes, "results were moved to their calls")
				break
			}
		}
	}
	return out, notes
}

// resultOf finds the result of a call: the first one with its id behind it, but
// not behind another call of the same id.
func resultOf(messages []Message, taken []bool, i int, id string) int {
	for k := i + 1; k < len(messages); k++ {
		m := messages[k]
		if m.Role == RoleTool && m.CallID == id && !taken[k] {
			return k
		}
		if m.Role == RoleAssistant && id != "" {
			for _, c := range m.Calls {
				if c.ID == id {
					return -1
				}
			}
		}
		if id == "" && m.Role != RoleTool {
			return -1
		}
	}
	return -1
}
