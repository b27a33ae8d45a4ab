package backyard_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/backyard"
	"github.com/weft-memory/weft/format/internal/codectest"
	"github.com/weft-memory/weft/internal/testenv"
	"github.com/weft-memory/weft/lore"
)

var codecs = backyard.Codecs()

func TestFormatsSamples(t *testing.T) {
	t.Parallel()
	samples := testenv.Formats(t, "samples")
	for name, want := range map[string]string{
		"faraday_card_v4.json": backyard.Name, "backyard.byaf": backyard.BYAFName, "backyard_lore.csv": backyard.CSVName,
	} {
		doc := codectest.SameBytes(t, codecs, filepath.Join(samples, name), want)
		if len(doc.Books) != 1 || len(doc.Books[0].Entries) == 0 {
			t.Errorf("%s: no lore", name)
		}
	}
}

func TestCard(t *testing.T) {
	t.Parallel()
	doc := codectest.SameBytes(t, codecs, "testdata/card_v4.json", backyard.Name)
	c, e := doc.Characters[0], doc.Books[0].Entries
	if c.Description != "{{char}} bakes before dawn." || c.Greeting != `"Too early," {{char}} says.` {
		t.Errorf("character %+v", c)
	}
	if len(e) != 2 || len(e[0].Keys) != 2 || e[0].Content != "The mill feeds {{char}}'s oven." || e[0].Priority <= e[1].Priority {
		t.Errorf("read %+v", e)
	}
	codectest.Edited(t, codecs, "testdata/card_v4.json", backyard.Name, func(doc *format.Document) {
		doc.Characters[0].Scenario = "{{user}} brings flour."
		doc.Books[0].Entries[1].Content = "Goats follow {{user}}."
	}, "{user} wants bread.", "{user} brings flour.", "Goats know the path.", "Goats follow {user}.")
}

func TestCSV(t *testing.T) {
	t.Parallel()
	doc := codectest.SameBytes(t, codecs, "testdata/lore.csv", backyard.CSVName)
	if e := doc.Books[0].Entries; len(e) != 2 || e[0].Content != "The mill stands idle.\r\nIt is \"resting\"." || e[1].Keys[0].Text != "goat" {
		t.Errorf("read %+v", e)
	}
	codectest.Edited(t, codecs, "testdata/lore.csv", backyard.CSVName, func(doc *format.Document) {
		b := doc.Books[0]
		b.Entries[1].Content = `Goats, "all" of them`
		b.Entries[0].Keys = lore.LiteralKeys("mill")
		b.Entries = append(b.Entries, &lore.Entry{ID: "new", Content: "Frost."})
	}, `"mill, mill race"`, `"mill"`, "goat,Goats know the path.\r\n", "goat,\"Goats, \"\"all\"\" of them\"\r\n,\"Frost.\"\r\n")
}

func TestCSVOddities(t *testing.T) {
	t.Parallel()
	for src, entries := range map[string]int{
		"key,value\n":                          0,
		"key,value\n\"cut, off":                0,
		"key,value\na,b\n\n\nc,d":              2,
		"\xef\xbb\xbfvalue,key,extra\nb,a,x\n": 1,
		"key,value\nonly one\na,b\n":           1,
		"key,value\na,\"b\"tail\n":             1,
	} {
		doc, _, err := format.Read(t.Context(), codectest.Table(t, codecs), format.Bytes("x", []byte(src)))
		if err != nil {
			t.Errorf("%q: %v", src, err)
			continue
		}
		if n := len(doc.Books[0].Entries); n != entries {
			t.Errorf("%q: %d entries, want %d", src, n, entries)
		}
		if got := codectest.Write(t, codecs, doc); string(got) != src {
			t.Errorf("%q came back as %q", src, got)
		}
	}
}

