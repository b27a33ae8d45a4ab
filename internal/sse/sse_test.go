package sse_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/internal/sse"
)

func Example() {
	r := sse.NewReader(strings.NewReader(": thinking\n\nevent: delta\ndata: {\"text\":\ndata: \"the mill\"}\n\ndata: [DONE]\n\n"), sse.Limits{})
	for {
		e, err := r.Next()
		if err != nil {
			break
		}
		fmt.Printf("%q %q\n", e.Name, e.Data)
	}
	// Output:
	// "delta" "{\"text\":\n\"the mill\"}"
	// "" "[DONE]"
}

type got struct {
	Events []sse.Event
	Err    string
}

func read(r io.Reader, l sse.Limits) got {
	var g got
	in := sse.NewReader(r, l)
	for {
		e, err := in.Next()
		if err != nil {
			if err != io.EOF {
				g.Err = err.Error()
			}
			return g
		}
		e.Data = append([]byte{}, e.Data...)
		g.Events = append(g.Events, e)
	}
}

func TestReader(t *testing.T) {
	t.Parallel()
	data := func(list ...string) (out []sse.Event) {
		for _, s := range list {
			out = append(out, sse.Event{Data: []byte(s)})
		}
		return out
	}
	for _, tc := range []struct {
		name, in string
		want     got
	}{
		{"empty", "", got{}},
		{"LF", "data: a\n\ndata: b\n\n", got{Events: data("a", "b")}},
		{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", got{Events: data("a", "b")}},
		{"CR", "data: a\r\rdata: b\r\r", got{Events: data("a", "b")}},
		{"no space", "data:a\n\n", got{Events: data("a")}},
		{"only one space belongs to the field", "data:  a\n\n", got{Events: data(" a")}},
		{"several lines", "data: {\ndata: }\n\n", got{Events: data("{\n}")}},
		{"an empty line of data", "data:\n\n", got{Events: data("")}},
		{"comments and blank lines", ":\n\n: alive\n\n\n\ndata: a\n: alive\n\n", got{Events: data("a")}},
		{"mark of byte order", "\xef\xbb\xbfdata: a\n\n", got{Events: data("a")}},
		{"name and id", "event: x\nid: 7\nretry: 10\nnew: y\ndata: a\n\ndata: b\n\n", got{Events: []sse.Event{{Name: "x", ID: "7", Data: []byte("a")}, {Data: []byte("b")}}}},
		{"an event without data is none", "event: x\n\ndata: a\n\n", got{Events: data("a")}},
		{"cut after a line", "data: a\n\ndata: b\n", got{Events: []sse.Event{{Data: []byte("a")}, {Data: []byte("b"), Cut: true}}}},
		{"cut in a line", "data: a", got{Events: []sse.Event{{Data: []byte("a"), Cut: true}}}},
		{"JSON without a name", "data: a\n\n{\"error\":{\"message\":\"no: fuel\"}}\n\n", got{Events: []sse.Event{{Data: []byte("a")}, {Data: []byte(`{"error":{"message":"no: fuel"}}`), Bare: true}}}},
		{"other text without a name", "OK\n\nhello: world\n\n", got{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, read(strings.NewReader(tc.in), sse.Limits{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestReaderBoundsAnEvent(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"one line":      "data: " + strings.Repeat("x", 5000),
		"several lines": strings.Repeat("data: xxxxxxxxxx\n", 500),
	} {
		_, err := sse.NewReader(strings.NewReader(in), sse.Limits{Event: 1000}).Next()
		if !errors.Is(err, sse.ErrTooLarge) {
			t.Errorf("%s: error %v, want ErrTooLarge", name, err)
		}
	}
}

func TestReaderGivesTheErrorAfterTheText(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	g := read(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken)), sse.Limits{})
	want := got{Events: []sse.Event{{Data: []byte("a")}, {Data: []byte("b"), Cut: true}}, Err: broken.Error()}
	if diff := cmp.Diff(want, g); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The result does not depend on how the bytes arrive.
func TestReaderIgnoresTheCuts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"data: ", "data:", "event: x", ": c", "\n", "\r\n", "\r", "\n\n", "東", "{\"a\":1}", "id: 1", "a", "\xef\xbb\xbf", "\xe6"})
		in := strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "in"), "")
		want := read(strings.NewReader(in), sse.Limits{})
		for name, r := range map[string]io.Reader{
			"bytes":      iotest.OneByteReader(strings.NewReader(in)),
			"halves":     iotest.HalfReader(strings.NewReader(in)),
			"early ends": iotest.DataErrReader(strings.NewReader(in)),
		} {
			if diff := cmp.Diff(want, read(r, sse.Limits{})); diff != "" {
				t.Fatalf("%s of %q (-whole +%s)\n%s", name, in, name, diff)
			}
		}
	})
}

func FuzzReader(f *testing.F) {
	for _, s := range []string{"data: a\n\n", "data: {\r\ndata: }\r\n\r\n", ":\r\rdata:x\r\r", "\xef\xbb\xbfevent: e\n{\"a\"", "data"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		l := sse.Limits{Event: 1 << 12}
		whole, bytewise := read(bytes.NewReader(in), l), read(iotest.OneByteReader(bytes.NewReader(in)), l)
		if diff := cmp.Diff(whole, bytewise); diff != "" {
			t.Errorf("(-whole +bytes)\n%s", diff)
		}
	})
}
