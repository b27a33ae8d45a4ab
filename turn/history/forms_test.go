package history_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/turn/history"
)

// formsOf are ways in which front ends send one and the same chat. They are
// laid over the recordings that have messages apart.
var formsOf = map[string]func(req *history.Request, s *step, user, char string){
	"merged":    func(req *history.Request, _ *step, _, _ string) { req.Messages = merge(req.Messages) },
	"semi":      func(req *history.Request, _ *step, _, _ string) { req.Messages = strict(req.Messages, false) },
	"strict":    func(req *history.Request, _ *step, _, _ string) { req.Messages = strict(req.Messages, true) },
	"single":    single,
	"anthropic": anthropic,
	"names":     named,
	"chatml":    chatML,
	"alpaca":    alpaca,
	"plain":     plainText,
}

func merge(list []history.Message) []history.Message {
	var out []history.Message
	for _, m := range list {
		if n := len(out); n > 0 && out[n-1].Role == m.Role && m.Role != lore.RoleTool && !m.Calls && !out[n-1].Calls {
			out[n-1].Text += "\n\n" + m.Text
			out[n-1].Parts++
			continue
		}
		m.Name = ""
		m.Parts = 1
		out = append(out, m)
	}
	for i := range out {
		out[i].Parts = 1
	}
	return out
}

func strict(list []history.Message, placeholder bool) []history.Message {
	list = merge(list)
	for i := range list {
		if i > 0 && list[i].Role == lore.RoleSystem {
			list[i].Role = lore.RoleUser
		}
	}
	if placeholder && len(list) > 1 && list[0].Role == lore.RoleSystem && list[1].Role != lore.RoleUser {
		list = slices.Insert(slices.Clone(list), min(1, len(list)), history.Message{Role: lore.RoleUser, Text: "[Start a new chat]"})
	}
	return merge(list)
}

func voiced(m history.Message, user, char string) string {
	before, _, _ := strings.Cut(m.Text, ": ")
	switch {
	case slices.Contains([]string{"Maren", "Tobias", "Ines", "Robin", "Rowan", user, char}, before):
		return m.Text
	case m.Role == lore.RoleUser:
		return user + ": " + m.Text
	case m.Role == lore.RoleAssistant:
		return char + ": " + m.Text
	}
	return m.Text
}

func single(req *history.Request, _ *step, user, char string) {
	if len(req.Messages) < 2 {
		return
	}
	var parts []string
	for _, m := range req.Messages {
		parts = append(parts, voiced(m, user, char))
	}
	req.Messages = []history.Message{{Role: lore.RoleUser, Text: strings.Join(parts, "\n\n")}}
}

func anthropic(req *history.Request, _ *step, _, _ string) {
	list := req.Messages
	for len(list) > 0 && list[0].Role == lore.RoleSystem {
		req.System += list[0].Text + "\n\n"
		list = list[1:]
	}
	var out []history.Message
	for _, m := range list {
		if m.Role == lore.RoleSystem {
			m.Role = lore.RoleUser
		}
		if n := len(out); n > 0 && out[n-1].Role == m.Role {
			out[n-1].Text += "\n\n" + m.Text
			out[n-1].Parts++
			continue
		}
		m.Parts = 1
		out = append(out, m)
	}
	req.Path, req.Messages = "/v1/messages", out
}

func named(req *history.Request, _ *step, user, char string) {
	list := slices.Clone(req.Messages)
	for i, m := range list {
		list[i].Text = voiced(m, user, char)
	}
	req.Messages = list
}

// completed turns the messages into what a text completion would show: the
// reply that is continued is where it was, and the request ends where the model
// goes on.
func completed(req *history.Request, s *step) (list []history.Message, last lore.Role, open bool) {
	list = slices.DeleteFunc(slices.Clone(req.Messages), func(m history.Message) bool { return strings.HasPrefix(m.Text, "Stay inside") })
	switch s.Expected.Kind {
	case "continue":
		if list[len(list)-1].Role == lore.RoleSystem {
			list = list[:len(list)-1]
		}
		return list, lore.RoleAssistant, false
	case "impersonate":
		return list[:len(list)-1], lore.RoleUser, true
	case "next", "swipe", "regenerate", "branch":
		if req.Messages[len(req.Messages)-1].Role == lore.RoleAssistant {
			return list, lore.RoleAssistant, false // the beginning of the reply
		}
	}
	return list, lore.RoleAssistant, true
}

func chatML(req *history.Request, s *step, user, char string) {
	list, last, open := completed(req, s)
	var b strings.Builder
	for i, m := range list {
		b.WriteString("<|im_start|>" + string(m.Role) + "\n" + voiced(m, user, char))
		if i < len(list)-1 || open {
			b.WriteString("<|im_end|>\n")
		}
	}
	if open {
		b.WriteString("<|im_start|>" + string(last) + "\n")
		if s.Expected.Kind != "side" {
			b.WriteString(strings.TrimSpace(voiced(history.Message{Role: last}, user, char)))
		}
	}
	req.Path, req.Messages, req.Prompt, req.Stop = "/v1/completions", nil, b.String(), []string{"\n" + user + ":"}
}

