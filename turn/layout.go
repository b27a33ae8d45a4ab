package turn

import (
	"slices"
	"strings"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
)

// Insertion is lore to be put into a chat.
type Insertion struct {
	// Before is the index of the message in front of which the text stands; the
	// number of messages for the end.
	Before int
	// Role is system unless an entry asks for another.
	Role lore.Role
	Text string
	// Blocks are the blocks whose texts these are, in order.
	Blocks []engine.Block
}

// separator stands between the texts of blocks in one message.
const separator = "\n\n"

// Layout says where the blocks of an assembly go, in the order in which they
// are to be inserted: by position, and at one position in the order of the
// prompt. Texts of one position and role become one message. The messages
// themselves keep their order.
//
// The chat is what follows the system messages at the beginning. Slots that
// stand before the chat go between the two, so that the prompt begins with
// what changes least; prelude goes to the very front. at_depth(N) counts
// messages from the end of the chat. A last message of the assistant is the
// beginning of the reply (a continuation or prefill): everything that goes to
// the end goes in front of it, and it is not counted. Results of tools are never
// parted from the message that calls the tools. An outlet has no place
// of its own in a chat and is left out; Layout returns those blocks.
func Layout(messages []lore.Message, blocks []engine.Block, slots []lore.Slot) (in []Insertion, out []engine.Block) {
	start := 0
	for start < len(messages) && messages[start].Role == lore.RoleSystem {
		start++
	}
	end := len(messages)
	if end > start && messages[end-1].Role == lore.RoleAssistant {
		end--
	}
	type placed struct {
		before, order int
		at            int // where it would stand but for results of tools
		block         engine.Block
	}
	behind := slices.Index(slots, lore.SlotCoda)
	var list []placed
	for _, b := range blocks {
		if b.Where == lore.WhereOutlet {
			out = append(out, b)
			continue
		}
		p := placed{block: b}
		n, deep := b.Slot.Depth()
		switch {
		case deep && b.FromStart:
			p.before = min(start+n, end)
		case deep:
			p.before = max(end-n, start)
		case b.Slot == lore.SlotCoda || b.Slot == lore.SlotAftermath || behind >= 0 && slices.Index(slots, b.Slot) > behind:
			p.before, p.order = end, 1
		case b.Slot == lore.SlotPrelude:
			p.before = 0
		default:
			p.before, p.order = start, -1
		}
		p.at = p.before
		// The results of tools stand right behind the message that calls them.
		for p.before > 0 && p.before < len(messages) && messages[p.before].Role == lore.RoleTool {
			p.before--
		}
		list = append(list, p)
	}
	slices.SortStableFunc(list, func(a, b placed) int {
		if a.before != b.before {
			return a.before - b.before
		}
		if a.order != b.order {
			return a.order - b.order
		}
		return a.at - b.at
	})
	for i, p := range list {
		role := p.block.Role
		if role == "" {
			role = lore.RoleSystem
		}
		if n := len(in) - 1; n >= 0 && in[n].Before == p.before && in[n].Role == role && list[i-1].order == p.order {
			in[n].Blocks = append(in[n].Blocks, p.block)
			in[n].Text += separator + strings.TrimSpace(p.block.Content)
			continue
		}
		in = append(in, Insertion{Before: p.before, Role: role, Text: strings.TrimSpace(p.block.Content), Blocks: []engine.Block{p.block}})
	}
	return in, out
}

// Apply returns the messages with the insertions in their places.
func Apply(messages []lore.Message, in []Insertion) []lore.Message {
	out := make([]lore.Message, 0, len(messages)+len(in))
	for i := 0; i <= len(messages); i++ {
		for _, ins := range in {
			if ins.Before == i {
				out = append(out, lore.Message{Role: ins.Role, Content: ins.Text})
			}
		}
		if i < len(messages) {
			out = append(out, messages[i])
		}
	}
	return out
}
