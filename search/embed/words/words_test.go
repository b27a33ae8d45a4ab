package words

import (
	"strings"
	"testing"

	"github.com/weft-memory/weft/search/embed"
)

func TestAlikeWordsAreNear(t *testing.T) {
	t.Parallel()
	v := func(s string) embed.Vector { return Table{}.EmbedText(s) }
	near := embed.Dot(v("The knight drew his sword."), v("A warrior with a blade"))
	far := embed.Dot(v("The knight drew his sword."), v("Invoices are due within thirty days."))
	if near < far+0.3 {
		t.Errorf("cosine %.2f for a like text, %.2f for another one", near, far)
	}
	sword, _ := Lookup("sword")
	blade, _ := Lookup("blade")
	tax, _ := Lookup("tax")
	if a, b := sword.Likeness(blade), sword.Likeness(tax); a < 0.4 || b > 0.2 {
		t.Errorf("likeness of sword and blade %.2f, of sword and tax %.2f", a, b)
	}
	the, _ := Lookup("the")
	if the.Rarity != 0 || sword.Rarity < 6 || sword.Usual <= 0 || sword.Usual > 0.6 {
		t.Errorf("the: %+v, sword: %+v", the, sword)
	}
	if sword.Likeness(sword) < 0.99 {
		t.Error("a word is not like itself")
	}
}

func TestTextsWithoutWords(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "...", "🦊", "漢字", "\x00\xff", strings.Repeat("x", 1<<20), strings.Repeat("'", 100)} {
		v := Table{}.EmbedText(s)
		if len(v) != 100 || embed.Dot(v, v) != 0 {
			t.Errorf("%.10q has a vector", s)
		}
	}
	if a, b := (Table{}.EmbedText("Mira’s sword")), (Table{}.EmbedText("mira's SWORD")); embed.Dot(a, b) < 0.999 {
		t.Error("case and apostrophe make a difference")
	}
}

func BenchmarkEmbedText(b *testing.B) {
	for b.Loop() {
		Table{}.EmbedText("The lamp failed last night, and she turned the lens by hand until four in the morning.")
	}
}