func TestArchive(t *testing.T) {
	t.Parallel()
	doc := codectest.SameBytes(t, codecs, "testdata/valley.byaf", backyard.BYAFName)
	if len(doc.Characters) != 1 || len(doc.Books[0].Entries) != 2 || len(doc.Chats) != 1 || len(doc.Assets) != 1 {
		t.Fatalf("%d characters, %d chats, %d assets", len(doc.Characters), len(doc.Chats), len(doc.Assets))
	}
	if b, err := doc.Assets[0].Open(); err != nil || string(b) != "not really a picture" {
		t.Errorf("asset: %q, %v", b, err)
	}
	if c := doc.Characters[0]; c.Greeting != `"Too early," {{char}} says.` || c.Scenario != "{{user}} wants bread." {
		t.Errorf("character %+v", c)
	}
	m := doc.Chats[0].Messages
	if len(m) != 2 || m[1].Content != "Then sit." || len(m[1].Variants) != 2 || m[1].Active != 0 {
		t.Fatalf("messages %+v", m)
	}
	doc.Books[0].Entries[0].Content = "The mill is {{char}}'s now."
	doc.Chats[0].Messages[1].Active = 1
	doc.Chats[0].Messages[1].Content = "Go home."
	out := codectest.Write(t, codecs, doc)
	again, _, err := format.Read(t.Context(), codectest.Table(t, codecs), format.Bytes("valley.byaf", out))
	if err != nil {
		t.Fatal(err)
	}
	if got := again.Books[0].Entries[0].Content; got != "The mill is {{char}}'s now." {
		t.Errorf("lore is %q", got)
	}
	if m := again.Chats[0].Messages[1]; m.Content != "Go home." || m.Active != 1 {
		t.Errorf("the other output is not shown: %+v", m)
	}
	if b, err := again.Assets[0].Open(); err != nil || string(b) != "not really a picture" {
		t.Errorf("asset: %q, %v", b, err)
	}
}

// TestNewArchive converts a made document.
func TestNewArchive(t *testing.T) {
	t.Parallel()
	e := lore.NewEntry("1", "{{char}} knows the path.")
	e.Keys, e.Constant = lore.LiteralKeys("goat", "path"), true
	doc := &format.Document{
		Characters: []*lore.Character{{ID: "pim", Name: "Pim", Description: "{{char}} fiddles.", Personality: "mild", Book: "b"}},
		Books:      []*lore.Book{{ID: "b", Policy: lore.PolicyWeaver(), Entries: []*lore.Entry{e}}},
		Chats: []*lore.Chat{{ID: "c", Messages: []lore.ChatMessage{
			{Message: lore.UserMessage("Play!")}, {Message: lore.AssistantMessage("Later."), Variants: []string{"Later.", "Now."}},
		}}},
	}
	for _, name := range []string{backyard.BYAFName, backyard.Name, backyard.CSVName} {
		out, report, err := format.Write(t.Context(), codectest.Table(t, codecs), doc, name)
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := format.Read(t.Context(), codectest.Table(t, codecs), format.Bytes("x", out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if got := again.Books[0].Entries[0]; got.Content != e.Content || len(got.Keys) != 2 {
			t.Errorf("%s: read again %+v", name, got)
		}
		lost := ""
		for _, i := range report.Items {
			lost += i.Field + " "
		}
		if !strings.Contains(lost, "constant") {
			t.Errorf("%s: the constant is not reported: %v", name, report.Items)
		}
	}
}

func TestBadArchives(t *testing.T) {
	t.Parallel()
	good, err := os.ReadFile("testdata/valley.byaf")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"cut": good[:len(good)-10], "half": good[:len(good)/2], "other": bytes.Replace(good, []byte("manifest.json"), []byte("manifest.jso_"), 2),
	} {
		if _, _, err := format.Read(t.Context(), codectest.Table(t, codecs), format.Bytes("x", data)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	damaged := bytes.Clone(good)
	i := bytes.Index(damaged, []byte("characters/odile/character.json"))
	damaged[i+40] ^= 0xff
	if doc, report, err := format.Read(t.Context(), codectest.Table(t, codecs), format.Bytes("x", damaged)); err == nil && len(report.Problems) == 0 {
		t.Errorf("damage was not noticed: %+v", doc)
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	codectest.BadInput(t, codecs, "testdata/card_v4.json")
	codectest.BadInput(t, codecs, "testdata/lore.csv")
}

func FuzzRead(f *testing.F) { codectest.Fuzz(f, codecs, "testdata/*.*") }
