package llmtest

import (
	"net"
	"net/http"
	"time"
)

// Faults are the ways in which an answer can break, by their names in scripts.
// Where bytes are counted, they are those of the body, in Respond.After.
var Faults = map[string]string{
	"reset early":  "the connection is reset before the headers",
	"reset":        "the connection is reset after some bytes",
	"drop":         "the connection is closed after some bytes, in the middle of the body",
	"end":          "the body ends in order after some bytes",
	"silence":      "nothing more comes after some bytes, and the connection stays",
	"wrong length": "the header promises more bytes than come",
	"endless":      "the last byte is repeated until the client has had enough",
}

// faulty writes until its fault comes.
type faulty struct {
	w     http.ResponseWriter
	fault string
	left  int
}

// write reports false when it is time for the fault.
func (f *faulty) write(b []byte) bool {
	switch f.fault {
	case "reset", "drop", "end", "silence", "endless":
		n := min(f.left, len(b))
		_, _ = f.w.Write(b[:n]) // a client that has gone is seen by its context
		f.left -= n
		return n == len(b) && f.left > 0
	}
	_, _ = f.w.Write(b)
	return true
}

func (s *Server) breakOff(w http.ResponseWriter, h *http.Request, fault string) {
	_ = http.NewResponseController(w).Flush()
	switch fault {
	case "reset":
		hangUp(w, true)
	case "drop":
		hangUp(w, false)
	case "silence":
		t := time.NewTimer(24 * time.Hour)
		defer t.Stop()
		select {
		case <-h.Context().Done():
		case <-s.stop:
		case <-t.C:
		}
		s.mu.Lock()
		s.canceled++
		s.mu.Unlock()
	case "endless":
		block := make([]byte, 64<<10)
		for i := range block {
			block[i] = 'x'
		}
		for h.Context().Err() == nil {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}
}

// hangUp closes the connection without an end of the answer.
func hangUp(w http.ResponseWriter, reset bool) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2: the stream is reset
	}
	if tcp, ok := conn.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
