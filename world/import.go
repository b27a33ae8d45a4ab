package world

import (
	"context"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/store"
)

// Import says how a file of another program is brought into a world.
type Import struct {
	// Format is the name of the format; "" finds it by the content.
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
// a message that a plain chat holds as such stays byte for byte.
func (s *Service) Import(ctx context.Context, world string, src format.Source, o Import) (Imported, error) {
	return Imported{}, errPending
}

// ImportDocument is Import for a document that was read before.
func (s *Service) ImportDocument(ctx context.Context, world string, doc *format.Document, o Import) (Imported, error) {
	return Imported{}, errPending
}

// ExportBook writes a book in a format.
func (s *Service) ExportBook(ctx context.Context, world, book, formatName string) (*format.Output, *format.Report, error) {
	return nil, nil, errPending
}

// ExportCharacter writes a character, with its book, in a format.
func (s *Service) ExportCharacter(ctx context.Context, world, character, formatName string) (*format.Output, *format.Report, error) {
	return nil, nil, errPending
}

// ExportConversation writes the path to the head of a conversation in a format,
// with the swipes of each message where the format has a place for them. In the
// format that it was imported from, what the file knew beside is written back.
func (s *Service) ExportConversation(ctx context.Context, world, conversation, formatName string) (*format.Output, *format.Report, error) {
	return nil, nil, errPending
}

// Formats returns the formats that can be imported and exported.
func (s *Service) Formats() []format.Info { return nil }
