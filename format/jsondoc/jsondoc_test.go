package jsondoc_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/format/jsondoc"
)

func parse(t testing.TB, text string) *jsondoc.Doc {
	t.Helper()
	doc, err := jsondoc.Parse(text, jsondoc.Limits{})
	if err != nil {
		t.Fatalf("Parse(%.60q): %v", text, err)
	}
	return doc
}

func TestValues(t *testing.T) {
	t.Parallel()
	doc := parse(t, `{"s":"a\u00e9\ud83d\udc19\ud800b","n":1e2,"big":9007199254740993,"frac":100.0,
		"b":true,"z":null,"list":["x",1,"y"],"o":{"k\u0065y":"v"},"dup":1,"dup":2}`)
	root := doc.Root()
	if got, want := root.Get("s").Text(), "aé🐙\ufffdb"; got != want {
		t.Errorf("Text() = %q, want %q", got, want)
	}
	if got, want := root.Get("s").ExactText(), "aé🐙\xed\xa0\x80b"; got != want {
		t.Errorf("ExactText() = %q, want %q", got, want)
	}
	for key, want := range map[string]int{"n": 100, "frac": 100, "big": 9007199254740993} {
		if got, ok := root.Get(key).Int(); got != want || !ok {
			t.Errorf("%s: Int() = %d, %t, want %d", key, got, ok, want)
		}
	}
	if got := root.Get("n").Number(); got != "1e2" {
		t.Errorf("Number() = %q, want the spelling 1e2", got)
	}
	if got := root.At("o", "key").Text(); got != "v" {
		t.Errorf("a key with escapes is not found: %q", got)
	}
	if got := root.Get("dup").Raw(); got != "2" {
		t.Errorf("of two keys the last one counts: got %s", got)
	}
	if d := doc.Duplicates(); len(d) != 1 || d[0].Key != "dup" {
		t.Errorf("Duplicates() = %v", d)
	}
	if list, ok := root.Get("list").Strings(); ok || !cmp.Equal(list, []string{"x", "y"}) {
		t.Errorf("Strings() = %q, %t", list, ok)
	}
	var none jsondoc.Value
	if none.Get("a").At("b", "1").Text() != "" || none.Exists() || !none.IsNull() || none.Len() != 0 || none.Raw() != "" {
		t.Error("the zero Value is not empty")
	}
	if got := root.Get("list").Line(); got != 2 {
		t.Errorf("Line() = %d, want 2", got)
	}
}

func TestSyntaxErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"", "line 1, column 1: the text ends where a value was expected"},
		{`{"a":1`, "line 1, column 7: the text ends inside an object"},
		{"{\n  \"ä\": tru }", "line 2, column 8: expected true"},
		{`[1,]`, "a comma before the end of the array"},
		{`{"a" 1}`, "expected a colon"},
		{`{a:1}`, "expected a key in double quotes"},
		{`["a` + "\n" + `"]`, "control character U+000A"},
		{`["\x"]`, `unknown escape \x`},
		{`["\u12"]`, "four hexadecimal digits"},
		{`[01]`, "not a number"},
		{`[1.]`, "a digit must follow the point"},
		{`[1e]`, "a digit must follow the exponent"},
		{`["abc`, "the string has no end"},
		{`{} {}`, "text after the end"},
		{`[<]`, "'<' where a value was expected"},
	} {
		_, err := jsondoc.Parse(c.text, jsondoc.Limits{})
		var syntax *jsondoc.SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse(%q) = %v, want %q", c.text, err, c.want)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 100000) + strings.Repeat("]", 100000)
	if _, err := jsondoc.Parse(deep, jsondoc.Limits{}); err == nil || !strings.Contains(err.Error(), "more than 512 deep") {
		t.Errorf("100,000 levels: %v", err)
	}
	if _, err := jsondoc.Parse(`{"a":`+deep, jsondoc.Limits{}); err == nil {
		t.Error("100,000 levels inside an object were accepted")
	}
	if _, err := jsondoc.Parse("[1,2,3,4]", jsondoc.Limits{Values: 3}); err == nil {
		t.Error("more values than the limit were accepted")
	}
	if _, err := jsondoc.Parse("[1,2,3,4]", jsondoc.Limits{Bytes: 5}); err == nil {
		t.Error("more bytes than the limit were accepted")
	}
}

