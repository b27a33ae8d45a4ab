package all_test

import (
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

func read(t *testing.T, name string, data []byte) (*format.Document, *format.Report) {
	t.Helper()
	doc, report, err := format.Read(t.Context(), all.Table(), format.Bytes(name, data))
	if err != nil {
		t.Fatal(err)
	}
	return doc, report
}

func write(t *testing.T, doc *format.Document, as string) ([]byte, *format.Report) {
	t.Helper()
	out, report, err := format.Write(t.Context(), all.Table(), doc, as)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), report
}

func fixture(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/books/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestOwnFixturesSameBytes is the same as the test over the samples.
func TestOwnFixturesSameBytes(t *testing.T) {
	t.Parallel()
	eachFile(t, "testdata/books", sameBytes)
}

// TestEditChangesWhatItMust edits a canonical field and compares the text.
func TestEditChangesWhatItMust(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file string
		edit       func(d *format.Document)
		old, new   string // the one place that differs
	}{
		{
			"content", "world_mixed_ages.json", func(d *format.Document) { d.Books[0].Entry("0").Content = "Gone." },
			`"content": "The heron of the marsh belongs to nobody."`, `"content": "Gone."`,
		},
		{
			"order", "world_mixed_ages.json", func(d *format.Document) { d.Books[0].Entry("0").InsertionOrder = 30 },
			`"order": 1e2`, `"order": 30`,
		},
		{
			"disable", "world_mixed_ages.json", func(d *format.Document) { d.Books[0].Entry("9").Disabled = false },
			`"disable": true`, `"disable": false`,
		},
		{
			"a field that was absent", "world_mixed_ages.json", func(d *format.Document) { d.Books[0].Entry("0").Sticky = 4 },
			`"position": 0, "disable": false}`, `"position": 0, "disable": false, "sticky": 4}`,
		},
		{"a key", "world_mixed_ages.json", func(d *format.Document) {
			e := d.Books[0].Entry("7")
			e.Keys = append(e.Keys, lore.LiteralKeys("gate")...)
		}, `["sluice"]`, `["sluice", "gate"]`},
		{
			"place", "world_mixed_ages.json", func(d *format.Document) { d.Books[0].Entry("7").Slot = lore.AtDepth(6) },
			`"depth": 2`, `"depth": 6`,
		},
		{
			"book name", "world_mixed_ages.json", func(d *format.Document) { d.Books[0].Name = "Fen" },
			`"Saltmarsh"`, `"Fen"`,
		},
		{"extension of a book entry", "book_v2.json", func(d *format.Document) {
			p := 80.0
			d.Books[0].Entry("1").Probability = &p
		}, `"probability":50`, `"probability":80`},
		{
			"scan depth of a book", "book_v2.json", func(d *format.Document) { d.Books[0].ScanDepth = lore.Messages(9) },
			`"scan_depth":3`, `"scan_depth":9`,
		},
		{
			"wrapped in a list", "wrapped_world.json", func(d *format.Document) { d.Books[0].Entries[0].Name = "V" },
			`"comment":"W"`, `"comment":"V"`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := fixture(t, c.file)
			doc, _ := read(t, c.file, source)
			c.edit(doc)
			got, report := write(t, doc, doc.Format)
			want := strings.Replace(string(source), c.old, c.new, 1)
			if !strings.Contains(string(source), c.old) {
				t.Fatalf("the fixture has no %s", c.old)
			}
			if diff := cmp.Diff(want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(report.Items) > 0 {
				t.Errorf("an edit that the format can say was reported: %v", report.Items)
			}
		})
	}
}

