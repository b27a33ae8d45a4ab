package store

import "strings"

// knownRows are rows that a transaction has read or written and that cannot
// change under it: what is asked for again need not be read again.
type knownRows struct {
	worlds        map[string]World // in a View; else see Tx.worlds
	conversations map[string]Conversation
	places        map[string]nodeRef
	nodes         map[string]Node
}

// steady reports whether rows of a world stay as they are for the rest of the
// transaction unless it changes them itself: it only reads, or holds the lock.
func (tx *Tx) steady(world string) bool { return !tx.write || tx.worlds[world] != nil }

func (tx *Tx) knowWorld(w World) {
	if tx.write {
		return
	}
	if tx.known.worlds == nil {
		tx.known.worlds = map[string]World{}
	}
	tx.known.worlds[w.ID] = w
}

func (tx *Tx) knowConversation(c Conversation) {
	if !tx.steady(c.World) {
		return
	}
	if tx.known.conversations == nil {
		tx.known.conversations = map[string]Conversation{}
	}
	tx.known.conversations[c.ID] = c
}

func (tx *Tx) knowPlace(n nodeRef) {
	if !tx.steady(n.world) {
		return
	}
	if tx.known.places == nil {
		tx.known.places = map[string]nodeRef{}
	}
	tx.known.places[n.id] = n
}

func (tx *Tx) knowNode(n Node) {
	if !tx.steady(n.World) {
		return
	}
	if tx.known.nodes == nil {
		tx.known.nodes = map[string]Node{}
	}
	tx.known.nodes[n.ID] = n
}

// written forgets what a statement may have changed.
func (tx *Tx) written(query string) {
	verb, rest, _ := strings.Cut(query, " ")
	switch {
	case verb == "INSERT": // what was not there was not known
	case verb == "UPDATE" && strings.HasPrefix(rest, "conversations "):
		tx.known.conversations = nil
	case verb == "UPDATE" && strings.HasPrefix(rest, "nodes "):
		tx.known.places, tx.known.nodes = nil, nil
	case verb == "UPDATE": // another table
	default:
		tx.known = knownRows{}
	}
}
