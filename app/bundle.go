package app

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

type bundleCmd struct {
	Book string `arg:"" optional:"" help:"The book to pack; with --unpack, the bundle or image to take apart."`

	PNG    string `name:"png" placeholder:"IMAGE" help:"Put the bundle into this PNG image (with --out: into a copy of it); with --unpack, take it out of the image."`
	Out    string `short:"o" placeholder:"FILE" help:"Where to write. Default: the name of the book with .weft, or the image itself. - is standard output."`
	Unpack string `placeholder:"DIR" help:"Write the book in a bundle or image as a folder of .weaver files."`
	JSON   bool   `name:"json" help:"Write a JSON book that people can read, instead of a bundle."`
}

// Help is shown by --help.
func (bundleCmd) Help() string {
	return `A bundle is a whole book in one file, for databases and for character images. Unpacking gives the files byte for byte as they were packed. All commands read bundles, and images with one, wherever they take a book.

Examples:

    weft bundle my_world
    weft bundle my_world --png portrait.png --out portrait_with_lore.png
    weft bundle portrait_with_lore.png --unpack my_world_copy
    weft bundle my_world --json --out my_world.json`
}

// Run packs or unpacks.
func (c bundleCmd) Run(e *env) error {
	if c.Unpack != "" {
		return c.unpack(e)
	}
	if c.Book == "" {
		return fail(ExitUsage, fmt.Sprintf("%s bundle my_world packs a folder; --unpack DIR takes a bundle apart", e.opts.Name), "no book is given")
	}
	if c.JSON && c.PNG != "" {
		return fail(ExitUsage, "", "give only one of --json and --png")
	}
	data, name, err := c.pack(e)
	if err != nil {
		return err
	}
	out := c.Out
	if c.PNG != "" {
		image, err := e.readInput(c.PNG, "image", maxBookBytes)
		if err != nil {
			return err
		}
		if data, err = lore.WriteBundlePNG(image, data); err != nil {
			return fail(ExitInput, "a PNG image is needed; save it as one", "%s: %w", c.PNG, err)
		}
		if out == "" {
			out = c.PNG
		}
	}
	if out == "" {
		out = name + ".weft"
		if c.JSON {
			out = name + ".json"
		}
	}
	if out == "-" {
		return e.print(string(data))
	}
	if err := writeFile(out, data); err != nil {
		return err
	}
	return e.print(fmt.Sprintf("%s: %s\n", out, plural(len(data), "byte")))
}

// pack reads the book and packs it.
func (c bundleCmd) pack(e *env) (data []byte, name string, err error) {
	var list diag.List
	var book *lore.Book
	info, serr := os.Stat(c.Book)
	if serr == nil && info.IsDir() && isBookFolder(c.Book) {
		dir, found, err := lore.LoadDir(e.ctx, c.Book)
		if err != nil {
			return nil, "", cannotRead(c.Book, "book", err)
		}
		book, list = dir.Book(), found
		if !c.JSON {
			// Files that cannot be read travel too.
			if data, err = dir.Bundle(); err != nil {
				return nil, "", fail(ExitInput, "", "%w", err)
			}
		}
	} else {
		in, err := e.open(c.Book)
		if err != nil {
			return nil, "", err
		}
		doc := in.doc
		if len(doc.Books) == 0 {
			return nil, "", fail(ExitInput, "", "%s is not a book: %s", c.Book, in.title)
		}
		if len(doc.Books) > 1 {
			return nil, "", fail(ExitUsage, "name one of them", "%s holds %s; a bundle holds one", c.Book, plural(len(doc.Books), "book"))
		}
		if n := len(doc.Characters); n > 0 {
			e.note("%s: a bundle is of the book alone: %s of %s stays behind", e.opts.Name, plural(n, "character"), c.Book)
		}
		book, list = doc.Books[0], in.report.Problems
		if doc.Format != "" {
			// Foreign data travels as in a folder.
			dir, err := e.asDir(doc, book)
			if err != nil {
				return nil, "", err
			}
			book = dir.Book()
			if !c.JSON {
				if data, err = dir.Bundle(); err != nil {
					return nil, "", fail(ExitInput, "", "%w", err)
				}
			}
		} else if !c.JSON {
			if data, err = lore.ToBundle(book); err != nil {
				return nil, "", fail(ExitInput, "", "%w", err)
			}
		}
	}
	if c.JSON {
		if data, err = lore.MarshalBook(book); err != nil {
			return nil, "", fail(ExitInput, "", "%w", err)
		}
		data = append(bytes.TrimRight(data, "\n"), '\n')
	}
	if len(list) > 0 {
		e.errPrint(e.err.findings(list.Sort(), e.sources()))
	}
	name = book.ID
	if name == "" || filepath.Base(name) != name {
		name = baseName(c.Book)
	}
	return data, name, nil
}

