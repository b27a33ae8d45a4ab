package memory

import "slices"

// Step is one message of a path.
type Step struct {
	// Node is the message.
	Node string
	// Keeps are earlier versions of the message whose operations still count:
	// those that an edit left behind, unless the message was read anew.
	Keeps []string
	// User says that a person spoke.
	User bool
}

// Path is the way from the root of a conversation to a node. The functions on
// it know nothing of how a tree is stored; they say which operations count.
type Path struct {
	Conversation string
	Steps        []Step
	// WorldSeq is the number of the last operation of the world layer that is
	// seen: a turn that is made again sees the world as it was. 0 means all.
	WorldSeq int64
}

// Branch returns the path up to a node, which is included; the whole path if
// the node is not on it.
func (p Path) Branch(node string) Path {
	if i := p.index(node); i >= 0 {
		p.Steps = slices.Clip(p.Steps[:i+1])
	}
	return p
}

// Append returns the path with a message more.
func (p Path) Append(s Step) Path {
	p.Steps = append(slices.Clip(p.Steps), s)
	return p
}

// Delete returns the path without some messages. What stood behind them stays.
func (p Path) Delete(nodes ...string) Path {
	p.Steps = slices.DeleteFunc(slices.Clone(p.Steps), func(s Step) bool { return slices.Contains(nodes, s.Node) })
	return p
}

// Edit returns the path with the node edited stood in for by another one,
// which keeps its operations: correcting a word makes nothing unhappen. After
// the message was read anew, give the step without Keeps.
func (p Path) Edit(node, edited string) Path {
	i := p.index(node)
	if i < 0 {
		return p
	}
	p.Steps = slices.Clone(p.Steps)
	s := p.Steps[i]
	p.Steps[i] = Step{Node: edited, Keeps: append([]string{node}, s.Keeps...), User: s.User}
	return p
}

func (p Path) index(node string) int {
	return slices.IndexFunc(p.Steps, func(s Step) bool { return s.Node == node })
}

// nodes returns the messages whose operations count, true for those that were
// edited since.
func (p Path) nodes() map[string]bool {
	out := make(map[string]bool, len(p.Steps))
	for _, s := range p.Steps {
		for _, k := range s.Keeps {
			out[k] = true
		}
	}
	for _, s := range p.Steps {
		out[s.Node] = false
	}
	return out
}

// Active returns those of the operations that count at the end of a path, in
// their order:
//
//   - of canon and the world, all that are not retracted, up to the number that
//     the path sees;
//   - of the story, those of the path's conversation whose message lies on the
//     path, and all that people made: a person's edit counts wherever the version
//     that it edits is visible, which [Fold] decides.
func Active(p Path, ops []Operation) []Operation {
	nodes := p.nodes()
	var out []Operation
	for i := range ops {
		if p.active(&ops[i], nodes) {
			out = append(out, ops[i])
		}
	}
	return out
}

func (p Path) active(op *Operation, nodes map[string]bool) bool {
	switch {
	case op.Retracted:
		return false
	case op.Layer == LayerCanon:
		return true
	case op.Layer == LayerWorld:
		return p.WorldSeq == 0 || op.Seq <= p.WorldSeq
	case op.Conversation != p.Conversation:
		return false
	case op.Author.Kind == ByPerson:
		return true
	case op.Node == "": // an import into the conversation as a whole
		return op.Author.Kind == ByImport
	}
	_, on := nodes[op.Node]
	return on
}

// SourceEdited reports whether the message that an operation rests on was
// edited since. The operation counts; reading the message anew may be offered.
func (p Path) SourceEdited(op *Operation) bool {
	return op.Conversation == p.Conversation && p.nodes()[op.Node]
}

// Switch says what a change of the head does: the operations that cease to
// count, newest first, and those that begin to, oldest first. No model is asked
// for either.
func Switch(from, to Path, ops []Operation) (deactivated, activated []Operation) {
	was, is := from.nodes(), to.nodes()
	for i := range ops {
		a, b := from.active(&ops[i], was), to.active(&ops[i], is)
		switch {
		case a && !b:
			deactivated = append(deactivated, ops[i])
		case b && !a:
			activated = append(activated, ops[i])
		}
	}
	bySeq := func(a, b Operation) int { return compareOps(&a, &b) }
	slices.SortStableFunc(activated, bySeq)
	slices.SortStableFunc(deactivated, func(a, b Operation) int { return bySeq(b, a) })
	return deactivated, activated
}

// Of returns the operations of sidecars and imports that came from some
// messages, newest first: what goes with them when they are deleted for good,
// and nothing else.
func Of(ops []Operation, nodes ...string) []Operation {
	var out []Operation
	for i := range ops {
		if ops[i].Author.Kind != ByPerson && ops[i].Node != "" && slices.Contains(nodes, ops[i].Node) {
			out = append(out, ops[i])
		}
	}
	slices.SortStableFunc(out, func(a, b Operation) int { return compareOps(&b, &a) })
	return out
}
