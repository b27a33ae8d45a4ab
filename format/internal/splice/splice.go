// Package splice turns the difference between two JSON trees into the smallest
// edits of a document.
package splice

import "github.com/weft-memory/weft/format/jsondoc"

// Merge edits v so that it changes as from changes into to. Unlike
// [jsondoc.Editor.Merge] it also enters lists: items that both trees share at
// the beginning and at the end of a list stay as they are written.
func Merge(ed *jsondoc.Editor, v jsondoc.Value, from, to *jsondoc.Tree) {
	if from.Equal(to) {
		return
	}
	if from == nil || to == nil || from.Kind != to.Kind || v.Kind() != to.Kind {
		ed.Replace(v, to)
		return
	}
	switch to.Kind {
	case jsondoc.Object:
		for _, m := range from.Members {
			if to.Get(m.Key) == nil {
				ed.Delete(v, m.Key)
			}
		}
		after := ""
		for _, m := range to.Members {
			old := from.Get(m.Key)
			switch here := v.Get(m.Key); {
			case m.Value.Equal(old):
			case here.Exists():
				Merge(ed, here, old, m.Value)
			default:
				ed.SetAfter(v, after, m.Key, m.Value)
			}
			after = m.Key
		}
	case jsondoc.Array:
		mergeList(ed, v, from, to)
	default:
		ed.Replace(v, to)
	}
}

func mergeList(ed *jsondoc.Editor, v jsondoc.Value, from, to *jsondoc.Tree) {
	if v.Len() != len(from.Items) {
		ed.Replace(v, to)
		return
	}
	var items []jsondoc.Value
	for _, item := range v.Items() {
		items = append(items, item)
	}
	if len(from.Items) == len(to.Items) {
		for i, item := range items {
			Merge(ed, item, from.Items[i], to.Items[i])
		}
		return
	}
	head, tail := 0, 0
	for head < len(from.Items) && head < len(to.Items) && from.Items[head].Equal(to.Items[head]) {
		head++
	}
	for tail < len(from.Items)-head && tail < len(to.Items)-head &&
		from.Items[len(from.Items)-1-tail].Equal(to.Items[len(to.Items)-1-tail]) {
		tail++
	}
	var slots []jsondoc.Slot
	for _, item := range items[:head] {
		slots = append(slots, jsondoc.Slot{Old: item})
	}
	for _, item := range to.Items[head : len(to.Items)-tail] {
		slots = append(slots, jsondoc.Slot{New: item})
	}
	for _, item := range items[len(items)-tail:] {
		slots = append(slots, jsondoc.Slot{Old: item})
	}
	ed.Arrange(v, slots)
}