// asDir is asFolder for what works on a [lore.Dir].
func (e *env) asDir(doc *format.Document, b *lore.Book) (*lore.Dir, error) {
	files, _, err := e.asFolder(doc, b)
	if err != nil {
		return nil, fail(ExitInput, "", "%w", err)
	}
	archive, err := zipOf(files)
	if err != nil {
		return nil, fail(ExitInternal, "", "%w", err)
	}
	fsys, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, fail(ExitInternal, "", "%w", err)
	}
	dir, _, err := lore.LoadFS(e.ctx, fsys, b.ID)
	if err != nil {
		return nil, fail(ExitInput, "", "%w", err)
	}
	return dir, nil
}

// unpack writes the book in a bundle as a folder.
func (c bundleCmd) unpack(e *env) error {
	from := c.Book
	if c.PNG != "" {
		if from != "" {
			return fail(ExitUsage, "", "with --unpack give either a bundle or --png, not both")
		}
		from = c.PNG
	}
	if from == "" {
		return fail(ExitUsage, "name the bundle or image to take apart", "no bundle is given")
	}
	data, err := e.readInput(from, "bundle", maxBookBytes)
	if err != nil {
		return err
	}
	var list diag.List
	if bytes.HasPrefix(data, []byte(pngMagic)) || c.PNG != "" {
		if data, list = lore.ReadBundlePNG(data); data == nil {
			return bundleError(from, list)
		}
	}
	dir, found := lore.DirFromBundle(data)
	list = append(list, found...)
	if len(dir.Files) == 0 {
		if list.HasErrors() {
			return bundleError(from, list)
		}
		return fail(ExitInput, "", "%s: the bundle holds no entries", from)
	}
	for i := range list {
		if list[i].File == "" {
			list[i].File = from
		}
	}
	if len(list) > 0 {
		e.errPrint(e.err.findings(list, e.sources()))
	}
	if old, err := os.ReadDir(c.Unpack); err == nil && len(old) > 0 {
		return fail(ExitOutput, "choose a folder that is not there, or an empty one", "the folder %s is not empty", c.Unpack)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return cannotWrite(c.Unpack, err)
	}
	written, err := dir.Save(e.ctx, c.Unpack)
	if err != nil {
		if e.ctx.Err() != nil {
			return e.ctx.Err()
		}
		return cannotWrite(c.Unpack, err)
	}
	return e.print(fmt.Sprintf("%s: %s\n", c.Unpack, plural(len(written), "file")))
}

const pngMagic = "\x89PNG\r\n\x1a\n"

// bundleError turns the findings about something that is no bundle into an
// error.
func bundleError(path string, list diag.List) error {
	errs := list.Errors()
	if len(errs) == 0 {
		return fail(ExitInput, "", "%s holds no book", path)
	}
	return fail(ExitInput, errs[0].Hint, "%s: %s", path, errs[0].Message)
}

// pngReader reads an image with a bundle in it.
type pngReader struct{}

func (pngReader) Name() string { return "png" }

func (pngReader) Detect(_ string, head []byte) bool { return bytes.HasPrefix(head, []byte(pngMagic)) }

func (pngReader) Read(ctx context.Context, path string, data []byte) ([]*lore.Book, diag.List, error) {
	bundle, list := lore.ReadBundlePNG(data)
	if bundle == nil {
		if len(list.Errors()) == 0 || strings.Contains(list.Errors()[0].Message, "no bundle") {
			return nil, nil, fail(ExitInput, "a card or a bundle goes into an image with weft export --to card_png, or weft bundle --png", "%s is not a book: %s", path, describe(path, data))
		}
		return nil, nil, bundleError(path, list)
	}
	books, more, err := bundleReader{}.Read(ctx, path, bundle)
	return books, append(list, more...), err
}

// bundleReader reads a bundle.
type bundleReader struct{}

func (bundleReader) Name() string { return "bundle" }

func (bundleReader) Detect(_ string, head []byte) bool { return lore.IsBundle(head) }

func (bundleReader) Read(_ context.Context, path string, data []byte) ([]*lore.Book, diag.List, error) {
	book, list := lore.FromBundle(data)
	if len(book.Entries) == 0 && list.HasErrors() {
		return nil, nil, bundleError(path, list)
	}
	if book.ID == "" {
		book.ID = baseName(path)
	}
	for i := range list {
		if list[i].File == "" {
			list[i].File = path
		}
	}
	return []*lore.Book{book}, list, nil
}

var (
	_ Reader = pngReader{}
	_ Reader = bundleReader{}
	_ Reader = entryReader{}
	_ Reader = jsonReader{}
)
