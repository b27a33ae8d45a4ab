package lore

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/weft-memory/weft/weaver/diag"
)

// maxChat bounds the source of a chat, in bytes.
const maxChat = 256 << 20

// ParseChat reads the messages of a chat, oldest first, from one of
//
//   - JSON: a list of messages, or an object whose field messages is one;
//   - JSONL: a message on each line;
//   - plain text: `Name: text`, where further lines continue a message.
//
// A message is {"role", "name", "content"} or a bare text of the user. In plain
// text a line opens a message if its name is one of names, is "User", "You" or
// a role, or opens at least two lines; "Note:" in the middle of a speech so
// stays what it is. The names in names that stand for the user are the first of
// names and "User" and "You"; all others are the narrator's. Plain text is for
// reading: line ends at the edges of a message are not kept.
//
// Chat logs of other programs are read by their codecs. Problems are reported
// with their line; a message that cannot be read is left out.
func ParseChat(path string, src []byte, names ...string) ([]Message, diag.List) {
	text, _ := decodeText(src)
	p := &problems{src: diag.NewSource(path, text)}
	if len(src) > maxChat {
		p.file(diag.Error, codeLimit, fmt.Sprintf("a chat is at most %d bytes", maxChat), "")
		return nil, p.done()
	}
	checkUTF8(p, 0)
	body := strings.TrimPrefix(text, "\ufeff")
	lead := strings.TrimLeft(body, " \t\r\n")
	var messages []Message
	switch {
	case lead == "":
	case isJSONLines(lead):
		messages = chatLines(p)
	case lead[0] == '[' && looksLikeJSONList(lead), lead[0] == '{':
		messages = chatJSON(p)
	default:
		messages = chatText(p, names)
	}
	return messages, p.done()
}

// isJSONLines reports whether the first line is a whole object and others
// follow, or the first of a cut-off file does.
func isJSONLines(text string) bool {
	line, rest, _ := strings.Cut(text, "\n")
	line = strings.TrimSpace(line)
	return len(line) > 1 && (line[0] == '{' || line[0] == '"') && json.Valid([]byte(line)) && strings.TrimSpace(rest) != ""
}

// looksLikeJSONList tells `[{"role"…` and `["text"` from a text that begins
// with a bracket.
func looksLikeJSONList(text string) bool {
	rest := strings.TrimLeft(text[1:], " \t\r\n")
	return rest == "" || strings.IndexByte(`{"]`, rest[0]) >= 0
}

func chatJSON(p *problems) []Message {
	d := parseJSON(p)
	if d.root == nil {
		return nil
	}
	list := d.root
	if list.Kind == yaml.MappingNode {
		if list = lookup(d.root, "messages"); list == nil {
			if lookup(d.root, "content") != nil { // one message
				list = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{d.root}}
			} else {
				p.at(diag.Error, codeChat, d.span(d.root), "there is no list of messages in this file",
					`a chat is [{"role": "user", "content": "Hello"}] or {"messages": [...]}; logs of other programs are imported`)
				return nil
			}
		}
	}
	if list.Kind != yaml.SequenceNode {
		p.at(diag.Error, codeChat, d.span(list), "messages: expected a list, got "+kindName(list), "")
		return nil
	}
	r := &reader{problems: p, doc: d}
	messages := make([]Message, 0, len(list.Content))
	for i, n := range list.Content {
		if m, ok := r.message(n, fmt.Sprintf("messages[%d]", i)); ok {
			messages = append(messages, m)
		}
	}
	return messages
}

func chatLines(p *problems) []Message {
	var messages []Message
	text := p.src.Text()
	at := 0
	for line := range strings.Lines(text) {
		start := at
		at += len(line)
		trimmed := strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		if trimmed == "" {
			continue
		}
		root, where, err := jsonTree(trimmed)
		shift := start + strings.Index(line, trimmed)
		if err != nil {
			hint := ""
			if at == len(text) {
				hint = "the last line may be cut off"
			}
			p.at(diag.Error, codeChat, diag.Span{Start: shift + where, End: shift + where}, "this line is no JSON: "+err.Error(), hint)
			continue
		}
		shiftColumns(root, shift)
		r := &reader{problems: p, doc: &document{src: p.src, byteColumns: true, root: root}}
		if m, ok := r.message(root, "message"); ok {
			messages = append(messages, m)
		}
	}
	return messages
}

