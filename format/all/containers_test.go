package all_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
	"github.com/weft-memory/weft/format/card"
	"github.com/weft-memory/weft/format/jsondoc"
)

// cardText returns the JSON of the card that a document was read from.
func cardText(t *testing.T, doc *format.Document) string {
	t.Helper()
	in, err := all.Table().Codec(doc.Format).(card.Container).Card(doc.Input)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := in.Text()
	return text
}

// TestCardsBetweenContainers takes cards from one container to another and
// back: the JSON is the same, with what is no part of a specification, and so
// are the files beside it; an edit on the way reaches home.
func TestCardsBetweenContainers(t *testing.T) {
	t.Parallel()
	v1 := `{"name":"Osk","description":"A ferryman.","personality":"","scenario":"","first_mes":"Osk nods.","mes_example":"","own":{"a":[1e2]}}`
	v2 := strings.Replace(cardV2, `"creator":"me"`, `"creator":"me","own":{"b":null},"creation":1e3`, 1)
	v3 := strings.Replace(cardV3, `"creator":"me"`, `"creator":"me","creation_date":0,"source":["a"],"creator_notes_multilingual":{"de":"x"},"own":[1]`, 1)
	archive := zipOf(t, [2]string{"card.json", v3}, [2]string{"other.json", `{"app":1}`},
		[2]string{"assets/x_map/images/river.png", string(pixel(t))}, [2]string{"module.risum", "packed"})
	for _, c := range []struct {
		name string
		data []byte
		lost map[string]string // fields by format
	}{
		{"V1", []byte(v1), nil},
		{"V2", []byte(v2), nil},
		{"V3, indented", mustTree(t, []byte(v3)).Bytes(jsondoc.Indented("\t")), nil},
		{"V2 in a picture", pngCard(t, [2]string{"tEXt", "chara\x00" + b64(v2)}), map[string]string{"card": "picture"}},
		{"V3 in a picture with assets", pngCard(t, [2]string{"tEXt", "ccv3\x00" + b64(v3)}, [2]string{"tEXt", "chara-ext-asset_:0\x00" + b64("abc")}), map[string]string{"card": "asset picture"}},
		{"archive", archive, map[string]string{"card": "asset asset asset"}},
	} {
		for _, as := range []string{"card", "card_png", "charx"} {
			t.Run(c.name+" to "+as, func(t *testing.T) {
				doc, _ := read(t, "osk", c.data)
				if doc.Format == as {
					t.Skip("it is one")
				}
				there, report := write(t, doc, as)
				var lost []string
				for _, i := range report.Filter(format.Lost) {
					lost = append(lost, i.Field)
				}
				if got := strings.Join(lost, " "); got != c.lost[as] {
					t.Errorf("lost %q, want %q", got, c.lost[as])
				}
				between, _ := read(t, "renamed", there)
				if between.Format != as {
					t.Fatalf("read as %s", between.Format)
				}
				back, _ := write(t, between, doc.Format)
				home, _ := read(t, "osk", back)
				want := cardText(t, doc)
				if diff := cmp.Diff(want, cardText(t, home)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if as != "card" {
					sameAssets(t, doc, home)
				}
				between.Characters[0].Description = "Gone & <back>."
				if len(between.Books) > 0 {
					between.Books[0].Entries[0].Content = "The rope is dry."
				}
				back, _ = write(t, between, doc.Format)
				home, _ = read(t, "osk", back)
				want = strings.NewReplacer("A ferryman <who> waits.", "Gone & <back>.", "A ferryman.", "Gone & <back>.", "The rope is wet.", "The rope is dry.").Replace(want)
				if diff := cmp.Diff(want, cardText(t, home)); diff != "" {
					t.Errorf("after an edit (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func sameAssets(t *testing.T, a, b *format.Document) {
	t.Helper()
	find := func(of *format.Document, path string) []byte {
		for _, x := range of.Assets {
			if x.Path == path && x.Open != nil {
				data, err := x.Open()
				if err != nil {
					t.Error(err)
				}
				return data
			}
		}
		return nil
	}
	for _, x := range a.Assets {
		if x.Open != nil && !bytes.Equal(find(a, x.Path), find(b, x.Path)) {
			t.Errorf("the asset %q is not the same: %+v", x.Path, b.Assets)
		}
	}
}

// TestDamageIsExplained: the error of a picture or archive that holds nothing
// names the place of the damage.
func TestDamageIsExplained(t *testing.T) {
	t.Parallel()
	good := pngCard(t, [2]string{"tEXt", "chara\x00" + b64(cardV2)})
	at := bytes.Index(good, []byte("tEXt")) - 4
	huge := bytes.Clone(good)
	copy(huge[at:], "\x7f\xff\xff\xff")
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"no card", "the PNG picture holds no card", pixel(t)},
		{"cut off", "the tEXt chunk says it has", good[:at+60]},
		{"oversized", "the tEXt chunk says it has 2147483647 bytes", huge},
		{"archive cut off", "is the file cut off?", zipOf(t, [2]string{"card.json", cardV3})[:300]},
		{"archive of something else", "notes.txt", zipOf(t, [2]string{"notes.txt", "x"})},
	} {
		_, _, err := format.Read(t.Context(), all.Table(), format.Bytes("f.bin", c.data))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "f.bin: ") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestCardBehindTheEnd: some programs write the card's chunk behind IEND.
func TestCardBehindTheEnd(t *testing.T) {
	t.Parallel()
	chunk := pngCard(t, [2]string{"tEXt", "chara\x00" + b64(cardV2)})
	at := bytes.Index(chunk, []byte("tEXt")) - 4
	data := append(append(pixel(t), chunk[at:len(chunk)-12]...), "trailing text"...)
	doc, _ := read(t, "osk.png", data)
	if got, _ := write(t, doc, doc.Format); !bytes.Equal(got, data) {
		t.Error("the bytes changed without an edit")
	}
	doc.Characters[0].Name = "Osko"
	got, _ := write(t, doc, doc.Format)
	again, _ := read(t, "osk.png", got)
	if again.Characters[0].Name != "Osko" || !bytes.HasSuffix(got, []byte("trailing text")) {
		t.Errorf("after an edit the name is %q", again.Characters[0].Name)
	}
}

// TestFindingsOfTheCardNameNoEntry: what is said of a card behind its book is
// not said of the last entry.
func TestFindingsOfTheCardNameNoEntry(t *testing.T) {
	t.Parallel()
	_, report := read(t, "osk.json", []byte(cardV2))
	for _, p := range report.Problems {
		if p.Code == "two-books" && strings.HasPrefix(p.Message, "entry") {
			t.Errorf("said of an entry: %v", p)
		}
	}
	if len(report.Problems) == 0 {
		t.Error("the two books are not reported")
	}
}
