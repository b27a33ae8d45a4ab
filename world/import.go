package world

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/store"
)

// Import says how a file of another program is brought into a world.
type Import struct {
	// Format is the name of the format, "weft" for Weft's own books; "" finds it
	// by the content.
	Format string
	// Replace saves books and characters under ids that are taken as new
	// revisions of those; otherwise they get ids of their own.
	Replace bool
	// Chats, Books, Characters restrict what is taken. All unset means all.
	Chats, Books, Characters bool
	// Settings are given to conversations that are made.
	Settings Settings
	// External is the external id of the conversation, for a file with one chat.
	External string
}

// Imported says what was brought in.
type Imported struct {
	Books         []SavedBook
	Characters    []store.Character
	Conversations []store.Conversation
	// Bindings says how many bindings were set.
	Bindings int
	// IDs maps the ids of books in the file to those they got, where these
	// differ.
	IDs map[string]string
	// Report is what the reader says of the file.
	Report *format.Report
}

// Import brings the books, characters and chats of a file of another program
// into a world, all or nothing. A chat becomes a conversation with its swipes;
// every text stays byte for byte.
func (s *Service) Import(ctx context.Context, world string, src format.Source, o Import) (Imported, error) {
	doc, report, err := s.read(ctx, src, o.Format)
	if err != nil {
		if ctx.Err() != nil {
			return Imported{}, ctx.Err()
		}
		var unknown *format.UnknownFormatError
		if errors.As(err, &unknown) {
			return Imported{Report: report}, err
		}
		return Imported{Report: report}, &store.Error{Kind: Unreadable, Message: fmt.Sprintf("%s cannot be read: %v", src.Name(), err), Err: err}
	}
	in, err := s.importDocument(ctx, world, doc, report, o)
	in.Report = report
	return in, err
}

// ImportDocument is Import for a document that was read before.
func (s *Service) ImportDocument(ctx context.Context, world string, doc *format.Document, o Import) (Imported, error) {
	return s.importDocument(ctx, world, doc, nil, o)
}

// importDocument makes the report a part of the answer that is kept for a
// repeated request.
func (s *Service) importDocument(ctx context.Context, world string, doc *format.Document, report *format.Report, o Import) (Imported, error) {
	if err := o.Settings.check(); err != nil {
		return Imported{}, err
	}
	if !o.Chats && !o.Books && !o.Characters {
		o.Chats, o.Books, o.Characters = true, true, true
	}
	if o.External != "" && len(doc.Chats) != 1 {
		return Imported{}, store.Errorf(store.Invalid, "an external id is for a file with one chat, and this one has %d", len(doc.Chats))
	}
	return update(ctx, s, world, func(tx *txn) (Imported, error) {
		m := &importer{tx: tx, o: o, doc: doc, out: Imported{IDs: map[string]string{}, Report: report}}
		for _, step := range []func() error{m.books, m.characters, m.bindings, m.chats} {
			if err := step(); err != nil {
				return Imported{}, err
			}
		}
		return m.out, nil
	})
}

// importer brings a document into a world.
type importer struct {
	tx  *txn
	o   Import
	doc *format.Document
	out Imported
}

func (m *importer) books() error {
	if !m.o.Books {
		return nil
	}
	for _, b := range m.doc.Books {
		if _, err := m.book(b); err != nil {
			return err
		}
	}
	return nil
}

// book saves a book under an id that is free, and returns that.
func (m *importer) book(b *lore.Book) (string, error) {
	book := *b
	book.ID = strings.TrimLeft(strings.TrimSpace(b.ID), "~")
	if book.ID == "" {
		book.ID = "book"
	}
	base := book.ID
	for n := 2; !m.o.Replace; n++ {
		_, err := m.tx.Book(m.tx.id, book.ID)
		if store.KindOf(err) == store.NotFound {
			break
		}
		if err != nil {
			return "", err
		}
		book.ID = fmt.Sprintf("%s-%d", base, n)
	}
	if book.ID != b.ID {
		m.out.IDs[b.ID] = book.ID
	}
	note := "imported"
	if m.doc.Format != "" {
		note += " from " + m.doc.Format
	}
	saved, err := m.tx.saveBook(&book, SaveBook{Note: note})
	if err != nil {
		return "", err
	}
	saved.Findings = lore.Validate(&book)
	m.out.Books = append(m.out.Books, saved)
	return book.ID, nil
}

// renamed returns the ids that books got.
func (m *importer) renamed(names []string) []string {
	out := make([]string, 0, len(names))
	for _, name := range names {
		if name == "" {
			continue
		}
		for _, b := range m.doc.Books { // bindings name books by their file, or by their title
			if b.Name == name {
				name = b.ID
				break
			}
		}
		if id, ok := m.out.IDs[name]; ok {
			name = id
		}
		out = append(out, name)
	}
	return out
}

func (m *importer) characters() error {
	if !m.o.Characters {
		return nil
	}
	for _, c := range m.doc.Characters {
		who := *c
		who.Books = m.renamed(c.Books)
		if id, ok := m.out.IDs[c.Book]; ok {
			who.Book = id
		}
		base := who.ID
		for n := 2; !m.o.Replace && base != ""; n++ {
			_, err := m.tx.Character(m.tx.id, who.ID)
			if store.KindOf(err) == store.NotFound {
				break
			}
			if err != nil {
				return err
			}
			who.ID = fmt.Sprintf("%s-%d", base, n)
		}
		saved, err := m.tx.saveCharacter(&who, 0)
		if err != nil {
			return err
		}
		m.out.Characters = append(m.out.Characters, saved)
		books := slices.DeleteFunc(append([]string{who.Book}, who.Books...), func(id string) bool { return id == "" })
		if len(books) == 0 {
			continue
		}
		if err := m.tx.setBinding(lore.Binding{Scope: lore.ScopeCharacter, Name: saved.ID, Books: books}); err != nil {
			return err
		}
		m.out.Bindings++
	}
	return nil
}

