package search

// View is what a search sees of an index: the messages of one path through the
// tree of a conversation, and the versions of entries and the summaries that
// hold at its end. What is not in the view is not found and counts for
// nothing, not even for how rare a word is.
//
// A view is immutable. It stays good when documents are added to the index;
// documents that are removed from it disappear from the view too.
type View struct {
	index *Index
	// place is, by slot: 0 for unseen, else 1 + the place in path for a
	// message and 1 for others.
	place []uint32
	path  []uint32 // slots of the messages, oldest first
	joins []bool   // by place in path: the message belongs to the one before it
	other []uint32 // slots of entries and summaries
	stats [kinds]kindStats
}

// kindStats are the figures of the documents of one kind in a view.
type kindStats struct {
	docs   int
	length int // terms of texts
}

// usual returns the usual length of a text.
func (s kindStats) usual() float32 {
	if s.docs == 0 || s.length == 0 {
		return 1
	}
	return float32(s.length) / float32(s.docs)
}

// View returns the view of a path of messages, oldest first, and of entries
// and summaries, by id. Ids that the index does not hold are passed over.
func (x *Index) View(messages, others []string) *View {
	x.mu.RLock()
	defer x.mu.RUnlock()
	v := &View{index: x, place: make([]uint32, len(x.docs)), path: make([]uint32, 0, len(messages)), other: make([]uint32, 0, len(others))}
	for _, id := range messages {
		v.see(id)
	}
	for _, id := range others {
		v.see(id)
	}
	return v
}

// All returns the view of everything in the index, messages in the order in
// which they were put.
func (x *Index) All() *View {
	x.mu.RLock()
	defer x.mu.RUnlock()
	v := &View{index: x, place: make([]uint32, len(x.docs))}
	for slot := range x.docs {
		v.add(uint32(slot))
	}
	return v
}

// With returns the view with further messages at the end of the path, and
// further entries and summaries.
func (v *View) With(ids ...string) *View {
	x := v.index
	x.mu.RLock()
	defer x.mu.RUnlock()
	w := *v
	w.place = append(make([]uint32, 0, len(x.docs)), v.place...)
	w.path = append(make([]uint32, 0, len(v.path)+len(ids)), v.path...)
	w.joins = append(make([]bool, 0, len(v.path)+len(ids)), v.joins...)
	w.other = append(make([]uint32, 0, len(v.other)+len(ids)), v.other...)
	for _, id := range ids {
		w.see(id)
	}
	return &w
}

// On returns the view with another path of messages and the same entries and
// summaries.
func (v *View) On(messages []string) *View {
	x := v.index
	x.mu.RLock()
	defer x.mu.RUnlock()
	w := &View{index: x, place: make([]uint32, len(x.docs)), path: make([]uint32, 0, len(messages))}
	for _, slot := range v.other {
		if x.docs[slot].kind != 0 {
			w.add(slot)
		}
	}
	for _, id := range messages {
		w.see(id)
	}
	return w
}

// Len returns the numbers of messages and of entries and summaries seen.
func (v *View) Len() (messages, others int) { return len(v.path), len(v.other) }

func (v *View) see(id string) {
	if slot, ok := v.index.slot(id); ok {
		v.add(slot)
	}
}

// add makes a document seen. The index is locked for reading at least.
func (v *View) add(slot uint32) {
	d := &v.index.docs[slot]
	if d.kind == 0 {
		return
	}
	if int(slot) >= len(v.place) {
		v.place = append(v.place, make([]uint32, len(v.index.docs)-len(v.place))...)
	}
	if v.place[slot] != 0 {
		return
	}
	if d.kind == Message {
		n := len(v.path)
		v.joins = append(v.joins, n > 0 && v.index.docs[v.path[n-1]].group == d.group)
		v.path = append(v.path, slot)
		v.place[slot] = uint32(len(v.path))
	} else {
		v.other = append(v.other, slot)
		v.place[slot] = 1
	}
	v.stats[d.kind].docs++
	v.stats[d.kind].length += int(d.length)
}

// sees returns the place of a document that is seen and still there, else 0.
func (v *View) sees(slot uint32) uint32 {
	if int(slot) >= len(v.place) || v.index.kinds[slot] == 0 {
		return 0
	}
	return v.place[slot]
}
