package app

import (
	"fmt"
	"strings"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

// scene is what assemblies work on: the books that take part, and who is in it.
type scene struct {
	books   []*lore.Book
	index   *engine.Index
	entries int
	// vars hold char:name and user:name.
	vars vars
	// input has everything that follows from what was loaded; the settings of a
	// command are still to be added.
	input    engine.Input
	findings diag.List
}

// casting says who is in a scene.
type casting struct {
	// char and user are the names that flags give; "" means none.
	char, user string
	vars       vars
	// chat is the chat of a front end, nil for a bare list of messages.
	chat     *lore.Chat
	messages []lore.Message
}

// scene compiles the books that were loaded for the character that speaks:
// the one that is asked for, else the one that vars or the chat name, else the
// only one. Names come from flags, variables, the card, and the chat, in this
// order.
func (e *env) scene(l *loaded, c casting) (*scene, error) {
	if c.vars == nil {
		c.vars = make(vars)
	}
	s := &scene{vars: c.vars, findings: l.findings}
	c.chat = l.withChat(c.chat)
	who := l.speaker(c)
	if who == nil && c.char != "" && len(l.characters) > 0 {
		names := make([]string, len(l.characters))
		for i, x := range l.characters {
			names[i] = x.Name
		}
		s.findings = append(s.findings, diag.Diagnostic{
			Severity: diag.Warning, Code: "character-unknown", File: l.characters[0].Origin.Path,
			Message: fmt.Sprintf("no character is called %q, so the books of all characters take part", c.char),
			Hint:    "there are " + strings.Join(names, ", "),
		})
	}
	books, bindings := l.bind(who, c.chat)
	s.books = books
	segments := make([]*engine.Segment, len(books))
	for i, b := range books {
		var found diag.List
		segments[i], found = engine.Build(b, engine.BuildOptions{})
		s.findings = append(s.findings, unreported(found, l.findings)...)
		s.entries += segments[i].Len()
		if err := e.ctx.Err(); err != nil {
			return nil, err
		}
	}
	s.findings = s.findings.Sort()
	s.index = engine.NewIndex(segments...)
	s.input = engine.Input{
		Messages: c.messages, Vars: c.vars, Bindings: bindings, Sources: sources(who, c.chat),
		Character: engine.Character{Name: c.charName(who)}, User: c.userName(),
	}
	if who != nil {
		s.input.Character.File = who.ID
		s.input.Character.Tags = append([]string{}, who.Tags...)
	}
	if c.chat != nil && c.chat.Greeting != nil {
		s.input.Greeting = *c.chat.Greeting
	}
	c.vars.set("char", "name", s.input.Character.Name)
	c.vars.set("user", "name", s.input.User)
	return s, nil
}

// withChat adds the book that a chat holds itself, unless its file was named as
// a book too.
func (l *loaded) withChat(chat *lore.Chat) *lore.Chat {
	if chat == nil || chat.Lore == nil {
		return chat
	}
	x := *chat
	for _, b := range l.books {
		if o := b.Origin; o.Path != "" && o.Path == chat.Lore.Origin.Path && o.Pointer == chat.Lore.Origin.Pointer {
			x.Lore = b
			return &x
		}
	}
	l.add(&format.Document{Chats: []*lore.Chat{chat}})
	x.Lore = l.books[len(l.books)-1]
	return &x
}

// speaker returns the character that speaks; nil if there is none among those
// that were loaded.
func (l *loaded) speaker(c casting) *lore.Character {
	if c.char != "" {
		return l.character(c.char)
	}
	for _, name := range []string{c.vars.text("char", "name"), c.spoke(lore.RoleAssistant)} {
		if name == "" {
			continue
		}
		if who := l.character(name); who != nil {
			return who
		}
	}
	return l.character("")
}

// charName is what {{char}} stands for.
func (c casting) charName(who *lore.Character) string {
	if c.char != "" {
		if who != nil {
			return who.CharName()
		}
		return c.char
	}
	if name := c.vars.text("char", "name"); name != "" {
		return name
	}
	if who != nil && who.CharName() != "" {
		return who.CharName()
	}
	if name := c.spoke(lore.RoleAssistant); name != "" {
		return name
	}
	return "Character"
}

// userName is what {{user}} stands for.
func (c casting) userName() string {
	for _, name := range []string{c.user, c.vars.text("user", "name"), c.spoke(lore.RoleUser)} {
		if name != "" {
			return name
		}
	}
	return "User"
}

// spoke returns the name of who spoke last in a role, or whom the chat names.
func (c casting) spoke(role lore.Role) string {
	for i := len(c.messages) - 1; i >= 0; i-- {
		m := c.messages[i]
		if m.Name != "" && (m.Role == role || role == lore.RoleUser && m.Role == "") {
			return m.Name
		}
	}
	switch {
	case c.chat == nil:
	case role == lore.RoleUser:
		return c.chat.User
	case len(c.chat.Characters) > 0:
		return c.chat.Characters[0]
	}
	return ""
}
