package compendium

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const canary = "thrushwell"

// shown returns everything that can be made of a world for a viewer.
func shownTo(w *World, v Viewer) map[string]string {
	out := map[string]string{}
	seen := w.For(v)
	r := &Renderer{World: w, Viewer: v, Scene: w.ids}
	for _, e := range w.Entries() {
		for _, size := range []Size{OneLine, Brief, Full} {
			out[fmt.Sprintf("render %s %s", e.ID, size)] = r.Render(e, size)
		}
		if le := Present(e, r, ""); le != nil {
			out["lore "+e.ID] = le.Content + le.Name + string(encode(le.Keys)) + string(encode(le.Ext)) + le.Sizes.Brief + le.Sizes.OneLine + strings.Join(le.Tags, ",")
		}
	}
	for _, e := range seen.Entries() {
		raw, _ := json.Marshal(e)
		out["json "+e.ID] = string(raw)
		le := e.ToLore()
		out["stored "+e.ID] = le.Content + le.Name + string(encode(le.Keys)) + string(encode(le.Ext)) + le.Comment
		_, res := Merge(e, Patch{Type: e.Type, Data: Object{"status": "x"}}, Context{})
		out["result "+e.ID] = res.Sentence(e)
		for p := range e.Sources {
			out["asof "+e.ID] += p
		}
	}
	g := seen.Graph()
	out["graph"] = string(encode(g.Whole())) + g.Whole().DOT() + g.Whole().Mermaid() + g.Whole().GraphML() + g.Whole().Text()
	out["snapshot"] = string(encode(w.Snapshot(SnapshotOptions{Viewer: v, Budget: 5000, Situation: "the " + canary + " sings"})))
	out["timeline"] = string(encode(seen.Timeline())) + string(seen.TimelineJSON()) + string(encode(seen.TimelineBook()))
	for name, answer := range map[string]any{
		"plots": seen.OpenPlots(), "threats": seen.OpenThreats(), "where": seen.WhereIsEveryone(), "at": seen.WhoIsAt("quay"), "debts": seen.Obligations(),
		"contradictions": seen.Contradictions(), "untouched": seen.Untouched(0), "changed": seen.ChangedSince(0), "rules": seen.RulesAt("quay"),
		"stale": seen.Stale(1), "suggest": seen.Suggest(canary, 10), "members": seen.Members("tide"), "inventory": seen.Inventory("ines"), "knows": seen.WhatKnows("maud"),
	} {
		out[name] = string(encode(answer))
	}
	if id, ok := seen.Resolve(canary); ok {
		out["resolve"] = canary + id
	}
	return out
}

func leak(w *World, v Viewer) string {
	for where, text := range shownTo(w, v) {
		if strings.Contains(strings.ToLower(text), canary) {
			return where + ": " + text
		}
	}
	return ""
}

// hide puts the canary into a place that the viewer does not know.
var hide = map[string]func(e *Entry) bool{
	"secret": func(e *Entry) bool {
		return e.Type == Character && merge(e, `{"secrets":[{"text":"she hums `+canary+`","known_by":["Jory Pell"],"stakes":"`+canary+`"}]}`)
	},
	"disguise": func(e *Entry) bool {
		return merge(e, `{"aliases":[{"text":"`+canary+`","kind":"disguise"}]}`)
	},
	"alias known to": func(e *Entry) bool {
		return merge(e, `{"aliases":[{"text":"Old `+canary+`","kind":"title","known_to":["Jory Pell"]}]}`)
	},
	"true nature": func(e *Entry) bool { return e.Type == Organization && merge(e, `{"true_nature":"the `+canary+`"}`) },
	"hidden cellar": func(e *Entry) bool {
		return e.Type == Location && merge(e, `{"hidden":[{"what":"a `+canary+` door"}]}`)
	},
	"clue": func(e *Entry) bool {
		return e.Type == Plot && merge(e, `{"clues":[{"text":"`+canary+`","found":false}]}`)
	},
	"fact": func(e *Entry) bool {
		return merge(e, `{"facts":[{"text":"it is `+canary+`","knowledge":{"known_by":["Jory Pell"]}}]}`)
	},
	"entry": func(e *Entry) bool {
		return merge(e, `{"description":"`+canary+`","knowledge":{"kind":"known_by","known_by":["Jory Pell"]},"tags":["`+canary+`"]}`)
	},
	"name": func(e *Entry) bool {
		e.Data["name"] = "The " + canary
		return merge(e, `{"knowledge":{"kind":"narrator_only"}}`)
	},
	"hidden": func(e *Entry) bool {
		return merge(e, `{"description":"`+canary+`","knowledge":{"hidden_from":["Maud Ferris"]}}`)
	},
	"unseen message": func(e *Entry) bool {
		p, err := CoerceUpdate(e.Type, json.RawMessage(`{"description":"a `+canary+`","facts":["`+canary+`"],"status_reason":"`+canary+`","current_state":{"status":"`+canary+`","condition":"`+canary+`","mood":"`+canary+`"}}`))
		if err != nil {
			return false
		}
		next, _ := Merge(e, p, Context{Source: Source{By: BySidecar, Turn: 99, Quote: canary}, Scope: Scope{HiddenFrom: []Ref{{Text: "Maud Ferris"}}}})
		*e = *next
		return true
	},
	"quote": func(e *Entry) bool {
		p, _ := CoerceUpdate(e.Type, json.RawMessage(`{"one_line":"harmless"}`))
		next, _ := Merge(e, p, Context{Source: Source{By: BySidecar, Turn: 99, Quote: canary, Model: canary, Node: canary}})
		*e = *next
		return true
	},
	"history": func(e *Entry) bool {
		return merge(e, `{"one_line":"harmless"}`) && func() bool {
			e.History = map[string]Past{"x": {Path: "one_line", Value: encode(canary), Disputed: true, From: Source{Turn: 50}}}
			return true
		}()
	},
}

