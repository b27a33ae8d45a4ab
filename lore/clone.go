package lore

import (
	"encoding/json"
	"maps"
	"slices"
)

func cloneEntry(e *Entry) *Entry {
	if e == nil {
		return nil
	}
	c := *e
	c.Tags = slices.Clone(e.Tags)
	c.Keys = slices.Clone(e.Keys)
	c.Clauses = slices.Clone(e.Clauses)
	for i := range c.Clauses {
		c.Clauses[i].Keys = slices.Clone(c.Clauses[i].Keys)
	}
	c.Foreign = clonePointer(e.Foreign)
	c.CaseSensitive = clonePointer(e.CaseSensitive)
	c.WholeWords = clonePointer(e.WholeWords)
	c.ScanDepth = clonePointer(e.ScanDepth)
	c.Probability = clonePointer(e.Probability)
	c.Sources = slices.Clone(e.Sources)
	c.Kinds = slices.Clone(e.Kinds)
	if e.Characters != nil {
		f := *e.Characters
		f.Names, f.Tags = slices.Clone(f.Names), slices.Clone(f.Tags)
		c.Characters = &f
	}
	c.Similarity = clonePointer(e.Similarity)
	c.Greeting = clonePointer(e.Greeting)
	c.Fallback = slices.Clone(e.Fallback)
	c.Cap, c.Reserve = clonePointer(e.Cap), clonePointer(e.Reserve)
	if e.Inclusion != nil {
		g := *e.Inclusion
		g.Names = slices.Clone(g.Names)
		g.Weight, g.Scoring = clonePointer(g.Weight), clonePointer(g.Scoring)
		c.Inclusion = &g
	}
	c.Recursion.Override = clonePointer(e.Recursion.Override)
	c.Inject = clonePointer(e.Inject)
	c.Ext = cloneExt(e.Ext)
	return &c
}

func cloneBook(b *Book) *Book {
	if b == nil {
		return nil
	}
	c := *b
	c.Entries = make([]*Entry, len(b.Entries))
	for i, e := range b.Entries {
		c.Entries[i] = cloneEntry(e)
	}
	c.Folders = slices.Clone(b.Folders)
	for i := range c.Folders {
		c.Folders[i].Ext = cloneExt(c.Folders[i].Ext)
	}
	c.Namespaces = maps.Clone(b.Namespaces)
	c.ScanDepth, c.Budget = clonePointer(b.ScanDepth), clonePointer(b.Budget)
	c.GroupBudgets = maps.Clone(b.GroupBudgets)
	c.Recursive = clonePointer(b.Recursive)
	c.CaseSensitive, c.WholeWords = clonePointer(b.CaseSensitive), clonePointer(b.WholeWords)
	c.AccentBlind = clonePointer(b.AccentBlind)
	c.DefaultPriority = clonePointer(b.DefaultPriority)
	c.Slots = slices.Clone(b.Slots)
	c.Similarity = clonePointer(b.Similarity)
	c.Ext = cloneExt(b.Ext)
	return &c
}

func clonePointer[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

func cloneExt(m map[string]json.RawMessage) map[string]json.RawMessage {
	if m == nil {
		return nil
	}
	c := make(map[string]json.RawMessage, len(m))
	for k, v := range m {
		c[k] = slices.Clone(v)
	}
	return c
}
