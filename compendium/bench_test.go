package compendium

import (
	"encoding/json"
	"fmt"
	"testing"
)

// bigWorld returns 10,000 entries with 50,000 edges.
func bigWorld(tb testing.TB) []*Entry {
	tb.Helper()
	const n = 10_000
	entries := make([]*Entry, n)
	name := func(i int) string { return fmt.Sprintf("Person %d of House %d", i, i%97) }
	for i := range n {
		id := fmt.Sprintf("e%05d", i)
		e := New(Character, id, name(i))
		switch i % 10 {
		case 7:
			e = New(Location, id, fmt.Sprintf("Place %d", i))
			e.Data["parent"] = Ref{ID: fmt.Sprintf("e%05d", (i+10)%n), Text: "Place"}
		case 8:
			e = New(Plot, id, fmt.Sprintf("Plot %d", i))
			e.Data["kind"] = "side"
		case 9:
			e = New(Threat, id, fmt.Sprintf("Threat %d", i))
			e.Data["severity"] = float64(1 + i%5)
		}
		e.Data["importance"] = float64(1 + i%5)
		e.Sources = map[string]Source{"name": {Turn: i % 400}}
		if e.Type == Character {
			rows := Object{}
			for k := range 6 {
				j := (i*7 + k*131 + 1) % n
				for j%10 >= 7 {
					j = (j + 1) % n
				}
				r := Ref{ID: fmt.Sprintf("e%05d", j), Text: name(j)}
				if k%2 == 1 {
					r.ID = "" // found by name
				}
				nature := []string{"friend", "rival", "brother"}[k%3]
				row := Object{"with": r, "nature": nature, "category": categoryOf(nature), memberAt: encode(k)}
				if k == 1 && i%5 == 0 {
					row["tension"] = 2.0
				}
				rows[keyOf(FieldAt(Character, "relationships"), row)+fmt.Sprint(k)] = row
			}
			e.Data["relationships"] = rows
			e.Data["current_state"] = Object{"location": Ref{ID: fmt.Sprintf("e%05d", i/10*10+7), Text: "Place"}}
		}
		entries[i] = e
	}
	return entries
}

func BenchmarkGraphBuild(b *testing.B) {
	entries := bigWorld(b)
	w := NewWorld(entries, Options{Turn: 400})
	b.Logf("%d nodes, %d edges", len(w.Graph().Nodes()), len(w.Graph().Edges()))
	b.ResetTimer()
	for b.Loop() {
		buildGraph(w)
	}
}

func BenchmarkNewWorld(b *testing.B) {
	entries := bigWorld(b)
	for b.Loop() {
		NewWorld(entries, Options{Turn: 400})
	}
}

func BenchmarkGraphUpdate(b *testing.B) {
	w := NewWorld(bigWorld(b), Options{Turn: 400})
	w.Graph()
	e := w.Entry("e05000")
	for b.Loop() {
		w.With(e).Graph()
	}
}

func BenchmarkNeighbourhood(b *testing.B) {
	g := NewWorld(bigWorld(b), Options{Turn: 400}).Graph()
	for depth := 1; depth <= 3; depth++ {
		b.Run(fmt.Sprint(depth), func(b *testing.B) {
			n := 0
			for b.Loop() {
				n = len(g.Neighbourhood("e05000", depth, Filter{}).Nodes)
			}
			b.ReportMetric(float64(n), "nodes")
		})
	}
}

func BenchmarkPath(b *testing.B) {
	g := NewWorld(bigWorld(b), Options{Turn: 400}).Graph()
	for b.Loop() {
		g.Path("e00000", "e09000", Filter{})
	}
}

func BenchmarkSnapshot(b *testing.B) {
	w := NewWorld(bigWorld(b), Options{Turn: 400})
	w.Graph()
	b.Run("guessed", func(b *testing.B) {
		for b.Loop() {
			w.Snapshot(SnapshotOptions{})
		}
	})
	b.Run("scene", func(b *testing.B) {
		for b.Loop() {
			w.Snapshot(SnapshotOptions{Scene: "e05007"})
		}
	})
}

func BenchmarkMerge(b *testing.B) {
	e, _ := say(b, nil, Character, 1, valen)
	for i := range 30 {
		e, _ = say(b, e, Character, 2+i, fmt.Sprintf(`{"name":"Valen","goals":["goal number %d of many"],"facts":["He was seen at the gate %d of the town."],"current_state":{"mood":"mood %d"}}`, i, i, i))
	}
	p, err := Coerce(Character, json.RawMessage(`{"name":"Valen","relationships":[{"with":"Corin","nature":"rival"}],"goals":["rest"],"facts":["He limps since the fall."],"current_state":{"location":"Harbour","mood":"calm"}}`))
	if err != nil {
		b.Fatal(err)
	}
	w := NewWorld(bigWorld(b), Options{})
	w.things()
	b.Run("patch", func(b *testing.B) {
		for b.Loop() {
			Merge(e, p, Context{Source: Source{By: BySidecar, Turn: 90}})
		}
	})
	b.Run("resolved", func(b *testing.B) {
		for b.Loop() {
			Merge(e, p, Context{Source: Source{By: BySidecar, Turn: 90}, Resolver: w})
		}
	})
}

func BenchmarkCoerce(b *testing.B) {
	for b.Loop() {
		if _, err := Coerce(Character, json.RawMessage(valen)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRender(b *testing.B) {
	w := saltmere(b)
	r := &Renderer{World: w, Scene: []string{"quay", "jory"}}
	e := w.Entry("ines")
	for b.Loop() {
		r.Render(e, Full)
	}
}

func BenchmarkForCharacter(b *testing.B) {
	w := NewWorld(bigWorld(b), Options{Turn: 400})
	v := w.CharacterViewer("e05000")
	for b.Loop() {
		w.For(v)
	}
}
