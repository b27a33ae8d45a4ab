package app

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
)

// readChat reads the chat. The names that are known tell plain text what a
// speaker is, the user's first.
func (a *assembly) readChat(e *env, v vars) error {
	data, err := e.readInput(a.cmd.Chat, "chat", maxChatBytes)
	if err != nil {
		return err
	}
	if bytes.IndexByte(data[:min(len(data), headBytes)], 0) >= 0 && !bytes.HasPrefix(data, []byte("\xff\xfe")) && !bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return fail(ExitInput, "a chat is JSON, JSONL, or lines of the form Name: text", "%s is not a chat: it is a binary file", a.cmd.Chat)
	}
	user, char := cmp.Or(a.cmd.User, v.text("user", "name")), cmp.Or(a.cmd.Char, v.text("char", "name"))
	names := speakers(string(trimBOM(data)), user)
	if char != "" && !slices.Contains(names, char) {
		names = append(names, char)
	}
	messages, list := lore.ParseChat(a.cmd.Chat, data, names...)
	if len(messages) == 0 && list.HasErrors() {
		first := list.Errors()[0]
		return fail(ExitInput, cmp.Or(first.Hint, "a chat is JSON, JSONL, or lines of the form Name: text"),
			"%s is not a chat: %s", cmp.Or(first.Pos(), a.cmd.Chat), first.Message)
	}
	if len(messages) == 0 {
		e.note("%s: the chat %s has no messages, so only constant entries can be active", e.opts.Name, a.cmd.Chat)
	}
	a.messages = messages
	a.findings = append(a.findings, list...)
	return nil
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