func alpaca(req *history.Request, s *step, user, char string) {
	list, last, open := completed(req, s)
	var b strings.Builder
	mark := func(r lore.Role) {
		switch r {
		case lore.RoleUser:
			b.WriteString("### Instruction:\n")
		case lore.RoleAssistant:
			b.WriteString("### Response:\n")
		}
	}
	for i, m := range list {
		mark(m.Role)
		b.WriteString(voiced(m, user, char))
		if i < len(list)-1 || open {
			b.WriteString("\n\n")
		}
	}
	if open {
		mark(last)
		if s.Expected.Kind != "side" {
			b.WriteString(strings.TrimSpace(voiced(history.Message{Role: last}, user, char)))
		}
	}
	req.Path, req.Messages, req.Prompt, req.Stop = "/v1/completions", nil, b.String(), []string{"\n" + user + ":"}
}

func plainText(req *history.Request, s *step, user, char string) {
	list, last, open := completed(req, s)
	var parts []string
	for _, m := range list {
		parts = append(parts, voiced(m, user, char))
	}
	prompt := strings.Join(parts, "\n")
	if open {
		prompt += "\n"
		if s.Expected.Kind != "side" {
			prompt += strings.TrimSpace(voiced(history.Message{Role: last}, user, char))
		}
	}
	req.Path, req.Messages, req.Prompt, req.Stop = "/v1/completions", nil, prompt, []string{"\n" + user + ":"}
}

// plain reports whether a recording sends its messages apart and by itself.
func plain(rec *recording) bool {
	for i := range rec.Steps {
		r := rec.Steps[i].Request
		if r == nil {
			continue
		}
		if r.Body["messages"] == nil && !strings.Contains(r.Path, "embedding") || strings.Contains(r.Path, "/messages") || len(r.Headers["x-weft-pick"]) > 0 {
			return false
		}
		var list []struct{ Role, Content json.RawMessage }
		_ = json.Unmarshal(r.Body["messages"], &list)
		for j := 1; j < len(list); j++ {
			if string(list[j].Role) == `"system"` && string(list[j-1].Role) == `"system"` {
				return true
			}
		}
	}
	return false
}

// TestTrafficWithIDs plays all recordings with ids as the guide tells to send
// them: nothing may be missed then.
func TestTrafficWithIDs(t *testing.T) {
	recs := recordings(t)
	var all tally
	for _, name := range slices.Sorted(maps.Keys(recs)) {
		rec := recs[name]
		t.Run(name, func(t *testing.T) {
			p := &player{mem: newMemory(), same: map[string][]string{}, chosen: map[int]string{}, t: t, verbose: os.Getenv("WEFT_VERBOSE") == name, ids: true}
			p.form = func(req *history.Request, s *step) {
				root := "none"
				for i := range rec.Steps {
					if o := &rec.Steps[i]; o.N >= s.N && o.Tree != nil {
						root = o.Tree.Path[0]
						break
					}
				}
				byID := map[string]*string{}
				for i := range rec.Steps {
					if tr := rec.Steps[i].Tree; tr != nil {
						for _, n := range tr.Nodes {
							byID[n.ID] = n.Parent
						}
					}
				}
				if id := s.Expected.Parent; id != nil {
					for root = *id; byID[root] != nil; root = *byID[root] {
					}
				}
				req.IDs = history.IDs{Last: -1, Conversation: "chat " + root, Kind: map[string]string{
					"swipe": "swipe", "regenerate": "regenerate", "continue": "continue", "impersonate": "impersonate", "side": "quiet",
				}[s.Expected.Kind]}
				if req.IDs.Kind == "" {
					req.IDs.Kind = "normal"
				}
			}
			sum, misses := p.play(rec)
			all.turns += sum.turns
			all.right += sum.right
			for _, m := range misses {
				t.Errorf("step %d: %s", m.n, m.what)
			}
		})
	}
	t.Logf("turns %d, parents right %d", all.turns, all.right)
}

func TestTrafficInOtherForms(t *testing.T) {
	recs := recordings(t)
	for _, form := range slices.Sorted(maps.Keys(formsOf)) {
		t.Run(form, func(t *testing.T) {
			var all tally
			for _, name := range slices.Sorted(maps.Keys(recs)) {
				rec := recs[name]
				if !plain(rec) || strings.Contains(name, "tool") || strings.Contains(name, "attachments") {
					continue
				}
				user, char := "Rowan", "Maren"
				for i := range rec.Steps {
					if tr := rec.Steps[i].Tree; tr != nil {
						for _, n := range tr.Nodes {
							switch n.Role {
							case "user":
								user = n.Name
							case "assistant":
								if n.Parent == nil {
									char = n.Name
								}
							}
						}
					}
				}
				p := &player{mem: newMemory(), same: map[string][]string{}, chosen: map[int]string{}, t: t, verbose: os.Getenv("WEFT_VERBOSE") == name}
				p.form = func(req *history.Request, s *step) { formsOf[form](req, s, user, char) }
				sum, misses := p.play(rec)
				all.turns += sum.turns
				all.right += sum.right
				all.forks += sum.forks
				all.wrong += sum.wrong
				all.missed += sum.missed
				all.kinds += sum.kinds
				all.sides += sum.sides
				all.sideWrites += sum.sideWrites
				for _, m := range misses {
					t.Logf("%s step %d: %s", name, m.n, m.what)
				}
			}
			t.Logf("%s: turns %d, parents right %d (%.2f %%), needless forks %d, wrong nodes %d, not recognised %d; kinds wrong %d; side calls %d, taken for turns %d",
				form, all.turns, all.right, 100*float64(all.right)/float64(all.turns), all.forks, all.wrong, all.missed, all.kinds, all.sides, all.sideWrites)
			if share := float64(all.right) / float64(all.turns); share < 0.97 {
				t.Errorf("only %.2f %% of the parents are right", 100*share)
			}
		})
	}
}
