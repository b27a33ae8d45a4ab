package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
)

func TestAgnai(t *testing.T) {
	t.Parallel()
	book := readFile(t, "agnai.json", `{"kind": "memory", "name": "Harbour", "entries": [
		{"name": "mill", "keywords": ["mill*"], "entry": "Mill of {{char}}.", "priority": 10, "weight": 5, "enabled": true},
		{"name": "quay", "keywords": ["qu?y"], "entry": "Quay.", "priority": 10, "weight": 5, "enabled": true},
		{"name": "high", "keywords": ["ferry"], "entry": "Ferry.", "priority": 50, "weight": 1, "enabled": true},
		{"name": "off", "keywords": ["ferry"], "entry": "Off.", "priority": 50, "weight": 1, "enabled": false},
		{"name": "stored", "keywords": ["nothing"], "entry": "Stored.", "constant": true, "priority": 1, "weight": 1, "enabled": true}]}`)
	in := func(lines ...string) engine.Input {
		return engine.Input{Messages: says(lines...), Character: engine.Character{Name: "Mio"}}
	}
	small := in("a ferry", "the quay", "the miller")
	small.Budget = lore.Tokens(5)
	runDialect(t, book, []dialectCase{
		{"weight orders, whole words", in("the miller, the quay, ferryman"), "mill: Mill of Mio.\nquay: Quay.\n"},
		{"of equal weight the newer is nearer to the end", in("the mill", "the quay", "a ferry"), "high: Ferry.\nmill: Mill of Mio.\nquay: Quay.\n"},
		{"the other way round", in("the quay", "the millers"), "quay: Quay.\nmill: Mill of Mio.\n"},
		{"of equal priority the newer is kept", small, "high: Ferry.\nmill: Mill of Mio.\n"},
	})
}

func TestKobold(t *testing.T) {
	t.Parallel()
	book := readFile(t, "kobold.json", `{"gamestarted": true, "prompt": "", "memory": "", "actions": [], "worldinfo": [
		{"key": "mill, weir", "keysecondary": "", "keyanti": "snow", "content": "The mill stands here.", "selective": false, "constant": false, "probability": "100", "widisabled": false},
		{"key": "quay", "keysecondary": "night,dawn", "content": "The quay is empty now.", "selective": true, "constant": false, "widisabled": false},
		{"key": "mill", "keysecondary": "", "content": "Third.", "selective": false, "constant": false, "widisabled": true},
		{"key": "", "content": "Fourth of {{user}}.", "constant": true}]}`)
	in := func(budget int, lines ...string) engine.Input {
		in := engine.Input{Messages: says(lines...)}
		if budget > 0 {
			in.Budget = lore.Tokens(budget)
		}
		return in
	}
	ix := engine.NewIndex(mustBuild(t, book))
	e := newEngine(t, engine.Options{Tokenizer: engine.BytesPerToken(4)})
	for _, c := range []struct {
		in   engine.Input
		want []string
	}{
		{in(0, "a windmill"), []string{"The mill stands here.", "Fourth of User."}},
		{in(0, "the weir in snow"), []string{"Fourth of User."}},
		{in(0, "the quay"), []string{"Fourth of User."}},
		{in(0, "the quay at night, the mill", "x", "y", "z"), []string{"The mill stands here.", "The quay is empty now.", "Fourth of User."}},
		// What passes the limit is cut off, and nothing follows it.
		{in(9, "the quay at night, the mill"), []string{"The mill stands here.", "The quay is"}},
		{in(6, "the quay at night, the mill"), []string{"The mill stands here."}},
	} {
		r := assemble(t, e, ix, c.in)
		var got []string
		for _, b := range r.Blocks {
			got = append(got, b.Content)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.in.Messages[0].Content, diff)
		}
	}
}

func TestAIDungeon(t *testing.T) {
	t.Parallel()
	book := readFile(t, "aid.json", `[
		{"keys": " lamp,oil", "value": "Lamp {{char}}.", "type": "custom", "title": "lamp", "description": "", "useForCharacterCreation": false},
		{"keys": "quay", "value": "Quay here.", "type": "location", "title": "quay", "description": "", "useForCharacterCreation": false}]`)
	runDialect(t, book, []dialectCase{
		{"a space is part of a key", engine.Input{Messages: says("sunlamp")}, ""},
		{"in the order of the cards, no macros", engine.Input{Messages: says("the quay, a lamp")}, "lamp: Lamp {{char}}.\nquay: Quay here.\n"},
		{"the most recent one is kept", engine.Input{Messages: says("a lamp", "the quay"), Budget: lore.Tokens(4)}, "quay: Quay here.\n"},
	})
}

