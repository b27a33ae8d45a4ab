package compendium

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// say merges a call of a model made at a turn.
func say(t testing.TB, e *Entry, typ Type, turn int, args string) (*Entry, Result) {
	t.Helper()
	p, err := Coerce(typ, json.RawMessage(args))
	if err != nil {
		t.Fatalf("coerce %s: %v", args, err)
	}
	return Merge(e, p, Context{ID: "e1", Source: Source{By: BySidecar, Turn: turn, Node: "m"}})
}

// The example of the article, as it stands there.
const valen = `{
  name: "Valen",
  description: "Former Shadow Guild operative turned reluctant ally",
  role: "Deuteragonist",
  relationships: [
    { with: "Sera", nature: "romantic_tension", status: "complicated" },
    { with: "Shadow Guild", nature: "former_member", status: "hunted" }
  ],
  current_state: {
    location: "Northern Wastes",
    status: "injured, hiding"
  }
}`

func TestValenTwice(t *testing.T) {
	t.Parallel()
	e, r := say(t, nil, Character, 3, valen)
	if len(r.Rejected)+len(r.Notes) > 0 || !r.Created {
		t.Errorf("first call: rejected %v, notes %v, created %v", r.Rejected, r.Notes, r.Created)
	}
	again, r := say(t, e, Character, 4, valen)
	if len(r.Changed) > 0 || len(r.Rejected) > 0 || again != e {
		t.Errorf("second call changed %v, rejected %v", r.Changed, r.Rejected)
	}
	if n := len(e.Rows("relationships")); n != 2 {
		t.Errorf("%d relationships, want 2", n)
	}
	for path, want := range map[string]string{
		"name": "Valen", "role": "Deuteragonist", "current_state.location": "Northern Wastes", "current_state.status": "injured, hiding",
		"relationships[sera|romance].nature": "romantic_tension", "relationships[shadow guild|service].status": "hunted",
	} {
		if got := e.Text(path); got != want {
			t.Errorf("%s = %q, want %q", path, got, want)
		}
	}
	// The bond changes in place, and the change is history.
	e, r = say(t, e, Character, 9, `{"name":"Valen","relationships":[{"with":"sera","nature":"lovers","status":"open"}]}`)
	if n := len(e.Rows("relationships")); n != 2 {
		t.Errorf("%d relationships after the change, want 2", n)
	}
	if got := e.Text("relationships[sera|romance].nature"); got != "lovers" {
		t.Errorf("nature = %q", got)
	}
	if len(r.Past) != 2 || string(r.Past[0].Value) != `"romantic_tension"` || r.Past[0].From.Turn != 3 || r.Past[0].Until.Turn != 9 {
		t.Errorf("history: %+v", r.Past)
	}
	// A sibling who is also a rival has two rows.
	e, _ = say(t, e, Character, 10, `{"name":"Valen","relationships":[{"with":"Corin","nature":"brother"},{"with":"Corin","nature":"rival"}]}`)
	if n := len(e.Rows("relationships")); n != 4 {
		t.Errorf("%d relationships, want 4", n)
	}
}

func TestKeysByNormalForm(t *testing.T) {
	t.Parallel()
	e, _ := say(t, nil, Character, 1, `{"name":"Osk","memberships":[{"org":"Brothers in Arms","rank":"scout"}]}`)
	for i, name := range []string{"brothers in arms", "Brothers-in-Arms", "BROTHERS IN ARMS", "the Brothers in Arms"} {
		var r Result
		e, r = say(t, e, Character, 2+i, `{"name":"Osk","memberships":[{"org":"`+name+`"}]}`)
		if len(r.Changed) > 0 {
			t.Errorf("%q changed %v", name, r.Changed)
		}
	}
	if got := e.Rows("memberships"); len(got) != 1 || plain(got[0].Values["org"]) != "Brothers in Arms" {
		t.Errorf("memberships: %v", got)
	}
}

