package all_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/format/pngchunk"
	"github.com/weft-memory/weft/lore"
)

const (
	cardV2 = `{"spec":"chara_card_v2","spec_version":"2.0","name":"Osk","data":{"name":"Osk","description":"A ferryman <who> waits.","personality":"","scenario":"","first_mes":"Osk nods.","mes_example":"","creator_notes":"","system_prompt":"","post_history_instructions":"","alternate_greetings":["Osk sleeps."],"tags":["river"],"creator":"me","character_version":"1","extensions":{"world":"River","other":{"a":1}},"character_book":{"extensions":{},"entries":[{"keys":["rope"],"content":"The rope is wet.","extensions":{},"enabled":true,"insertion_order":1}]}}}`
	cardV3 = `{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"Osk","nickname":"Os","description":"A ferryman <who> waits.","personality":"","scenario":"","first_mes":"Osk nods.","mes_example":"","creator_notes":"","system_prompt":"","post_history_instructions":"","alternate_greetings":["Osk sleeps."],"tags":["river"],"creator":"me","character_version":"1","group_only_greetings":[],"extensions":{},"assets":[{"type":"icon","uri":"__asset:0","name":"main","ext":"png"},{"type":"x_map","uri":"embeded://assets/x_map/images/river.png","name":"river","ext":"png"}],"character_book":{"extensions":{},"entries":[{"keys":["rope"],"content":"The rope is wet.","extensions":{},"enabled":true,"insertion_order":1,"use_regex":false}]}}}`
)

