package aidungeon_test

import (
	"path/filepath"
	"testing"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/aidungeon"
	"github.com/weft-memory/weft/format/internal/codectest"
	"github.com/weft-memory/weft/internal/testenv"
	"github.com/weft-memory/weft/lore"
)

var codecs = aidungeon.Codecs()

func TestFormatsSamples(t *testing.T) {
	t.Parallel()
	samples := testenv.Formats(t, "samples")
	codectest.SameBytes(t, codecs, filepath.Join(samples, "aid_story_cards.json"), aidungeon.Name)
	codectest.SameBytes(t, codecs, filepath.Join(samples, "aid_worldinfo_2021.json"), aidungeon.WorldInfoName)
}

func TestFormatsReal(t *testing.T) {
	t.Parallel()
	doc := codectest.SameBytes(t, codecs, filepath.Join(testenv.Formats(t, "real"), "aid_wi_landmarks_77.json"), aidungeon.WorldInfoName)
	if n := len(doc.Books[0].Entries); n != 77 {
		t.Errorf("%d entries, want 77", n)
	}
	if k := doc.Books[0].Entries[0].Keys; len(k) != 1 || k[0].Text != "Karth River#[t=5l=5f=2S=2]" {
		t.Errorf("script syntax was split: %v", k)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	doc := codectest.SameBytes(t, codecs, "testdata/cards.json", aidungeon.Name)
	e := doc.Books[0].Entries
	if e[0].Keys[1].Text != " mill race" || e[1].Keys[0].Text != " pim" {
		t.Errorf("spaces are part of a key: %q, %q", e[0].Keys[1].Text, e[1].Keys[0].Text)
	}
	if e[0].Type != "location" || e[0].Name != "Mill" || e[0].Comment != "draft" {
		t.Errorf("read %+v", e[0])
	}
	doc = codectest.SameBytes(t, codecs, "testdata/worldinfo.json", aidungeon.WorldInfoName)
	if e := doc.Books[0].Entries[0]; e.ID != "7" || e.Content != "Goats know the path." {
		t.Errorf("read %+v", e)
	}
}

func TestEdit(t *testing.T) {
	t.Parallel()
	codectest.Edited(t, codecs, "testdata/cards.json", aidungeon.Name, func(doc *format.Document) {
		e := doc.Books[0].Entries
		e[0].Keys = append(e[0].Keys, lore.Key{Text: " wheel"})
		e[2].Content = "Frost comes late."
	}, `"mill, mill race"`, `"mill, mill race, wheel"`, "Frost comes early.", "Frost comes late.")
}

// TestLossesAreReported converts an entry with rules to a format without any.
func TestLossesAreReported(t *testing.T) {
	t.Parallel()
	e := lore.NewEntry("1", "It is spring.")
	e.Constant, e.Sticky, e.Keys = true, 3, lore.LiteralKeys("spring")
	doc := &format.Document{Books: []*lore.Book{{ID: "b", Entries: []*lore.Entry{e}, Policy: lore.PolicyWeaver()}}}
	_, report, err := format.Write(t.Context(), codectest.Table(t, codecs), doc, aidungeon.Name)
	if err != nil {
		t.Fatal(err)
	}
	lost := map[string]bool{}
	for _, i := range report.Items {
		if i.Entry == "1" {
			lost[i.Field] = true
		}
	}
	for _, f := range []string{"constant", "sticky", "priority"} {
		if !lost[f] {
			t.Errorf("%s is not reported; reported are %v", f, report.Items)
		}
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	codectest.BadInput(t, codecs, "testdata/cards.json")
	codectest.BadInput(t, codecs, "testdata/worldinfo.json")
}

func FuzzRead(f *testing.F) { codectest.Fuzz(f, codecs, "testdata/*.json") }
