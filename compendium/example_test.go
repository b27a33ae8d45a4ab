package compendium_test

import (
	"encoding/json"
	"fmt"

	"github.com/weft-memory/weft/compendium"
)

// record merges a call into a world, as a sidecar does.
func record(w *compendium.World, t compendium.Type, turn int, args string) *compendium.World {
	p, err := compendium.Coerce(t, json.RawMessage(args))
	if err != nil {
		fmt.Println(err)
		return w
	}
	ctx := compendium.Context{Source: compendium.Source{By: compendium.BySidecar, Turn: turn}, Resolver: w}
	id, ok := w.Resolve(p.Name, t)
	if !ok {
		ctx.ID = fmt.Sprintf("e%d", w.Len()+1)
	}
	e, res := compendium.Merge(w.Entry(id), p, ctx)
	fmt.Println(res.Sentence(e))
	return w.With(e)
}

func Example() {
	w := compendium.NewWorld(nil, compendium.Options{Turn: 4})
	w = record(w, compendium.Location, 1, `{"name":"Saltmere Quay","kind":"quay"}`)
	w = record(w, compendium.Character, 1, `{"name":"Ines Carrow","role":"ferrywoman","relationships":[{"with":"Maud Ferris","nature":"rival"}],"current_state":{"location":"Saltmere Quay"}}`)
	w = record(w, compendium.Character, 2, `{"name":"Ines","relationships":[{"with":"maud ferris","nature":"rival","status":"open feud"}]}`)
	w = record(w, compendium.Character, 2, `{"name":"Ines Carrow","status":"sleepy"}`)
	w = record(w, compendium.Character, 3, `{"role":"smith"}`)
	for _, x := range w.WhereIsEveryone() {
		fmt.Printf("%s: %s\n", x.Who.Name, x.Where.Name)
	}
	fmt.Println((&compendium.Renderer{World: w}).Render(w.Entry("e2"), compendium.Brief))
	// Output:
	// ok: new location Saltmere Quay
	// ok: new character Ines Carrow
	// ok: updated character Ines Carrow (aliases, relationships)
	// rejected for character Ines Carrow: status: "sleepy" is no status of a character: use one of active, absent, missing, captive, dead, left_story; how things are goes into current_state
	// rejected: a name is missing: give the character a name
	// Ines Carrow: Saltmere Quay
	// Ines Carrow (ferrywoman): at Saltmere Quay.
}

func ExampleMerge() {
	p, _ := compendium.Coerce(compendium.Item, json.RawMessage(`{"name":"Fork","current_state":{"location":"the strongbox"}}`))
	e, _ := compendium.Merge(nil, p, compendium.Context{ID: "fork", Source: compendium.Source{By: compendium.BySidecar, Turn: 5}})
	p, _ = compendium.Coerce(compendium.Item, json.RawMessage(`{"name":"Fork","current_state":{"holder":"Sil","how":"stole"}}`))
	e, r := compendium.Merge(e, p, compendium.Context{Source: compendium.Source{By: compendium.BySidecar, Turn: 7}})
	fmt.Println(r.Changed)
	fmt.Println(e.Text("current_state.holder"), e.Value("current_state.location"))
	for _, past := range r.Past {
		fmt.Println(past.Path, string(past.Value), "from turn", past.From.Turn)
	}
	// Output:
	// [current_state.holder current_state.how current_state.location provenance_chain[sil|turn 7].from provenance_chain[sil|turn 7].holder provenance_chain[sil|turn 7].how]
	// Sil <nil>
	// current_state.location "the strongbox" from turn 5
}

func ExampleWorld_Snapshot() {
	a := compendium.New(compendium.Character, "ines", "Ines Carrow")
	a.Data["importance"] = 5.0
	a.Data["current_state"] = compendium.Object{"location": compendium.Ref{Text: "Saltmere Quay"}, "mood": "wary"}
	b := compendium.New(compendium.Plot, "who", "Who set the fire?")
	b.Data["status"], b.Data["kind"] = "active", "main"
	w := compendium.NewWorld([]*compendium.Entry{a, b}, compendium.Options{Turn: 9, Now: compendium.At("Day 3, dusk", 3*1440)})
	s := w.Snapshot(compendium.SnapshotOptions{Scene: "Saltmere Quay"})
	fmt.Print(s.Text)
	// Output:
	// NOW
	// - Day 3, dusk: at Saltmere Quay
	// PRESENT
	// - Ines Carrow: wary
	// PLOTS
	// - Who set the fire?
}

func ExampleWorld_For() {
	e := compendium.New(compendium.Character, "ines", "Ines Carrow")
	p, _ := compendium.CoerceUpdate(compendium.Character, json.RawMessage(`{"secrets":[{"text":"She sank the cutter.","known_by":["Jory"]}],"role":"ferrywoman"}`))
	e, _ = compendium.Merge(e, p, compendium.Context{Source: compendium.Source{By: compendium.BySidecar, Turn: 1}})
	w := compendium.NewWorld([]*compendium.Entry{e, compendium.New(compendium.Character, "jory", "Jory"), compendium.New(compendium.Character, "maud", "Maud")}, compendium.Options{})
	for _, v := range []compendium.Viewer{w.CharacterViewer("maud"), w.CharacterViewer("jory"), {Kind: compendium.Narrator}} {
		fmt.Println((&compendium.Renderer{World: w, Viewer: v}).Render(e, compendium.Full))
	}
	// Output:
	// Ines Carrow (ferrywoman).
	// Ines Carrow (ferrywoman). Also: She sank the cutter.
	// Ines Carrow (ferrywoman). Secret (known to Ines Carrow, Jory; nobody else may act on it): She sank the cutter.
}

func ExampleGraph_Path() {
	a, b := compendium.New(compendium.Character, "a", "Ines"), compendium.New(compendium.Item, "b", "Tide Glass")
	b.Data["current_state"] = compendium.Object{"holder": compendium.Ref{ID: "a", Text: "Ines"}}
	a.Data["current_state"] = compendium.Object{"location": compendium.Ref{Text: "Gull Rock"}}
	g := compendium.NewWorld([]*compendium.Entry{a, b}, compendium.Options{}).Graph()
	fmt.Print(g.Whole().Text())
	for _, n := range g.Ghosts() {
		fmt.Println("not described yet:", n.Name)
	}
	fmt.Println(len(g.Path("b", g.Ghosts()[0].ID, compendium.Filter{})), "steps")
	// Output:
	// Ines -located_at-> Gull Rock
	// Tide Glass -held_by-> Ines
	// not described yet: Gull Rock
	// 2 steps
}

func ExampleClock_Read() {
	c := compendium.Clock{Calendar: compendium.Days}
	for _, text := range []string{"Day 3, noon", "that evening", "three weeks later"} {
		c, _ = c.Read(text)
		fmt.Println(c.Now.Label)
	}
	// Output:
	// Day 3, noon
	// Day 3, evening
	// Day 24
}
