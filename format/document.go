package format

import "github.com/weft-memory/weft/lore"

// Document is what a source holds, in canonical form.
type Document struct {
	// Format is the name of the codec that read it; "" for documents made in
	// code.
	Format string

	Books      []*lore.Book
	Characters []*lore.Character
	Chats      []*lore.Chat
	Bindings   []lore.Binding
	Assets     []Asset

	// Input is what was read. A codec that writes its own format starts from
	// it. Nil for documents made in code.
	Input *Input
}

// Book returns the book with this id, or nil.
func (d *Document) Book(id string) *lore.Book {
	for _, b := range d.Books {
		if b.ID == id {
			return b
		}
	}
	return nil
}

// Asset is a file that comes with a card: a picture, a sound, a model.
type Asset struct {
	// Type and Name are what the card says of it: "icon", "main".
	Type, Name string
	// URI is the card's reference to it.
	URI string
	// Ext is the file extension without its dot.
	Ext string
	// Path is its place in the container; "" if it is not in there.
	Path string
	// Open returns its content, nil if it is not in the container. The content
	// is unpacked when it is asked for.
	Open func() ([]byte, error) `json:"-"`
}

// OutFile is a file that a codec wrote. Path is relative, with slashes.
type OutFile struct {
	Path string
	Data []byte
}

// Output is what a codec wrote: one file, or the files of a folder.
type Output struct {
	Files []OutFile
	// Folder says that the files belong into a folder of their own.
	Folder bool
}

// Bytes returns the content of the first file, nil if there is none.
func (o *Output) Bytes() []byte {
	if o == nil || len(o.Files) == 0 {
		return nil
	}
	return o.Files[0].Data
}

// SingleFile returns an output of one file.
func SingleFile(path string, data []byte) *Output {
	return &Output{Files: []OutFile{{Path: path, Data: data}}}
}