func TestEntriesAddedRemovedMoved(t *testing.T) {
	t.Parallel()
	source := `{"entries": {"0": {"uid": 0, "key": ["a"], "content": "A", "extra": 1}, "1": {"uid": 1, "key": ["b"], "content": "B"}, "2": {"uid": 2, "key": ["c"], "content": "C"}}}`
	doc, _ := read(t, "three.json", []byte(source))
	b := doc.Books[0]
	b.Entries = []*lore.Entry{b.Entries[2], b.Entries[0]}
	got, _ := write(t, doc, doc.Format)
	want := `{"entries": {"2": {"uid": 2, "key": ["c"], "content": "C"}, "0": {"uid": 0, "key": ["a"], "content": "A", "extra": 1}}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	b.Entries = append(b.Entries, &lore.Entry{ID: "2", Content: "new", Match: lore.Match{Keys: lore.LiteralKeys("n")}})
	got, report := write(t, doc, doc.Format)
	again, _ := read(t, "three.json", got)
	if n := len(again.Books[0].Entries); n != 3 {
		t.Fatalf("%d entries, want 3: %s", n, got)
	}
	added := again.Books[0].Entries[2]
	if added.Content != "new" || added.ID == "2" {
		t.Errorf("the new entry is %q with the id %s, which was taken", added.Content, added.ID)
	}
	if ids := report.IDs["three"]; ids["2"] != added.ID {
		t.Errorf("the report maps the ids %v, want 2 to %s", report.IDs, added.ID)
	}
}

// TestBrokenRowsStay: rows that are no entries are kept in their place.
func TestBrokenRowsStay(t *testing.T) {
	t.Parallel()
	doc, report := read(t, "v3.json", fixture(t, "book_v3.json"))
	if n := len(doc.Books[0].Entries); n != 3 { // the empty object is an entry, the null is not
		t.Fatalf("%d entries, want 3", n)
	}
	text := ""
	for _, p := range report.Problems {
		text += p.String() + "\n"
	}
	for _, want := range []string{"entry 2: the entry is null", "entry 3: the entry is empty"} {
		if !strings.Contains(text, want) {
			t.Errorf("no report of %q in:\n%s", want, text)
		}
	}
	doc.Books[0].Entries = doc.Books[0].Entries[1:]
	got, _ := write(t, doc, doc.Format)
	if !strings.Contains(string(got), "\t\t\tnull,\n\t\t\t{}\n\t\t]") {
		t.Errorf("the broken rows moved:\n%s", got)
	}
}

// TestEditInBetweenWins converts, edits the converted file, and converts back:
// what was edited changes, what was carried comes back.
func TestEditInBetweenWins(t *testing.T) {
	t.Parallel()
	doc, _ := read(t, "world.json", fixture(t, "world_mixed_ages.json"))
	book, report := write(t, doc, "agnai")
	if len(report.Filter(format.Lost)) > 0 {
		t.Errorf("lost: %v", report.Filter(format.Lost))
	}
	between, _ := read(t, "world.json", book)
	e := between.Books[0].Entries[1]
	if e.Content = "Nobody owes the miller."; e.Disabled {
		t.Fatal("the entry is disabled")
	}
	e.Disabled = true
	e.Keys = lore.LiteralKeys("sluice", "lock")
	edited, _ := write(t, between, "agnai")
	again, _ := read(t, "world.json", edited)
	back, _ := write(t, again, "sillytavern")
	want := fixture(t, "world_mixed_ages.json")
	w := mustTree(t, want)
	row := w.At("entries", "7")
	row.Set("content", jsondoc.Str("Nobody owes the miller."))
	row.Set("disable", jsondoc.NewBool(true))
	row.Set("key", jsondoc.StrList([]string{"sluice", "lock"}))
	if diff := cmp.Diff(w.String(), mustTree(t, back).String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAdditionInBetweenIsReported: what was added on the way and has no word at
// home is lost, and said to be.
func TestAdditionInBetweenIsReported(t *testing.T) {
	t.Parallel()
	source := `{"lorebookVersion":5,"entries":[{"text":"Fog.","keys":["fog"],"searchRange":700,"enabled":true,"contextConfig":{"budgetPriority":400}}],"settings":{},"categories":[]}`
	doc, _ := read(t, "fog.lorebook", []byte(source))
	data, _ := write(t, doc, "sillytavern")
	between, _ := read(t, "fog.json", data)
	back, report := write(t, between, "novelai")
	if string(back) != source || len(report.Items) > 0 {
		t.Errorf("unedited: %v\n%s", report.Items, back)
	}
	between.Books[0].Entries[0].Sticky = 3
	edited, _ := write(t, between, "sillytavern")
	between, _ = read(t, "fog.json", edited)
	back, report = write(t, between, "novelai")
	if string(back) != source {
		t.Errorf("got %s", back)
	}
	if lost := report.Filter(format.Lost); len(lost) != 1 || lost[0].Field != "sticky" {
		t.Errorf("lost: %v, want sticky", report.Items)
	}
}

func mustTree(t *testing.T, data []byte) *jsondoc.Tree {
	t.Helper()
	doc, err := jsondoc.Parse(data, jsondoc.Limits{})
	if err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return doc.Root().Tree()
}

// TestChainOfConversions goes over two formats and back in one step.
func TestChainOfConversions(t *testing.T) {
	t.Parallel()
	want := fixture(t, "world_mixed_ages.json")
	doc, _ := read(t, "world.json", want)
	for _, as := range []string{"novelai", "character_book", "risu", "sillytavern"} {
		data, _ := write(t, doc, as)
		doc, _ = read(t, "world.json", data)
	}
	got, _ := write(t, doc, "sillytavern")
	if diff := cmp.Diff(normal(t, want), normal(t, got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNativeBookIsCarried: what a foreign format cannot say of a book made in
// code travels with it.
func TestNativeBookIsCarried(t *testing.T) {
	t.Parallel()
	e := lore.NewEntry("gate", "The gate is shut.")
	e.Condition, e.Sizes.Brief, e.Group = "state:open == 0", "Shut.", "places"
	b := &lore.Book{ID: "town", Policy: lore.PolicyWeaver(), Entries: []*lore.Entry{e}, GroupBudgets: map[string]int{"places": 200}}
	data, report := write(t, &format.Document{Books: []*lore.Book{b}}, "sillytavern")
	carried := map[string]bool{}
	for _, i := range report.Filter(format.Carried) {
		carried[i.Field] = true
	}
	for _, want := range []string{"condition", "sizes", "group", "groupBudgets"} {
		if !carried[want] {
			t.Errorf("%q is not reported as carried: %v", want, report.Items)
		}
	}
	tree := mustTree(t, data)
	if got := tree.At("entries", "0", "extensions", "weft", "entry", "condition"); got == nil || got.Text != e.Condition {
		t.Errorf("the condition is not in the file:\n%s", data)
	}
}

// TestReportNamesEveryLostField: a format without a place for foreign data.
func TestReportNamesEveryLostField(t *testing.T) {
	t.Parallel()
	doc, _ := read(t, "world.json", fixture(t, "world_mixed_ages.json"))
	_, report := write(t, doc, "aidungeon")
	named := map[string]bool{}
	for _, i := range report.Items {
		if i.Outcome == format.Lost || i.Outcome == format.Approximated {
			named[i.Entry+" "+i.Field] = true
		}
		if i.Outcome == format.Carried {
			t.Errorf("carried in a format without a place: %v", i)
		}
	}
	for _, want := range []string{"7 keysecondary", "7 probability", "7 private", "7 cooldown", "9 outletName", "9 characterFilter", "9 disable", " madeBy"} {
		if !named[want] {
			t.Errorf("the report does not name %q", want)
		}
	}
}

func TestEncodings(t *testing.T) {
	t.Parallel()
	text := strings.ReplaceAll(`{
  "entries": {
    "0": {
      "uid": 0,
      "key": [
        "Möwe 🐦"
      ],
      "content": "x"
    }
  }
}
`, "\n", "\r\n")
	u16 := func(order binary.ByteOrder) []byte {
		b := make([]byte, 2)
		order.PutUint16(b, 0xfeff)
		for _, u := range utf16.Encode([]rune(text)) {
			b = append(b, 0, 0)
			order.PutUint16(b[len(b)-2:], u)
		}
		return b
	}
	for name, data := range map[string][]byte{
		"utf-8": []byte(text), "bom": []byte("\ufeff" + text), "utf-16le": u16(binary.LittleEndian), "utf-16be": u16(binary.BigEndian),
	} {
		doc, _ := read(t, "book.json", data)
		e := doc.Books[0].Entries[0]
		if e.Keys[0].Text != "Möwe 🐦" {
			t.Errorf("%s: the key is %q", name, e.Keys[0].Text)
		}
		if got, _ := write(t, doc, doc.Format); string(got) != string(data) {
			t.Errorf("%s: the bytes changed without an edit", name)
		}
		for _, through := range []string{"character_book", "novelai", "agnai", "risu"} {
			there, _ := write(t, doc, through)
			home, _ := read(t, "there.json", there)
			if back, _ := write(t, home, doc.Format); string(back) != string(data) {
				t.Errorf("%s: through %s it comes back as %.60q", name, through, back)
			}
		}
		e.Content = "é"
		got, _ := write(t, doc, doc.Format)
		again, _ := read(t, "book.json", got)
		if c := again.Books[0].Entries[0].Content; c != "é" || string(got[:2]) != string(data[:2]) {
			t.Errorf("%s: after an edit the content is %q, and the file begins with % x", name, c, got[:2])
		}
	}
}

func TestDetection(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, data, format, ambiguous string }{
		{"lying name", `{"spec":"lorebook_v3","data":{"entries":[]}}`, "lorebook_v3", ""},
		{"empty list", `{"entries":[]}`, "sillytavern", "character_book"},
		{"settings and an empty list", `{"entries":[],"recursive_scanning":true}`, "character_book", ""},
		{"wrapped", `[{"spec":"chara_card_v2","data":{"name":"A","first_mes":"b"}}]`, "card", ""},
	} {
		doc, report := read(t, "world.png", []byte(c.data))
		if doc.Format != c.format {
			t.Errorf("%s: read as %s, want %s", c.name, doc.Format, c.format)
		}
		if got := strings.Join(report.Ambiguous, " "); !strings.Contains(got, c.ambiguous) || c.ambiguous == "" && got != "" {
			t.Errorf("%s: ambiguous with %q, want %q", c.name, got, c.ambiguous)
		}
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, data, want string }{
		{"nothing", "", "no known lorebook"},
		{"cut off", `{"entries":{"0":{"uid":0,"key":["a"`, "line 1, column 36: the text ends inside an array"},
		{"deep", `{"entries":` + strings.Repeat("[", 100000), "nested more than 512 deep"},
		{"other JSON", `{"a":1}`, "no known lorebook"},
		{"binary", "\x00\x01\x02", "no known lorebook"},
	} {
		_, _, err := format.Read(t.Context(), all.Table(), format.Bytes("f.json", []byte(c.data)))
		var unknown *format.UnknownFormatError
		if !errors.As(err, &unknown) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "f.json") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, _, err := format.Read(t.Context(), all.Table(), format.Bytes("f.json", make([]byte, 100)).WithLimits(format.Limits{FileBytes: 50})); err == nil {
		t.Error("a file beyond the limit was read")
	}
	_, report := read(t, "dup.json", []byte(`{"entries":{"0":{"uid":0,"key":["a"],"key":["b"],"content":"x"}}}`))
	if len(report.Problems) == 0 || report.Problems[0].Code != "duplicate-key" || report.Problems[0].Line != 1 {
		t.Errorf("a key that stands twice is not reported with its place: %v", report.Problems)
	}
}

// FuzzRead reads anything with every codec: no panic, and what is read without
// an edit is written with the same bytes.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"world_mixed_ages.json", "book_v2.json", "book_v3.json", "wrapped_world.json"} {
		data, err := os.ReadFile("testdata/books/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add(pngCard(f, [2]string{"tEXt", "chara\x00" + b64(cardV2)}, [2]string{"tEXt", "ccv3\x00" + b64(cardV3)}))
	f.Add(zipOf(f, [2]string{"card.json", cardV3}, [2]string{"module.risum", "x"}))
	f.Add([]byte(`{"spec":"chara_card_v3","data":{"name":"A","character_book":{"entries":[{"keys":["a"],"content":"b"}]}}}`))
	table := all.Table()
	limits := format.Limits{FileBytes: 1 << 20, TotalBytes: 4 << 20, Files: 100, Depth: 64}
	f.Fuzz(func(t *testing.T, data []byte) {
		src := format.Bytes("f", data).WithLimits(limits)
		doc, _, err := format.Read(t.Context(), table, src)
		if err != nil {
			return
		}
		out, _, err := format.Write(t.Context(), table, doc, doc.Format)
		if err != nil {
			t.Fatalf("%s was read and cannot be written: %v", doc.Format, err)
		}
		if len(out.Files) > 0 && string(out.Bytes()) != string(data) {
			t.Fatalf("%s: %q was written as %q", doc.Format, data, out.Bytes())
		}
		if len(doc.Books) == 0 {
			return
		}
		for _, as := range []string{"character_book", "sillytavern", "aidungeon"} {
			if _, _, err := format.Write(t.Context(), table, doc, as); err != nil {
				t.Fatalf("%s cannot be written as %s: %v", doc.Format, as, err)
			}
		}
	})
}
