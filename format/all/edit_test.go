package all_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/lore"
)

// TestLeastEdit: an edit that asks for another way of writing adds the fields
// that it needs, not the whole set that goes with that way.
func TestLeastEdit(t *testing.T) {
	t.Parallel()
	half := 50.0
	for _, c := range []struct {
		name, source string
		edit         func(e *lore.Entry)
		old, new     string
		lost         string
	}{
		{
			name:   "a probability in a V2 book",
			source: `{"extensions":{},"entries":[{"keys":["mill"],"content":"It burns.","extensions":{},"enabled":true,"insertion_order":1,"case_sensitive":false,"position":"before_char"}]}`,
			edit:   func(e *lore.Entry) { e.Probability = &half },
			old:    `"extensions":{},"enabled"`, new: `"extensions":{"probability":50},"enabled"`,
		},
		{
			name:   "sticky in a V3 book with expressions",
			source: `{"spec":"lorebook_v3","data":{"extensions":{},"entries":[{"keys":["mi+ll"],"content":"It burns.","extensions":{"other":1},"enabled":true,"insertion_order":1,"use_regex":true,"position":"after_char"}]}}`,
			edit:   func(e *lore.Entry) { e.Sticky = 4 },
			old:    `["mi+ll"],"content":"It burns.","extensions":{"other":1}`, new: `["/mi+ll/"],"content":"It burns.","extensions":{"other":1,"sticky":4}`,
		},
		{
			name:   "decorators stay what they are",
			source: `{"spec":"lorebook_v3","data":{"extensions":{},"entries":[{"keys":["mill"],"content":"@@is_greeting 1\nIt burns.","extensions":{},"enabled":true,"insertion_order":1,"use_regex":false}]}}`,
			edit:   func(e *lore.Entry) { e.Sticky = 4 },
			lost:   "sticky",
		},
		{
			name:   "a key that stands twice",
			source: `{"entries":{"0":{"uid":0,"key":null,"content":"Fog.","key":["fog"],"position":0}}}`,
			edit:   func(e *lore.Entry) { e.Role = lore.RoleUser },
			old:    `"key":["fog"],"position":0`, new: `"key":["fog"],"position":0,"role":1`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, _ := read(t, "book.json", []byte(c.source))
			c.edit(doc.Books[0].Entries[0])
			got, report := write(t, doc, doc.Format)
			want := strings.Replace(c.source, c.old, c.new, 1)
			if diff := cmp.Diff(want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			lost := ""
			for _, i := range report.Filter(format.Lost) {
				lost += i.Field
			}
			if lost != c.lost {
				t.Errorf("lost %q, want %q", lost, c.lost)
			}
		})
	}
}

// TestContentEditIsExact: a content is written as it was edited, though the old
// one had decorators; the fields that they gave follow.
func TestContentEditIsExact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ source, old, new string }{
		{
			`{"spec":"lorebook_v3","data":{"extensions":{},"entries":[{"keys":["mill"],"content":"@@depth 3\n@@role user\n@@exclude_keys rain\nIt burns.","extensions":{},"enabled":true,"insertion_order":1,"use_regex":false}]}}`,
			`@@depth 3\n@@role user\n@@exclude_keys rain\nIt burns.`, `Gone.`,
		},
		{
			`{"type":"risu","ver":1,"data":[{"key":"mill","secondkey":"","insertorder":100,"comment":"Mill","content":"@@probability 40\n@@end\nIt burns.","mode":"normal","alwaysActive":false,"selective":false}]}`,
			`@@probability 40\n@@end\nIt burns.`, `Gone.`,
		},
		{
			`{"type":"risu","ver":1,"data":[{"key":"mill","secondkey":"","insertorder":100,"comment":"Mill","content":"It burns.","mode":"normal","alwaysActive":false,"selective":false}]}`,
			`It burns.`, `@@depth 2\nGone.`,
		},
		{
			`{"entries":{"0":{"uid":0,"key":["mill"],"content":"@@activate\nIt burns.","position":0}}}`,
			`@@activate\nIt burns.`, `Gone.`,
		},
	} {
		doc, _ := read(t, "book.json", []byte(c.source))
		e := doc.Books[0].Entries[0]
		e.Content = strings.ReplaceAll(c.new, `\n`, "\n")
		got, report := write(t, doc, doc.Format)
		if diff := cmp.Diff(strings.Replace(c.source, c.old, c.new, 1), string(got)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if len(report.Items) == 0 || len(report.Filter(format.Lost)) > 0 {
			t.Errorf("the fields that follow the content are not reported as such: %v", report.Items)
		}
		// A field that is edited with it is said by a decorator again.
		e.Slot, e.Where = lore.AtDepth(9), lore.WhereAtDepth
		got, _ = write(t, doc, doc.Format)
		again, _ := read(t, "book.json", got)
		if a := again.Books[0].Entries[0]; a.Slot != lore.AtDepth(9) {
			t.Errorf("the place is %s: %s", a.Slot, got)
		}
	}
}

// TestBookEditIsReported: what a format has no word for at the book is reported
// like what it has no word for in an entry.
func TestBookEditIsReported(t *testing.T) {
	t.Parallel()
	source := `{"lorebookVersion":5,"entries":[{"text":"Fog.","keys":["fog"],"enabled":true}],"settings":{},"categories":[]}`
	doc, _ := read(t, "fog.lorebook", []byte(source))
	doc.Books[0].Name = "Fog"
	got, report := write(t, doc, doc.Format)
	if string(got) != source {
		t.Errorf("the file changed: %s", got)
	}
	if lost := report.Filter(format.Lost); len(lost) != 1 || lost[0].Field != "name" || lost[0].Entry != "" {
		t.Errorf("lost: %v, want the name of the book", report.Items)
	}
	doc, _ = read(t, "fog.json", []byte(`{"keys":["fog"],"content":"Fog.","priority":3}`))
	doc.Books[0].Name = "Sea"
	if _, report = write(t, doc, doc.Format); len(report.Filter(format.Lost)) != 1 {
		t.Errorf("a file that is one entry: %v", report.Items)
	}
}
