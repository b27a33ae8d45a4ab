package compendium

import (
	"encoding/json"
	"slices"
)

// AsOf returns the entry as it was known after a turn, worked out from its
// sources and history; nil if nothing was known of it then. Values whose
// history was dropped for room are left out rather than guessed.
//
// The exact past is a fold of the operations up to a message; this answers the
// same question where only the entry is at hand.
func (e *Entry) AsOf(turn int) *Entry {
	if len(e.Sources) == 0 || e.lastTurn() <= turn {
		return e
	}
	known := false
	data := cloneObject(e.Data)
	for _, p := range sortedNames(e.Sources) {
		if e.Sources[p].Turn <= turn {
			known = true
			continue
		}
		if v, ok := e.valueAt(p, turn); ok {
			known = true
			setValue(data, p, v)
		} else {
			dropValue(data, p)
		}
	}
	if !known {
		return nil
	}
	// Rows that were taken away since.
	for _, k := range sortedNames(e.History) {
		p := e.History[k]
		if p.From.Turn <= turn && p.Until.Turn > turn && !p.Disputed && e.Value(p.Path) == nil {
			if v, ok := e.decodePast(p); ok {
				setValue(data, p.Path, v)
			}
		}
	}
	prune(data, Fields(e.Type))
	out := e.with(data)
	out.Sources = map[string]Source{}
	for p, s := range e.Sources {
		if out.Value(p) != nil && s.Turn <= turn {
			out.Sources[p] = s
		}
	}
	for _, p := range e.History {
		if p.From.Turn <= turn && p.Until.Turn > turn && out.Value(p.Path) != nil && !p.Disputed {
			out.Sources[p.Path] = p.From
		}
	}
	return out
}

// valueAt returns what the history says of a path at a turn.
func (e *Entry) valueAt(path string, turn int) (any, bool) {
	list := e.PastOf(path)
	slices.Reverse(list)
	for _, p := range list {
		if p.Path == path && p.From.Turn <= turn && p.Until.Turn > turn && !p.Disputed {
			return e.decodePast(p)
		}
	}
	return nil, false
}

func (e *Entry) decodePast(p Past) (any, bool) {
	steps, ok := splitPath(p.Path)
	if !ok {
		return nil, false
	}
	fields := Fields(e.Type)
	var f *Field
	for _, s := range steps {
		if s.row {
			continue
		}
		if f = member(fields, s.name); f == nil {
			var v any = p.Value
			return v, json.Valid(p.Value)
		}
		fields = f.Fields
	}
	if steps[len(steps)-1].row {
		if f.Kind == References {
			var s string
			return ParseRef(s), json.Unmarshal(p.Value, &s) == nil
		}
		return orNil(decodeObject(p.Value, f.Fields))
	}
	return decodeValue(p.Value, f)
}

// setValue puts a value to its place, objects on the way included.
func setValue(o Object, path string, v any) {
	steps, ok := splitPath(path)
	for i, s := range steps {
		name := s.name
		if s.row {
			name = s.key
		}
		if i == len(steps)-1 {
			o[name] = v
			return
		}
		next, isObject := o[name].(Object)
		if !isObject || !ok {
			next = Object{}
			o[name] = next
		}
		o = next
	}
}

func dropValue(o Object, path string) {
	steps, _ := splitPath(path)
	for i, s := range steps {
		name := s.name
		if s.row {
			name = s.key
		}
		if i == len(steps)-1 {
			delete(o, name)
			return
		}
		if o, _ = o[name].(Object); o == nil {
			return
		}
	}
}

// prune takes out rows of which the members that tell them apart are gone, and
// what became empty.
func prune(o Object, fields []Field) {
	for i := range fields {
		f := &fields[i]
		v, ok := o[f.Name].(Object)
		if !ok {
			continue
		}
		switch f.Kind {
		case Group:
			prune(v, f.Fields)
		case Rows:
			for k, r := range v {
				row, ok := r.(Object)
				if !ok {
					continue
				}
				prune(row, f.Fields)
				if isEmpty(row[f.main()]) {
					delete(v, k)
				}
			}
		}
		if len(v) == 0 {
			delete(o, f.Name)
		}
	}
}

// AsOf returns the world as it was known after a turn. The story's time is
// given, since entries do not tell it.
func (w *World) AsOf(turn int, now Moment) *World {
	var entries []*Entry
	for _, id := range w.ids {
		if e := w.entries[id].AsOf(turn); e != nil {
			entries = append(entries, e)
		}
	}
	return NewWorld(entries, Options{Turn: turn, Now: now, Redirects: w.redirects})
}
