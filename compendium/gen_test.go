package compendium

import (
	"encoding/json"
	"fmt"

	"pgregory.net/rapid"
)

// Small pools, so that keys, names and references meet.
var (
	poolNames = []string{
		"Sera", "sera", "SERA", "Shadow Guild", "Shadow-Guild", "the Shadow Guild", "Tom Addy", "Tom Brask", "Tom", "Ёлка", "елка", "東京", "Jory Pell",
		"Lord Thorne", "Lady Thorne", "O'Neill", "[[n3|Corin]]", "Corin", "[[n4|Corin]]", "Gate.House|x", "[odd]",
	}
	poolTexts = []string{
		"find the vault", "Find the vault!", "keeps a ledger", "brother", "rival", "romantic_tension", "lovers", "The vault has three locks.", "The vault has two locks.",
		"The vault has no locks.", "a very long story that goes on. And on. With Sera in Saltmere, and more", "ранен", "負傷", "x", "one; two", "dead", "other", "open", "member",
	}
)

// genArgs generates the arguments of a call for a type; only some of the fields,
// if any are named.
func genArgs(t *rapid.T, typ Type, only ...string) map[string]any {
	out := map[string]any{}
	for i := range Fields(typ) {
		f := &Fields(typ)[i]
		switch f.Name {
		case "name", "locks", "knowledge", "scopes", "story_time":
			continue
		}
		if len(only) > 0 {
			found := false
			for _, n := range only {
				found = found || n == f.Name
			}
			if !found {
				continue
			}
		} else if rapid.IntRange(0, 3).Draw(t, "skip "+f.Name) > 0 {
			continue
		}
		if v := genValue(t, f, 0); v != nil {
			out[f.Name] = v
		}
	}
	return out
}

func genValue(t *rapid.T, f *Field, depth int) any {
	switch f.Kind {
	case Number:
		return rapid.IntRange(f.Low, f.High).Draw(t, f.Name)
	case Flag:
		return rapid.Bool().Draw(t, f.Name)
	case Enum, State:
		if len(f.Values) == 0 {
			return nil
		}
		return rapid.SampledFrom(f.Values).Draw(t, f.Name)
	case Reference:
		return rapid.SampledFrom(poolNames).Draw(t, f.Name)
	case References, Set:
		return rapid.SliceOfN(rapid.SampledFrom(poolNames), 1, 3).Draw(t, f.Name)
	case Time:
		return rapid.SampledFrom([]string{"Day 1 @ 0", "Day 3 @ 2880", "spring tide", "Day 3"}).Draw(t, f.Name)
	case Rows:
		var list []any
		for range rapid.IntRange(1, 3).Draw(t, "rows "+f.Name) {
			row := map[string]any{}
			for i := range f.Fields {
				m := &f.Fields[i]
				if m.Name == "knowledge" || m.Name == "known_to" || m.Name == "valid_from" || m.Name == "valid_to" {
					continue
				}
				need := m.Name == f.main()
				for _, k := range f.Key {
					need = need || k == m.Name && m.Kind != Enum
				}
				if need || rapid.Bool().Draw(t, "has "+m.Name) {
					if v := genValue(t, m, depth+1); v != nil {
						row[m.Name] = v
					}
				}
			}
			list = append(list, row)
		}
		return list
	case Group:
		o := map[string]any{}
		for i := range f.Fields {
			if rapid.IntRange(0, 2).Draw(t, "has "+f.Fields[i].Name) == 0 {
				if v := genValue(t, &f.Fields[i], depth+1); v != nil {
					o[f.Fields[i].Name] = v
				}
			}
		}
		if len(o) == 0 {
			return nil
		}
		return o
	}
	return rapid.SampledFrom(poolTexts).Draw(t, f.Name)
}

// genPatch generates a patch.
func genPatch(t *rapid.T, typ Type, only ...string) Patch {
	args := genArgs(t, typ, only...)
	args["name"] = "Valen"
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Coerce(typ, raw)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return p
}

func genType(t *rapid.T) Type { return rapid.SampledFrom(types).Draw(t, "type") }

// genContext generates who says something when.
func genContext(t *rapid.T) Context {
	turn := rapid.IntRange(1, 8).Draw(t, "turn")
	c := Context{ID: "n1", Source: Source{By: BySidecar, Turn: turn, Node: fmt.Sprintf("m%d", turn), Call: rapid.IntRange(0, 1).Draw(t, "call")}}
	if rapid.IntRange(0, 3).Draw(t, "dated") == 0 {
		c.Source.Story = At("", int64(rapid.IntRange(0, 4).Draw(t, "day"))*1440)
	}
	if rapid.IntRange(0, 5).Draw(t, "person") == 0 {
		c.Source.By = ByPerson
	}
	if rapid.IntRange(0, 7).Draw(t, "rumour") == 0 {
		c.Certainty, c.Speaker = "rumour", "Dom"
	}
	if rapid.IntRange(0, 3).Draw(t, "reason") == 0 {
		c.Reason = "because"
	}
	return c
}

// genEntry generates an entry by a few merges.
func genEntry(t *rapid.T) *Entry {
	typ := genType(t)
	var e *Entry
	for range rapid.IntRange(1, 4).Draw(t, "merges") {
		e, _ = Merge(e, genPatch(t, typ), genContext(t))
	}
	return e
}