func merge(e *Entry, args string) bool {
	var m map[string]any
	if json.Unmarshal([]byte(args), &m) != nil {
		panic(args)
	}
	p, err := CoerceUpdate(e.Type, json.RawMessage(args))
	if err != nil {
		panic(err)
	}
	next, r := Merge(e, p, Context{Source: Source{By: BySidecar, Turn: 50}})
	*e = *next
	return len(r.Changed) > 0
}

// hiddenWorld returns the world with the canary in one place; ok is false if the
// place is none of the entry's type.
func hiddenWorld(w *World, id, place string) (*World, bool) {
	e := *w.Entry(id)
	e.Data = cloneObject(e.Data)
	if !hide[place](&e) {
		return nil, false
	}
	return w.With(&e), true
}

func TestNothingHiddenIsShown(t *testing.T) {
	t.Parallel()
	w := saltmere(t)
	for place := range hide {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			n := 0
			for _, id := range w.ids {
				if id == "maud" { // the viewer knows herself
					continue
				}
				x, ok := hiddenWorld(w, id, place)
				if !ok {
					continue
				}
				n++
				if s := leak(x, x.CharacterViewer("maud")); s != "" {
					t.Errorf("hidden in %s, shown in %s", id, s)
				}
				// It is there at all: the director sees it.
				all := fmt.Sprint(shownTo(x, Viewer{}))
				if place != "quote" && place != "history" && !strings.Contains(strings.ToLower(all), canary) {
					t.Errorf("hidden in %s, and nobody sees it", id)
				}
			}
			if n == 0 {
				t.Error("no entry has the place")
			}
		})
	}
}

// In random worlds, and among several hidden things.
func TestNothingHiddenIsShownAnywhere(t *testing.T) {
	t.Parallel()
	base := saltmere(t)
	places := sortedNames(hide)
	rapid.Check(t, func(t *rapid.T) {
		w := base.With(genWorld(t, 2)...)
		for range rapid.IntRange(1, 3).Draw(t, "n") {
			id := rapid.SampledFrom(w.ids).Draw(t, "id")
			if id == "maud" {
				continue
			}
			if x, ok := hiddenWorld(w, id, rapid.SampledFrom(places).Draw(t, "place")); ok {
				w = x
			}
		}
		if s := leak(w, w.CharacterViewer("maud")); s != "" {
			t.Fatal(s)
		}
	})
}

func TestLearning(t *testing.T) {
	t.Parallel()
	w := saltmere(t)
	e := w.Entry("ines")
	path := "secrets[she sank the customs cutter]"
	v := w.CharacterViewer("maud")
	if e.Knows(v, path) || !e.Knows(w.CharacterViewer("jory"), path) || !e.Knows(w.CharacterViewer("ines"), path) || !e.Knows(Viewer{Kind: Narrator}, path) {
		t.Fatal("before: who knows is wrong")
	}
	next, r := Learn(e, path, Learned{Who: Ref{ID: "maud", Text: "Maud Ferris"}, How: "told", Node: "m12"}, Context{Source: Source{By: BySidecar, Turn: 12}})
	if len(r.Rejected) > 0 || !next.Knows(v, path) {
		t.Fatalf("after: %v", r)
	}
	if again, r := Learn(next, path, Learned{Who: Ref{ID: "maud", Text: "Maud"}, How: "told", Node: "m12"}, Context{Source: Source{By: BySidecar, Turn: 12}}); again != next {
		t.Errorf("learning twice changed %v", r.Changed)
	}
	if _, r := Learn(e, "secrets[nothing]", Learned{Who: Ref{Text: "x"}}, Context{}); len(r.Rejected) != 1 {
		t.Error("a value that is not there was learned")
	}
	x := w.With(next)
	if s := (&Renderer{World: x, Viewer: v}).Render(next, Full); !strings.Contains(s, "She sank the customs cutter") {
		t.Errorf("not shown: %s", s)
	}
	found := false
	for _, k := range x.WhatKnows("maud") {
		found = found || k.Path == path && k.How == "told"
	}
	if !found {
		t.Errorf("what Maud knows: %+v", x.WhatKnows("maud"))
	}
	// What was hidden and is said openly later is open again.
	hidden := Context{Source: Source{By: BySidecar, Turn: 20}, Scope: Scope{HiddenFrom: []Ref{{Text: "Maud Ferris"}}}}
	p, _ := Coerce(Character, json.RawMessage(`{"name":"Jory Pell","current_state":{"mood":"afraid"},"goals":["leave by night"]}`))
	jory, _ := Merge(x.Entry("jory"), p, hidden)
	if jory.Knows(v, "current_state.mood") || jory.Knows(v, "goals[leave by night]") || !jory.Knows(v, "role") {
		t.Error("the unseen message is known")
	}
	p, _ = Coerce(Character, json.RawMessage(`{"name":"Jory Pell","current_state":{"mood":"angry"}}`))
	jory, _ = Merge(jory, p, Context{Source: Source{By: BySidecar, Turn: 21}})
	if !jory.Knows(v, "current_state.mood") || jory.Knows(v, "goals[leave by night]") {
		t.Error("what was said openly is not known")
	}
}
