// Package history says which conversation a request belongs to, and what it
// asks for.
//
// Front ends send the whole history with every request and name nothing. An
// [Index] knows the messages of a world's conversations by hashes of their
// texts. [Index.Resolve] looks a request up in it and returns a [Decision]: the
// message that the answer follows, whether it is a next turn, another reply, a
// continuation, the person's words or no turn at all, and what the request
// makes known: new messages, edits, replies that nobody saw.
//
//	x := history.NewIndex()
//	d := x.Resolve(&history.Request{Messages: messages}, source)
//	// write d.Writes to the store; then
//	x.Commit(d, conversation, ids)
//	// and when the answer is complete:
//	x.Add(history.Node{ID: id, Conversation: conversation, Parent: parent, Role: lore.RoleAssistant, Texts: []string{sent}})
//
// # How it works
//
// A text is compared in its normal form: without blanks, emphasis marks, tags
// and think blocks. Known texts are found as whole messages, and as lines of
// messages that were merged. Of the places where they are found, a way down the
// tree is put together, from the beginning of the request to its end, with no
// more replies between two of its messages than the tree has. What stands
// between two known messages and resembles the node between them is that node in
// another wording. What follows the last known message is new, or was put in by
// the front end. Nothing is ever taken away because a request does not show it.
//
// Nobody can tell text that a front end puts in as the person from the person's
// own when both are new. So both become the new message, and when a later
// request shows the message without a line, the line was put in: the message is
// edited, and the line is known from then on.
//
// Two rules stand above all: a request lands on a message only if what it shows
// is what leads to that message, and where in doubt it begins a new branch.
package history
