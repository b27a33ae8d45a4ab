package memory

import "maps"

// opStatus says whether an operation counts.
type opStatus uint8

const (
	opUnknown opStatus = iota
	opCounts
	opPresent // it does nothing by itself, but versions may stand on it
	opAbsent  // retracted or undone
)

// counts says which of the operations of a view count.
type counts struct {
	status map[string]opStatus
	// digests is how many operations have a digest, undos how many undo an
	// operation.
	digests, undos map[string]int
}

// count works out which operations count. They are in order.
func count(ops []*Operation) counts {
	c := counts{make(map[string]opStatus, len(ops)), make(map[string]int, len(ops)), map[string]int{}}
	at := make(map[string]int, len(ops))
	for i, op := range ops {
		at[op.ID] = i
	}
	for i := len(ops) - 1; i >= 0; i-- { // what is later decides whether an undo stands
		op := ops[i]
		if op.Undo != "" {
			c.undos[op.Undo]++
		}
		switch {
		case op.Retracted:
			c.status[op.ID] = opAbsent
		case c.status[op.ID] != opUnknown: // undone
		case op.Undo == "":
			c.status[op.ID] = opCounts
		default:
			c.status[op.ID] = opPresent
			if j, ok := at[op.Undo]; ok && j < i && (op.Author.Kind != BySidecar || ops[j].Author.Kind == BySidecar) {
				c.status[op.Undo] = opAbsent
			}
		}
	}
	for _, op := range ops {
		if op.Retracted || op.Undo != "" {
			continue
		}
		if c.digests[op.Digest]++; c.digests[op.Digest] > 1 && c.status[op.ID] == opCounts {
			c.status[op.ID] = opPresent
		}
	}
	return c
}

// recount returns the counts of other operations, of which ops are all and lost
// those that were and are no more. Where neither undos nor repetitions are
// concerned, only what changed is looked at; plainly says so, and changed are
// then the operations that count in one of the two only.
func (c counts) recount(ops, lost []*Operation) (out counts, changed []*Operation, plainly bool) {
	plain := func(op *Operation, times int) bool {
		return op.Undo == "" && !op.Retracted && c.undos[op.ID] == 0 && c.digests[op.Digest] == times
	}
	for _, op := range lost {
		if !plain(op, 1) {
			return count(ops), nil, false
		}
	}
	var fresh []*Operation
	for _, op := range ops {
		if c.status[op.ID] == opUnknown {
			fresh = append(fresh, op)
		}
	}
	for _, op := range lost {
		for _, now := range fresh {
			if now.Digest == op.Digest {
				return count(ops), nil, false
			}
		}
	}
	out = counts{maps.Clone(c.status), maps.Clone(c.digests), c.undos}
	for _, op := range lost {
		delete(out.status, op.ID)
		delete(out.digests, op.Digest)
	}
	for _, op := range fresh {
		if !plain(op, 0) || out.digests[op.Digest] > 0 {
			return count(ops), nil, false
		}
		out.status[op.ID] = opCounts
		out.digests[op.Digest] = 1
	}
	if len(out.status) != len(ops) { // an operation came back changed
		return count(ops), nil, false
	}
	return out, append(fresh, lost...), true
}

// differs reports whether an operation has another standing than it had.
func (c counts) differs(old *View, id string) bool { return c.status[id] != old.status[id] }