var messageFields = []string{"role", "name", "content", "hidden"}

func (r *reader) message(n *yaml.Node, field string) (Message, bool) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		return UserMessage(n.Value), true
	}
	if n.Kind != yaml.MappingNode {
		r.expected(n, field, "a message or a text", "")
		return Message{}, false
	}
	before := r.errors()
	var m Message
	content := lookup(n, "content")
	switch {
	case content == nil:
		r.fail(n, codeChat, "a message is {"+strings.Join(messageFields, ", ")+"}", "%s: content is missing", field)
	case content.Kind == yaml.SequenceNode: // content parts, as model servers take them
		m.Content = r.parts(content, field+".content")
	case !isNull(content):
		setText(r, content, field+".content", &m.Content)
	}
	for _, f := range []struct {
		name string
		to   *string
	}{{"role", (*string)(&m.Role)}, {"name", &m.Name}} {
		if v := lookup(n, f.name); v != nil && !isNull(v) {
			setText(r, v, field+"."+f.name, f.to)
		}
	}
	if v := lookup(n, "hidden"); v != nil && !isNull(v) {
		m.Hidden, _ = r.boolean(v, field+".hidden")
	}
	switch m.Role {
	case "", RoleSystem, RoleUser, RoleAssistant, RoleTool:
	default:
		r.warn(lookup(n, "role"), codeChat, "the roles are system, user, assistant and tool", "%s: unknown role %q", field, shorten(string(m.Role)))
	}
	return m, r.errors() == before
}

// parts joins the text parts of a message; others are reported.
func (r *reader) parts(n *yaml.Node, field string) string {
	var texts []string
	for i, part := range n.Content {
		var text *yaml.Node
		if part.Kind == yaml.MappingNode {
			text = lookup(part, "text")
		}
		if text == nil || text.Kind != yaml.ScalarNode {
			r.warn(part, codeChat, "", "%s[%d] is no text and is not read", field, i)
			continue
		}
		texts = append(texts, text.Value)
	}
	return strings.Join(texts, "\n")
}

// speech matches a line that may open a message.
var speech = regexp.MustCompile(`^\s{0,3}([\pL\pN][\pL\pN\pM _.'’\-]{0,47}?)\s?[:：][ \t]?`)

// chatText reads `Name: text`.
func chatText(p *problems, names []string) []Message {
	text := p.src.Text()
	start := bomLen(text)
	known := map[string]Role{
		"user": RoleUser, "you": RoleUser, "human": RoleUser, "assistant": RoleAssistant, "system": RoleSystem, "narrator": RoleAssistant,
	}
	for i, name := range names {
		role := RoleAssistant
		if i == 0 {
			role = RoleUser
		}
		known[strings.ToLower(name)] = role
	}
	count := map[string]int{}
	for line := range strings.Lines(text[start:]) {
		if m := speech.FindStringSubmatch(line); m != nil {
			count[m[1]]++
		}
	}
	var messages []Message
	at := start
	for line := range strings.Lines(text[start:]) {
		place := diag.Span{Start: at, End: at + len(strings.TrimRight(line, "\r\n"))}
		at += len(line)
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		m := speech.FindStringSubmatch(line)
		if m != nil {
			name := m[1]
			role, isKnown := known[strings.ToLower(name)]
			if isKnown || count[name] > 1 {
				msg := Message{Role: RoleAssistant, Name: name, Content: line[len(m[0]):]}
				if isKnown {
					msg.Role = role
				}
				if roleNames[strings.ToLower(name)] {
					msg.Name = ""
				}
				messages = append(messages, msg)
				continue
			}
			if unicode.IsUpper([]rune(name)[0]) && name != "Note" {
				p.at(diag.Note, codeChat, place, fmt.Sprintf("%q opens one line only and is taken for text", name+":"), "name the speakers to read it as a message")
			}
		}
		switch {
		case len(messages) > 0:
			messages[len(messages)-1].Content += "\n" + line
		case strings.TrimSpace(line) != "":
			messages = append(messages, UserMessage(line))
		}
	}
	for i := range messages {
		messages[i].Content = strings.TrimRight(messages[i].Content, " \t\n")
	}
	return messages
}

// roleNames are the names in plain text that say a role and name nobody.
var roleNames = map[string]bool{"user": true, "you": true, "human": true, "assistant": true, "system": true, "narrator": true}
