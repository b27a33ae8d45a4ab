package splice_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-memory/weft/format/internal/splice"
	"github.com/weft-memory/weft/format/jsondoc"
)

func parse(t interface{ Fatal(...any) }, s string) *jsondoc.Doc {
	doc, err := jsondoc.Parse(s, jsondoc.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestMerge(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ doc, from, to, want string }{
		{`{"a": [1e0, 2,  3], "x": 0}`, `{"a":[1,2,3]}`, `{"a":[1,5,3]}`, `{"a": [1e0, 5,  3], "x": 0}`},
		{`{"a": [1e0, 2,  3]}`, `{"a":[1,2,3]}`, `{"a":[1,3]}`, `{"a": [1e0,  3]}`},
		{`{"a": [1e0, 3]}`, `{"a":[1,3]}`, `{"a":[1,2,3]}`, `{"a": [1e0, 2, 3]}`},
		{`{"z": 0, "a": {"b": 1}}`, `{"a":{"b":1}}`, `{"a":{"b":1,"c":2}}`, `{"z": 0, "a": {"b": 1, "c": 2}}`},
		{`{"a": 1, "b": 2}`, `{"a":1,"b":2}`, `{"b":2}`, `{"b": 2}`},
		{`[7, 8]`, `"x"`, `"y"`, `"y"`},
	} {
		doc := parse(t, tt.doc)
		ed := doc.Edit()
		splice.Merge(ed, doc.Root(), parse(t, tt.from).Root().Tree(), parse(t, tt.to).Root().Tree())
		if got := ed.String(); got != tt.want {
			t.Errorf("%s from %s to %s: %s, want %s", tt.doc, tt.from, tt.to, got, tt.want)
		}
	}
}

// genTree makes small trees.
func genTree(depth int) *rapid.Generator[*jsondoc.Tree] {
	return rapid.Custom(func(t *rapid.T) *jsondoc.Tree {
		kind := rapid.IntRange(0, 4).Draw(t, "kind")
		if depth == 0 {
			kind %= 3
		}
		switch kind {
		case 0:
			return jsondoc.Int(rapid.IntRange(-3, 3).Draw(t, "n"))
		case 1:
			return jsondoc.Str(rapid.StringMatching(`[a-c]{0,2}`).Draw(t, "s"))
		case 2:
			return jsondoc.NewBool(rapid.Bool().Draw(t, "b"))
		case 3:
			return jsondoc.List(rapid.SliceOfN(genTree(depth-1), 0, 4).Draw(t, "items")...)
		}
		o := jsondoc.Obj()
		for k, v := range rapid.MapOfN(rapid.StringMatching(`[a-d]`), genTree(depth-1), 0, 4).Draw(t, "members") {
			o.Set(k, v)
		}
		return o
	})
}

// TestMergeReaches applies the difference of two trees to a document of the
// first, which then means the second.
func TestMergeReaches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from, to := genTree(3).Draw(t, "from"), genTree(3).Draw(t, "to")
		doc := parse(t, string(from.Append(nil, jsondoc.Indented(" "))))
		ed := doc.Edit()
		splice.Merge(ed, doc.Root(), from, to)
		if got := parse(t, ed.String()).Root().Tree(); !got.Same(to) {
			t.Fatalf("from %s to %s came %s", from, to, got)
		}
	})
}

// TestPatchToNothing: an object without members is another one than no order.
func TestPatchToNothing(t *testing.T) {
	t.Parallel()
	have, want := jsondoc.Obj(jsondoc.M("a", jsondoc.Str(""))), jsondoc.Obj()
	p := splice.Diff(have, want)
	if got := p.Apply(have); p.Empty() || !got.Equal(want) {
		t.Errorf("from %s to %s came %s", have, want, got)
	}
}

// TestPatch lays the difference of two objects over the first.
func TestPatch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		have, want := genTree(2).Draw(t, "have"), genTree(2).Draw(t, "want")
		if have.Kind != jsondoc.Object || want.Kind != jsondoc.Object {
			return
		}
		if got := splice.Diff(have, want).Apply(have); !got.Equal(want) {
			t.Fatalf("from %s to %s came %s", have, want, got)
		}
		if got := splice.Trees(have, have, want); !got.Same(want) {
			t.Fatalf("from %s to %s came %s", have, want, got)
		}
	})
}
