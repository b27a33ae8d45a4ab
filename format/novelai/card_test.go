package novelai_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/codectest"
	"github.com/weft-memory/weft/format/novelai"
)

func newCard(t *testing.T) []byte {
	t.Helper()
	doc, _ := codectest.Read(t, codecs, "testdata/v6.lorebook", novelai.Name)
	out, _, err := format.Write(t.Context(), codectest.Table(t, codecs), doc, novelai.CardName)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestCard(t *testing.T) {
	t.Parallel()
	card := newCard(t)
	doc, _, err := format.Read(t.Context(), codectest.Table(t, codecs), format.Bytes("card.png", card))
	if err != nil {
		t.Fatal(err)
	}
	if doc.Format != novelai.CardName || len(doc.Books[0].Entries) != 2 {
		t.Fatalf("read as %s: %+v", doc.Format, doc.Books)
	}
	if !bytes.Equal(codectest.Write(t, codecs, doc), card) {
		t.Error("the card changed without an edit")
	}
	back, _, err := format.Write(t.Context(), codectest.Table(t, codecs), doc, novelai.Name)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/v6.lorebook")
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := format.Read(t.Context(), codectest.Table(t, codecs), format.Bytes("x", back.Bytes()))
	if err != nil || len(again.Books[0].Entries) != 2 {
		t.Errorf("%v: from %s came %s", err, want, back.Bytes())
	}
	doc.Books[0].Entries[0].Content = "The mill turns."
	edited, _, err := format.Read(t.Context(), codectest.Table(t, codecs), format.Bytes("card.png", codectest.Write(t, codecs, doc)))
	if err != nil {
		t.Fatal(err)
	}
	if got := edited.Books[0].Entries[0].Content; got != "The mill turns." {
		t.Errorf("content is %q", got)
	}
}

func TestBadCards(t *testing.T) {
	t.Parallel()
	card := newCard(t)
	garbage := bytes.Clone(card)
	i := bytes.Index(garbage, []byte("naidata"))
	copy(garbage[i+8:], "!!!! not base64 !!!!")
	for name, data := range map[string][]byte{"cut": card[:len(card)/2], "garbage": garbage, "signature": card[:8]} {
		if _, _, err := format.Read(t.Context(), codectest.Table(t, codecs), format.Bytes("card.png", data)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
