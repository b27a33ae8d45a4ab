package all_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
)

// The picture of a card goes with it through every container that holds
// pictures, and comes back; where one does not, that is reported.
func TestPicturesTravel(t *testing.T) {
	t.Parallel()
	card := pngCard(t, [2]string{"tEXt", "chara\x00" + b64(cardV2)})
	for _, through := range []string{"charx", "byaf"} {
		there, _, err := format.Convert(t.Context(), all.Table(), format.Bytes("osk.png", card), through)
		if err != nil {
			t.Fatal(err)
		}
		doc, _, err := format.Read(t.Context(), all.Table(), format.Bytes("osk."+through, there.Files[0].Data))
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(doc.Assets, func(a format.Asset) bool { return a.Open != nil })
		if i < 0 {
			t.Fatalf("%s holds no picture: %+v", through, doc.Assets)
		}
		if b, err := doc.Assets[i].Open(); err != nil || !bytes.Equal(b, pixel(t)) {
			t.Errorf("%s holds another picture (%d bytes, %v)", through, len(b), err)
		}
		for _, home := range all.Table().Names() {
			if !all.Table().Codec(home).Info().Characters {
				continue
			}
			out, report, err := format.Write(t.Context(), all.Table(), doc, home)
			if err != nil {
				continue // a format that writes no cards says so
			}
			held := slices.ContainsFunc(out.Files, func(f format.OutFile) bool { return holdsPicture(t, f) })
			told := slices.ContainsFunc(report.Items, func(i format.Item) bool { return i.Field == "asset" || i.Field == "picture" })
			if !held && !told {
				t.Errorf("from %s to %s the picture is gone without a word", through, home)
			}
		}
	}
}

// holdsPicture reports whether a file is the picture of the tests or has it
// inside.
func holdsPicture(t *testing.T, f format.OutFile) bool {
	doc, _, err := format.Read(t.Context(), all.Table(), format.Bytes(f.Path, f.Data))
	if err == nil {
		for _, a := range doc.Assets {
			if a.Open == nil {
				continue
			}
			if b, err := a.Open(); err == nil && bytes.Equal(b, pixel(t)) {
				return true
			}
		}
	}
	// The data of the pixels, whatever chunks stand before it.
	at := bytes.Index(pixel(t), []byte("IDAT"))
	return bytes.Contains(f.Data, pixel(t)[at:at+20])
}
