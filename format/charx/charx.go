// Package charx reads and writes CHARX files: a zip archive with a V3 card in
// card.json and the card's assets beside it.
//
// The archive may stand behind something else, as behind the JPEG picture that
// RisuAI puts in front. An edit changes card.json; every other member, its
// order, method and time, stays byte for byte. A module.risum, RisuAI's own and
// packed in a way of its own, is kept and reported: where it is there, RisuAI
// takes its book from it and not from the card.
package charx

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/card"
	"github.com/weft-memory/weft/format/internal/zipedit"
	"github.com/weft-memory/weft/weaver/diag"
)

// Name is the name of the format.
const Name = "charx"

const cardName = "card.json"

// Codec returns the codec.
func Codec() format.Codec { return codec{} }

type codec struct{}

var (
	_ format.Codec   = codec{}
	_ card.Container = codec{}
)

func (codec) Info() format.Info {
	return format.Info{
		Name: Name, Title: "CHARX card (zip)", Extensions: []string{".charx"},
		Books: true, Characters: true, Carries: true,
	}
}

func (codec) Sniff(in *format.Input) format.Guess {
	if len(in.Data) == 0 || !zipedit.IsZip(in.Data) {
		return format.Guess{}
	}
	a, err := zipedit.Open(in.Data, in.Limits)
	switch {
	case err != nil:
		if bytes.Contains(in.Data, []byte(cardName)) {
			return format.Guessf(format.Likely, "a zip archive that names %s", cardName)
		}
		return format.Guess{}
	case a.Has(cardName) || a.Skipped[cardName] != "":
		return format.Guessf(format.Certain, "a zip archive with %s", cardName)
	}
	return format.Guess{}
}

// Explain says why a zip archive holds no card.
func (codec) Explain(in *format.Input) error {
	if !bytes.HasPrefix(in.Data, []byte("PK\x03\x04")) && (len(in.Data) == 0 || !zipedit.IsZip(in.Data)) {
		return nil
	}
	a, err := zipedit.Open(in.Data, in.Limits)
	if err != nil {
		return fmt.Errorf("%w (is the file cut off?)", err)
	}
	return fmt.Errorf("the zip archive holds none: its members are %.200q", strings.Join(a.Names(), ", "))
}

func (codec) Read(_ context.Context, in *format.Input) (*format.Document, *format.Report, error) {
	report := &format.Report{}
	a, inner, err := open(in)
	if err != nil {
		return nil, report, err
	}
	root, err := format.ReadJSON(inner, report)
	if err != nil {
		return nil, report, fmt.Errorf("%s: %w", cardName, err)
	}
	doc := &format.Document{Format: Name, Input: in}
	if err := card.ReadInto(doc, report, inner, root); err != nil {
		return nil, report, err
	}
	warn := func(code, format string, args ...any) {
		report.Problem(diag.Diagnostic{Severity: diag.Warning, Code: code, File: in.Name, Message: fmt.Sprintf(format, args...)})
	}
	for name, why := range a.Skipped {
		warn("unsafe-member", "the member %q is left alone: %s", name, why)
	}
	if a.Has("module.risum") {
		warn("risu-module", "module.risum is kept but not read: RisuAI takes the book from it and not from the card")
	}
	addAssets(doc, a, warn)
	return doc, report, nil
}

// open opens the archive and the card in it.
func open(in *format.Input) (*zipedit.Archive, *format.Input, error) {
	a, err := zipedit.Open(in.Data, in.Limits)
	if err != nil {
		return nil, nil, err
	}
	data, err := a.Read(cardName)
	if err != nil {
		return nil, nil, err
	}
	inner, err := format.Bytes(in.Name, data).WithLimits(in.Limits).Open()
	return a, inner, err
}

// addAssets ties the assets of the card to the members of the archive.
func addAssets(doc *format.Document, a *zipedit.Archive, warn func(code, format string, args ...any)) {
	named := map[string]bool{cardName: true}
	for i := range doc.Assets {
		asset := &doc.Assets[i]
		for _, scheme := range []string{"embeded://", "embedded://"} {
			name, ok := strings.CutPrefix(asset.URI, scheme)
			if !ok {
				continue
			}
			named[name] = true
			if !a.Has(name) {
				warn("missing-asset", "the card names the asset %q, which is not in the archive", name)
				continue
			}
			asset.Path, asset.Open = name, func() ([]byte, error) { return a.Read(name) }
		}
	}
	for _, name := range a.Names() {
		if !named[name] {
			doc.Assets = append(doc.Assets, format.Asset{
				Type: "other", Name: path.Base(name), Ext: strings.TrimPrefix(path.Ext(name), "."), Path: name,
				Open: func() ([]byte, error) { return a.Read(name) },
			})
		}
	}
}

func (codec) Write(_ context.Context, doc *format.Document, opts format.WriteOptions) (*format.Output, *format.Report, error) {
	report := &format.Report{}
	format.ReportNoPlace(report, doc, codec{}.Info())
	c, b := card.Parts(report, doc)
	name := opts.Name
	if name == "" {
		name = c.ID
	}
	out := format.SafeName(name) + ".charx"
	w := format.NewWriter(report, opts)
	if in := doc.Input; in != nil && doc.Format == Name {
		a, inner, err := open(in)
		if err != nil {
			return nil, report, err
		}
		d, err := inner.Doc()
		if err != nil {
			return nil, report, err
		}
		edit := d.Edit()
		card.Splice(w, edit, inner.JSON(), c, b)
		if !edit.Changed() {
			return format.SingleFile(out, in.Data), report, nil
		}
		data, err := a.Replace(map[string][]byte{cardName: inner.Encode(edit.Bytes())})
		return format.SingleFile(out, data), report, err
	}
	t, ok, err := card.Take(w, doc, opts, c, b)
	if err != nil {
		return nil, report, err
	}
	var data []byte
	if ok {
		data, err = carryOver(w, doc, t, c, b)
	} else {
		tree, style := card.New(w, c, b, 3)
		data, err = create(report, doc, tree, style)
	}
	return format.SingleFile(out, data), report, err
}

// Card returns card.json.
func (codec) Card(in *format.Input) (*format.Input, error) {
	_, inner, err := open(in)
	return inner, err
}
