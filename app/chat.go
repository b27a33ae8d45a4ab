package app

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

// chatFile is a chat that was read. stored is the chat as a front end stored
// it, nil for a bare list of messages.
type chatFile struct {
	messages []lore.Message
	stored   *lore.Chat
	findings diag.List
}

// readChat reads a chat of Weft's own forms or of a front end. The names that
// are known, "" for none, tell plain text what a speaker is.
func (e *env) readChat(path, user, char string) (*chatFile, error) {
	data, err := e.readInput(path, "chat", maxChatBytes)
	if err != nil {
		return nil, err
	}
	out, err := e.storedChat(path, data)
	if err != nil || out != nil {
		return out, err
	}
	const forms = "a chat is JSON, JSONL, lines of the form Name: text, or a chat of a front end"
	if bytes.IndexByte(data[:min(len(data), headBytes)], 0) >= 0 && !bytes.HasPrefix(data, []byte("\xff\xfe")) && !bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, fail(ExitInput, forms, "%s is not a chat: it is a binary file", path)
	}
	names := speakers(string(trimBOM(data)), user)
	if char != "" && !slices.Contains(names, char) {
		names = append(names, char)
	}
	messages, list := lore.ParseChat(path, data, names...)
	if len(messages) == 0 && list.HasErrors() {
		first := list.Errors()[0]
		return nil, fail(ExitInput, cmp.Or(first.Hint, forms), "%s is not a chat: %s", cmp.Or(first.Pos(), path), first.Message)
	}
	if len(messages) == 0 {
		e.note("%s: the chat %s has no messages, so only constant entries can be active", e.opts.Name, path)
	}
	return &chatFile{messages: messages, findings: list}, nil
}

// storedChat reads the chat of a front end; nil if the file is none. Plain text
// without marks of a program is left to Weft's own reader, which knows the
// names.
func (e *env) storedChat(path string, data []byte) (*chatFile, error) {
	src := format.Bytes(path, data).WithLimits(foreignLimits)
	in, err := src.Open()
	if err != nil {
		return nil, nil
	}
	d, err := format.Detect(all.Table(), in)
	if err != nil || d.Guess.Confidence < format.Likely || d.Codec.Info().Name == "text-log" {
		return nil, nil
	}
	if !d.Codec.Info().Chats {
		return nil, fail(ExitInput, "name it as a book, and a chat with --chat", "%s is not a chat but: %s", path, d.Codec.Info().Title)
	}
	doc, report, err := e.readForeign(src)
	if err != nil {
		return nil, err
	}
	out := &chatFile{findings: placed(report.Problems, path)}
	if len(doc.Chats) == 0 {
		return nil, fail(ExitInput, "", "%s (%s) holds no chat", path, d.Codec.Info().Title)
	}
	out.stored = doc.Chats[0]
	if n := len(doc.Chats); n > 1 {
		e.note("%s: %s holds %d chats; the first one is taken", e.opts.Name, path, n)
	}
	if out.messages = out.stored.Lines(); len(out.messages) == 0 {
		e.note("%s: the chat %s has no messages, so only constant entries can be active", e.opts.Name, path)
	}
	return out, nil
}

// speakerLine is a line of plain text that a name opens: up to four words, the
// first of which begins with a capital or a letter of a script without them.
var speakerLine = regexp.MustCompile(`(?m)^[ \t]*([\p{Lu}\p{Lt}\p{Lo}][\p{L}\p{M}\p{N}'’.-]*(?: [\p{L}\p{N}][\p{L}\p{M}\p{N}'’.-]*){0,3})(?::(?:[ \t\r]|$)|：)`)

// speakers guesses who speaks in a chat of plain text, the user first. A name
// counts if it opens the chat or several lines, or if nearly all lines are
// opened by names. Who spoke last waits for an answer, so that is the user,
// unless it is known better.
func speakers(text, user string) []string {
	const most = 1 << 20 // names show in the first part of a long chat
	text = text[:min(len(text), most)]
	if lead := strings.TrimLeft(text, " \t\r\n"); lead == "" || lead[0] == '{' || lead[0] == '[' || lead[0] == '"' {
		return []string{cmp.Or(user, "User")}
	}
	lines := 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	found := speakerLine.FindAllStringSubmatchIndex(text, -1)
	count := make(map[string]int)
	var order []string
	for _, m := range found {
		name := text[m[2]:m[3]]
		if count[name]++; count[name] == 1 {
			order = append(order, name)
		}
	}
	opened := len(found)*5 >= lines*4
	var names []string
	for _, name := range order {
		first := strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), name)
		if count[name] > 1 || first || opened {
			names = append(names, name)
		}
	}
	if user == "" {
		for _, name := range []string{"User", "You"} {
			if slices.Contains(names, name) {
				user = name
			}
		}
	}
	if user == "" && len(found) > 0 {
		last := found[len(found)-1]
		if name := text[last[2]:last[3]]; slices.Contains(names, name) {
			user = name
		}
	}
	user = cmp.Or(user, "User")
	return append([]string{user}, slices.DeleteFunc(names, func(n string) bool { return n == user })...)
}
