// Package codectest is the suite that every codec runs: files come back byte for
// byte, an edit changes what it must, and bad input neither panics nor passes
// in silence.
package codectest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/format"
)

// Table makes a table of the codecs.
func Table(t testing.TB, codecs []format.Codec) *format.Table {
	t.Helper()
	table, err := format.NewTable(codecs...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// Read reads a file, which must be of the named format.
func Read(t testing.TB, codecs []format.Codec, path, want string) (*format.Document, *format.Report) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc, report, err := format.Read(context.Background(), Table(t, codecs), format.Bytes(filepath.Base(path), data))
	if err != nil {
		t.Fatal(err)
	}
	if doc.Format != want {
		t.Fatalf("%s was read as %s, want %s", path, doc.Format, want)
	}
	return doc, report
}

// Write writes a document in its own format.
func Write(t testing.TB, codecs []format.Codec, doc *format.Document) []byte {
	t.Helper()
	out, _, err := format.Write(context.Background(), Table(t, codecs), doc, doc.Format)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// SameBytes reads a file and writes it back unedited.
func SameBytes(t *testing.T, codecs []format.Codec, path, want string) *format.Document {
	t.Helper()
	doc, report := Read(t, codecs, path, want)
	for _, p := range report.Problems {
		t.Log(p)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := Write(t, codecs, doc); !bytes.Equal(got, data) {
		t.Errorf("%s came back otherwise (-want +got):\n%s", path, Diff(data, got))
	}
	return doc
}

// Edited reads a file, edits the document, and expects the file with the
// replacements (old, new, old, new, …), each of which must occur once.
func Edited(t *testing.T, codecs []format.Codec, path, name string, edit func(doc *format.Document), replacements ...string) {
	t.Helper()
	doc, _ := Read(t, codecs, path, name)
	edit(doc)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := string(data)
	for i := 0; i < len(replacements); i += 2 {
		if n := strings.Count(want, replacements[i]); n != 1 {
			t.Fatalf("%q stands %d times in %s", replacements[i], n, path)
		}
		want = strings.Replace(want, replacements[i], replacements[i+1], 1)
	}
	if diff := cmp.Diff(want, string(Write(t, codecs, doc))); diff != "" {
		t.Errorf("%s after the edit (-want +got):\n%s", path, diff)
	}
}

// Fuzz feeds a codec: what it reads must come back byte for byte.
func Fuzz(f *testing.F, codecs []format.Codec, seeds ...string) {
	for _, s := range seeds {
		paths, err := filepath.Glob(s)
		if err != nil || len(paths) == 0 {
			f.Fatalf("no seed %s: %v", s, err)
		}
		for _, p := range paths {
			data, err := os.ReadFile(p)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
			f.Add(data[:len(data)*2/3])
		}
	}
	for _, s := range []string{"", "[]", "{}", "[{}]", "null", "\xef\xbb\xbf[]", "[[[[[[", `{"entries":[{}]}`, `{"entries":{"":1}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			t.Skip("too long to be worth it")
		}
		for _, c := range codecs {
			in, err := format.Bytes("fuzz", data).WithLimits(format.Limits{TotalBytes: 1 << 22, FileBytes: 1 << 20}).Open()
			if err != nil {
				t.Fatal(err)
			}
			if c.Sniff(in).Confidence == format.No {
				continue
			}
			doc, _, err := c.Read(t.Context(), in)
			if err != nil {
				continue
			}
			out, _, err := c.Write(t.Context(), doc, format.WriteOptions{})
			if err != nil {
				t.Fatalf("%s: cannot write what it read: %v", c.Info().Name, err)
			}
			if !bytes.Equal(out.Bytes(), data) {
				t.Errorf("%s: %q came back as %q", c.Info().Name, data, out.Bytes())
			}
		}
	})
}

// BadInput reads files that are broken in many ways: each either gives an error
// or comes back byte for byte.
func BadInput(t *testing.T, codecs []format.Codec, path string) {
	t.Helper()
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	deep := strings.Repeat("[", 100_000)
	variants := map[string][]byte{
		"empty": {}, "cut in half": good[:len(good)/2], "cut at the end": good[:max(len(good)-3, 0)],
		"100,000 levels": []byte(deep), "levels in the file": append(bytes.TrimRight(good, "]} \n\r"), deep...),
		"byte order mark": append([]byte("\xef\xbb\xbf"), good...), "CRLF": bytes.ReplaceAll(good, []byte("\n"), []byte("\r\n")),
		"lone surrogate": bytes.Replace(good, []byte("mill"), []byte(`\ud800mill`), 1),
		"repeated key":   bytes.Replace(good, []byte(`{"`), []byte(`{"content":"x","content":"y","`), 1),
		"huge numbers":   bytes.ReplaceAll(good, []byte("100"), []byte("1e999")),
		"NUL":            bytes.Replace(good, []byte("mill"), []byte("m\x00ill"), 1),
		"bad UTF-8":      bytes.Replace(good, []byte("mill"), []byte("m\xffill"), 1),
		"strings":        bytes.ReplaceAll(bytes.ReplaceAll(good, []byte("true"), []byte(`"yes"`)), []byte("false"), []byte(`"0"`)),
		"nulls":          bytes.ReplaceAll(bytes.ReplaceAll(good, []byte("true"), []byte("null")), []byte("100"), []byte("null")),
		"objects":        bytes.ReplaceAll(good, []byte("false"), []byte(`{"a":[1]}`)),
	}
	for name, data := range variants {
		t.Run(name, func(t *testing.T) {
			doc, _, err := format.Read(t.Context(), Table(t, codecs), format.Bytes("bad", data))
			if err != nil {
				if len(err.Error()) > 2000 {
					t.Errorf("an error of %d bytes", len(err.Error()))
				}
				return
			}
			if got := Write(t, codecs, doc); !bytes.Equal(got, data) {
				t.Errorf("came back otherwise (-want +got):\n%s", Diff(data, got))
			}
		})
	}
}

// Diff shows where two files begin to differ.
func Diff(want, got []byte) string {
	i := 0
	for i < len(want) && i < len(got) && want[i] == got[i] {
		i++
	}
	cut := func(b []byte) string { return string(b[max(i-40, 0):min(i+200, len(b))]) }
	return "- " + cut(want) + "\n+ " + cut(got)
}
