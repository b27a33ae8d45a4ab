package narrator

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/sidecar"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

// moment is a scene with what is kept of it.
type moment struct {
	sidecar.Scene
	cast *cast
	// stamp is the same as long as the lore at the message is.
	stamp string
}

// anchorEvery is after how many messages the overview in prompts is made anew.
// Until then news is told behind it, and prompts begin alike.
const anchorEvery = 20

// moment reads the scene at a message; last bounds how many messages are read, 0
// is all.
func (s *Service) moment(ctx context.Context, worldID, conversation, node string, last int) (*moment, error) {
	who, err := s.cast(ctx, worldID, conversation, "")
	if err != nil {
		return nil, err
	}
	return s.momentOf(ctx, who, worldID, conversation, node, last)
}

// momentOf is moment for who takes part.
func (s *Service) momentOf(ctx context.Context, who *cast, worldID, conversation, node string, last int) (*moment, error) {
	path, err := s.worlds.Path(ctx, worldID, conversation, world.PathOptions{Node: node, Last: last})
	if err != nil {
		return nil, err
	}
	at := world.Place{Conversation: conversation, Node: node}
	l, err := s.worlds.Lore(ctx, worldID, at)
	if err != nil {
		return nil, err
	}
	m := &moment{cast: who, stamp: stampOf(l)}
	m.World, m.Conversation, m.View, m.Settings = worldID, conversation, l.View, who.sidecar.Settings
	m.User, m.Character = who.User, "Narrator"
	if who.speaker != nil {
		m.Character = who.speaker.CharName()
	}
	m.NewID = s.ids.New
	for _, n := range path {
		m.Messages = append(m.Messages, sidecar.Message{
			ID: n.ID, Role: n.Role, Name: n.Name, Text: n.Content, Hidden: n.Hidden, Edited: n.ShownAs != "",
		})
	}
	names := map[string]string{}
	for _, ref := range l.Books {
		names[ref.ID] = ref.ID
	}
	books, err := s.worlds.Books(ctx, worldID)
	if err != nil {
		return nil, err
	}
	for _, b := range books {
		if _, ok := names[b.ID]; ok && b.Name != "" {
			names[b.ID] = b.Name
		}
	}
	m.Books = who.sidecar.rights(names)
	m.Anchor = s.anchor(ctx, m, path)
	if n := len(path); n > 0 {
		if m.Retrieved, err = s.inPrompt(ctx, worldID, path[n-1].Node); err != nil {
			return nil, err
		}
	}
	m.Notebook, err = s.Notebook(ctx, worldID, conversation)
	return m, err
}

// stampOf tells lore from other lore at the same message: by the revisions of the
// books and the operations that count there.
func stampOf(l *world.Lore) string {
	var b strings.Builder
	for _, ref := range l.Books {
		fmt.Fprintf(&b, "%s@%d ", ref.ID, ref.Revision)
	}
	ops := l.Operations()
	fmt.Fprintf(&b, "%d", len(ops))
	if n := len(ops); n > 0 {
		fmt.Fprintf(&b, ":%d", ops[n-1].Seq)
	}
	return b.String()
}

// anchor is the lore at the last message whose number is a multiple of
// anchorEvery. Without it prompts only cost more, so errors are let go.
func (s *Service) anchor(ctx context.Context, m *moment, path []world.Turning) *memory.View {
	if len(path) == 0 {
		return nil
	}
	depth := path[len(path)-1].Depth
	back := int(depth) % anchorEvery
	if back >= len(path) {
		return nil
	}
	l, err := s.worlds.Lore(ctx, m.World, world.Place{Conversation: m.Conversation, Node: path[len(path)-1-back].ID})
	if err != nil {
		return nil
	}
	return l.View
}

// inPrompt returns the entries that stood in the prompt of a reply.
func (s *Service) inPrompt(ctx context.Context, worldID string, n store.Node) ([]memory.Ref, error) {
	if n.Role != lore.RoleAssistant {
		return nil, nil
	}
	a, err := s.worlds.Rederive(ctx, worldID, n.ID, 0)
	if world.KindOf(err) == store.NotFound {
		return nil, nil // it was not told here
	}
	if err != nil {
		return nil, err
	}
	var refs []memory.Ref
	for _, b := range a.Blocks {
		refs = append(refs, memory.Ref{Book: b.Book, Entry: b.Entry})
	}
	return refs, nil
}

// systemPrompt says who the narrator is: what the cards of the characters say.
func (c *cast) systemPrompt() string {
	user := cmp.Or(c.User, "User")
	fill := func(text, name string) string {
		return strings.NewReplacer("{{char}}", name, "{{Char}}", name, "<BOT>", name, "<bot>", name,
			"{{user}}", user, "{{User}}", user, "<USER>", user, "<user>", user).Replace(strings.TrimSpace(text))
	}
	var parts []string
	add := func(head, text, name string) {
		if text = fill(text, name); text != "" {
			if head != "" {
				text = head + ":\n" + text
			}
			parts = append(parts, text)
		}
	}
	name := "the narrator"
	if c.speaker != nil {
		name = c.speaker.CharName()
	}
	head := ""
	if c.speaker != nil {
		head = c.speaker.SystemPrompt
	}
	if head == "" {
		head = "You tell a story together with {{user}}. Write the next reply of {{char}} and of everybody but {{user}}. Stay true to what is established. Never speak or act for {{user}}."
	}
	add("", head, name)
	for _, ch := range c.characters {
		who := ch.CharName()
		add(who, ch.Description, who)
		add(who+"'s nature", ch.Personality, who)
	}
	scenario := c.Scenario
	if scenario == "" && c.speaker != nil {
		scenario = c.speaker.Scenario
	}
	add("Scenario", scenario, name)
	add(user, c.Persona, name)
	if c.speaker != nil {
		add("How "+name+" speaks", c.speaker.Examples, name)
	}
	return strings.Join(parts, "\n\n")
}
