// Package sse reads streams of server-sent events as model servers really send
// them.
//
//	r := sse.NewReader(response.Body, sse.Limits{})
//	for {
//		event, err := r.Next()
//		if err != nil {
//			break // io.EOF at the end
//		}
//		fmt.Println(event.Data)
//	}
//
// Lines may end in LF, CRLF or CR, also when the two bytes arrive apart; the
// space after a colon is optional; a mark of byte order may stand in front;
// comments and blank lines between events are nothing. Where the standard would
// lose text, the reader keeps it: an event that the end of the stream cuts off
// before its blank line is delivered and marked, and a line that has no field
// name but looks like JSON counts as data, since some servers write their errors
// so.
//
// The result does not depend on how the bytes arrive.
package sse

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Event is one event of a stream.
type Event struct {
	// Name is the value of the field event; empty if there was none.
	Name string
	// ID is the value of the field id.
	ID string
	// Data is the data, its lines joined by LF.
	Data []byte
	// Bare is true if data stood in the stream without a field name.
	Bare bool
	// Cut is true if the stream ended before the blank line that ends an event.
	Cut bool
}

// Limits bound what a server can make a reader hold.
type Limits struct {
	// Event is the largest event, in bytes. Defaults to 8 MiB.
	Event int
}

// ErrTooLarge is the error for an event beyond the limit.
var ErrTooLarge = errors.New("an event of the stream is too large")

// Reader reads events. It is not safe for concurrent use.
type Reader struct {
	in       *bufio.Reader
	limit    int
	skipLF   bool // the last line ended in CR: an LF after it belongs to it
	started  bool
	comments int
	line     []byte
}

// NewReader returns a reader of a stream.
func NewReader(r io.Reader, l Limits) *Reader {
	if l.Event <= 0 {
		l.Event = 8 << 20
	}
	return &Reader{in: bufio.NewReader(r), limit: l.Event}
}

// Comments returns how many comments, which servers send as signs of life, were
// read so far.
func (r *Reader) Comments() int { return r.comments }

// Next returns the next event that has data. At the end it returns io.EOF; a
// stream that breaks off returns what was begun first, and the error with the
// next call.
func (r *Reader) Next() (Event, error) {
	var e Event
	has := false
	for {
		line, err := r.readLine()
		if err != nil {
			if errors.Is(err, ErrTooLarge) {
				return Event{}, err
			}
			if len(line) > 0 {
				has = r.field(&e, line, has) || has
			}
			if has {
				e.Cut = true
				return e, nil // the reader below repeats its error
			}
			return Event{}, err
		}
		if len(line) == 0 {
			if has {
				return e, nil
			}
			e = Event{}
			continue
		}
		has = r.field(&e, line, has) || has
		if len(e.Data) > r.limit {
			return Event{}, fmt.Errorf("%w: over %d bytes", ErrTooLarge, r.limit)
		}
	}
}

// field takes one line into an event and reports whether it was data.
func (r *Reader) field(e *Event, line []byte, more bool) bool {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
	case "event":
		e.Name = string(value)
		return false
	case "id":
		e.ID = string(value)
		return false
	case "":
		r.comments++
		return false
	default:
		if c := bytes.TrimLeft(line, " \t"); len(c) == 0 || c[0] != '{' && c[0] != '[' {
			return false // retry, and fields of later standards
		}
		value = line
		e.Bare = true
	}
	if more {
		e.Data = append(e.Data, '\n')
	}
	e.Data = append(e.Data, value...)
	return true
}

// readLine returns a line without its end. With an error it returns the rest.
func (r *Reader) readLine() ([]byte, error) {
	r.line = r.line[:0]
	for {
		b, err := r.in.ReadByte()
		if err != nil {
			return r.trimmed(), err
		}
		if r.skipLF {
			r.skipLF = false
			if b == '\n' {
				continue
			}
		}
		switch b {
		case '\r':
			r.skipLF = true
			return r.trimmed(), nil
		case '\n':
			return r.trimmed(), nil
		}
		if len(r.line) >= r.limit+64 {
			return nil, fmt.Errorf("%w: over %d bytes", ErrTooLarge, r.limit)
		}
		r.line = append(r.line, b)
	}
}

// trimmed is the line without a mark of byte order at the start of the stream.
func (r *Reader) trimmed() []byte {
	if !r.started {
		r.started = true
		return bytes.TrimPrefix(r.line, []byte("\xef\xbb\xbf"))
	}
	return r.line
}
