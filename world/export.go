package world

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"slices"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/store"
)

// Formats returns the formats that can be imported and exported.
func (s *Service) Formats() []format.Info {
	codecs := s.opts.Formats.Codecs()
	out := make([]format.Info, len(codecs))
	for i, c := range codecs {
		out[i] = c.Info()
	}
	return out
}

// write writes a document in a format.
func (s *Service) write(ctx context.Context, doc *format.Document, name string) (*format.Output, *format.Report, error) {
	if s.opts.Formats.Codec(name) == nil {
		return nil, nil, store.Errorf(store.Invalid, "there is no format %q: there are %v", name, s.opts.Formats.Names())
	}
	out, report, err := format.Write(ctx, s.opts.Formats, doc, name)
	if err != nil && ctx.Err() == nil {
		err = &store.Error{Kind: store.Invalid, Message: "it cannot be written as " + name + ": " + err.Error(), Err: err}
	}
	return out, report, err
}

// ExportBook writes a book in a format; "weft" is Weft's own JSON.
func (s *Service) ExportBook(ctx context.Context, world, book, formatName string) (*format.Output, *format.Report, error) {
	_, b, err := s.Book(ctx, world, book, 0)
	if err != nil {
		return nil, nil, err
	}
	if formatName == nativeFormat {
		text, err := lore.MarshalBook(b)
		return format.SingleFile(book+".json", text), &format.Report{To: nativeFormat}, err
	}
	return s.write(ctx, &format.Document{Books: []*lore.Book{b.Clone()}}, formatName)
}

// ExportCharacter writes a character, with the book in its card, in a format.
func (s *Service) ExportCharacter(ctx context.Context, world, character, formatName string) (*format.Output, *format.Report, error) {
	doc, err := view(ctx, s, world, func(tx *txn) (*format.Document, error) {
		c, err := tx.Character(world, character)
		if err != nil {
			return nil, err
		}
		doc := &format.Document{Characters: []*lore.Character{c.Card}}
		if c.Card.Book == "" {
			return doc, nil
		}
		switch info, err := tx.book(c.Card.Book); {
		case store.KindOf(err) == store.NotFound:
			return doc, nil
		case err != nil:
			return nil, err
		default:
			b, err := tx.compiled(info.ID, info.Revision, info.Hash)
			if err != nil {
				return nil, err
			}
			doc.Books = []*lore.Book{b.book.Clone()}
			return doc, nil
		}
	})
	if err != nil {
		return nil, nil, err
	}
	return s.write(ctx, doc, formatName)
}

// ExportConversation writes the path to the head of a conversation in a format,
// with the swipes of each message where the format has a place for them. What
// the file that it was imported from knew beside is written back: in the same
// format byte for byte, where nothing changed.
func (s *Service) ExportConversation(ctx context.Context, world, conversation, formatName string) (*format.Output, *format.Report, error) {
	doc, err := view(ctx, s, world, func(tx *txn) (*format.Document, error) {
		c, err := tx.conversation(conversation)
		if err != nil {
			return nil, err
		}
		return tx.documentOf(c)
	})
	if err != nil {
		return nil, nil, err
	}
	return s.write(ctx, doc, formatName)
}

// source is the file that a conversation was imported from.
type source struct {
	Format string `json:"format"`
	Name   string `json:"name"`
	// Chat is the index of the chat in it, Data the file, compressed.
	Chat int    `json:"chat,omitempty"`
	Data []byte `json:"data"`
}

const (
	// settingSource is the name of the file among what is kept of a
	// conversation.
	settingSource = "source"
	// maxSource bounds a file that is kept, in bytes; of a larger one only the
	// messages are.
	maxSource = 64 << 20
)

