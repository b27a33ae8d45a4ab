package all_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
)

// comesBack takes a file to another format and back.
func comesBack(t *testing.T, source, as string) (back string, report *format.Report) {
	t.Helper()
	doc, _ := read(t, "x.json", []byte(source))
	out, report, err := format.Write(t.Context(), all.Table(), doc, as)
	if err != nil {
		t.Fatal(err)
	}
	between, err := readBack(t.Context(), all.Table(), "renamed", out, as)
	if err != nil {
		t.Fatalf("%v in\n%s", err, head(out.Bytes()))
	}
	data, _ := write(t, between, doc.Format)
	return string(data), report
}

// TestOddFilesComeBack: files that are odd as a whole come back from where there
// is a place to say so.
func TestOddFilesComeBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, source, as string }{
		{"one entry without a list", `{"keys":["fog"],"content":"Fog.","priority":3}`, "janitor"},
		{"one entry, in a folder", `{"keys":["fog"],"content":"Fog.","priority":3}`, "suzune-folder"},
		{"a list, in a folder", `[{"keys":["fog"],"content":"Fog.","priority":3}]`, "suzune-folder"},
		{"nothing to carry but the style", `[{"keys":["fog"],"secondary_keys":["sea"],"content":"Fog.","selective":true,"constant":false,"priority":20,"enabled":true,"case_sensitive":false,"probability":100}]`, "janitor"},
		{"a broken row first, and the order in the list", `[null,{"keys":" ray,mira","value":"Dry."},{"keys":"fog","value":"Fog."}]`, "risu"},
		{"keys that stand twice, in YAML", `{"entries":{"0":{"uid":0,"key":["a"],"content":"x","position":0,"extensions":{"o":{"p":1,"p":2}},"z":{"a":1,"a":null}}}}`, "weaver"},
		{"an entry's key that stands twice", `{"entries":{"0":{"uid":0,"key":["a"],"content":"old","position":0},"0":{"uid":0,"key":["b"],"content":"new","position":0}}}`, "novelai"},
	} {
		t.Run(c.name, func(t *testing.T) {
			back, report := comesBack(t, c.source, c.as)
			if diff := cmp.Diff(c.source, back); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if lost := report.Filter(format.Lost); len(lost) > 0 {
				t.Errorf("lost: %v", lost)
			}
		})
	}
}

// TestLastOfAKeyCounts: of two entries with one key in the map, JavaScript has
// the second.
func TestLastOfAKeyCounts(t *testing.T) {
	t.Parallel()
	source := `{"entries":{"0":{"uid":0,"key":["a"],"content":"old"},"1":{"uid":1,"key":["c"],"content":"C"},"0":{"uid":0,"key":["b"],"content":"new"}}}`
	doc, report := read(t, "x.json", []byte(source))
	b := doc.Books[0]
	if len(b.Entries) != 2 || b.Entries[1].Content != "new" || len(report.Problems) == 0 {
		t.Fatalf("entries %v, report %v", b.Entries, report.Problems)
	}
	b.Entries[1].Content = "newer"
	b.Entries = b.Entries[1:]
	got, _ := write(t, doc, doc.Format)
	want := `{"entries":{"0":{"uid":0,"key":["a"],"content":"old"},"0":{"uid":0,"key":["b"],"content":"newer"}}}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLossOfTheFrameIsReported: the key of an entry in its map, and that a file
// was one entry, are lost where nothing can be carried.
func TestLossOfTheFrameIsReported(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ source, field, entry string }{
		{`{"entries":{"7":{"uid":3,"key":["a"],"content":"x"}}}`, "(key)", "3"},
		{`{"keys":["fog"],"content":"Fog.","priority":3}`, "(file)", ""},
	} {
		doc, _ := read(t, "x.json", []byte(c.source))
		_, report := write(t, doc, "backyard-csv")
		found := false
		for _, i := range report.Filter(format.Lost) {
			found = found || i.Field == c.field && i.Entry == c.entry
		}
		if !found {
			t.Errorf("%s: %q is not reported: %v", c.source, c.field, report.Items)
		}
	}
}

// TestDetectionOfBrokenFiles: rows that are broken, and fields that are missing,
// do not hide what a file is.
func TestDetectionOfBrokenFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ data, format string }{
		{`[{"keys":["fog"],"content":"Fog.","priority":2},null]`, "suzune"},
		{`[{"keys":null,"content":"Fog.","constant":true},{"content":"Sea.","constant":true}]`, "suzune"},
		{`{"content":"Fog.","constant":true,"priority":1}`, "suzune"},
		{`[{"id":"1","entry":"Fog.","hidden":false},{"id":"2","keys":"sea","entry":"Sea.","hidden":false}]`, "aidungeon-worldinfo"},
		{`[{"keys":null,"value":"Fog.","type":"class","title":"F"},7]`, "aidungeon"},
		{`{"entries":{"0":null}}`, "sillytavern"},
		{`{"entries":{"0":{"uid":0,"title":"F","key":["fog"],"keysecondary":[],"keyanti":[],"content":"Fog."}}}`, "kobold-united"},
		{`{"entries":[{"uid":3,"key":"fog","content":"Fog.","disable":false},{"keys":["a"],"content":"b","insertion_order":5}]}`, "sillytavern"},
		{`{"entries":[{"keywords":["fog"],"entry":"Fog."},null,[]]}`, "agnai"},
	} {
		doc, report := read(t, "x.json", []byte(c.data))
		if doc.Format != c.format {
			t.Errorf("%s: read as %s (%s), want %s", c.data, doc.Format, report.Reason, c.format)
			continue
		}
		if got, _ := write(t, doc, doc.Format); string(got) != c.data {
			t.Errorf("%s came back as %s", c.data, got)
		}
	}
	if _, _, err := format.Read(t.Context(), all.Table(), format.Bytes("x", []byte(`[{"keys":["a"],"text":"b"}]`))); err == nil || !strings.Contains(err.Error(), "no known") {
		t.Errorf("a list of something else: %v", err)
	}
}