func pixel(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pngCard makes a picture with chunks (type, content) before IEND.
func pngCard(t testing.TB, chunks ...[2]string) []byte {
	t.Helper()
	f, err := pngchunk.Parse(pixel(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range chunks {
		f.Insert(c[0], []byte(c[1]))
	}
	return f.Bytes()
}

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func TestPNGCards(t *testing.T) {
	t.Parallel()
	wrapped := strings.Join([]string{b64(cardV2)[:40], b64(cardV2)[40:]}, "\r\n")
	urlSafe := strings.TrimRight(strings.NewReplacer("+", "-", "/", "_").Replace(b64(cardV2)), "=")
	for _, c := range []struct {
		name     string
		data     []byte
		nickname string
	}{
		{"chara", pngCard(t, [2]string{"tEXt", "chara\x00" + b64(cardV2)}), ""},
		{"keyword in capitals", pngCard(t, [2]string{"tEXt", "Chara\x00" + b64(cardV2)}), ""},
		{"ccv3 counts", pngCard(t, [2]string{"tEXt", "chara\x00" + b64(cardV2)}, [2]string{"tEXt", "ccv3\x00" + b64(cardV3)}), "Os"},
		{"a broken ccv3 does not", pngCard(t, [2]string{"tEXt", "ccv3\x00????"}, [2]string{"tEXt", "chara\x00" + b64(cardV2)}), ""},
		{"line breaks", pngCard(t, [2]string{"tEXt", "chara\x00" + wrapped}), ""},
		{"url-safe without padding", pngCard(t, [2]string{"tEXt", "chara\x00" + urlSafe}), ""},
		{"byte order mark", pngCard(t, [2]string{"tEXt", "chara\x00" + b64("\ufeff"+cardV2)}), ""},
		{"plain JSON", pngCard(t, [2]string{"iTXt", "chara\x00\x00\x00\x00\x00" + cardV2}), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, _ := read(t, "osk.png", c.data)
			who := doc.Characters[0]
			if who.Name != "Osk" || who.Nickname != c.nickname || len(doc.Books) != 1 || doc.Books[0].Entries[0].Content != "The rope is wet." {
				t.Fatalf("character %+v, books %v", who, doc.Books)
			}
			if got, _ := write(t, doc, doc.Format); !bytes.Equal(got, c.data) {
				t.Error("the bytes changed without an edit")
			}
			who.Description, doc.Books[0].Entries[0].Content = "Gone & <back>.", "The rope is dry."
			got, report := write(t, doc, doc.Format)
			if len(report.Items) > 0 {
				t.Errorf("report: %v", report.Items)
			}
			again, _ := read(t, "osk.png", got)
			if d, b := again.Characters[0].Description, again.Books[0].Entries[0].Content; d != "Gone & <back>." || b != "The rope is dry." {
				t.Errorf("after the edit: %q, %q", d, b)
			}
			if _, err := png.Decode(bytes.NewReader(got)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPNGBothViewsChange: an edit reaches the chara chunk too, and no other
// chunk.
func TestPNGBothViewsChange(t *testing.T) {
	t.Parallel()
	data := pngCard(t, [2]string{"tEXt", "Title\x00a ferry"}, [2]string{"tEXt", "chara\x00" + b64(cardV2)},
		[2]string{"acTL", "12345678"}, [2]string{"tEXt", "ccv3\x00" + b64(cardV3)}, [2]string{"tEXt", "chara-ext-asset_:0\x00" + base64.StdEncoding.EncodeToString(pixel(t))})
	doc, report := read(t, "osk.png", data)
	if len(report.Problems) == 0 {
		t.Error("two views that differ (the nickname) are not reported")
	}
	if a := doc.Assets[0]; a.Open == nil || a.Type != "icon" {
		t.Fatalf("the asset is not found: %+v", doc.Assets)
	} else if icon, err := a.Open(); err != nil || !bytes.Equal(icon, pixel(t)) {
		t.Errorf("the asset is %d bytes, %v", len(icon), err)
	}
	doc.Characters[0].Greeting = "Osk sings."
	got, _ := write(t, doc, doc.Format)
	before, _ := pngchunk.Parse(data)
	after, _ := pngchunk.Parse(got)
	for i, c := range before.Chunks {
		isCard := bytes.HasPrefix(c.Data, []byte("chara\x00")) || bytes.HasPrefix(c.Data, []byte("ccv3\x00"))
		if same := bytes.Equal(c.Data, after.Chunks[i].Data); same == isCard {
			t.Errorf("chunk %d (%s): changed %t", i, c.Type, !same)
		}
	}
	for _, text := range after.Texts(1<<20, func(k string) bool { return k == "chara" || k == "ccv3" }) {
		raw, err := base64.StdEncoding.DecodeString(string(text.Text))
		if err != nil {
			t.Fatal(err)
		}
		if text.Keyword == "chara" {
			// The view for older programs takes over what only ccv3 says, too.
			if !strings.Contains(string(raw), `"first_mes":"Osk sings."`) || !strings.Contains(string(raw), `"nickname":"Os"`) {
				t.Errorf("%s: %s", text.Keyword, raw)
			}
			continue
		}
		want := strings.Replace(cardV3, "Osk nods.", "Osk sings.", 1)
		if diff := cmp.Diff(want, string(raw)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text.Keyword, diff)
		}
	}
}

func zipOf(t testing.TB, files ...[2]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i, f := range files {
		h := &zip.FileHeader{Name: f[0], Method: zip.Deflate}
		if i%2 == 1 {
			h.Method = zip.Store
		}
		m, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Write([]byte(f[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestCharx(t *testing.T) {
	t.Parallel()
	archive := zipOf(t, [2]string{"other.json", `{"app":1}`}, [2]string{"card.json", cardV3},
		[2]string{"assets/x_map/images/river.png", string(pixel(t))}, [2]string{"module.risum", "packed"}, [2]string{"../evil", "x"})
	var pic bytes.Buffer
	if err := jpeg.Encode(&pic, image.NewGray(image.Rect(0, 0, 4, 4)), nil); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"plain": archive, "behind a JPEG": append(pic.Bytes(), archive...)} {
		t.Run(name, func(t *testing.T) {
			doc, report := read(t, "osk.charx", data)
			text := fmt.Sprint(report.Problems)
			for _, want := range []string{"module.risum is kept", `"../evil" is left alone`} {
				if !strings.Contains(text, want) {
					t.Errorf("not reported: %q in %s", want, text)
				}
			}
			if got, _ := write(t, doc, doc.Format); !bytes.Equal(got, data) {
				t.Error("the bytes changed without an edit")
			}
			doc.Books[0].Entries[0].Content = "The rope is dry."
			got, _ := write(t, doc, doc.Format)
			before, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
			if before == nil {
				t.Fatal(err)
			}
			after, err := zip.NewReader(bytes.NewReader(got), int64(len(got)))
			if after == nil {
				t.Fatal(err)
			}
			for i, f := range before.File {
				a := after.File[i]
				if a.Name != f.Name || a.Method != f.Method || !a.Modified.Equal(f.Modified) || f.Name != "card.json" && a.CRC32 != f.CRC32 {
					t.Errorf("member %d: %+v, was %+v", i, a.FileHeader, f.FileHeader)
				}
			}
			if i := bytes.Index(data, []byte("PK")); !bytes.Equal(got[:i], data[:i]) {
				t.Error("what stands before the archive changed")
			}
			again, _ := read(t, "osk.charx", got)
			if c := again.Books[0].Entries[0].Content; c != "The rope is dry." {
				t.Errorf("after the edit: %q", c)
			}
		})
	}
}

func TestCharxRefused(t *testing.T) {
	t.Parallel()
	encrypted := zipOf(t, [2]string{"card.json", cardV3})
	for _, sig := range []string{"PK\x03\x04", "PK\x01\x02"} {
		flags := bytes.Index(encrypted, []byte(sig)) + 6
		if sig == "PK\x01\x02" {
			flags += 2
		}
		encrypted[flags] |= 1
	}
	bomb := zipOf(t, [2]string{"card.json", `{"spec":"chara_card_v3","data":{"x":"` + strings.Repeat("a", 1<<20) + `"}}`})
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"encrypted", "it is encrypted", encrypted},
		{"bomb", "more than the limit", bomb},
		{"cut off", "no known lorebook", zipOf(t, [2]string{"card.json", cardV3})[:300]},
	} {
		src := format.Bytes("x.charx", c.data).WithLimits(format.Limits{FileBytes: 100000})
		if _, _, err := format.Read(t.Context(), all.Table(), src); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// exifComment makes EXIF data with a user comment.
func exifComment(text string) []byte {
	comment := append([]byte("ASCII\x00\x00\x00"), text...)
	b := []byte("II*\x00\x08\x00\x00\x00")
	u16, u32 := binary.LittleEndian.AppendUint16, binary.LittleEndian.AppendUint32
	b = u16(b, 1)
	b = u32(u32(u16(u16(b, 0x8769), 4), 1), 26)
	b = u32(b, 0)
	b = u16(b, 1)
	b = u32(u32(u16(u16(b, 0x9286), 7), uint32(len(comment))), 44)
	b = u32(b, 0)
	return append(b, comment...)
}

func TestExifCards(t *testing.T) {
	t.Parallel()
	numbers := make([]string, len(cardV2))
	for i, c := range []byte(cardV2) {
		numbers[i] = fmt.Sprint(c)
	}
	webp := func(tiff []byte) []byte {
		b := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8L\x02\x00\x00\x00ab"), "EXIF"...)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(tiff)))
		return append(b, tiff...)
	}
	jpg := func(tiff []byte) []byte {
		b := []byte{0xff, 0xd8, 0xff, 0xe1}
		b = binary.BigEndian.AppendUint16(b, uint16(len(tiff)+8))
		return append(append(append(b, "Exif\x00\x00"...), tiff...), 0xff, 0xd9)
	}
	for name, data := range map[string][]byte{
		"webp, JSON": webp(exifComment(cardV2)), "webp, bytes": webp(exifComment(strings.Join(numbers, ","))),
		"jpeg, base64": jpg(exifComment(b64(cardV2))),
		"Faraday":      jpg(exifComment(b64(`{"character":{"aiName":"Osk","aiDisplayName":"Osk","aiPersona":"A ferryman.","scenario":"","firstMessage":"","loreItems":[{"key":"rope","value":"The rope is wet."}]},"version":3}`))),
	} {
		doc, _ := read(t, "osk.webp", data)
		if doc.Characters[0].Name != "Osk" || len(doc.Books) != 1 {
			t.Errorf("%s: %+v", name, doc.Characters[0])
		}
		if got, _ := write(t, doc, doc.Format); !bytes.Equal(got, data) {
			t.Errorf("%s: the bytes changed", name)
		}
		doc.Characters[0].Name = "Osko"
		if _, _, err := format.Write(t.Context(), all.Table(), doc, doc.Format); err == nil {
			t.Errorf("%s: an edit was written", name)
		}
		if out, _ := write(t, doc, "card_png"); !pngchunk.IsPNG(out) {
			t.Errorf("%s: not written as PNG", name)
		}
	}
}

// TestCardEdits: SillyTavern's fields at the top change with those under data.
func TestCardEdits(t *testing.T) {
	t.Parallel()
	source := `{
    "name": "Osk",
    "first_mes": "Osk nods.",
    "creatorcomment": "old",
    "fav": false,
    "spec": "chara_card_v2",
    "spec_version": 2.0,
    "data": {
        "name": "Osk",
        "first_mes": "Osk nods.",
        "creator_notes": "old",
        "tags": "river, boat",
        "alternate_greetings": "One only.",
        "character_book": null,
        "extensions": {"fav": false, "world": ""}
    }
}
`
	doc, report := read(t, "osk.json", []byte(source))
	c := doc.Characters[0]
	if !cmp.Equal(c.Greetings, []string{"One only."}) || !cmp.Equal(c.Tags, []string{"river", "boat"}) || len(doc.Books) != 0 {
		t.Errorf("greetings %q, tags %q, books %v", c.Greetings, c.Tags, doc.Books)
	}
	if len(report.Problems) < 4 {
		t.Errorf("oddities are not all reported: %v", report.Problems)
	}
	c.Greeting, c.CreatorNotes = "Osk sings.", "new"
	c.DepthPrompt = &lore.DepthPrompt{Text: "Osk is tired.", Depth: 2}
	got, _ := write(t, doc, doc.Format)
	want := strings.ReplaceAll(strings.ReplaceAll(source, "Osk nods.", "Osk sings."), `"old"`, `"new"`)
	want = strings.Replace(want, `"world": ""}`, `"depth_prompt": {"prompt": "Osk is tired.", "depth": 2, "role": "system"}, "world": ""}`, 1)
	if diff := cmp.Diff(normal(t, []byte(want)), normal(t, got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	doc.Books = append(doc.Books, &lore.Book{ID: "osk", Entries: []*lore.Entry{lore.NewEntry("1", "The rope is wet.")}})
	got, _ = write(t, doc, doc.Format)
	again, _ := read(t, "osk.json", got)
	if len(again.Books) != 1 || again.Books[0].Entries[0].Content != "The rope is wet." {
		t.Errorf("the new book is not in the card:\n%s", got)
	}
	again.Books = nil
	got, _ = write(t, again, again.Format)
	if mustTree(t, got).At("data", "character_book") != nil {
		t.Errorf("the book is still there:\n%s", got)
	}
}

// TestBookIntoCards puts a world file into every container of cards and takes
// it out again.
func TestBookIntoCards(t *testing.T) {
	t.Parallel()
	want := fixture(t, "world_mixed_ages.json")
	for _, as := range []string{"card", "card_png", "charx"} {
		doc, _ := read(t, "fen.json", want)
		data, _ := write(t, doc, as)
		in, _ := read(t, "fen", data)
		if in.Format != as || in.Characters[0].Name != "Saltmarsh" {
			t.Errorf("%s: read as %s, character %q", as, in.Format, in.Characters[0].Name)
		}
		got, _ := write(t, in, "sillytavern")
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Logf("%s: the bytes differ (-want +got):\n%s", as, diff)
		}
		if diff := cmp.Diff(normal(t, want), normal(t, got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", as, diff)
		}
	}
}

func BenchmarkReadPNG2MB(b *testing.B) {
	book := jsondoc.Obj(jsondoc.M("entries", jsondoc.List()))
	for i := range 200 {
		book.Get("entries").Items = append(book.Get("entries").Items, jsondoc.Obj(
			jsondoc.M("keys", jsondoc.StrList([]string{fmt.Sprint("key ", i)})),
			jsondoc.M("content", jsondoc.Str(strings.Repeat("The rope is wet. ", 30))),
			jsondoc.M("enabled", jsondoc.NewBool(true)), jsondoc.M("insertion_order", jsondoc.Int(i)),
			jsondoc.M("extensions", jsondoc.Obj()),
		))
	}
	doc, err := jsondoc.Parse(cardV3, jsondoc.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	card := doc.Root().Tree()
	card.Get("data").Set("character_book", book)
	text := b64(card.String())
	data := pngCard(b, [2]string{"teST", strings.Repeat("pixels ", 250000)}, [2]string{"tEXt", "chara\x00" + text}, [2]string{"tEXt", "ccv3\x00" + text})
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := format.Read(b.Context(), all.Table(), format.Bytes("big.png", data)); err != nil {
			b.Fatal(err)
		}
	}
}
