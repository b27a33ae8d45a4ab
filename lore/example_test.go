package lore_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/weft-memory/weft/lore"
)

func ExampleNewBook() {
	book, err := lore.NewBook("gull_point").
		Budget(lore.Tokens(800)).
		Entry("lighthouse", "The lamp has been dark for a year.",
			lore.Keywords("lighthouse", "lamp"), lore.Sticky(3)).
		Entry("fog", "Fog comes in every evening at dusk.",
			lore.Constant(), lore.InSlot(lore.AtDepth(2), lore.SlotSetting)).
		Build()
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range book.Entries {
		fmt.Printf("%s %d %q\n", e.ID, e.Sticky, e.Slot)
	}
	// Output:
	// lighthouse 3 ""
	// fog 0 "at_depth(2)"
}

func ExampleBuilder_Build_mistakes() {
	_, err := lore.NewBook("b").
		Entry("fog", "Fog.", lore.InSlot("bakdrop"), lore.Probability(300)).
		Entry("fog", "More fog.").
		Build()
	fmt.Println(err)
	// Output:
	// book "b": entry "fog": another entry has this id
	// entry "fog": probability: 300 is outside 0 to 100
	// entry "fog": slot: there is no slot "bakdrop" (did you mean backdrop?)
}

func ExampleFile_SetEntry() {
	file, list := lore.ParseEntry("mill.weaver", []byte(`---
id: mill
keywords: [mill]   # as people say it
priority: 100
---
The mill stands still.
`))
	if err := list.Err(); err != nil {
		log.Fatal(err)
	}
	entry := file.Entry().Clone()
	entry.Keys = lore.LiteralKeys("mill", "water wheel")
	entry.Cooldown = 2
	if err := file.SetEntry(entry); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", file.Bytes())
	// Output:
	// ---
	// id: mill
	// keywords: [mill, water wheel]   # as people say it
	// priority: 100
	// cooldown: 2
	// ---
	// The mill stands still.
}

func ExampleLoadFS() {
	files := fstest.MapFS{
		"lorebook.yaml":       {Data: []byte("name: Gull Point\n")},
		"entries/mill.weaver": {Data: []byte("---\nid: mill\nkeywords: [mill]\n---\nIt stands still.")},
		"entries/bad.weaver":  {Data: []byte("---\nid: bad\npriority: high\n---\n")},
	}
	dir, list, err := lore.LoadFS(context.Background(), files, "gull_point")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(dir.Book().Name, len(dir.Book().Entries))
	for _, d := range list {
		fmt.Println(lore.LoadKind(d), d)
	}
	// Output:
	// Gull Point 1
	// meta_parse entries/bad.weaver:3:11: priority: expected a whole number, got the text "high"
}

func ExampleToBundle() {
	book, err := lore.NewBook("b").Entry("fog", "Fog.", lore.Constant()).Build()
	if err != nil {
		log.Fatal(err)
	}
	blob, err := lore.ToBundle(book)
	if err != nil {
		log.Fatal(err)
	}
	again, list := lore.FromBundle(blob)
	fmt.Println(again.Entry("fog").Content, len(list))
	// Output: Fog. 0
}

func ExampleParseChat() {
	messages, _ := lore.ParseChat("chat.txt", []byte("Tam: Is the ferry gone?\nMira: An hour ago.\nShe does not look up.\n"), "Tam", "Mira")
	for _, m := range messages {
		fmt.Printf("%s %s: %q\n", m.Role, m.Name, m.Content)
	}
	// Output:
	// user Tam: "Is the ferry gone?"
	// assistant Mira: "An hour ago.\nShe does not look up."
}
