package history_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/turn/history"
)

// FuzzResolve plays a chat of which the lines are messages, whatever they hold:
// a decision always names messages that exist, its spans lie within the texts,
// and the same request again lands on the same message.
func FuzzResolve(f *testing.F) {
	f.Add("Hello there, old friend of the sea.\x00Yes.\x00\"No,\" she says.\x00<think>\x00", "Rowan: ", uint8(3))
	f.Add("a\x00a\x00a\x00a", "", uint8(0))
	f.Add("<|im_start|>user\nHi<|im_end|>\n\x00### Response:\nx", "x\n\n", uint8(7))
	f.Fuzz(func(t *testing.T, text, around string, how uint8) {
		if len(text) > 4000 || len(around) > 400 {
			return
		}
		mem := newMemory()
		var list []history.Message
		for i, s := range strings.Split(text, "\x00") {
			role := lore.RoleUser
			if i%2 == 1 {
				role = lore.RoleAssistant
			}
			if i > 12 {
				break
			}
			list = append(list, history.Message{Role: role, Text: s})
			req := &history.Request{Stream: history.Switch(how % 3)}
			for _, m := range list {
				if how&4 != 0 {
					m.Text = around + m.Text
				}
				req.Messages = append(req.Messages, m)
			}
			if how&8 != 0 {
				req = &history.Request{Prompt: around + strings.Join(strings.Split(text, "\x00")[:i+1], "\n")}
			}
			d := mem.index.Resolve(req, mem)
			for _, sp := range d.Spans {
				whole := req.System
				switch {
				case req.Prompt != "":
					whole = req.Prompt
				case sp.Message >= 0:
					whole = req.Messages[sp.Message].Text
				}
				if sp.From < 0 || sp.To < sp.From || sp.To > len(whole) {
					t.Fatalf("span %+v of %q", sp, whole)
				}
				if part := whole[sp.From:sp.To]; utf8.ValidString(whole) && !utf8.ValidString(part) {
					t.Fatalf("span %+v cuts a letter of %q", sp, whole)
				}
			}
			conv, parent, reply := mem.carry(d)
			for _, id := range []string{parent, reply} {
				if id != "" && mem.nodes[id] == nil {
					t.Fatalf("there is no message %q", id)
				}
			}
			mem.answer(d, conv, parent, reply, []string{"Answer " + around})
		}
	})
}
