package world

import (
	"context"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

// nativeFormat is the name of Weft's own JSON books and bundles in reports.
const nativeFormat = "weft"

// read reads a file or folder: of another program, or one of Weft's own books
// as JSON or as a bundle.
func (s *Service) read(ctx context.Context, src format.Source, name string) (*format.Document, *format.Report, error) {
	switch name {
	case "":
	case nativeFormat:
		in, err := src.Open()
		if err != nil {
			return nil, nil, err
		}
		return native(in)
	default:
		return format.ReadAs(ctx, s.opts.Formats, src, name)
	}
	in, err := src.Open()
	if err != nil {
		return nil, nil, err
	}
	if in.Data != nil && lore.IsBundle(in.Data) {
		return native(in)
	}
	found, err := format.Detect(s.opts.Formats, in)
	if (err != nil || found.Guess.Confidence < format.Likely) && in.JSON().Get("entries").Exists() {
		return native(in)
	}
	return format.Read(ctx, s.opts.Formats, src)
}

// native reads one of Weft's own books.
func native(in *format.Input) (*format.Document, *format.Report, error) {
	report := &format.Report{From: nativeFormat}
	if lore.IsBundle(in.Data) {
		b, list := lore.FromBundle(in.Data)
		report.Problems = list
		if b == nil {
			return nil, report, list.Err()
		}
		return &format.Document{Books: []*lore.Book{b}}, report, nil
	}
	b, list := lore.ParseBook(in.Name, in.Data)
	report.Problems = list
	for _, d := range list {
		if d.Severity == diag.Error && lossy(d.Code) && len(b.Entries) == 0 {
			return nil, report, list.Err()
		}
	}
	return &format.Document{Books: []*lore.Book{b}}, report, nil
}
