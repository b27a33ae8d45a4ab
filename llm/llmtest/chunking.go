package llmtest

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Chunking is one way in which the same stream may arrive: in other frames, or in
// other pieces.
type Chunking struct {
	Name string
	// Frame writes the events in another way that means the same. Nil leaves
	// them.
	Frame func([]byte) []byte
	// Split cuts the bytes.
	Split func([]byte) [][]byte
}

// Chunkings are all ways. An answer must not depend on which one it came by.
func Chunkings() []Chunking {
	whole := func(b []byte) [][]byte { return [][]byte{b} }
	lines := func(from, to string) func([]byte) []byte {
		return func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(from), []byte(to)) }
	}
	crlf := lines("\n", "\r\n")
	return []Chunking{
		{"one", nil, whole},
		{"bytes", nil, func(b []byte) [][]byte { return every(b, 1) }},
		{"sevens", nil, func(b []byte) [][]byte { return every(b, 7) }},
		{"events", nil, func(b []byte) [][]byte { return bytes.SplitAfter(b, []byte("\n\n")) }},
		{"two events", nil, func(b []byte) [][]byte {
			var out [][]byte
			for i, e := range bytes.SplitAfter(b, []byte("\n\n")) {
				if i%2 == 0 {
					out = append(out, bytes.Clone(e))
				} else {
					out[len(out)-1] = append(out[len(out)-1], e...)
				}
			}
			return out
		}},
		{"in runes", nil, func(b []byte) [][]byte { return cutWhere(b, func(i int) bool { return !utf8.RuneStart(b[i]) }) }},
		{"in escapes", nil, func(b []byte) [][]byte { return cutWhere(b, func(i int) bool { return b[i-1] == '\\' }) }},
		{"in line ends", crlf, func(b []byte) [][]byte {
			return cutWhere(b, func(i int) bool { return b[i-1] == '\r' && b[i] == '\n' })
		}},
		{"behind data:", nil, func(b []byte) [][]byte {
			return cutWhere(b, func(i int) bool { return bytes.HasSuffix(b[:i], []byte("data:")) })
		}},
		{"CRLF", crlf, whole},
		{"CR", lines("\n", "\r"), whole},
		{"no space", lines("data: ", "data:"), whole},
		{"lines of data", dataLines, whole},
		{"keep-alives", func(b []byte) []byte {
			return append([]byte("\n: alive\n\n"), lines("\n\n", "\n\n: alive\n\n\n")(b)...)
		}, func(b []byte) [][]byte { return every(b, 11) }},
		{"names of events", func(b []byte) []byte {
			if bytes.Contains(b, []byte("event:")) {
				return b // they have names already
			}
			return append([]byte("event: message\n"), bytes.TrimSuffix(lines("\n\n", "\n\nevent: message\n")(b), []byte("event: message\n"))...)
		}, whole},
		{"ids and retries", lines("data: ", "id: 7\nretry: 1000\ndata: "), whole},
	}
}

func chunkingOf(name string) (Chunking, bool) {
	for _, c := range Chunkings() {
		if c.Name == name {
			return c, true
		}
	}
	return Chunking{}, false
}

func (c Chunking) apply(b []byte, events bool) [][]byte {
	if c.Frame != nil && events {
		b = c.Frame(b)
	}
	return c.Split(b)
}

func every(b []byte, n int) (out [][]byte) {
	for len(b) > n {
		out = append(out, b[:n])
		b = b[n:]
	}
	return append(out, b)
}

func cutWhere(b []byte, cut func(i int) bool) (out [][]byte) {
	last := 0
	for i := 1; i < len(b); i++ {
		if cut(i) {
			out = append(out, b[last:i])
			last = i
		}
	}
	return append(out, b[last:])
}

// dataLines spreads the JSON of events over several lines of data, cut where JSON
// allows it.
func dataLines(b []byte) []byte {
	var out strings.Builder
	for line := range strings.Lines(string(b)) {
		data, ok := strings.CutPrefix(line, "data: {")
		if !ok {
			out.WriteString(line)
			continue
		}
		out.WriteString("data: {\n")
		// Behind a comma outside of strings.
		in, start := false, 0
		data = strings.TrimSuffix(data, "\n")
		for i := 0; i < len(data); i++ {
			switch {
			case in && data[i] == '\\':
				i++
			case data[i] == '"':
				in = !in
			case !in && data[i] == ',':
				out.WriteString("data: " + data[start:i+1] + "\n")
				start = i + 1
			}
		}
		out.WriteString("data: " + data[start:] + "\n")
	}
	return []byte(out.String())
}