func TestMergeRules(t *testing.T) {
	t.Parallel()
	person := func(turn int) Context { return Context{Source: Source{By: ByPerson, Turn: turn}} }
	sidecar := func(turn int) Context { return Context{Source: Source{By: BySidecar, Turn: turn}} }
	update := func(turn int) Context { c := sidecar(turn); c.Update = true; return c }
	dated := func(turn int, day int64) Context { c := sidecar(turn); c.Source.Story = At("", day*1440); return c }
	with := func(c Context, f func(*Context)) Context { f(&c); return c }
	type call struct {
		ctx  Context
		args string
	}
	for _, tt := range []struct {
		name     string
		typ      Type
		calls    []call
		want     map[string]string
		absent   []string
		changed  []string // of the last call; nil is not looked at
		rejected string
		disputed []string
	}{
		{
			name: "absent, empty and words for nothing keep", typ: Character,
			calls:   []call{{sidecar(1), `{"name":"Ada","role":"smith","age":"40"}`}, {sidecar(2), `{"name":"Ada","role":"","age":"unknown"}`}},
			want:    map[string]string{"role": "smith", "age": "40"},
			changed: []string{},
		},
		{
			name: "a later value replaces", typ: Character,
			calls: []call{{sidecar(1), `{"name":"Ada","role":"smith"}`}, {sidecar(2), `{"name":"Ada","role":"mayor"}`}},
			want:  map[string]string{"role": "mayor"}, changed: []string{"role"},
		},
		{
			name: "a late answer about an earlier message does not", typ: Character,
			calls: []call{{sidecar(5), `{"name":"Ada","role":"mayor"}`}, {sidecar(2), `{"name":"Ada","role":"smith"}`}},
			want:  map[string]string{"role": "mayor"}, changed: []string{"history"},
		},
		{
			name: "story time stands above record time", typ: Character,
			calls: []call{{dated(5, 3), `{"name":"Ada","role":"mayor"}`}, {dated(6, 1), `{"name":"Ada","role":"smith"}`}},
			want:  map[string]string{"role": "mayor"},
		},
		{
			name: "two values of one moment are disputed", typ: Character,
			calls: []call{{sidecar(5), `{"name":"Ada","age":"41"}`}, {sidecar(5), `{"name":"Ada","age":"40"}`}},
			want:  map[string]string{"age": "40"}, disputed: []string{"age"},
		},
		{
			name: "a person stands above a sidecar", typ: Character,
			calls: []call{{sidecar(1), `{"name":"Ada","role":"smith"}`}, {person(2), `{"name":"Ada","role":"baker"}`}, {sidecar(9), `{"name":"Ada","role":"smith"}`}},
			want:  map[string]string{"role": "baker"}, rejected: "role: a person wrote it: only a person may change it",
		},
		{
			name: "what a person said of the moment gives way to the story", typ: Character,
			calls: []call{{sidecar(1), `{"name":"Ada","current_state":{"mood":"calm"}}`}, {person(2), `{"name":"Ada","current_state":{"mood":"sad"}}`}, {sidecar(9), `{"name":"Ada","current_state":{"mood":"angry"}}`}},
			want:  map[string]string{"current_state.mood": "angry"},
		},
		{
			name: "but not to what was before", typ: Character,
			calls: []call{{person(4), `{"name":"Ada","current_state":{"mood":"sad"}}`}, {sidecar(3), `{"name":"Ada","current_state":{"mood":"angry"}}`}},
			want:  map[string]string{"current_state.mood": "sad"}, rejected: "current_state.mood: a person set it",
		},
		{
			name: "null clears in an update of the state", typ: Character,
			calls:  []call{{sidecar(1), `{"name":"Ada","current_state":{"disguise":"monk","mood":"sad"}}`}, {update(2), `{"current_state":{"disguise":null}}`}},
			absent: []string{"current_state.disguise"}, want: map[string]string{"current_state.mood": "sad"},
		},
		{
			name: "and nowhere else", typ: Character,
			calls: []call{{sidecar(1), `{"name":"Ada","role":"smith"}`}, {update(2), `{"role":null}`}},
			want:  map[string]string{"role": "smith"}, rejected: "role: only values of current_state can be cleared",
		},
		{
			name: "an update removes a row", typ: Character,
			calls:  []call{{sidecar(1), `{"name":"Ada","goals":["win","rest"]}`}, {update(2), `{"goals":[{"text":"rest","remove":true}]}`}},
			absent: []string{"goals[rest]"}, want: map[string]string{"goals[win].text": "win"},
		},
		{
			name: "omission removes nothing", typ: Character,
			calls: []call{{sidecar(1), `{"name":"Ada","goals":["win","rest"]}`}, {sidecar(2), `{"name":"Ada","goals":["win"]}`}},
			want:  map[string]string{"goals[rest].text": "rest"}, changed: []string{},
		},
		{
			name: "the dead do not rise without a reason", typ: Character,
			calls: []call{{sidecar(1), `{"name":"Ada","status":"killed"}`}, {sidecar(2), `{"name":"Ada","status":"active"}`}},
			want:  map[string]string{"status": "dead"}, rejected: "status: Ada is dead: to bring it back, name the reason",
		},
		{
			name: "with one they do", typ: Character,
			calls: []call{{sidecar(1), `{"name":"Ada","status":"dead"}`}, {sidecar(2), `{"name":"Ada","status":"alive","reason":"the rite worked"}`}},
			want:  map[string]string{"status": "active"},
		},
		{
			name: "a short description becomes a fact", typ: Character,
			calls: []call{
				{sidecar(1), `{"name":"Ada","description":"The smith of Northford, who learned her trade from Corin Vale and keeps the bridge toll for the Abbey."}`},
				{sidecar(2), `{"name":"Ada","description":"A tired woman."}`},
			},
			want: map[string]string{"description": "The smith of Northford, who learned her trade from Corin Vale and keeps the bridge toll for the Abbey.", "facts[description|tired woman].text": "A tired woman."},
		},
		{
			name: "another name becomes an alias", typ: Character,
			calls: []call{{sidecar(1), `{"name":"Ada"}`}, {sidecar(2), `{"name":"Ada of the Bridge"}`}, {sidecar(3), `{"name":"Ada (Northford)"}`}},
			want:  map[string]string{"name": "Ada", "aliases[ada of the bridge].text": "Ada of the Bridge"}, changed: []string{},
		},
		{
			name: "an update renames", typ: Location,
			calls: []call{{sidecar(1), `{"name":"The Kingfisher"}`}, {update(2), `{"name":"The Long Table"}`}},
			want:  map[string]string{"name": "The Long Table", "aliases[kingfisher].kind": "former"},
		},
		{
			name: "facts that contradict are disputed", typ: Location,
			calls:    []call{{sidecar(1), `{"name":"Vault","facts":[{"topic":"locks","text":"The vault door has three locks."}]}`}, {sidecar(2), `{"name":"Vault","facts":[{"topic":"locks","text":"The vault door has two locks."}]}`}},
			want:     map[string]string{"facts[locks|vault door has three locks].certainty": "disputed", "facts[locks|vault door has two locks].certainty": "disputed"},
			disputed: []string{"facts[locks|vault door has three locks]", "facts[locks|vault door has two locks]"},
		},
		{
			name: "with story time the earlier one is closed", typ: Location,
			calls: []call{{dated(1, 1), `{"name":"Vault","facts":[{"topic":"locks","text":"The vault door has three locks."}]}`}, {dated(2, 4), `{"name":"Vault","facts":[{"topic":"locks","text":"The vault door has two locks."}]}`}},
			want:  map[string]string{"facts[locks|vault door has three locks].valid_to": ""}, disputed: nil,
			changed: []string{"facts[locks|vault door has three locks].valid_to", "facts[locks|vault door has two locks].text", "facts[locks|vault door has two locks].topic", "facts[locks|vault door has two locks].valid_from"},
		},
		{
			name: "a fact in other words is one", typ: Location,
			calls: []call{{sidecar(1), `{"name":"Vault","facts":["The old vault lies below the third bakery."]}`}, {sidecar(2), `{"name":"Vault","facts":["The old vault lies below the third bakery"]}`}},
			want:  map[string]string{"facts[|old vault lies below the third bakery].text": "The old vault lies below the third bakery."}, changed: []string{},
		},
		{
			name: "a claim replaces nothing", typ: Character,
			calls: []call{{sidecar(1), `{"name":"Ada","role":"smith"}`}, {with(sidecar(2), func(c *Context) { c.Certainty, c.Speaker = "rumour", "Dom" }), `{"name":"Ada","role":"spy"}`}},
			want:  map[string]string{"role": "smith", "facts[role|spy].certainty": "rumour", "facts[role|spy].speaker": "Dom"},
		},
		{
			name: "an item has a holder or a place", typ: Item,
			calls:  []call{{sidecar(1), `{"name":"Fork","current_state":{"location":"strongbox"}}`}, {sidecar(2), `{"name":"Fork","current_state":{"holder":"Sil","how":"stole"}}`}},
			absent: []string{"current_state.location"},
			want:   map[string]string{"current_state.holder": "Sil", "provenance_chain[sil|turn 2].how": "stolen"},
		},
		{
			name: "and its chain grows", typ: Item,
			calls:  []call{{sidecar(1), `{"name":"Fork","current_state":{"holder":"Ede"}}`}, {sidecar(2), `{"name":"Fork","current_state":{"holder":"Ysolt"}}`}, {sidecar(3), `{"name":"Fork","current_state":{"location":"the canal"}}`}},
			absent: []string{"current_state.holder"},
			want:   map[string]string{"provenance_chain[ede|turn 1].to": "turn 2", "provenance_chain[ysolt|turn 2].holder": "Ysolt"},
		},
		{
			name: "another type is another entry", typ: Character,
			calls:    []call{{sidecar(1), `{"name":"Ada"}`}},
			want:     map[string]string{"name": "Ada"},
			rejected: "",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var e *Entry
			var r Result
			for _, c := range tt.calls {
				read := Coerce
				if c.ctx.Update {
					read = CoerceUpdate
				}
				p, err := read(tt.typ, json.RawMessage(c.args))
				if err != nil {
					t.Fatal(err)
				}
				before := dump(e)
				next, res := Merge(e, p, c.ctx)
				if diff := cmp.Diff(before, dump(e)); diff != "" {
					t.Errorf("the old entry changed:\n%s", diff)
				}
				again, res2 := Merge(next, p, c.ctx)
				if again != next || len(res2.Changed) > 0 {
					t.Errorf("%s again changed %v", c.args, res2.Changed)
				}
				e, r = next, res
			}
			for path, want := range tt.want {
				if got := e.Text(path); got != want {
					t.Errorf("%s = %q, want %q", path, got, want)
				}
			}
			for _, path := range tt.absent {
				if v := e.Value(path); v != nil {
					t.Errorf("%s = %v, want nothing", path, v)
				}
			}
			if tt.changed != nil {
				if diff := cmp.Diff(tt.changed, append([]string{}, r.Changed...)); diff != "" {
					t.Errorf("changed (-want +got):\n%s", diff)
				}
			}
			var rejected []string
			for _, x := range r.Rejected {
				rejected = append(rejected, x.String())
			}
			if got := strings.Join(rejected, "; "); got != tt.rejected {
				t.Errorf("rejected %q, want %q", got, tt.rejected)
			}
			if diff := cmp.Diff(tt.disputed, r.Disputed); diff != "" {
				t.Errorf("disputed (-want +got):\n%s", diff)
			}
		})
	}
}

// dump returns everything that an entry holds.
func dump(e *Entry) string {
	if e == nil {
		return ""
	}
	return string(encode(Object{"id": e.ID, "type": string(e.Type), "data": e.Data, "stored": e.stored()}))
}
