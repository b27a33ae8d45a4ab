package chats_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
)

// TestLossesOfChats: what a format cannot say of a chat is reported by message.
func TestLossesOfChats(t *testing.T) {
	t.Parallel()
	tavern := `{"user_name":"Ann","character_name":"Osk","chat_metadata":{}}
{"name":"Osk","is_user":false,"mes":"Osk nods.","swipes":["Osk nods.","Osk waits."],"swipe_id":0}
{"name":"Ann","is_user":true,"mes":"Row on."}
{broken
{"name":"Ann","is_user":true,"mes":"Now.\nAnn: yes."}`
	for _, c := range []struct {
		as   string
		want []string // entry and field
	}{
		{"kobold", []string{"message 0 swipes", "message 1 is_user", "message 1 name", "line 4 row"}},
		{"byaf", []string{"message 1 name"}},
		{"text-log", []string{"message 0 variants", "line 4 row", "head of the chat messages"}},
		{"backyard-log", []string{"message 0 variants", "line 4 row"}},
		{"agnai-chat", []string{"line 4 row"}},
	} {
		doc, report, err := format.Read(t.Context(), all.Table(), format.Bytes("c.jsonl", []byte(tavern)))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(report.Problems); n != 1 || report.Problems[0].Line != 4 {
			t.Errorf("problems: %v, want the broken line", report.Problems)
		}
		out, report, err := format.Write(t.Context(), all.Table(), doc, c.as)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, i := range report.Items {
			if i.Outcome == format.Lost || i.Outcome == format.Approximated {
				got = append(got, i.Entry+" "+i.Field)
			}
		}
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%s: %q is not reported: %q", c.as, w, got)
			}
		}
		if c.as == "byaf" {
			continue
		}
		if again, _, err := format.ReadAs(t.Context(), all.Table(), format.Bytes("c", out.Bytes()), c.as); err != nil {
			t.Errorf("%s: what was written cannot be read: %v", c.as, err)
		} else if m := again.Chats[0].Messages[0]; !strings.HasPrefix(m.Content, "Osk nods.") {
			t.Errorf("%s: the first message is %q", c.as, m.Content)
		}
	}
}

// TestBrokenFirstLine: the head of a chat may be the line that is broken.
func TestBrokenFirstLine(t *testing.T) {
	t.Parallel()
	source := "{\"user_name\":\n{\"name\":\"Osk\",\"is_user\":false,\"mes\":\"Osk nods.\"}\n"
	doc, report, err := format.Read(t.Context(), all.Table(), format.Bytes("c.jsonl", []byte(source)))
	if err != nil {
		t.Fatal(err)
	}
	if doc.Format != "sillytavern-chat" || len(doc.Chats[0].Messages) != 1 || len(report.Problems) != 1 {
		t.Errorf("%s, %v, %v", doc.Format, doc.Chats[0].Messages, report.Problems)
	}
	out, _, err := format.Write(t.Context(), all.Table(), doc, doc.Format)
	if err != nil || string(out.Bytes()) != source {
		t.Errorf("came back as %q, %v", out.Bytes(), err)
	}
}
