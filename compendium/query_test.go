package compendium

import (
	"encoding/json"
	"testing"
)

func TestQueriesGolden(t *testing.T) {
	t.Parallel()
	w := saltmere(t)
	e, _ := Merge(w.Entry("maud"), mustCoerce(t, Character, `{"name":"Maud Ferris","relationships":[{"with":"Ines Carrow","nature":"rival","status":"cold"}],"current_state":{"location":"Saltmere Quay"}}`),
		Context{Source: Source{By: BySidecar, Turn: 28, Node: "m28"}, Resolver: w})
	e, _ = Merge(e, mustCoerce(t, Character, `{"name":"Maud Ferris","age":"50","relationships":[{"with":"Ines Carrow","nature":"enemy"},{"with":"Ines Carrow","nature":"rival","status":"open war"}]}`),
		Context{Source: Source{By: BySidecar, Turn: 29, Node: "m29"}, Resolver: w})
	e, _ = Merge(e, mustCoerce(t, Character, `{"name":"Maud Ferris","age":"52"}`), Context{Source: Source{By: BySidecar, Turn: 29, Node: "m29"}, Resolver: w})
	w = w.With(e)
	holds, ok := w.WhoHolds("the tide glass")
	if !ok {
		t.Error("nobody holds the glass")
	}
	out, err := json.MarshalIndent(map[string]any{
		"plots": w.OpenPlots(), "threats": w.OpenThreats(), "where": w.WhereIsEveryone(), "at saltmere": w.WhoIsAt("Saltmere"), "at quay": w.WhoIsAt("quay"),
		"inventory": w.Inventory("Ines"), "who holds": holds, "relations": w.Relations("maud", "Ines Carrow"), "obligations": w.Obligations(),
		"members": w.Members("Tide Wardens"), "rules": w.RulesAt("Saltmere Quay"), "knows": w.WhatKnows("Jory Pell"), "contradictions": w.Contradictions(),
		"untouched": len(w.Untouched(5)), "changed": w.ChangedSince(20),
	}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "queries.golden", string(out)+"\n")
}

func mustCoerce(t testing.TB, typ Type, args string) Patch {
	t.Helper()
	p, err := Coerce(typ, json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What the end of a life means for others is seen without being written.
func TestEnds(t *testing.T) {
	t.Parallel()
	w := saltmere(t)
	end := func(id, status string, turn int) *Entry {
		e, r := Merge(w.Entry(id), Patch{Data: Object{"status": status}}, Context{Source: Source{By: BySidecar, Turn: turn}})
		if len(r.Changed) == 0 {
			t.Fatalf("%s: %v", id, r)
		}
		return e
	}
	x := w.With(end("ines", "dead", 20), end("quay", "destroyed", 21), end("tide", "dissolved", 22))
	if p, _ := x.WhoHolds("bell"); !p.Remains {
		t.Errorf("the glass: %+v", p)
	}
	if got, want := (&Renderer{World: x}).Render(x.Entry("bell"), OneLine), "Pell's Tide Glass (instrument): with the remains of Ines Carrow."; got != want {
		t.Errorf("the glass: %q, want %q", got, want)
	}
	for _, o := range x.WhereIsEveryone() {
		if o.Who.ID == "ines" || o.Who.ID == "jory" && !o.Displaced {
			t.Errorf("where: %+v", o)
		}
	}
	if l := x.WhoIsAt("quay"); len(l) != 0 {
		t.Errorf("at a place that is no more: %v", l)
	}
	for _, m := range x.Members("tide") {
		if m.Who.ID == "ines" && m.Status != "former" {
			t.Errorf("member: %+v", m)
		}
	}
	if l := x.Obligations(); len(l) != 0 {
		t.Errorf("the dead owe: %v", l)
	}
}

func TestAsOfWorld(t *testing.T) {
	t.Parallel()
	e, _ := say(t, nil, Character, 2, `{"name":"Ada","current_state":{"location":"Gate"}}`)
	e, _ = say(t, e, Character, 5, `{"name":"Ada","current_state":{"location":"Harbour"}}`)
	w := NewWorld([]*Entry{e}, Options{Turn: 6})
	for turn, want := range map[int]string{2: "Gate", 4: "Gate", 5: "Harbour", 6: "Harbour"} {
		l := w.AsOf(turn, Moment{}).WhereIsEveryone()
		if len(l) != 1 || l[0].Where.Name != want {
			t.Errorf("turn %d: %+v, want %s", turn, l, want)
		}
	}
	if n := w.AsOf(1, Moment{}).Len(); n != 0 {
		t.Errorf("%d entries before the first", n)
	}
}
