package turn_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/turn"
)

// chat reads "s a u": the first letters of the roles.
func chat(roles string) []lore.Message {
	var out []lore.Message
	for i, r := range strings.Fields(roles) {
		m := lore.Message{Content: fmt.Sprint(i)}
		switch r {
		case "s":
			m.Role = lore.RoleSystem
		case "a":
			m.Role = lore.RoleAssistant
		case "u":
			m.Role = lore.RoleUser
		case "t":
			m.Role = lore.RoleTool
		}
		out = append(out, m)
	}
	return out
}

func block(slot lore.Slot, text string) engine.Block {
	return engine.Block{Slot: slot, Entry: text, Content: text}
}

func TestLayout(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, chat string
		blocks     []engine.Block
		want       string
	}{
		{
			"between the system prompt and the chat", "s s u",
			[]engine.Block{block("preamble", "A"), block("backdrop", "B"), block("immediate", "C")},
			"s0 s1 [system A|B|C] u2",
		},
		{"prelude at the very front", "s u", []engine.Block{block("prelude", "A"), block("backdrop", "B")}, "[system A] s0 [system B] u1"},
		{"no system prompt", "u", []engine.Block{block("backdrop", "B")}, "[system B] u0"},
		{"behind the chat", "s u a u", []engine.Block{block("coda", "A"), block("aftermath", "B")}, "s0 u1 a2 u3 [system A|B]"},
		{
			"at depth", "s u a u",
			[]engine.Block{block(lore.AtDepth(0), "A"), block(lore.AtDepth(1), "B"), block(lore.AtDepth(2), "C")},
			"s0 u1 [system C] a2 [system B] u3 [system A]",
		},
		{
			"results of tools stay behind their call", "s u a t t u",
			[]engine.Block{block(lore.AtDepth(1), "A"), block(lore.AtDepth(2), "B"), block(lore.AtDepth(3), "C")},
			"s0 u1 [system C|B] a2 t3 t4 [system A] u5",
		},
		{"deeper than the chat", "s u a u", []engine.Block{block(lore.AtDepth(99), "A")}, "s0 [system A] u1 a2 u3"},
		{
			"depth 0 comes before the slots behind the chat", "u",
			[]engine.Block{block("coda", "A"), block(lore.AtDepth(0), "B")},
			"u0 [system B] [system A]",
		},
		{"in front of the beginning of a reply", "s u a", []engine.Block{block("coda", "A"), block(lore.AtDepth(1), "B")}, "s0 [system B] u1 [system A] a2"},
		{
			"roles apart", "u a u",
			[]engine.Block{{Slot: lore.AtDepth(1), Content: "A", Role: lore.RoleUser}, {Slot: lore.AtDepth(1), Content: "B", Role: lore.RoleAssistant}},
			"u0 a1 [user A] [assistant B] u2",
		},
		{"from the start", "s u a u", []engine.Block{{Slot: lore.AtDepth(1), Content: "A", FromStart: true}}, "s0 u1 [system A] a2 u3"},
		{"a slot that a book declares", "u a u", []engine.Block{block("chart", "A"), block("epilogue", "B")}, "[system A] u0 a1 u2 [system B]"},
		{"nothing", "s u", nil, "s0 u1"},
		{"an empty chat", "", []engine.Block{block("backdrop", "A"), block("coda", "B")}, "[system A] [system B]"},
	}
	slots := append([]lore.Slot{"chart"}, lore.Slots()...)
	slots = append(slots, "epilogue")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			messages := chat(tt.chat)
			in, out := turn.Layout(messages, tt.blocks, slots)
			if len(out) > 0 {
				t.Errorf("blocks without a place: %v", out)
			}
			if d := cmp.Diff(tt.want, draw(messages, in)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// draw writes a chat with its insertions.
func draw(messages []lore.Message, in []turn.Insertion) string {
	var parts []string
	for i := 0; i <= len(messages); i++ {
		for _, ins := range in {
			if ins.Before == i {
				parts = append(parts, fmt.Sprintf("[%s %s]", ins.Role, strings.ReplaceAll(ins.Text, "\n\n", "|")))
			}
		}
		if i < len(messages) {
			parts = append(parts, string(messages[i].Role[0])+messages[i].Content)
		}
	}
	return strings.Join(parts, " ")
}

func TestLayoutLeavesOutletsOut(t *testing.T) {
	t.Parallel()
	in, out := turn.Layout(chat("u"), []engine.Block{{Slot: "backdrop", Where: lore.WhereOutlet, Outlet: "yard", Content: "A"}}, lore.Slots())
	if len(in) != 0 || len(out) != 1 {
		t.Errorf("got %v and %v, want the block among those without a place", in, out)
	}
}

// TestLayoutKeepsEverything: whatever the chat and the blocks, every block is
// placed once, the messages stay, and nothing stands behind the beginning of a
// reply or in front of the system prompt, the prelude aside.
func TestLayoutKeepsEverything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		messages := chat(strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"s", "u", "a"}), 0, 8).Draw(rt, "chat"), " "))
		var blocks []engine.Block
		for i := range rapid.IntRange(0, 8).Draw(rt, "blocks") {
			slot := rapid.SampledFrom(append(lore.Slots(), lore.AtDepth(0), lore.AtDepth(2), lore.AtDepth(50))).Draw(rt, "slot")
			blocks = append(blocks, engine.Block{Slot: slot, Content: fmt.Sprintf("<%d>", i), FromStart: rapid.Bool().Draw(rt, "start")})
		}
		in, _ := turn.Layout(messages, blocks, lore.Slots())
		all := turn.Apply(messages, in)
		var texts []string
		kept := 0
		for _, m := range all {
			if !strings.HasPrefix(m.Content, "<") {
				if m != messages[kept] {
					rt.Fatalf("message %d changed", kept)
				}
				kept++
			}
			texts = append(texts, m.Content)
		}
		joined := strings.Join(texts, "\n")
		for i := range blocks {
			if n := strings.Count(joined, fmt.Sprintf("<%d>", i)); n != 1 {
				rt.Fatalf("block %d stands %d times in %q", i, n, joined)
			}
		}
		if kept != len(messages) {
			rt.Fatalf("%d of %d messages are left", kept, len(messages))
		}
		if n := len(messages); n > 0 && messages[n-1].Role == lore.RoleAssistant && len(all) > 0 && all[len(all)-1] != messages[n-1] {
			rt.Fatalf("something stands behind the beginning of the reply: %q", joined)
		}
	})
}
