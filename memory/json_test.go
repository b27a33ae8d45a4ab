package memory

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/lore"
)

const fullOperation = `{"id":"o1","seq":7,"world":"w","layer":"story","conversation":"c","node":"n","book":"~story","entry":"tom","kind":"merge",` +
	`"author":{"kind":"sidecar","name":"m"},"phase":"write","model":"m","reason":"it was said","quotes":[{"node":"n","text":"so"}],` +
	`"change":{"entry":{"id":"tom","x_new":[1.50,null],"content":"Tom <is>."},"fields":{"status":{"old":null,"new":"well"},"tags":{"new":["a"]}},` +
	`"content":[{"before":"A. ","old":"B.","new":"C.","after":" D."}],"into":[{"entry":"tom"}],"from":[{"book":"~world","entry":"tommy"}],` +
	`"parts":[{"id":"p","content":"P."}],"category":"people","names":["Ada"],"overlay":true,"x_change":{"b":1,"a":2}},` +
	`"inverse":{"category":"court"},"digest":"d","on":"o0","undo":"o00","time":1700000000000000,"retracted":true,"x_op":[1,2]}`

func TestOperationJSON(t *testing.T) {
	t.Parallel()
	var op Operation
	if err := json.Unmarshal([]byte(fullOperation), &op); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(op)
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	for raw, to := range map[string]*any{fullOperation: &a, string(got): &b} {
		if err := json.Unmarshal([]byte(raw), to); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(a, b); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if !strings.Contains(string(got), `"x_new":[1.50,null]`) {
		t.Errorf("a number was rewritten: %s", got)
	}
	if string(op.Change.Fields["status"].Old) != "null" || op.Change.Fields["tags"].Old != nil {
		t.Error("null and absent are one")
	}
	var short Change
	if err := json.Unmarshal([]byte(`{"from":["a",{"book":"b","entry":"c"}]}`), &short); err != nil || !cmp.Equal(short.From, []Ref{{Entry: "a"}, {"b", "c"}}) {
		t.Errorf("references: %v %v", short.From, err)
	}
}

func TestBadJSON(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		`[]`, `{"change":[]}`, `{"change":{"entry":[]}}`, `{"change":{"entry":{"content":"x","probability":"often"}}}`, `{"change":{"fields":{"a":3}}}`,
		`{"change":{"from":[3]}}`, `{"change":{"from":3}}`, `{"change":{"parts":[null]}}`, `{"change":{"content":"x"}}`, `{"seq":"x"}`,
	} {
		var op Operation
		if err := json.Unmarshal([]byte(src), &op); err == nil {
			t.Errorf("%s was read as %+v", src, op)
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	good := Operation{
		ID: "o", World: "w", Layer: LayerStory, Conversation: "c", Node: "n", Entry: "tom", Kind: KindPatch,
		Author: Author{Kind: BySidecar}, Change: Append("He sings."),
	}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		change func(*Operation)
		want   string
	}{
		{func(o *Operation) { o.ID = "" }, `operation: id: is missing`},
		{func(o *Operation) { o.World = "" }, `operation "o": world: is missing`},
		{func(o *Operation) { o.Entry = "" }, `entry: is missing`},
		{func(o *Operation) { o.Node = strings.Repeat("x", 600) }, `node: an id has at most 512 bytes, got 600`},
		{func(o *Operation) { o.Book = "\xff" }, `book: is not UTF-8`},
		{func(o *Operation) { o.Seq = -1 }, `seq: is negative: -1`},
		{func(o *Operation) { o.Conversation = "" }, `conversation: a story operation needs one`},
		{func(o *Operation) { o.Layer = "moon" }, `layer: expected canon, world or story, got "moon"`},
		{func(o *Operation) { o.Layer = LayerCanon }, `layer: a sidecar cannot write to canon`},
		{func(o *Operation) { o.Node = "" }, `node: a sidecar's operation needs the message that caused it`},
		{func(o *Operation) { o.On = "o0" }, `on: only a person's operation stands on a version`},
		{func(o *Operation) { o.Author.Kind = "ghost" }, `author.kind: expected person, sidecar or import, got "ghost"`},
		{func(o *Operation) { o.Kind = "sing" }, `kind: unknown kind "sing"`},
		{func(o *Operation) { o.Change = Change{} }, `change: a patch needs fields or content`},
		{func(o *Operation) { o.Kind = KindCreate }, `change.entry: a creation needs the whole entry`},
		{func(o *Operation) { o.Kind, o.Change.Entry = KindCreate, lore.NewEntry("x", "") }, `change.entry: has the id "x", the operation names "tom"`},
		{func(o *Operation) { o.Kind, o.Book, o.Change.Entry = KindCreate, "vale", lore.NewEntry("tom", "") }, `book: a sidecar's new entry goes to ~story or ~world, not to "vale"`},
		{func(o *Operation) { o.Kind = KindMerge }, `change.from: a merge needs the entries`},
		{func(o *Operation) { o.Kind, o.Change.From, o.Change.Into = KindMerge, []Ref{{}}, make([]Ref, 2) }, `change.into: a merge leads into one entry, got 2`},
		{func(o *Operation) { o.Kind = KindSplit }, `change.parts: a split needs the entries`},
		{func(o *Operation) { o.Change.Parts = []*lore.Entry{nil, lore.NewEntry("", "")} }, `change.parts[1]: has no id`},
		{func(o *Operation) { o.Kind = KindLearn }, `change.names: is empty`},
		{func(o *Operation) { o.Change.Names = []string{" "} }, `change.names[0]: is blank`},
		{func(o *Operation) { o.Change.Content = []Hunk{{Before: "x"}} }, `change.content[0]: needs old or new`},
		{func(o *Operation) { o.Change.Content = []Hunk{{New: strings.Repeat("x", 2<<20)}} }, `change.content[0]: a text has at most 1048576 bytes`},
		{func(o *Operation) { o.Change.Content = make([]Hunk, 1001) }, `change.content: at most 1000, got 1001`},
		{func(o *Operation) { o.Change.Fields = map[string]Field{"id": {New: raw(`"x"`)}} }, `change.fields: "id" cannot be patched`},
		{func(o *Operation) { o.Change.Fields = map[string]Field{"content": {New: raw(`"x"`)}} }, `change.fields.content: the text is changed by hunks`},
		{func(o *Operation) { o.Change.Fields = map[string]Field{"probability": {New: raw(`"often"`)}} }, `change.fields.probability: `},
		{func(o *Operation) { o.Change.Fields = map[string]Field{"x": {New: raw(`{`)}} }, `change.fields.x: is no JSON`},
		{func(o *Operation) { o.Undo = "o" }, `undo: an operation cannot undo itself`},
		{func(o *Operation) { o.Inverse = &Change{Names: []string{""}} }, `inverse.names[0]: is blank`},
	} {
		o := good
		tt.change(&o)
		err := o.Validate()
		if err == nil || !strings.Contains(err.Error(), tt.want) || !errors.Is(err, ErrInvalid) {
			t.Errorf("got %v, want %q", err, tt.want)
		}
	}
}

// TestFoldTakesAnything folds operations that Validate refuses.
func TestFoldTakesAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		kinds := rapid.SampledFrom([]Kind{KindCreate, KindPatch, KindForget, KindRestore, KindMerge, KindSplit, KindMove, KindRetire, KindLearn, KindAlias, KindLock, KindUnlock, "", "x"})
		id := rapid.SampledFrom([]string{"", "alys", "mill", "a", "b", CategoryID("people"), CategoryID("a")})
		ref := rapid.Custom(func(t *rapid.T) Ref {
			return Ref{rapid.SampledFrom([]string{"", "vale", StoryBook, "nowhere"}).Draw(t, "book"), id.Draw(t, "entry")}
		})
		ops := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Operation {
			r := ref.Draw(t, "ref")
			o := Operation{
				ID: rapid.SampledFrom([]string{"", "1", "2", "3", "4"}).Draw(t, "id"), Seq: rapid.Int64Range(-1, 4).Draw(t, "seq"), Kind: kinds.Draw(t, "kind"), Book: r.Book, Entry: r.Entry,
				Author: Author{Kind: rapid.SampledFrom([]AuthorKind{ByPerson, BySidecar, ""}).Draw(t, "author")},
				On:     rapid.SampledFrom([]string{"", "1", "2", "canon:1"}).Draw(t, "on"), Undo: rapid.SampledFrom([]string{"", "", "1", "2"}).Draw(t, "undo"),
			}
			o.Change.From, o.Change.Into = rapid.SliceOfN(ref, 0, 2).Draw(t, "from"), rapid.SliceOfN(ref, 0, 2).Draw(t, "into")
			o.Change.Category = id.Draw(t, "category")
			o.Change.Fields = map[string]Field{rapid.SampledFrom([]string{"name", "tags", "keys", "priority", "~order", "folder", "knows", "x", ""}).Draw(t, "field"): {New: raw(rapid.SampledFrom([]string{"", "null", "3", `"a"`, `["a"]`, `{`, `{"a":1}`}).Draw(t, "new"))}}
			o.Change.Content = []Hunk{{Old: drawText(t, "old"), New: drawText(t, "new"), Before: drawText(t, "before"), After: drawText(t, "after")}}
			if rapid.Bool().Draw(t, "entry?") {
				o.Change.Entry = lore.NewEntry(id.Draw(t, "entry id"), "E.")
				o.Change.Parts = []*lore.Entry{nil, lore.NewEntry(id.Draw(t, "part id"), "P.")}
			}
			return o
		}), 0, 6).Draw(t, "ops")
		v := Fold(testBooks(), ops, Options{})
		v.Fingerprint()
		v.Overlays()
		checkCategories(t, v)
		for _, op := range v.Operations() {
			v.Inverse(op)
			if _, _, err := v.Undo(op.ID, Author{Kind: ByPerson}); err != nil {
				t.Fatal(err)
			}
			same(t, "without one", v.Fold(slices.DeleteFunc(v.Operations(), func(o Operation) bool { return o.ID == op.ID })), v.Without(op.ID))
		}
		for _, r := range v.Live() {
			v.Promote(r.Book, r.Entry, LayerWorld, "", Operation{})
			v.Provenance(r.Book, r.Entry)
			v.History(r.Book, r.Entry)
		}
	})
}
