package format

import (
	"context"
	"errors"
	"fmt"
)

// Detection is the result of [Detect].
type Detection struct {
	Codec Codec
	Guess Guess
	// Others are the codecs that were as sure as the chosen one.
	Others []Codec
	// Input is the input as the codec has to see it: unwrapped, if the file is
	// a list around one book.
	Input *Input
}

// Detect finds the codec for an input: the surest one, and of several that are
// equally sure the first of the table. The error is an *[UnknownFormatError]
// if none fits.
func Detect(table *Table, in *Input) (*Detection, error) {
	best := ask(table, in)
	if best.Guess.Confidence < Likely {
		// Some exporters wrap a book into a list.
		if inner, ok := in.unwrap(); ok {
			if d := ask(table, inner); d.Guess.Confidence > best.Guess.Confidence {
				d.Guess.Reason += ", inside a list"
				best = d
			}
		}
	}
	if best.Codec == nil {
		e := &UnknownFormatError{Name: in.Name, Known: table.Names()}
		if _, err := in.Doc(); err != nil && !errors.Is(err, ErrNotJSON) {
			e.Cause = fmt.Errorf("the JSON cannot be read: %w", err)
		}
		for _, c := range table.codecs {
			if x, ok := c.(Explainer); ok && e.Cause == nil {
				e.Cause = x.Explain(in)
			}
		}
		return nil, e
	}
	return best, nil
}

func ask(table *Table, in *Input) *Detection {
	best := &Detection{Input: in}
	for _, c := range table.codecs {
		g := c.Sniff(in)
		switch {
		case g.Confidence == No:
		case g.Confidence > best.Guess.Confidence:
			best.Codec, best.Guess, best.Others = c, g, nil
		case g.Confidence == best.Guess.Confidence:
			best.Others = append(best.Others, c)
		}
	}
	return best
}

// Read reads a source with the codec that its content calls for. If several
// fit equally well, the first one reads and the report lists the others.
func Read(ctx context.Context, table *Table, src Source) (*Document, *Report, error) {
	in, err := src.Open()
	if err != nil {
		return nil, nil, err
	}
	d, err := Detect(table, in)
	if err != nil {
		return nil, nil, err
	}
	doc, report, err := d.Codec.Read(ctx, d.Input)
	if err != nil {
		return nil, report, fmt.Errorf("%s: reading as %s: %w", src.Name(), d.Codec.Info().Name, err)
	}
	report.From, report.Reason = doc.Format, d.Guess.Reason
	for _, o := range d.Others {
		report.Ambiguous = append(report.Ambiguous, o.Info().Name)
	}
	return doc, report, nil
}

// ReadAs reads a source with the named codec, whatever the content looks like.
func ReadAs(ctx context.Context, table *Table, src Source, name string) (*Document, *Report, error) {
	c := table.Codec(name)
	if c == nil {
		return nil, nil, unknownName(table, name)
	}
	in, err := src.Open()
	if err != nil {
		return nil, nil, err
	}
	if c.Sniff(in).Confidence == No {
		if inner, ok := in.unwrap(); ok && c.Sniff(inner).Confidence > No {
			in = inner
		}
	}
	doc, report, err := c.Read(ctx, in)
	if err != nil {
		return nil, report, fmt.Errorf("%s: reading as %s: %w", src.Name(), name, err)
	}
	report.From = doc.Format
	return doc, report, nil
}

// Write writes a document in the named format: from its own bytes if it was
// read in that format, converted otherwise.
func Write(ctx context.Context, table *Table, doc *Document, name string) (*Output, *Report, error) {
	c := table.Codec(name)
	if c == nil {
		return nil, nil, unknownName(table, name)
	}
	out, report, err := c.Write(ctx, doc, WriteOptions{Table: table, from: doc.Input})
	if report != nil {
		report.From, report.To = doc.Format, name
	}
	if err != nil {
		return nil, report, fmt.Errorf("writing as %s: %w", name, err)
	}
	return out, report, nil
}

// Convert reads a source and writes it in the named format. The report holds
// the findings of both.
func Convert(ctx context.Context, table *Table, src Source, name string) (*Output, *Report, error) {
	doc, read, err := Read(ctx, table, src)
	if err != nil {
		return nil, read, err
	}
	out, report, err := Write(ctx, table, doc, name)
	if report == nil {
		return out, read, err
	}
	report.Problems = append(read.Problems, report.Problems...)
	report.Ambiguous, report.Reason = read.Ambiguous, read.Reason
	return out, report, err
}

func unknownName(table *Table, name string) error {
	return fmt.Errorf("no format is called %q; known are %v", name, table.Names())
}
