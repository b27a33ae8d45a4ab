package characterbook_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/characterbook"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

func table(t testing.TB) *format.Table {
	t.Helper()
	tab, err := format.NewTable(characterbook.CodecV3(), characterbook.Codec(), characterbook.CodecBareV3())
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

// one reads a book of one entry.
func one(t testing.TB, entry string) (*lore.Book, *lore.Entry) {
	t.Helper()
	doc, _, err := format.Read(t.Context(), table(t), format.Bytes("b.json", []byte(`{"extensions":{},"entries":[`+entry+`]}`)))
	if err != nil {
		t.Fatal(err)
	}
	return doc.Books[0], doc.Books[0].Entries[0]
}

// TestUseRegex covers the two readings of the flag.
func TestUseRegex(t *testing.T) {
	t.Parallel()
	js := func(text, flags string) lore.Key { return lore.Key{Text: text, Kind: lore.KeyJS, Flags: flags} }
	lit := func(text string) lore.Key { return lore.Key{Text: text, Kind: lore.KeyLiteral} }
	for _, c := range []struct {
		name, entry string
		want        []lore.Key
	}{
		{"specification, on", `{"keys":["/a+/i","b.c"],"content":"x","use_regex":true,"extensions":{}}`, []lore.Key{js("a+", "i"), js("b.c", "")}},
		{"specification, off", `{"keys":["/a+/i","b.c"],"content":"x","use_regex":false,"extensions":{}}`, []lore.Key{lit("/a+/i"), lit("b.c")}},
		{"V2", `{"keys":["b.c"],"content":"x","extensions":{"other":1}}`, []lore.Key{lit("b.c")}},
		{"SillyTavern", `{"keys":["/a+/i","b.c"],"content":"x","use_regex":true,"extensions":{"display_index":0}}`, []lore.Key{js("a+", "i"), lit("b.c")}},
	} {
		_, e := one(t, c.entry)
		if diff := cmp.Diff(c.want, e.Keys); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestOddEntries(t *testing.T) {
	t.Parallel()
	_, e := one(t, `{"keys":"mill, wheel","content":"x","insertion_order":"12","position":"after_char_defs","uid":5,"secondary_keys":["r"],"selective":true,"priority":3}`)
	want := &lore.Entry{
		ID: "5", Content: "x", Match: lore.Match{
			Keys:    lore.LiteralKeys("mill", "wheel"),
			Clauses: []lore.Clause{{Logic: lore.AnyOf, Keys: lore.LiteralKeys("r")}},
		},
		Placement: lore.Placement{Where: lore.WhereAfterChar, Slot: lore.SlotReference, Priority: 3, InsertionOrder: 12},
	}
	if diff := cmp.Diff(want, e, cmpopts.IgnoreFields(lore.Entry{}, "Origin")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for entry, policy := range map[string]string{
		`{"keys":["a"],"content":"x","extensions":{}}`:                   "chara_card_v3",
		`{"keys":["a"],"content":"x","extensions":{"selectiveLogic":0}}`: "sillytavern",
	} {
		if b, _ := one(t, entry); b.Policy.Name != policy {
			t.Errorf("%s: policy %s, want %s", entry, b.Policy.Name, policy)
		}
	}
}

// TestWritesDecorators: in a V3 book, what the specification has decorators for
// becomes one, unless SillyTavern's fields are needed anyway.
func TestWritesDecorators(t *testing.T) {
	t.Parallel()
	e := lore.NewEntry("7", "The mill burns.")
	e.Keys = lore.LiteralKeys("mill")
	e.Slot, e.Role, e.Where = lore.AtDepth(2), lore.RoleUser, lore.WhereAtDepth
	e.ScanDepth, e.Once = lore.Messages(3), true
	e.Clauses = []lore.Clause{{Logic: lore.NoneOf, Keys: lore.LiteralKeys("rain", "a,b")}}
	book := &lore.Book{ID: "b", Policy: lore.PolicyCharaCardV3(), Entries: []*lore.Entry{e}}
	content := func() (string, *jsondoc.Tree) {
		out, _, err := format.Write(t.Context(), table(t), &format.Document{Books: []*lore.Book{book}}, characterbook.NameV3)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsondoc.Parse(out.Bytes(), jsondoc.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		row := doc.Root().At("data", "entries", "0")
		again, _, err := format.Read(t.Context(), table(t), format.Bytes("b.json", out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		got := again.Books[0].Entries[0]
		if diff := cmp.Diff(e, got, cmpopts.IgnoreFields(lore.Entry{}, "Origin", "Content", "Ext", "Timing"), cmpopts.IgnoreFields(lore.Placement{}, "Priority")); diff != "" {
			t.Errorf("read again (-want +got):\n%s", diff)
		}
		return row.Get("content").Text(), row.Get("extensions").Tree()
	}
	text, ext := content()
	want := "@@dont_activate_after_match\n@@depth 2\n@@role user\n@@scan_depth 3\n@@exclude_keys rain,a\\,b\nThe mill burns."
	if text != want {
		t.Errorf("content %q, want %q", text, want)
	}
	if ext.Get("depth") != nil {
		t.Errorf("the depth is written twice: %s", ext)
	}
	e.Sticky = 4 // only SillyTavern has a word for it
	if text, ext = content(); text != "The mill burns." || ext.Get("depth").Text != "2" || ext.Get("sticky").Text != "4" {
		t.Errorf("content %q, extensions %s", text, ext)
	}
}

func Example() {
	table, err := format.NewTable(characterbook.CodecV3(), characterbook.Codec())
	if err != nil {
		fmt.Println(err)
		return
	}
	source := `{"spec":"lorebook_v3","data":{"extensions":{},"entries":[{"keys":["bell"],"content":"@@depth 3\nIt is cracked.","enabled":true}]}}`
	doc, _, err := format.Read(context.Background(), table, format.Bytes("tower.json", []byte(source)))
	if err != nil {
		fmt.Println(err)
		return
	}
	e := doc.Books[0].Entries[0]
	fmt.Println(e.Slot, e.Keys[0].Text)
	// Output: at_depth(3) bell
}
