package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/weft-memory/weft/internal/sse"
)

// Piece is a part of an answer as it comes: the data of an event of a stream, or
// JSON.
type Piece struct {
	// Name is that of the event, where events have names.
	Name string
	Data []byte
	// Whole is true if the piece is the first JSON of a body that is no stream
	// of events.
	Whole bool
}

// ErrNotAPiece is what a reader of pieces returns for one that it cannot read.
var ErrNotAPiece = errors.New("a piece of the answer cannot be read")

// ReadPieces calls f for each piece of a body. Whatever was asked for, the body
// may be a stream of events, one JSON value, or one after the other; only its
// first byte tells. A few pieces that cannot be read are passed over.
//
// f returns io.EOF at the end of the answer. If the body ends before that,
// ReadPieces returns io.ErrUnexpectedEOF, also if all pieces were well: only the
// protocol knows what its end is.
func ReadPieces(body io.Reader, a *Assembler, f func(Piece) error) error {
	in := bufio.NewReaderSize(body, 8<<10)
	first, err := firstByte(in)
	if err != nil {
		if err == io.EOF {
			return Wrapped(KindAnswer, "the answer is empty", nil)
		}
		return err
	}
	bad := 0
	call := func(p Piece) error {
		err := f(p)
		if a.Stopped() {
			return io.EOF
		}
		if !errors.Is(err, ErrNotAPiece) {
			return err
		}
		a.Note("piece that cannot be read")
		if bad++; bad > 20 {
			return Wrapped(KindAnswer, "too many pieces of the answer cannot be read", nil)
		}
		return nil
	}
	switch first {
	case '{', '[':
		return readJSON(in, call)
	case '<':
		page, _ := io.ReadAll(io.LimitReader(in, 16<<10))
		return pageError(page)
	}
	return readEvents(in, call)
}

// firstByte looks for the first byte that is not white space, nor a mark of byte
// order.
func firstByte(in *bufio.Reader) (byte, error) {
	for {
		b, err := in.ReadByte()
		if err != nil {
			return 0, err
		}
		switch b {
		case ' ', '\t', '\r', '\n', 0xef, 0xbb, 0xbf:
			continue
		}
		return b, in.UnreadByte()
	}
}

func readEvents(in io.Reader, f func(Piece) error) error {
	events := sse.NewReader(in, sse.Limits{})
	some := false
	for {
		e, err := events.Next()
		if err != nil {
			switch {
			case errors.Is(err, sse.ErrTooLarge):
				return Wrapped(KindAnswer, err.Error(), err)
			case err == io.EOF && !some && events.Comments() == 0:
				return Wrapped(KindAnswer, "the answer is no stream of events", nil)
			case err == io.EOF:
				return io.ErrUnexpectedEOF
			}
			return err
		}
		if len(bytes.TrimSpace(e.Data)) == 0 {
			continue
		}
		some = true
		if err := eventPieces(e, f); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

// eventPieces calls f for the data of an event, which should be one JSON value
// but may be several, where a server forgets the blank lines between events.
func eventPieces(e sse.Event, f func(Piece) error) error {
	if json.Valid(e.Data) || !bytes.Contains(e.Data, []byte("\n")) {
		return f(Piece{Name: e.Name, Data: e.Data})
	}
	for line := range bytes.SplitSeq(e.Data, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := f(Piece{Name: e.Name, Data: line}); err != nil {
			return err
		}
	}
	return nil
}

// readJSON calls f for each JSON value of a body.
func readJSON(in io.Reader, f func(Piece) error) error {
	dec := json.NewDecoder(in)
	for n := 0; ; n++ {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			switch {
			case err == io.EOF && n > 0:
				return io.ErrUnexpectedEOF
			case errors.Is(err, io.ErrUnexpectedEOF), err == io.EOF:
				return io.ErrUnexpectedEOF
			}
			var syntax *json.SyntaxError
			if errors.As(err, &syntax) {
				if n > 0 {
					return io.ErrUnexpectedEOF // rubbish behind the answer
				}
				return Wrapped(KindAnswer, "the answer is not JSON: "+err.Error(), err)
			}
			return err
		}
		if err := f(Piece{Data: raw, Whole: n == 0}); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

// CheckVectors returns an error if vectors are missing, of different lengths, or
// hold what is no number.
func CheckVectors(list [][]float32) error {
	for i, v := range list {
		if len(v) == 0 {
			return fmt.Errorf("the embedding of text %d is empty", i+1)
		}
		if len(v) != len(list[0]) {
			return fmt.Errorf("the embeddings have %d and %d dimensions", len(list[0]), len(v))
		}
		for _, x := range v {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return fmt.Errorf("the embedding of text %d holds what is no number", i+1)
			}
		}
	}
	return nil
}