func TestBackyard(t *testing.T) {
	t.Parallel()
	book := readFile(t, "backyard.json", `{"character": {"aiName": "mio", "aiDisplayName": "Mio", "aiPersona": "", "scenario": "", "basePrompt": "",
		"customDialogue": "", "firstMessage": "", "loreItems": [{"key": "mill, weir", "value": "{character}'s mill."}, {"key": "quay", "value": "`+strings.Repeat("long ", 400)+`"},
		{"key": "mill", "value": "{user} knows."}]}, "version": 4}`)
	ix := engine.NewIndex(mustBuild(t, book))
	r := assemble(t, newEngine(t, engine.Options{Tokenizer: engine.BytesPerToken(4)}), ix, engine.Input{
		Messages: says("the quay and the mill", "a", "b", "c"), Character: engine.Character{Name: "Mio"}, User: "Ren",
	})
	var got []string
	for _, b := range r.Blocks {
		got = append(got, b.Content)
	}
	if diff := cmp.Diff([]string{"Mio's mill.", "Ren knows."}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r := assemble(t, newEngine(t, engine.Options{}), ix, engine.Input{Messages: says("the mill", "a", "b", "c", "d")}); len(r.Blocks) != 0 {
		t.Errorf("the fifth message from the end was searched: %v", r.Blocks)
	}
}

func TestJanitor(t *testing.T) {
	t.Parallel()
	entry := func(name, more string) string {
		return `{"id": "` + name + `", "name": "` + name + `", "content": "` + name + ` text.", "enabled": true, "matchWholeWords": true, "insertion_order": 100,
			"activationMode": "standard", "activationScript": "", "keysRaw": "", "inclusionGroupRaw": "" ` + more + `}`
	}
	book := readFile(t, "janitor.json", `[`+strings.Join([]string{
		entry("late", `, "key": ["mill"], "minMessages": 2`),
		entry("one", `, "key": ["mill"], "inclusionGroupRaw": "g", "prioritizeInclusion": true`),
		entry("two", `, "key": ["mill"], "inclusionGroupRaw": "g"`),
		entry("not", `, "key": ["mill"], "keysecondary": ["snow"], "selectiveLogic": 2`),
		entry("half", `, "key": ["mi"]`),
	}, ",")+`]`)
	runDialect(t, book, []dialectCase{
		{"one message", engine.Input{Messages: says("the mill")}, "one: one text.\nnot: not text.\n"},
		{"two messages", engine.Input{Messages: says("snow", "the mill")}, "late: late text.\none: one text.\n"},
	})
}

func TestChub(t *testing.T) {
	t.Parallel()
	book := readFile(t, "chub.json", `{"name": "Harbour", "extensions": {"chub": {"id": 1}}, "entries": [
		{"keys": ["{{char}}"], "content": "About {{char}}.", "enabled": true, "insertion_order": 1, "id": 1, "name": "named", "extensions": {}},
		{"keys": ["mill"], "content": "Mill.", "enabled": true, "insertion_order": 2, "id": 2, "name": "mill", "extensions": {}, "probability": 100, "selectiveLogic": 0},
		{"keys": ["mill"], "content": "{{roll:d1}}.", "enabled": true, "insertion_order": 3, "id": 3, "name": "dice", "extensions": {}}]}`)
	in := engine.Input{Messages: says("A MILL; Mio sleeps"), Character: engine.Character{Name: "Mio"}}
	runDialect(t, book, []dialectCase{
		{"macros in keys, case ignored", in, "named: About Mio.\nmill: Mill.\ndice: 1.\n"},
		{"whole words", engine.Input{Messages: says("windmills"), Character: engine.Character{Name: "Mio"}}, ""},
	})
}

func TestInactiveClausesDoNotFilter(t *testing.T) {
	t.Parallel()
	book := readFile(t, "kobold.json", `{"gamestarted": true, "prompt": "", "memory": "", "actions": [], "worldinfo": [
		{"key": "quay", "keysecondary": "night", "content": "The quay.", "selective": false, "constant": false, "comment": ""}]}`)
	runDialect(t, book, []dialectCase{{"selective is off", engine.Input{Messages: says("the quay")}, "0: The quay.\n"}})
}
