package instruct

import (
	"strings"

	"github.com/weft-memory/weft/lore"
)

// Part is one message of a prompt.
type Part struct {
	// Before is what stands in front of the text: the mark behind the part
	// before and the one of this part, with what lies between.
	Before string
	Role   lore.Role
	Text   string
	// Outside says that the text stands outside of every message.
	Outside bool
}

// Prompt is a prompt in its parts.
type Prompt struct {
	Template *Template
	Parts    []Part
	// After is what stands behind the text of the last part.
	After string
}

// maxParts bounds the parts of one prompt. What comes before the last so many
// stays in one piece.
const maxParts = 100_000

// found is a mark in a prompt.
type found struct {
	at, end int
	role    lore.Role // "" for the end of a message
}

// Split takes a prompt apart. ok is false if no template is known that made it;
// the prompt is then one part with the role user.
func Split(prompt string) (p Prompt, ok bool) {
	var best []found
	for _, t := range Templates {
		marks := t.find(prompt)
		if t.enough(prompt, marks) && len(marks) > len(best) {
			best, p.Template = marks, t
		}
	}
	if p.Template == nil || len(best) > 2*maxParts {
		return Prompt{Parts: []Part{{Role: lore.RoleUser, Text: prompt}}}, false
	}
	start := 0 // where Before of the next part begins
	add := func(from, to int, role lore.Role, outside bool) {
		p.Parts = append(p.Parts, Part{Before: prompt[start:from], Role: role, Text: prompt[from:to], Outside: outside})
		start = to
	}
	outside := func(from, to int) {
		if strings.TrimSpace(prompt[from:to]) != "" && !bare(prompt[from:to]) {
			for prompt[from] == '\n' {
				from++
			}
			add(from, to, lore.RoleSystem, true)
		}
	}
	at := 0
	for i, m := range best {
		if m.role == "" {
			at = m.end
			continue
		}
		if i == 0 || best[i-1].role == "" {
			outside(at, m.at)
		}
		end := len(prompt)
		if i+1 < len(best) {
			end = best[i+1].at
		}
		add(m.end, end, m.role, false)
		at = end
	}
	if best[len(best)-1].role == "" {
		outside(at, len(prompt))
	}
	p.After = prompt[start:]
	return p, true
}

// bare reports whether a text is only marks of the beginning of a prompt.
func bare(s string) bool {
	for _, b := range []string{"<s>", "<bos>", "<|begin_of_text|>", "<BOS_TOKEN>", "<｜begin▁of▁sentence｜>", "[gMASK]", "<sop>"} {
		s = strings.ReplaceAll(s, b, "")
	}
	return strings.TrimSpace(s) == ""
}

// find returns the marks of a template in a prompt, in order.
func (t *Template) find(prompt string) []found {
	var out []found
	for i := 0; i < len(prompt); {
		j := t.next(prompt[i:])
		if j < 0 {
			break
		}
		i += j
		m, ok := t.mark(prompt, i)
		if !ok {
			i++
			continue
		}
		out = append(out, m)
		i = m.end
	}
	return out
}

// next returns where the next mark could be: the first bytes of all marks are
// few.
func (t *Template) next(s string) int {
	if t.Line && t.Name == "vicuna" {
		return strings.IndexAny(s, "SUA#<")
	}
	return strings.IndexAny(s, "<[#\n")
}

func (t *Template) mark(prompt string, i int) (m found, ok bool) {
	for _, e := range t.Ends {
		if strings.HasPrefix(prompt[i:], e) {
			return found{at: i, end: i + len(e)}, true
		}
	}
	if t.Line && i > 0 && prompt[i-1] != '\n' && !(t.Name == "vicuna" && (prompt[i-1] == ' ' || strings.HasSuffix(prompt[:i], "</s>"))) {
		return m, false
	}
	size := 0
	for _, s := range t.Starts {
		text := s.Text
		if !strings.HasPrefix(prompt[i:], text) {
			// At the very end of the prompt the line break may be missing.
			text = strings.TrimRight(text, "\n")
			if len(prompt)-i != len(text) || prompt[i:] != text {
				continue
			}
		}
		if len(text) > size {
			size = len(text)
			m, ok = found{at: i, end: i + size, role: s.Role}, true
		}
	}
	return m, ok
}

// enough reports whether marks show that a template made a prompt.
func (t *Template) enough(prompt string, marks []found) bool {
	user, assistant := false, false
	for _, m := range marks {
		user = user || m.role == lore.RoleUser
		assistant = assistant || m.role == lore.RoleAssistant
	}
	if t.Sure {
		return user || assistant
	}
	return user && assistant
}

// Join returns the prompt.
func (p Prompt) Join() string {
	var b strings.Builder
	for _, part := range p.Parts {
		b.WriteString(part.Before)
		b.WriteString(part.Text)
	}
	b.WriteString(p.After)
	return b.String()
}

// Open reports whether the model goes on in the last part, and in whose name.
func (p Prompt) Open() (role lore.Role, ok bool) {
	if p.Template == nil || len(p.Parts) == 0 || strings.TrimSpace(p.After) != "" {
		return "", false
	}
	last := p.Parts[len(p.Parts)-1]
	return last.Role, !last.Outside
}

// Insert returns the prompt with a message in front of a part, with the marks of
// the template; nothing else changes. A template without a mark for the role
// gets a message of the user. Index is from 0 to the number of parts.
func (p Prompt) Insert(index int, role lore.Role, text string) Prompt {
	if p.Template == nil || index < 0 || index > len(p.Parts) {
		return p
	}
	start := ""
	for _, want := range []lore.Role{role, lore.RoleUser} {
		for _, s := range p.Template.Starts {
			if start == "" && s.Role == want {
				start = s.Text
			}
		}
	}
	end := "\n"
	if p.Template.Name != "alpaca" && p.Template.Name != "vicuna" && p.Template.Name != "metharme" && p.Template.Name != "mistral" {
		end = p.Template.Ends[0] + "\n"
	}
	fresh := Part{Before: start, Role: role, Text: text + end}
	out := p
	out.Parts = make([]Part, 0, len(p.Parts)+1)
	out.Parts = append(out.Parts, p.Parts[:index]...)
	if index < len(p.Parts) {
		// What closes the message before stays in front.
		next := p.Parts[index]
		at := strings.LastIndex(next.Before, lastMark(p.Template, next.Before))
		fresh.Before = next.Before[:at] + start
		next.Before = next.Before[at:]
		out.Parts = append(out.Parts, fresh, next)
		out.Parts = append(out.Parts, p.Parts[index+1:]...)
		return out
	}
	fresh.Before = p.After + start
	out.After = ""
	out.Parts = append(out.Parts, fresh)
	return out
}

// lastMark returns the start mark that a text ends with; "" if there is none.
func lastMark(t *Template, s string) string {
	best := ""
	for _, m := range t.Starts {
		if text := m.Text; (strings.HasSuffix(s, text) || strings.HasSuffix(s, strings.TrimRight(text, "\n"))) && len(text) > len(best) {
			best = text
			if !strings.HasSuffix(s, best) {
				best = strings.TrimRight(best, "\n")
			}
		}
	}
	return best
}