// keepSource keeps the file that a conversation was imported from.
func (tx *txn) keepSource(conversation string, doc *format.Document, chat int) error {
	if doc.Input == nil || len(doc.Input.Data) == 0 || len(doc.Input.Data) > maxSource || doc.Format == "" {
		return nil
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(doc.Input.Data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	raw, err := json.Marshal(source{Format: doc.Format, Name: doc.Input.Name, Chat: chat, Data: b.Bytes()})
	if err != nil {
		return err
	}
	return tx.SetSetting(scopeConversation+conversation, settingSource, raw)
}

// sourceOf reads the file that a conversation was imported from again; nil if
// there is none.
func (tx *txn) sourceOf(conversation string) (*format.Document, int, error) {
	raw, err := tx.Setting(scopeConversation+conversation, settingSource)
	if store.KindOf(err) == store.NotFound {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	var src source
	if err := json.Unmarshal(raw, &src); err != nil {
		return nil, 0, err
	}
	z, err := gzip.NewReader(bytes.NewReader(src.Data))
	if err != nil {
		return nil, 0, err
	}
	data, err := io.ReadAll(io.LimitReader(z, maxSource+1))
	if err != nil {
		return nil, 0, err
	}
	doc, _, err := format.ReadAs(tx.ctx, tx.s.opts.Formats, format.Bytes(src.Name, data), src.Format)
	if err != nil || src.Chat >= len(doc.Chats) {
		return nil, 0, nil //nolint:nilerr // the format cannot read it any more: the messages are there
	}
	return doc, src.Chat, nil
}

// documentOf makes a document of what a conversation shows.
func (tx *txn) documentOf(c store.Conversation) (*format.Document, error) {
	nodes, err := tx.Path(c.Head, store.PathOptions{})
	if err != nil {
		return nil, err
	}
	doc, at, err := tx.sourceOf(c.ID)
	if err != nil {
		return nil, err
	}
	settings, err := tx.settings(c)
	if err != nil {
		return nil, err
	}
	if doc == nil {
		chat := &lore.Chat{ID: c.ID, Title: c.Title, User: settings.User, Note: settings.Note, Books: settings.Books}
		for _, id := range settings.Characters {
			who, err := tx.Character(tx.id, id)
			if store.KindOf(err) == store.NotFound {
				continue
			}
			if err != nil {
				return nil, err
			}
			chat.Characters = append(chat.Characters, who.Name)
		}
		doc, at = &format.Document{Chats: []*lore.Chat{chat}}, 0
	}
	chat := doc.Chats[at]
	was := make(map[string]*lore.ChatMessage, len(chat.Messages))
	for i := range chat.Messages {
		was[chat.Messages[i].Origin.Pointer+"\x00"+chat.Messages[i].ID] = &chat.Messages[i]
	}
	messages := make([]lore.ChatMessage, 0, len(nodes))
	for _, n := range nodes {
		m, err := tx.chatMessage(n, was)
		if err != nil {
			return nil, err
		}
		messages = append(messages, m)
	}
	chat.Messages = messages
	return doc, nil
}

// chatMessage makes a message of a chat, from what the file had if it is of one.
func (tx *txn) chatMessage(n store.Node, was map[string]*lore.ChatMessage) (lore.ChatMessage, error) {
	var known struct {
		Imported imported `json:"imported"`
	}
	if len(n.Ext) > 0 {
		if err := json.Unmarshal(n.Ext, &known); err != nil {
			known.Imported = imported{} // somebody else's
		}
	}
	own := n.ID
	if standsIn(n) {
		own = n.EditOf
	}
	texts, active, err := tx.variants(n, own)
	if err != nil {
		return lore.ChatMessage{}, err
	}
	m := lore.ChatMessage{
		ID: known.Imported.ID, Kind: known.Imported.Kind, Time: known.Imported.Time, Ext: known.Imported.Ext,
		Message: lore.Message{Role: n.Role, Name: n.Name, Content: n.Content, Hidden: n.Hidden},
	}
	if old := was[known.Imported.At+"\x00"+known.Imported.ID]; old != nil {
		m = *old
		m.Role, m.Name, m.Content, m.Hidden = n.Role, n.Name, n.Content, n.Hidden
		if old.Role == "" && n.Role == lore.RoleUser {
			m.Role = ""
		}
		if len(texts) == 1 && len(old.Variants) == 1 { // the file lists the only one
			m.Variants = []string{n.Content}
			return m, nil
		}
	}
	m.Variants, m.Active = nil, 0
	if len(texts) > 1 {
		m.Variants, m.Active = texts, active
	}
	return m, nil
}

// variants returns the texts that can be shown in the place of a message, and
// which one is.
func (tx *txn) variants(n store.Node, own string) (texts []string, active int, err error) {
	siblings, err := tx.Siblings(own)
	if err != nil {
		return nil, 0, err
	}
	for _, sib := range siblings {
		if sib.Role != n.Role || sib.Deleted || standsIn(sib) {
			continue
		}
		if sib.ID == own {
			active = len(texts)
			texts = append(texts, n.Content)
			continue
		}
		i := slices.IndexFunc(siblings, func(s store.Node) bool { return s.ID == sib.ShownAs })
		if sib.ShownAs != "" && i >= 0 {
			sib = siblings[i]
		}
		texts = append(texts, sib.Content)
	}
	return texts, active, nil
}
