package store

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"testing"
)

func FuzzSplice(f *testing.F) {
	f.Add([]byte("the ford froze"), []byte("the ford thawed"))
	f.Add([]byte("aaa"), []byte("aaaa"))
	f.Add([]byte(nil), []byte("x"))
	f.Add([]byte("\x05\x05"), []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Fuzz(func(t *testing.T, old, text []byte) {
		got, err := unsplice(old, splice(old, text))
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("%q and %q: got %q (%v)", old, text, got, err)
		}
		_, _ = unsplice(old, text) // whatever it says, it ends
		packed := pack(text)
		if got, err := unpack(packed); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%q packed: got %q (%v)", text, got, err)
		}
	})
}

// FuzzStates makes states of any JSON objects: the difference of two leads from
// the one to the other.
func FuzzStates(f *testing.F) {
	f.Add([]byte(`{"turn":1,"books":{"b":{"sticky":{"a":3,"c":1},"last":{"a":1}}}}`), []byte(`{"turn":2,"books":{"b":{"sticky":{"a":2},"last":{"a":2}}}}`))
	f.Add([]byte(`{"turn":1,"vars":{"state":{"x":{"b":1,"a":2}}}}`), []byte(`{"turn":1,"vars":{"state":{"x":{"a":2,"b":1}}},"later":{"a":{"b":{"c":{"d":1}}}}}`))
	f.Add([]byte(`{"a":{"b":0}}`), []byte(`{"a":{"b":-1}}`))
	f.Add([]byte(`{"turn":"0","a":{"b":"0"}}`), []byte(`{"turn":{},"a":[]}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		trees := make([]*tree, 2)
		for i, src := range [][]byte{a, b} {
			var fields map[string]any
			if json.Unmarshal(src, &fields) != nil || fields == nil {
				t.Skip()
			}
			var small bytes.Buffer
			if json.Compact(&small, src) != nil {
				t.Skip()
			}
			var err error
			if trees[i], err = parseTree(small.Bytes(), stateDepth); err != nil {
				t.Skip()
			}
			if again, err := parseTree(trees[i].json(nil), stateDepth); err != nil || !again.equal(trees[i]) {
				t.Fatalf("%s came back as %s (%v)", small.Bytes(), trees[i].json(nil), err)
			}
		}
		diff, err := diffStates(trees[0], trees[1])
		if err != nil {
			t.Fatal(err)
		}
		before := string(trees[0].json(nil))
		got, err := applyState(trees[0], diff)
		if err != nil || !got.equal(trees[1]) {
			t.Errorf("from %s to %s by %s: got an error %v or another state", before, trees[1].json(nil), diff, err)
		}
		if string(trees[0].json(nil)) != before {
			t.Errorf("the base was changed")
		}
		_, _ = applyState(trees[0], b) // whatever it says, it ends
	})
}

// FuzzBackup reads anything as a backup: it ends with an error that has a kind.
func FuzzBackup(f *testing.F) {
	f.Add([]byte("{\"weft_backup\":1,\"schemas\":{\"\":2}}\n{\"table\":\"worlds\",\"columns\":[\"id\"]}\n[\"x\"]\n{\"rows\":1,\"sha256\":\"00\"}\n"))
	f.Add([]byte("{\"weft_backup\":1}\n"))
	f.Add([]byte("[]\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(text)
		_ = w.Close()
		for _, src := range [][]byte{text, packed.Bytes()} {
			b, _, err := newBackupReader(bytes.NewReader(src))
			for err == nil {
				var line []byte
				if line, err = b.line(); err == nil && len(line) > 0 && line[0] == '[' {
					in := inserter{bools: make([]bool, 1)}
					in.rows = -1 << 40 // is not flushed
					if e := in.add(nil, line); e != nil && KindOf(e) == "" {
						t.Errorf("%q: the error %v has no kind", line, e)
					}
				}
			}
			if err != io.EOF && KindOf(err) == "" {
				t.Errorf("%q: the error %v has no kind", src, err)
			}
		}
	})
}
