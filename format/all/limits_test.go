package all_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
)

// TestManyFindings: a file that is broken many thousand times is read in the
// time of a file, and its report stays a report.
func TestManyFindings(t *testing.T) {
	t.Parallel()
	n := 50_000
	source := `[` + strings.Repeat("{},", n) + `{"keys":["a"],"content":"b"}]`
	doc, report := read(t, "x.json", []byte(source))
	if len(doc.Books[0].Entries) != 1 || len(report.Problems) > 1100 {
		t.Fatalf("%d entries, %d problems", len(doc.Books[0].Entries), len(report.Problems))
	}
	last := report.Problems[len(report.Problems)-1]
	if want := fmt.Sprintf("and %d more of this kind", n-1001); !strings.Contains(last.Message, want) || last.Line != 1 || last.Column == 0 {
		t.Errorf("the last problem is %v, want %q", last, want)
	}
	if got, _ := write(t, doc, doc.Format); string(got) != source {
		t.Error("the bytes changed without an edit")
	}
}

// TestManyOfOneID: entries of one id are told apart without trying all numbers each time.
func TestManyOfOneID(t *testing.T) {
	t.Parallel()
	n := 30_000
	doc, report := read(t, "x.json", []byte(`{"entries":[`+strings.Repeat(`{"uid":0,"key":["a"],"content":"x"},`, n)+`{"uid":1,"key":["a"],"content":"x"}]}`))
	if got := doc.Books[0].Entries[n-1].ID; got != fmt.Sprintf("0~%d", n) {
		t.Errorf("the last of them is %q", got)
	}
	if len(report.Problems) == 0 {
		t.Error("the ids are not reported")
	}
}

func TestTooMuch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, data, want string }{
		{"entries", `{"entries":[` + strings.Repeat(`{"key":["a"],"content":""},`, format.MaxEntries) + `{"key":["a"],"content":""}]}`, "100001 entries, more than the limit of 100000"},
		{"rows of CSV", "key,value\n" + strings.Repeat("a,b\n", format.MaxEntries+1), "more than the limit of 100000"},
		{"lines of a chat", `{"user_name":"a","chat_metadata":{}}` + "\n" + `{"name":"a","is_user":true,"mes":"b"}` + strings.Repeat("\n", 1<<21+1), "lines, more than the limit"},
	} {
		_, _, err := format.Read(t.Context(), all.Table(), format.Bytes("x", []byte(c.data)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	png := "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00\x00\x00\x00tEXt\x00\x00\x00\x00", 10000)
	if _, _, err := format.Read(t.Context(), all.Table(), format.Bytes("x.png", []byte(png))); err == nil || len(err.Error()) > 1000 {
		t.Errorf("a picture of broken chunks: an error of %d bytes", len(fmt.Sprint(err)))
	}
}
