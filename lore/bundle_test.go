package lore

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var folder = map[string]string{
	"lorebook.yaml":       "# The harbour.\nname: Gull Point\npolicy: weaver\nslots: [{name: rumours, before: coda}]\n",
	"entries/bell.weaver": "---\r\nid: bell # rings\r\n---\r\nThe bell.\r\n",
	"entries/mill.weaver": everything,
	"entries/old.weaver":  "nope, no front matter",
	"entries/x.weaver":    "---\nid: bell\n---\n\xff not UTF-8",
}

func TestBundleOfAFolderUnpacksToTheSameFiles(t *testing.T) {
	d, _ := loadFiles(t, folder)
	data, err := d.Bundle()
	if err != nil {
		t.Fatal(err)
	}
	again, list := DirFromBundle(data)
	out := t.TempDir()
	if _, err := again.Save(t.Context(), out); err != nil {
		t.Fatal(err, list)
	}
	if d := cmp.Diff(folder, readTree(t, out)); d != "" {
		t.Errorf("files differ (-want +got):\n%s", d)
	}
	if d := cmp.Diff(d.Book(), again.Book(), sameBook); d != "" {
		t.Errorf("book differs (-want +got):\n%s", d)
	}
}

func TestBundleOfABook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policy := rapid.SampledFrom(Policies()).Draw(t, "policy")
		policy.MaxActive, policy.Language = drawCount(t, "max"), LangPlain
		b := &Book{
			ID: "b", Name: text(t, "name"), Policy: policy, FormatVersion: 1,
			Folders: []Folder{{ID: "f", Name: text(t, "folder"), Ext: map[string]json.RawMessage{"x": json.RawMessage(`[1]`)}}},
			Origin:  Origin{Format: "foreign", Path: "b.json", Raw: []byte("\x00\xff")},
		}
		for _, id := range []string{"a", "b c"} {
			e := drawEntry(t, id)
			e.Origin = Origin{Format: "foreign", Path: "b.json", Line: 3, Pointer: "/entries/1", Raw: []byte(text(t, "raw"))}
			b.Entries = append(b.Entries, compact(e))
		}
		data, err := ToBundle(b)
		if err != nil {
			t.Fatal(err)
		}
		got, list := FromBundle(data)
		if list.HasErrors() {
			t.Fatal(list)
		}
		if d := cmp.Diff(b, got, sameBook[2]); d != "" { // origins count here
			t.Fatalf("book differs (-want +got):\n%s", d)
		}
	})
}

func TestFromBundleReports(t *testing.T) {
	b, err := NewBook("b").Entry("a", strings.Repeat("Text. ", 100)).Build()
	if err != nil {
		t.Fatal(err)
	}
	good, err := ToBundle(b)
	if err != nil {
		t.Fatal(err)
	}
	change := func(at int, to byte) []byte { c := bytes.Clone(good); c[at] = to; return c }
	huge := bytes.Clone(good)
	binary.BigEndian.PutUint64(huge[len(bundleMagic)+4:], 1<<60)
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "this is no bundle (a bundle is made by ToBundle or by the command bundle)"},
		{"head only", good[:20], "the bundle is cut off (get it again)"},
		{"half", good[:len(good)/2+30], "the bundle is cut off: "},
		{"newer", change(len(bundleMagic), 9), "the bundle has version 9; this program reads 1 (update Weft)"},
		{"huge", huge, "the bundle says that it holds 1152921504606846976 bytes; the limit is 536870912"},
		{"longer than it says", change(len(bundleMagic)+11, 1), "the bundle is damaged: it holds another number of bytes than it says (get it again)"},
		{"checksum", change(bundleHeader-1, ^good[bundleHeader-1]), "the bundle was changed: its checksum is wrong (get it again)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, list := FromBundle(tt.data)
			if len(list) != 1 || !strings.HasPrefix(list[0].String(), tt.want) || LoadKind(list[0]) != KindIO {
				t.Errorf("got %v, want %s", list, tt.want)
			}
			if tt.name == "checksum" && got.Entry("a") == nil {
				t.Error("what can be read is not returned")
			}
		})
	}
	if got, list := FromBundle([]byte(`{"id": "j", "entries": []}`)); got.ID != "j" || len(list) > 0 {
		t.Errorf("a JSON book as a bundle: %q, %v", got.ID, list)
	}
}

func onePixel(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	return append(b.Bytes(), "behind the end"...)
}

func TestBundlePNG(t *testing.T) {
	img := onePixel(t)
	with, err := WriteBundlePNG(img, []byte("one\x00\xff"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(with)); err != nil {
		t.Errorf("the image does not decode: %v", err)
	}
	if got, list := ReadBundlePNG(with); string(got) != "one\x00\xff" || len(list) > 0 {
		t.Errorf("got %q, %v", got, list)
	}
	again, err := WriteBundlePNG(with, []byte("two"))
	if err != nil {
		t.Fatal(err)
	}
	got, _ := ReadBundlePNG(again)
	if string(got) != "two" {
		t.Errorf("after writing again: %q", got)
	}
	// All other bytes are the image's: take the chunk out again.
	at := bytes.Index(again, []byte("tEXtweft")) - 4
	size := int(binary.BigEndian.Uint32(again[at:])) + 12
	if rest := append(bytes.Clone(again[:at]), again[at+size:]...); !bytes.Equal(rest, img) {
		t.Error("other bytes of the image changed")
	}
	if !bytes.Equal(again[at+size+4:at+size+8], []byte("IEND")) {
		t.Error("the chunk does not stand before IEND")
	}
}

func TestBundlePNGReports(t *testing.T) {
	img := onePixel(t)
	with, err := WriteBundlePNG(img, []byte("data"))
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(with, []byte("tEXtweft"))
	wrongCRC := bytes.Clone(with)
	wrongCRC[at+len("tEXtweft")+1+8] ^= 1 // the checksum behind "weft\0ZGF0YQ=="
	bad := bytes.Clone(with)
	copy(bad[at+9:], "!!!!")
	binary.BigEndian.PutUint32(bad[at+9+8:], crc32.ChecksumIEEE(bad[at:at+9+8]))
	end := bytes.Index(with, []byte("IEND"))
	tests := []struct {
		name, want, data string
		image            []byte
	}{
		{"no image", "this is no PNG image (get the image again, as a file and not as a preview)", "", []byte("GIF89a")},
		{"none inside", "the image holds no bundle (make one with weft bundle --png)", "", img},
		{"cut off before", "the image is cut off inside its \"tEXt\" chunk (get the image again, as a file and not as a preview)", "", with[:at+12]},
		{"cut off behind", "warning: the image is cut off: it has no IEND chunk", "data", with[:end]},
		{"checksum", "warning: the checksum of the image's weft chunk is wrong", "data", wrongCRC},
		{"no base64", "the weft chunk of the image is damaged: illegal base64 data at input byte 0 (get the image again)", "", bad},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, list := ReadBundlePNG(tt.image)
			if string(got) != tt.data || len(list) != 1 || list[0].String() != tt.want {
				t.Errorf("got %q, %v; want %q, %s", got, list, tt.data, tt.want)
			}
		})
	}
	if _, err := WriteBundlePNG(with[:end], nil); err == nil {
		t.Error("a bundle is written into an image that is cut off")
	}
}
