package lore

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func FuzzParseEntry(f *testing.F) {
	for _, s := range []string{everything, "---\nid: a\n---", "\ufeff---\r\nid: a\r\n---\r\nB", "---\n{id: a, keywords: [x, 'y']}\n---\n", "---\nid: &a x\nname: *a\n---\n{{", "\xff\xfe-\x00"} {
		f.Add([]byte(s), "New name: #1")
	}
	f.Fuzz(func(t *testing.T, src []byte, name string) {
		file, list := ParseEntry("e.weaver", src)
		if !bytes.Equal(file.Bytes(), src) {
			t.Fatal("bytes are lost")
		}
		e := file.Entry()
		if e == nil {
			if !list.HasErrors() {
				t.Fatal("no entry and no error")
			}
			return
		}
		if err := file.SetEntry(e.Clone()); err != nil || !bytes.Equal(file.Bytes(), src) {
			t.Fatalf("setting the same entry: %v, %q", err, file.Bytes())
		}
		want := e.Clone()
		want.Name = name
		if file.SetEntry(want) != nil { // refused; the source must be as before
			if !bytes.Equal(file.Bytes(), src) {
				t.Fatal("a refused edit changes the source")
			}
			return
		}
		if d := cmp.Diff(compact(want), compact(file.Entry()), sameBook); d != "" {
			t.Fatalf("the edit reads otherwise (-want +got):\n%s", d)
		}
	})
}

func FuzzParseBook(f *testing.F) {
	f.Add([]byte(jsonBook))
	f.Add([]byte(`{"policy": {"base": "suzune", "max_active": 3}, "entries": [{"id": "a", "slot": {"at_depth": 1}}]}`))
	f.Add([]byte(`{"entries": [[[`))
	f.Fuzz(func(t *testing.T, src []byte) {
		b, list := ParseBook("b.json", src)
		if list.HasErrors() {
			return
		}
		out, err := MarshalBook(b)
		if err != nil {
			t.Fatal(err)
		}
		again, list := ParseBook("b.json", out)
		if list.HasErrors() {
			t.Fatalf("%v\n%s", list, out)
		}
		twice, err := MarshalBook(again)
		if err != nil || !bytes.Equal(out, twice) {
			t.Fatalf("writing is not stable: %v\n%s\n%s", err, out, twice)
		}
	})
}

func FuzzFromBundle(f *testing.F) {
	b, err := NewBook("b").Entry("a", "Text.", Keywords("k")).Build()
	if err != nil {
		f.Fatal(err)
	}
	data, err := ToBundle(b)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:40])
	f.Add([]byte(`{"entries": []}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, list := FromBundle(data)
		if b == nil {
			t.Fatal("no book")
		}
		if list.HasErrors() {
			return
		}
		if _, err := ToBundle(b); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzReadBundlePNG(f *testing.F) {
	img := onePixel(f)
	with, err := WriteBundlePNG(img, []byte("data"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(img)
	f.Add(with)
	f.Add(with[:len(with)-20])
	f.Fuzz(func(t *testing.T, img []byte) {
		_, _ = ReadBundlePNG(img)
		with, err := WriteBundlePNG(img, []byte("new"))
		if err != nil {
			return
		}
		if got, _ := ReadBundlePNG(with); string(got) != "new" {
			t.Fatalf("got %q back", got)
		}
	})
}

func FuzzParseChat(f *testing.F) {
	for _, s := range []string{"User: a\nMira: b\nc\nMira: d", `["a", {"content": "b"}]`, "{\"content\": \"a\"}\n\"b\"\n", `{"messages": []}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		messages, list := ParseChat("c", src, "Tam")
		if len(list) > maxProblems+1 {
			t.Fatalf("%d findings", len(list))
		}
		if len(messages) > len(src) {
			t.Fatalf("%d messages from %d bytes", len(messages), len(src))
		}
	})
}