// TestEdits holds one edit per case and the text that must come of it.
func TestEdits(t *testing.T) {
	t.Parallel()
	type edit func(e *jsondoc.Editor, root jsondoc.Value)
	for _, c := range []struct {
		name, text string
		edit       edit
		want       string
	}{
		{"set", `{ "a":1 , "b" : 2 }`, func(e *jsondoc.Editor, r jsondoc.Value) { e.Set(r, "a", jsondoc.Str("x")) }, `{ "a":"x" , "b" : 2 }`},
		{"append inline", `{"a": 1, "b": 2}`, func(e *jsondoc.Editor, r jsondoc.Value) { e.Set(r, "c", jsondoc.Int(3)) }, `{"a": 1, "b": 2, "c": 3}`},
		{"append compact", `{"a":1}`, func(e *jsondoc.Editor, r jsondoc.Value) { e.Set(r, "c", jsondoc.Int(3)) }, `{"a":1,"c":3}`},
		{"append indented", "{\n\t\"a\": 1\n}\n", func(e *jsondoc.Editor, r jsondoc.Value) { e.Set(r, "c", jsondoc.StrList([]string{"x"})) }, "{\n\t\"a\": 1,\n\t\"c\": [\n\t\t\"x\"\n\t]\n}\n"},
		{"append crlf", "{\r\n  \"a\": 1\r\n}", func(e *jsondoc.Editor, r jsondoc.Value) { e.Set(r, "c", jsondoc.Int(3)) }, "{\r\n  \"a\": 1,\r\n  \"c\": 3\r\n}"},
		{"after", `{"a":1,"b":2}`, func(e *jsondoc.Editor, r jsondoc.Value) { e.SetAfter(r, "a", "c", jsondoc.Int(3)) }, `{"a":1,"c":3,"b":2}`},
		{"into empty", "{\n    \"x\": {},\n    \"y\": []\n}", func(e *jsondoc.Editor, r jsondoc.Value) {
			e.Set(r.Get("x"), "k", jsondoc.Int(1))
			e.Insert(r.Get("y"), 0, jsondoc.Int(2))
		}, "{\n    \"x\": {\n        \"k\": 1\n    },\n    \"y\": [\n        2\n    ]\n}"},
		{"delete first", `{"a": 1, "b": 2}`, func(e *jsondoc.Editor, r jsondoc.Value) { e.Delete(r, "a") }, `{"b": 2}`},
		{"delete last", "{\n  \"a\": 1,\n  \"b\": 2\n}", func(e *jsondoc.Editor, r jsondoc.Value) { e.Delete(r, "b") }, "{\n  \"a\": 1\n}"},
		{"delete all", `{ "a": 1 }`, func(e *jsondoc.Editor, r jsondoc.Value) { e.Delete(r, "a") }, `{}`},
		{"delete absent", `{ "a": 1 }`, func(e *jsondoc.Editor, r jsondoc.Value) { e.Delete(r, "z") }, `{ "a": 1 }`},
		{"insert", `["a","b"]`, func(e *jsondoc.Editor, r jsondoc.Value) { e.Insert(r, 1, jsondoc.Str("x")) }, `["a","x","b"]`},
		{"remove", `["a", "b", "c"]`, func(e *jsondoc.Editor, r jsondoc.Value) { e.Remove(r, 0) }, `["b", "c"]`},
		{"move", `["a", "b", "c"]`, func(e *jsondoc.Editor, r jsondoc.Value) { e.Move(r, 0, 2) }, `["b", "c", "a"]`},
		{"list stays on its line", "{\n  \"k\": [\"a\", \"b\"]\n}", func(e *jsondoc.Editor, r jsondoc.Value) {
			e.Set(r, "k", jsondoc.StrList([]string{"a", "c"}))
		}, "{\n  \"k\": [\"a\", \"c\"]\n}"},
		{"few escapes", `{"a":"<"}`, func(e *jsondoc.Editor, r jsondoc.Value) { e.Set(r, "b", jsondoc.Str("<&>é/\u2028\"\n")) }, `{"a":"<","b":"<&>é/` + "\u2028" + `\"\n"}`},
		{"escapes of the source", `{"a":"\u00e9"}`, func(e *jsondoc.Editor, r jsondoc.Value) { e.Set(r, "b", jsondoc.Str("ü🐙")) }, `{"a":"\u00e9","b":"\u00fc\ud83d\udc19"}`},
		{"lone surrogate", `{"a":1}`, func(e *jsondoc.Editor, r jsondoc.Value) { e.Set(r, "b", jsondoc.Str("\xed\xa0\x80")) }, `{"a":1,"b":"\ud800"}`},
		{"inner and outer", `{"a":{"x":1,"y":2},"b":3}`, func(e *jsondoc.Editor, r jsondoc.Value) {
			e.Delete(r, "b")
			e.Set(r.Get("a"), "y", jsondoc.Int(5))
		}, `{"a":{"x":1,"y":5}}`},
		{"merge", `{"a":{"x": 1e2,"y":2,"own":0},"b":3}`, func(e *jsondoc.Editor, r jsondoc.Value) {
			e.Merge(r, tree(`{"a":{"x":100,"y":2},"b":3}`), tree(`{"a":{"x":100,"y":7,"z":8}}`))
		}, `{"a":{"x": 1e2,"y":7,"z":8,"own":0}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := parse(t, c.text)
			e := doc.Edit()
			c.edit(e, doc.Root())
			if got := e.String(); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func tree(text string) *jsondoc.Tree {
	doc, err := jsondoc.Parse(text, jsondoc.Limits{})
	if err != nil {
		panic(err)
	}
	return doc.Root().Tree()
}

// anyTree draws JSON of any shape.
func anyTree(depth int) *rapid.Generator[*jsondoc.Tree] {
	return rapid.Custom(func(t *rapid.T) *jsondoc.Tree {
		kinds := 6
		if depth == 0 {
			kinds = 4
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return jsondoc.NewNull()
		case 1:
			return jsondoc.NewBool(rapid.Bool().Draw(t, "bool"))
		case 2:
			return jsondoc.Num(rapid.Float64().Draw(t, "number"))
		case 3:
			return jsondoc.Str(rapid.String().Draw(t, "text"))
		case 4:
			return jsondoc.List(rapid.SliceOfN(anyTree(depth-1), 0, 4).Draw(t, "items")...)
		}
		o := jsondoc.Obj()
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			o.Set(rapid.StringMatching(`[a-e]{1,2}|é`).Draw(t, "key"), anyTree(depth-1).Draw(t, "value"))
		}
		return o
	})
}

var styles = []jsondoc.Style{
	jsondoc.Compact(), jsondoc.Indented("  "), jsondoc.Indented("\t"),
	{Colon: ": ", Comma: " "},
	{Colon: ":", ASCII: true, Final: "\n"},
	{Indent: "    ", Newline: "\r\n", Colon: ": ", BOM: true, InlineLists: true},
}

// TestTreeRoundTrip: what is written in any style reads as the same tree.
func TestTreeRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := anyTree(4).Draw(t, "tree")
		style := rapid.SampledFrom(styles).Draw(t, "style")
		text := want.Bytes(style)
		doc, err := jsondoc.Parse(text, jsondoc.Limits{})
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if !doc.Root().Tree().Equal(want) {
			t.Fatalf("%s reads as %s, want %s", text, doc.Root().Tree(), want)
		}
	})
}

// TestEditChangesOnlyItsMember: setting a member leaves all bytes of the others.
func TestEditChangesOnlyItsMember(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		obj := jsondoc.Obj()
		for i := range rapid.IntRange(1, 5).Draw(t, "n") {
			obj.Set(fmt.Sprint("k", i), anyTree(3).Draw(t, "value"))
		}
		text := obj.Bytes(rapid.SampledFrom(styles).Draw(t, "style"))
		doc, err := jsondoc.Parse(text, jsondoc.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got := doc.Edit().Bytes(); string(got) != string(text) {
			t.Fatalf("no edit changed %q to %q", text, got)
		}
		key := fmt.Sprint("k", rapid.IntRange(0, len(obj.Members)).Draw(t, "which"))
		value := anyTree(3).Draw(t, "new")
		e := doc.Edit()
		e.Set(doc.Root(), key, value)
		after, err := jsondoc.Parse(e.Bytes(), jsondoc.Limits{})
		if err != nil {
			t.Fatalf("%v in %s", err, e.Bytes())
		}
		if !after.Root().Get(key).Tree().Equal(value) {
			t.Fatalf("%s is %s, want %s", key, after.Root().Get(key).Raw(), value)
		}
		for k, v := range doc.Root().Members() {
			if k != key && after.Root().Get(k).Raw() != v.Raw() {
				t.Fatalf("%s changed from %q to %q", k, v.Raw(), after.Root().Get(k).Raw())
			}
		}
	})
}

// TestMergeIsExact: merging the difference of two trees into a text of the
// first gives the second.
func TestMergeIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from, to := anyTree(3).Draw(t, "from"), anyTree(3).Draw(t, "to")
		doc, err := jsondoc.Parse(from.Bytes(rapid.SampledFrom(styles).Draw(t, "style")), jsondoc.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		e := doc.Edit()
		e.Merge(doc.Root(), from, to)
		after, err := jsondoc.Parse(e.Bytes(), jsondoc.Limits{})
		if err != nil {
			t.Fatalf("%v in %s", err, e.Bytes())
		}
		if !after.Root().Tree().Same(to) {
			t.Fatalf("from %s to %s: got %s", from, to, after.Root().Tree())
		}
	})
}

func TestDuplicatesInLargeObjects(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("{")
	for i := range 500 {
		fmt.Fprintf(&b, "%q:1,", fmt.Sprint("key", i))
	}
	b.WriteString(`"key7":2,"key499":3}`)
	if d := parse(t, b.String()).Duplicates(); len(d) != 2 {
		t.Errorf("Duplicates() = %v, want key7 and key499", d)
	}
}

func TestNumbersAsJavaScript(t *testing.T) {
	t.Parallel()
	for f, want := range map[float64]string{0: "0", 100: "100", 12.5: "12.5", 1e21: "1e+21", 1e-7: "1e-7", 123456789012345680000: "123456789012345680000", -0.5: "-0.5"} {
		if got := jsondoc.Num(f).Text; got != want {
			t.Errorf("Num(%g) = %s, want %s", f, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e3,"x\u00e9\ud800"],"b":null}`, "\ufeff{ }", `[[[]]]`, `{"a":1,"a":2}`, `"\\"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := jsondoc.Parse(text, jsondoc.Limits{Depth: 64})
		if err != nil {
			return
		}
		if body := strings.TrimPrefix(text, "\ufeff"); !json.Valid([]byte(body)) {
			t.Fatalf("accepted %q, which is no JSON", text)
		}
		root := doc.Root()
		rest, err := jsondoc.Parse(root.Tree().Bytes(doc.Style()), jsondoc.Limits{Depth: 64})
		if err != nil || !rest.Root().Tree().Equal(root.Tree()) {
			t.Fatalf("%q in its own style is %q: %v", text, root.Tree().Bytes(doc.Style()), err)
		}
		if root.Kind() != jsondoc.Object {
			return
		}
		e := doc.Edit()
		e.Set(root, "weft", jsondoc.List(jsondoc.Int(1)))
		after, err := jsondoc.Parse(e.Bytes(), jsondoc.Limits{Depth: 64})
		if err != nil || after.Root().Get("weft").Index(0).Raw() != "1" {
			t.Fatalf("%q edited is %q: %v", text, e.Bytes(), err)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	obj := jsondoc.Obj()
	for i := range 600 {
		entry := jsondoc.Obj()
		for j := range 30 {
			entry.Set(fmt.Sprint("field", j), jsondoc.Int(j))
		}
		entry.Set("content", jsondoc.Str(strings.Repeat("The harbour wall is old. ", 20)))
		obj.Set(fmt.Sprint(i), entry)
	}
	text := obj.Bytes(jsondoc.Indented("    "))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := jsondoc.Parse(text, jsondoc.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleDoc_Edit() {
	doc, err := jsondoc.Parse(`{"name": "Harbour", "depth": 4}`, jsondoc.Limits{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	edit := doc.Edit()
	edit.Set(doc.Root(), "depth", jsondoc.Int(6))
	fmt.Println(edit)
	// Output: {"name": "Harbour", "depth": 6}
}

// TestGetTakesTheLast: of a key that stands twice, also in another spelling, the
// last one counts.
func TestGetTakesTheLast(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		`{"a":1,"b":2}`:             "1",
		`{"a":1,"a":2}`:             "2",
		`{"a":1,"\u0061":2}`:        "2",
		`{"\u0061":1,"a":2}`:        "2",
		`{"b":{"c":1,"c":2},"a":3}`: "3",
	} {
		doc, err := jsondoc.Parse(src, jsondoc.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got := doc.Root().Get("a").Raw(); got != want {
			t.Errorf("%s: a is %s, want %s", src, got, want)
		}
	}
}

// TestPositions compares the places of offsets in texts of many lines and of
// one with a count from the start.
func TestPositions(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"[1]", "[\n\"\u00e9\U0001f426\",\n2\n]\n", "[" + strings.Repeat("\"\u00e9\",", 5000) + "1]", "[" + strings.Repeat("\n1,", 9000) + "1]",
		"[\"" + strings.Repeat("x", 4096*2-4) + "\"]",
	} {
		doc, err := jsondoc.Parse(src, jsondoc.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for offset := 0; offset <= len(src); offset += 1 + len(src)/501 {
			for offset < len(src) && !utf8.RuneStart(src[offset]) {
				offset++
			}
			before := src[:offset]
			wantLine := 1 + strings.Count(before, "\n")
			wantColumn := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
			if line, column := doc.Position(offset); line != wantLine || column != wantColumn {
				t.Fatalf("offset %d of %d bytes: %d:%d, want %d:%d", offset, len(src), line, column, wantLine, wantColumn)
			}
		}
	}
}
