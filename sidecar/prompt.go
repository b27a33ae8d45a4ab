package sidecar

import (
	"cmp"
	"embed"
	"fmt"
	"sort"
	"strings"

	"github.com/weft-memory/weft/lore"
)

//go:embed prompts/*.txt
var promptFiles embed.FS

// Prompts returns the texts that models are given, by name: rules, which stands
// before each of the others, retrieve, write, write_json, summary, ingest_facts,
// ingest_narrative. [Settings.Prompts] replaces any of them.
func Prompts() map[string]string {
	files, err := promptFiles.ReadDir("prompts")
	if err != nil {
		return nil // they are a part of the program
	}
	out := map[string]string{}
	for _, f := range files {
		if b, err := promptFiles.ReadFile("prompts/" + f.Name()); err == nil {
			out[strings.TrimSuffix(f.Name(), ".txt")] = strings.TrimSpace(string(b))
		}
	}
	return out
}

var prompts = Prompts()

// CheckPrompts says which names of prompts there are none of.
func CheckPrompts(own map[string]string) error {
	var bad []string
	for name := range own {
		if _, ok := prompts[name]; !ok {
			bad = append(bad, name)
		}
	}
	if bad == nil {
		return nil
	}
	sort.Strings(bad)
	names := make([]string, 0, len(prompts))
	for name := range prompts {
		names = append(names, name)
	}
	sort.Strings(names)
	return fmt.Errorf("there is no prompt %s; there are %s", strings.Join(bad, ", "), strings.Join(names, ", "))
}

// prompt returns one of the texts with its gaps filled.
func (s *Scene) prompt(name string, more ...string) string {
	text, ok := s.Settings.Prompts[name]
	if !ok {
		text = prompts[name]
	}
	language := ""
	if l := s.Settings.Language; l != "" {
		language = "\n- Write in " + l + ", whatever language the story is told in. Names stay as they are."
	}
	gaps := append([]string{
		"{user}", cmp.Or(s.User, "the player"), "{character}", cmp.Or(s.Character, "the narrator"), "{language}", language,
	}, more...)
	return strings.NewReplacer(gaps...).Replace(text)
}

// system is the first message of a phase.
func (s *Scene) system(name string, more ...string) string {
	return s.prompt("rules") + "\n\n" + s.prompt(name, more...)
}

// inside puts material between marks, so that nothing in it can end it.
func inside(tag, text string) string {
	text = strings.TrimSpace(text)
	for _, t := range []string{"lore", "story", "notebook"} {
		text = replaceFold(text, "</"+t, "< /"+t)
	}
	return "<" + tag + ">\n" + text + "\n</" + tag + ">"
}

// replaceFold replaces a text of ASCII letters whatever their case.
func replaceFold(s, old, repl string) string {
	low, from := strings.ToLower(s), 0
	if len(low) != len(s) { // rare letters change their length: be content with the plain case
		return strings.ReplaceAll(s, old, repl)
	}
	var b strings.Builder
	for {
		i := strings.Index(low[from:], old)
		if i < 0 {
			b.WriteString(s[from:])
			return b.String()
		}
		b.WriteString(s[from:from+i] + repl)
		from += i + len(old)
	}
}

// maxMessage bounds what a phase reads of one message, in bytes: its beginning
// and its end.
const maxMessage = 12 << 10

// line writes a message as a phase reads it; "" if nothing of it is part of the
// story.
func (s *Scene) line(m *Message) string {
	text := InCharacter(m.Text, s.Settings.OutOfCharacter)
	if text == "" || m.Role == lore.RoleSystem || m.Role == lore.RoleTool {
		return ""
	}
	if len(text) > maxMessage {
		text = clip(text, maxMessage*2/3) + "\n[…]\n" + tail(text, maxMessage/3)
	}
	name := m.Name
	if name == "" {
		name = cmp.Or(s.Character, "Narrator")
		if m.Role == lore.RoleUser {
			name = cmp.Or(s.User, "Player")
		}
	}
	return oneLine(name, 60) + ": " + text
}

func tail(s string, n int) string {
	i := len(s) - n
	for i < len(s) && s[i]&0xc0 == 0x80 {
		i++
	}
	return s[i:]
}

// transcript writes messages, each a paragraph.
func (s *Scene) transcript(list []Message) string {
	var b strings.Builder
	for i := range list {
		if l := s.line(&list[i]); l != "" {
			b.WriteString(l + "\n\n")
		}
	}
	return b.String()
}

// window returns the last messages, at least n and less than twice as many. Its
// beginning moves on only every n messages, so that prompts of following turns
// begin alike.
func window(list []Message, n int) []Message {
	if len(list) <= n {
		return list
	}
	start := (len(list) - n) / n * n
	return list[start:]
}