func (m *importer) bindings() error {
	if !m.o.Books {
		return nil
	}
	for _, b := range m.doc.Bindings {
		if b.Scope == lore.ScopeChat {
			continue // it names a chat of the other program; chats bring their own
		}
		b.Books = m.renamed(b.Books)
		b.Origin = lore.Origin{}
		if len(b.Books) == 0 {
			continue
		}
		if b.Scope == lore.ScopeCharacter {
			for _, c := range m.out.Characters {
				if strings.EqualFold(c.Name, b.Name) {
					b.Name = c.ID
					b.Books = append(b.Books, slices.DeleteFunc(append([]string{c.Card.Book}, c.Card.Books...), func(id string) bool {
						return id == "" || slices.Contains(b.Books, id)
					})...)
				}
			}
		}
		if err := m.tx.setBinding(b); err != nil {
			return err
		}
		m.out.Bindings++
	}
	return nil
}

func (m *importer) chats() error {
	if !m.o.Chats {
		return nil
	}
	for i, c := range m.doc.Chats {
		if err := m.chat(i, c); err != nil {
			return err
		}
	}
	return nil
}

// imported is what a message knows of the file that it came from.
type imported struct {
	// At is its place in the file, Kind, Time and ID are what the file says.
	At   string                     `json:"at,omitempty"`
	Kind string                     `json:"kind,omitempty"`
	Time string                     `json:"time,omitempty"`
	ID   string                     `json:"id,omitempty"`
	Ext  map[string]json.RawMessage `json:"ext,omitempty"`
}

// extImported is the member of a node's Ext that holds it.
const extImported = "imported"

func (m *importer) chat(i int, chat *lore.Chat) error {
	tx := m.tx
	set := m.o.Settings
	pick(&set.User, chat.User)
	pick(&set.Note, chat.Note)
	if chat.Greeting != nil && set.Greeting == 0 {
		set.Greeting = *chat.Greeting
	}
	if len(set.Characters) == 0 {
		who, err := tx.charactersNamed(chat.Characters)
		if err != nil {
			return err
		}
		set.Characters = who
	}
	if len(chat.Books) > 0 {
		set.Books = append(slices.Clone(set.Books), m.renamed(chat.Books)...)
	}
	if chat.Lore != nil {
		id, err := m.book(chat.Lore)
		if err != nil {
			return err
		}
		set.Books = append(slices.Clone(set.Books), id)
	}
	if len(chat.Variables) > 0 {
		raw, err := json.Marshal(chat.Variables)
		if err != nil {
			return err
		}
		set.Extra = map[string]json.RawMessage{"variables": raw}
	}
	title := chat.Title
	if title == "" {
		title = chat.ID
	}
	c, err := tx.createConversation(NewConversation{Title: title, External: m.o.External, Settings: set})
	if err != nil {
		return err
	}
	if chat.Lore != nil {
		if err := tx.setBinding(lore.Binding{Scope: lore.ScopeChat, Name: c.ID, Books: set.Books}); err != nil {
			return err
		}
	}
	nodes, head, err := tx.nodesOf(c, chat)
	if err != nil {
		return err
	}
	if len(nodes) > 0 {
		if nodes, err = tx.AppendNodes(nodes); err != nil {
			return err
		}
		at := slices.IndexFunc(nodes, func(n store.Node) bool { return n.ID == head })
		if c, err = tx.extended(c, nodes[at:at+1], ""); err != nil {
			return err
		}
	}
	if err := tx.keepSource(c.ID, m.doc, i); err != nil {
		return err
	}
	if c, err = tx.Conversation(c.ID); err != nil {
		return err
	}
	m.out.Conversations = append(m.out.Conversations, c)
	return nil
}

// charactersNamed returns the ids of the characters with these names.
func (tx *txn) charactersNamed(names []string) (ids []string, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	byName := map[string]string{}
	for p := (store.Page{Limit: 1000}); ; {
		list, next, err := tx.Characters(tx.id, p)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			byName[strings.ToLower(c.Name)] = c.ID
		}
		if p.Cursor = next; next == "" {
			break
		}
	}
	for _, name := range names {
		if id := byName[strings.ToLower(name)]; id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// nodesOf makes the nodes of a chat: the variants of each message are siblings,
// and the shown one is followed by the next message.
func (tx *txn) nodesOf(c store.Conversation, chat *lore.Chat) (nodes []store.Node, head string, err error) {
	for i, m := range chat.Messages {
		texts, active := m.Variants, m.Active
		if len(texts) == 0 || active < 0 || active >= len(texts) {
			texts, active = []string{m.Content}, 0
		}
		ext, err := json.Marshal(map[string]imported{extImported: {At: m.Origin.Pointer, Kind: m.Kind, Time: m.Time, ID: m.ID, Ext: m.Ext}})
		if err != nil {
			return nil, "", err
		}
		parent := head
		for k, text := range texts {
			n := store.Node{
				ID: tx.NewID(), World: tx.id, Conversation: c.ID, Parent: parent, Role: m.Role, Name: m.Name, Content: text, Hidden: m.Hidden,
			}
			if n.Role == "" {
				n.Role = lore.RoleUser
			}
			if i == 0 && n.Role == lore.RoleAssistant {
				n.Kind = store.NodeGreeting
			}
			if k == active {
				n.Content, n.Ext, head = m.Content, ext, n.ID
			}
			nodes = append(nodes, n)
		}
	}
	return nodes, head, nil
}
