package compendium

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCoerce(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("a", 1<<20)
	for _, tt := range []struct {
		name     string
		typ      Type
		args     string
		want     string // the data, as JSON; rows as lists
		rejected string // the error, or the rejections
	}{
		{"plain", Item, `{"name":"Fork","quantity":2}`, `{"name":"Fork","quantity":2}`, ""},
		{"names without quotes", Item, `{name: 'Fork', quantity: 2,}`, `{"name":"Fork","quantity":2}`, ""},
		{"in a fence", Item, "```json\n{\"name\":\"Fork\"}\n```", `{"name":"Fork"}`, ""},
		{"JSON in a text", Item, `"{\"name\":\"Fork\"}"`, `{"name":"Fork"}`, ""},
		{"wrapped twice", Item, `{"arguments":{"item":{"name":"Fork"}}}`, `{"name":"Fork"}`, ""},
		{"wrapped as text", Item, `{"data":"{\"name\":\"Fork\"}"}`, `{"name":"Fork"}`, ""},
		{"a list of one", Item, `[{"name":"Fork"}]`, `{"name":"Fork"}`, ""},
		{"a list of two", Item, `[{"name":"Fork"},{"name":"Spoon"}]`, "", "rejected: the arguments are a list of 2: make one call for each"},
		{"no object", Item, `7`, "", "rejected: the arguments are no object"},
		{"no JSON", Item, `{"name":`, "", "rejected: the arguments are no JSON: give one object"},
		{"empty", Item, ``, "", "rejected: the arguments are no JSON: give one object"},
		{"no name", Character, `{"role":"smith"}`, "", "rejected: a name is missing: give the character a name"},
		{"a name of nothing", Character, `{"name":"unknown","role":"smith"}`, "", "rejected: a name is missing: give the character a name"},
		{"a name too long", Character, `{"name":"` + strings.Repeat("x", 200) + `"}`, "", "rejected: name: it is 200 characters, at most 120: say it shorter"},
		{"a rule is named by its statement", Rule, `{"statement":"No iron may cross the water after dark, ever."}`, `{"name":"No iron may cross the water after dark","statement":"No iron may cross the water after dark, ever."}`, ""},
		{"a megabyte", Character, `{"name":"Ada","appearance":"` + big + `"}`, "", "rejected: the call is 1048606 bytes, at most 262144: say less"},
		{"long text", Character, `{"name":"Ada","appearance":"` + strings.Repeat("Tall. ", 100) + `"}`, `{"appearance":"` + strings.TrimSpace(strings.Repeat("Tall. ", 66)) + `","name":"Ada"}`, ""},
		{"far too long", Character, `{"name":"Ada","appearance":"` + strings.Repeat("Tall. ", 1000) + `"}`, `{"name":"Ada"}`, "appearance: it is 5999 characters, at most 400: say it shorter"},
		{"too deep", Character, `{"name":"Ada","x":` + strings.Repeat("[", 50) + strings.Repeat("]", 50) + `}`, "", "rejected: the call is nested deeper than 12: give a flat object"},
		{
			"other names of fields", Character, `{"Name":"Ada","currentState":{"place":"Gate"},"relationship":[{"who":"Sera","type":"friend"}],"aka":"Dee, D"}`,
			`{"aliases":[{"text":"Dee"},{"text":"D"}],"current_state":{"location":"Gate"},"name":"Ada","relationships":[{"nature":"friend","with":"Sera"}]}`, "",
		},
		{"a letter wrong", Character, `{"name":"Ada","apearance":"tall"}`, `{"appearance":"tall","name":"Ada"}`, ""},
		{"no such field", Character, `{"name":"Ada","favourite_tea":"mint"}`, `{"name":"Ada","notes":[{"name":"favourite_tea","text":"mint"}]}`, ""},
		{"numbers in words", Threat, `{"name":"Flood","severity":"4/5","imminence":"high"}`, `{"imminence":2,"name":"Flood","severity":4}`, ""},
		{"numbers out of bounds", Threat, `{"name":"Flood","severity":11,"imminence":-4}`, `{"imminence":0,"name":"Flood","severity":5}`, ""},
		{"no number", Threat, `{"name":"Flood","severity":"wet"}`, `{"name":"Flood"}`, `severity: "wet" is no number from 1 to 5`},
		{"numbers as texts", Character, `{"name":"Ada","age":41,"role":true}`, `{"age":"41","name":"Ada","role":"yes"}`, ""},
		{"flags", Event, `{"name":"Fair","public":"Yes","significant":1}`, `{"name":"Fair","public":true,"significant":true}`, ""},
		{"no flag", Event, `{"name":"Fair","public":"perhaps"}`, `{"name":"Fair"}`, `public: "perhaps" is neither true nor false`},
		{"status in other words", Character, `{"name":"Ada","status":"Killed"}`, `{"name":"Ada","status":"dead"}`, ""},
		{"no status", Character, `{"name":"Ada","status":"sleepy"}`, `{"name":"Ada"}`, `status: "sleepy" is no status of a character: use one of active, absent, missing, captive, dead, left_story; how things are goes into current_state`},
		{"a status by its state", Character, `{"name":"Ada","current_state":{"status":"Dead"}}`, `{"current_state":{"status":"Dead"},"name":"Ada","status":"dead"}`, ""},
		{"an unknown word of an enum", Plot, `{"name":"Who?","kind":"whodunnit"}`, `{"kind":"other","name":"Who?"}`, ""},
		{"kept beside it", Character, `{"name":"Ada","relationships":[{"with":"Sera","category":"frenemies"}]}`, `{"name":"Ada","relationships":[{"category":"other","nature":"frenemies","with":"Sera"}]}`, ""},
		{"no other", Character, `{"name":"Ada","goals":[{"text":"win","horizon":"whenever"}]}`, `{"goals":[{"text":"win"}],"name":"Ada"}`, `goals[0].horizon: "whenever" is none of now, soon, long`},
		{
			"rows as texts", Character, `{"name":"Ada","relationships":"Sera: friend; Corin (brother)","goals":"win the race, at last; rest"}`,
			`{"goals":[{"text":"win the race, at last"},{"text":"rest"}],"name":"Ada","relationships":[{"nature":"friend","with":"Sera"},{"nature":"brother","with":"Corin"}]}`, "",
		},
		{
			"rows by key", Character, `{"name":"Ada","relationships":{"Sera":"friend","Corin":{"nature":"brother"}}}`,
			`{"name":"Ada","relationships":[{"nature":"brother","with":"Corin"},{"nature":"friend","with":"Sera"}]}`, "",
		},
		{"one row without a list", Character, `{"name":"Ada","relationships":{"with":"Sera","nature":"friend"}}`, `{"name":"Ada","relationships":[{"nature":"friend","with":"Sera"}]}`, ""},
		{"a row without its name", Character, `{"name":"Ada","relationships":[{"nature":"friend"},{"with":"Sera"}]}`, `{"name":"Ada","relationships":[{"with":"Sera"}]}`, "relationships[0]: with is missing"},
		{"empty rows", Character, `{"name":"Ada","relationships":[{},{"with":""},null],"goals":[]}`, `{"name":"Ada"}`, ""},
		{"a state as text", Character, `{"name":"Ada","current_state":"tired"}`, `{"current_state":{"status":"tired"},"name":"Ada"}`, ""},
		{"a text as list and object", Character, `{"name":"Ada","role":["smith","mayor"],"age":{"text":"forty"}}`, `{"age":"forty","name":"Ada","role":"smith; mayor"}`, ""},
		{"null keeps", Character, `{"name":"Ada","role":null,"current_state":{"mood":null}}`, `{"name":"Ada"}`, ""},
		{"control characters", Character, "{\"name\":\"A\\u0000da\\u0007\",\"role\":\"smith\\n of \\t Gate\"}", `{"name":"Ada","role":"smith of Gate"}`, ""},
		{"ids and types are not fields", Character, `{"name":"Ada","type":"npc","id":"e5","book":"x"}`, `{"name":"Ada"}`, ""},
		{"references that are bound", Character, `{"name":"Ada","culture":"[[c1|Ferry Folk]]","role":"friend of [[e5|Sera]]"}`, `{"culture":"[[c1|Ferry Folk]]","name":"Ada","role":"friend of Sera"}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			p, err := Coerce(tt.typ, json.RawMessage(tt.args))
			if d := time.Since(start); d > 10*time.Second {
				t.Errorf("took %v", d)
			}
			if err != nil {
				if err.Error() != tt.rejected || tt.want != "" {
					t.Errorf("error %q, want %q", err, tt.rejected)
				}
				if strings.ContainsAny(err.Error(), "\n") || len(err.Error()) > 160 {
					t.Errorf("no short sentence: %q", err)
				}
				return
			}
			if got := string(encode(p.Data)); got != tt.want {
				t.Errorf("data (-want +got):\n%s", cmp.Diff(tt.want, got))
			}
			var rejected []string
			for _, r := range p.Rejected {
				rejected = append(rejected, r.String())
			}
			if got := strings.Join(rejected, "; "); got != tt.rejected {
				t.Errorf("rejected %q, want %q", got, tt.rejected)
			}
		})
	}
}

func FuzzCoerce(f *testing.F) {
	f.Add("character", valen)
	f.Add("item", `{"arguments":"{\"item\":{\"name\":\"Fork\",\"current_state\":{\"holder\":\"Sil\",\"location\":\"box\"}}}"}`)
	f.Add("rule", `{statement: 'no', terms: {a: 1, b: [2]}, scope: "x; y"}`)
	f.Add("threat", `{"name":"Flood","severity":"4/5","clock":{"filled":1e99},"status":"\u0000","facts":[[["a"]]]}`)
	f.Add("plot", `[[[{"name":"x","steps":{"with":null}}]]]`)
	f.Fuzz(func(t *testing.T, typ, args string) {
		for _, read := range []func(Type, json.RawMessage) (Patch, error){Coerce, CoerceUpdate} {
			p, err := read(Type(typ), json.RawMessage(args))
			if err != nil {
				if !strings.HasPrefix(err.Error(), "rejected: ") {
					t.Fatalf("error %v", err)
				}
				continue
			}
			ctx := Context{ID: "e1", Source: Source{By: BySidecar, Turn: 1}, Update: true}
			e, _ := Merge(nil, p, ctx)
			again, r := Merge(e, p, ctx)
			if len(r.Changed) > 0 && e != again {
				t.Fatalf("again changed %v: %s\n%s", r.Changed, dump(e), dump(again))
			}
			back, ok, err := FromLore(e.ToLore())
			if err != nil || !ok || dump(back) != dump(e) {
				t.Fatalf("not the same through a lorebook entry: %v\n%s\n%s", err, dump(e), dump(back))
			}
			_ = r.Sentence(e)
		}
	})
}

func FuzzMerge(f *testing.F) {
	f.Add("character", valen, `{"name":"Valen","status":"dead","relationships":[{"with":"sera","nature":"lovers"}]}`, 3, 4)
	f.Add("item", `{"name":"Fork","current_state":{"holder":"A"}}`, `{"name":"Fork","current_state":{"location":"B","holder":"C"}}`, 4, 4)
	f.Add("location", `{"name":"V","facts":["The vault has three locks."]}`, `{"name":"V","facts":["The vault has two locks."]}`, 2, 1)
	f.Fuzz(func(t *testing.T, typ, first, second string, a, b int) {
		p, err := Coerce(Type(typ), json.RawMessage(first))
		if err != nil {
			return
		}
		q, err := Coerce(Type(typ), json.RawMessage(second))
		if err != nil {
			return
		}
		e, _ := Merge(nil, p, Context{ID: "e1", Source: Source{By: BySidecar, Turn: a}})
		before := dump(e)
		ctx := Context{Source: Source{By: BySidecar, Turn: b}}
		x, _ := Merge(e, q, ctx)
		if dump(e) != before {
			t.Fatal("the old entry changed")
		}
		y, r := Merge(x, q, ctx)
		if dump(x) != dump(y) || len(r.Changed) > 0 {
			t.Fatalf("again changed %v\n%s\n%s", r.Changed, dump(x), dump(y))
		}
		var o Entry
		raw, err := json.Marshal(y)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &o); err != nil || dump(&o) != dump(y) {
			t.Fatalf("not the same through JSON: %v\n%s\n%s", err, dump(y), dump(&o))
		}
		for _, size := range []Size{OneLine, Brief, Full} {
			if s := (&Renderer{}).Render(y, size); EstimateTokens(s) > size.Limit() {
				t.Fatalf("%s is too long: %q", size, s)
			}
		}
	})
}
