package pngchunk_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/weft-memory/weft/format/pngchunk"
)

func picture(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 3))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func parse(t testing.TB, data []byte) *pngchunk.File {
	t.Helper()
	f, err := pngchunk.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func all(string) bool { return true }

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	data := append(picture(t), "behind the end"...)
	f := parse(t, data)
	if got := f.Bytes(); !bytes.Equal(got, data) {
		t.Error("the bytes changed")
	}
	f.InsertText("chara", []byte("YWJj"))
	again := parse(t, f.Bytes())
	texts := again.Texts(1000, all)
	if len(texts) != 1 || texts[0].Keyword != "chara" || string(texts[0].Text) != "YWJj" {
		t.Fatalf("texts: %+v", texts)
	}
	if last := again.Chunks[len(again.Chunks)-1].Type; last != "IEND" || len(again.Problems) > 0 {
		t.Errorf("last chunk %s, problems %v", last, again.Problems)
	}
	if !bytes.HasSuffix(f.Bytes(), []byte("behind the end")) {
		t.Error("what follows the picture is gone")
	}
	if _, err := png.Decode(bytes.NewReader(f.Bytes())); err != nil {
		t.Errorf("no picture any more: %v", err)
	}
}

func TestTextKinds(t *testing.T) {
	t.Parallel()
	packed := func(s string) string {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		_, _ = z.Write([]byte(s))
		_ = z.Close()
		return b.String()
	}
	for _, c := range []struct{ typ, data string }{
		{"tEXt", "k\x00hello"},
		{"zTXt", "k\x00\x00" + packed("hello")},
		{"iTXt", "k\x00\x00\x00de\x00Schlüssel\x00hello"},
		{"iTXt", "k\x00\x01\x00\x00\x00" + packed("hello")},
	} {
		f := parse(t, picture(t))
		f.Insert(c.typ, []byte(c.data))
		f = parse(t, f.Bytes())
		texts := f.Texts(1000, all)
		if len(texts) != 1 || string(texts[0].Text) != "hello" {
			t.Errorf("%s: %+v %v", c.typ, texts, f.Problems)
			continue
		}
		f.SetText(texts[0], []byte("other"))
		f = parse(t, f.Bytes())
		texts = f.Texts(1000, all)
		if len(texts) != 1 || string(texts[0].Text) != "other" || texts[0].Type != c.typ {
			t.Errorf("%s after a change: %+v %v", c.typ, texts, f.Problems)
		}
	}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	f := parse(t, picture(t))
	f.InsertText("a", []byte("1"))
	whole := f.Bytes()
	wrongSum := bytes.Clone(whole)
	wrongSum[bytes.Index(wrongSum, []byte("tEXta\x001"))+7] ^= 1
	huge := bytes.Clone(whole)
	binary.BigEndian.PutUint32(huge[bytes.Index(huge, []byte("IDAT"))-4:], 0xfffffff0)
	bomb := parse(t, picture(t))
	var z bytes.Buffer
	zw := zlib.NewWriter(&z)
	_, _ = zw.Write(make([]byte, 1<<20))
	_ = zw.Close()
	bomb.Insert("zTXt", append([]byte("a\x00\x00"), z.Bytes()...))
	for _, c := range []struct {
		name  string
		data  []byte
		texts int
		want  string
	}{
		{"wrong checksum", wrongSum, 1, "the checksum of the tEXt chunk is wrong"},
		{"cut off inside a chunk", whole[:len(whole)-20], 0, "the file is cut off"},
		{"cut off behind the text", whole[:len(whole)-12], 1, ""},
		{"oversized chunk", huge, 0, "the IDAT chunk says it has 4294967280 bytes"},
		{"packed bomb", bomb.Bytes(), 0, "unpacks to more than the limit"},
	} {
		f := parse(t, c.data)
		if n := len(f.Texts(1000, all)); n != c.texts {
			t.Errorf("%s: %d texts, want %d", c.name, n, c.texts)
		}
		if got := strings.Join(f.Problems, "; "); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: problems %q, want %q", c.name, got, c.want)
		}
		if !bytes.Equal(f.Bytes(), c.data) {
			t.Errorf("%s: the bytes changed", c.name)
		}
	}
	if _, err := pngchunk.Parse([]byte("GIF89a")); err == nil {
		t.Error("a GIF was taken for a PNG")
	}
}

func FuzzParse(f *testing.F) {
	file, err := pngchunk.Parse(picture(f))
	if err != nil {
		f.Fatal(err)
	}
	file.InsertText("chara", []byte("YWJj"))
	file.Insert("iTXt", []byte("k\x00\x01\x00\x00\x00x"))
	f.Add(file.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := pngchunk.Parse(data)
		if err != nil {
			return
		}
		if !bytes.Equal(file.Bytes(), data) {
			t.Fatal("the bytes changed")
		}
		for _, text := range file.Texts(1<<16, all) {
			file.SetText(text, []byte("x"))
		}
		_ = file.Bytes()
	})
}
