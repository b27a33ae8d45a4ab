package history

import (
	"fmt"

	"github.com/weft-memory/weft/lore"
)

// Kind says what a request asks for.
type Kind string

// The kinds of request. A swipe and a regeneration are equal on the wire, and
// both are a swipe here unless the client says which it is.
const (
	Next        Kind = "next"
	Swipe       Kind = "swipe"
	Regenerate  Kind = "regenerate"
	Continue    Kind = "continue"
	Impersonate Kind = "impersonate"
	ToolResult  Kind = "tool-result"
	// Side is a request that is no turn: a summary, a title, a test.
	Side Kind = "side"
)

// Writes reports whether the answer to a request of this kind belongs into the
// conversation.
func (k Kind) Writes() bool { return k != Side && k != Impersonate }

// Turn returns the engine's word for the kind.
func (k Kind) Turn() lore.TurnKind {
	switch k {
	case Swipe:
		return lore.KindSwipe
	case Regenerate:
		return lore.KindRegenerate
	case Continue:
		return lore.KindContinue
	case Impersonate:
		return lore.KindImpersonate
	case Side:
		return lore.KindQuiet
	}
	return lore.KindNormal
}

// Ref names a message: one that is known by its id, or one that is yet to be
// written by the number of its write. The zero Ref is the beginning of the
// conversation.
type Ref struct {
	Node  string
	Write int // from 1
}

func (r Ref) String() string {
	switch {
	case r.Write > 0:
		return fmt.Sprintf("write %d", r.Write)
	case r.Node != "":
		return r.Node
	}
	return "the beginning"
}

// Write is a change to the tree that a request makes known.
type Write struct {
	// Edit is the node that is shown in a new wording from now on. Empty for a
	// new message.
	Edit string
	// Parent is the message that a new one follows.
	Parent Ref
	Role   lore.Role
	Name   string
	Text   string
	// EditOf is the node that a new message takes the place of, as far as one
	// can see; "" if there is none.
	EditOf string
	// Reply says that a new message of the assistant was not seen when it was
	// made: a greeting, a reply that was written by hand, or one that did not
	// pass here.
	Reply bool
}

// Class says what a part of a request is.
type Class string

// The classes.
const (
	Known    Class = "known"    // a message of the conversation
	Fresh    Class = "fresh"    // a message that is written now
	Injected Class = "injected" // text that the front end puts in
	Unplaced Class = "unplaced" // a message of which nobody knows where it belongs
	Prefill  Class = "prefill"  // the beginning of the reply
	Tool     Class = "tool"     // a call of tools, or its result
)

// Span is a part of the request.
type Span struct {
	// Message is the index of the message; -1 for System. From and To are
	// offsets in its text, in bytes.
	Message, From, To int
	Class             Class
	Ref               Ref
}

// Decision is where a request belongs.
type Decision struct {
	Kind Kind
	// Conversation is the conversation; "" means that a new one is to be made,
	// with the external name External if that is not empty.
	Conversation, External string
	// Parent is the message that the answer follows.
	Parent Ref
	// Reply is, for [Continue], the message that grows.
	Reply Ref
	// Shown is, for [Continue], the text of that message as it is shown: the
	// answer is added to it, and the whole is its new wording.
	Shown string
	// Replaces is the reply that was on show, for a swipe.
	Replaces string
	// Prefill is the beginning of the reply that the client dictates. It is not
	// part of the conversation until the front end shows it.
	Prefill string
	// Writes are to be made in this order before the answer is. There are none
	// for [Side] and [Impersonate].
	Writes []Write
	// Spans are the parts of the request, in order.
	Spans []Span
	// Branches says that the answer begins another way than the one that was on
	// show.
	Branches bool
	// Edited says that the message before the answer takes another one's place.
	Edited bool
	// Retry says that it is the same request again.
	Retry bool
	// Ambiguous says that other places show the same history. The most recently
	// active one was taken.
	Ambiguous bool
	// Trace says why, step by step.
	Trace []string

	learned []learned
	wording []wording
	maybe   []maybe
	stream  Switch
	single  bool
	merged  bool
	names   map[string]lore.Role
}

type learned struct {
	text string
	how  habit
}

// maybe is a text that stands in the place of a node and may be its new wording.
type maybe struct {
	node int32
	key  key
	far  int32
}

// wording is another form in which a known node was shown.
type wording struct {
	node int32
	text string
	kept bool // the first sight of it
}

// Commit tells the index that a decision was carried out. ids are the ids of
// the new messages, in the order of the writes; those of edits are ignored.
// conversation is the id of the conversation, which matters where a new one was
// made. The answer itself is told with [Index.Add] when it is complete.
func (x *Index) Commit(d *Decision, conversation string, ids []string) {
	if !d.Kind.Writes() {
		return
	}
	if conversation == "" {
		conversation = d.Conversation
	}
	if conversation == "" {
		return
	}
	if d.External != "" {
		x.AddConversation(conversation, d.External, 0)
	}
	for name, role := range d.names {
		x.habits.name(name, role)
	}
	for _, l := range d.learned {
		x.habits.learn(l.text, l.how)
	}
	x.habits.turns++
	if d.merged {
		x.habits.merges = true
	}
	for _, w := range d.wording {
		if int(w.node) < len(x.nodes) {
			x.addText(w.node, w.text)
			x.nodes[w.node].shown = x.nodes[w.node].shown || w.kept
		}
	}
	for _, m := range d.maybe {
		if int(m.node) < len(x.nodes) {
			x.nodes[m.node].maybe, x.nodes[m.node].maybeFar = m.key, m.far
		}
	}
	id := func(r Ref) string {
		if r.Write > 0 && r.Write <= len(ids) {
			return ids[r.Write-1]
		}
		return r.Node
	}
	for i, w := range d.Writes {
		if w.Edit != "" {
			if n, ok := x.byID[w.Edit]; ok {
				x.addText(n, w.Text)
				x.nodes[n].shown = true
			}
			continue
		}
		if i < len(ids) && ids[i] != "" {
			x.Add(Node{ID: ids[i], Conversation: conversation, Parent: id(w.Parent), Role: w.Role, Name: w.Name, Texts: []string{w.Text}})
			// The last message of the person may end in text that ends turns.
			x.nodes[x.byID[ids[i]]].shown = w.Role == lore.RoleAssistant || id(d.Parent) != ids[i]
		}
	}
	conv := &x.convs[x.conversation(conversation)]
	if d.Kind == Next {
		conv.stream, conv.single = d.stream, d.single
	}
	conv.active = x.tick(0)
	if at := id(d.Parent); d.Kind == Continue {
		x.Touch(id(d.Reply))
	} else if at != "" {
		x.Touch(at)
	}
}
