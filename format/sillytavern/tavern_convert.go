package sillytavern

import (
	"strconv"
	"strings"

	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/match"
)

// BookToWorld converts a character_book as SillyTavern does on import. A missing
// `enabled` disables the entry, entries of one id overwrite each other, and the
// book itself is kept under originalData.
func BookToWorld(book *jsondoc.Tree) *jsondoc.Tree {
	entries := jsondoc.Obj()
	for i, b := range items(book.Get("entries")) {
		id := b.Get("id")
		if id == nil {
			id = jsondoc.Int(i)
		}
		ext := b.Get("extensions")
		e := jsondoc.Obj()
		for _, f := range template {
			e.Set(f.Name, worldField(f, b, ext))
		}
		e.Set("uid", id)
		e.Set("displayIndex", or(ext.Get("display_index"), jsondoc.Int(i)))
		if ext = or(ext, jsondoc.Obj()); ext != nil {
			e.Set("extensions", ext)
		}
		entries.Set(id.Text, e)
	}
	return jsondoc.Obj(jsondoc.M("entries", entries), jsondoc.M("originalData", book))
}

// worldField gives a field of a world entry from an entry of a book; nil where
// JavaScript would have undefined.
func worldField(f Field, b, ext *jsondoc.Tree) *jsondoc.Tree {
	switch f.Name {
	case "key":
		return b.Get("keys")
	case "keysecondary":
		return truthyOr(b.Get("secondary_keys"), jsondoc.List())
	case "comment":
		return truthyOr(b.Get("comment"), empty)
	case "content":
		return b.Get("content")
	case "constant", "selective":
		return truthyOr(b.Get(f.Name), no)
	case "addMemo":
		return jsondoc.NewBool(truthy(b.Get("comment")))
	case "order":
		return b.Get("insertion_order")
	case "disable":
		return jsondoc.NewBool(!truthy(b.Get("enabled")))
	case "position":
		after := jsondoc.Int(1)
		if p := b.Get("position"); p != nil && p.Text == "before_char" {
			after = jsondoc.Int(0)
		}
		return or(ext.Get("position"), after)
	case "delayUntilRecursion":
		return or(ext.Get(f.Ext), no)
	}
	return or(ext.Get(f.Ext), f.Default)
}

// WorldToBook converts a world file as SillyTavern does when it puts a book
// into a card: the name and the entries, without characterFilter, addMemo and
// the fields of the book.
func WorldToBook(world *jsondoc.Tree, name string) *jsondoc.Tree {
	entries := jsondoc.List()
	for _, e := range items(world.Get("entries")) {
		position := jsondoc.Str("after_char")
		if p := e.Get("position"); p != nil && p.Kind == jsondoc.Number && p.Text == "0" {
			position = jsondoc.Str("before_char")
		}
		b := jsondoc.Obj()
		for _, m := range [...][2]string{
			{"id", "uid"},
			{"keys", "key"},
			{"secondary_keys", "keysecondary"},
			{"comment", "comment"},
			{"content", "content"},
			{"constant", "constant"},
			{"selective", "selective"},
			{"insertion_order", "order"},
		} {
			b.Set(m[0], e.Get(m[1]))
		}
		b.Set("enabled", jsondoc.NewBool(!truthy(e.Get("disable"))))
		b.Set("position", position)
		b.Set("use_regex", yes)
		ext := e.Get("extensions").Clone()
		if ext == nil || ext.Kind != jsondoc.Object {
			ext = jsondoc.Obj()
		}
		for _, n := range extNames {
			v, ok := extField(n, e)
			if ok {
				ext.Set(n, v)
			}
		}
		b.Set("extensions", ext)
		entries.Items = append(entries.Items, b)
	}
	return jsondoc.Obj(jsondoc.M("entries", entries), jsondoc.M("name", jsondoc.Str(name)))
}

// extField gives a member of a book entry's extensions; ok is false where the
// field is missing and has no stand-in.
func extField(name string, e *jsondoc.Tree) (v *jsondoc.Tree, ok bool) {
	f := byExt[name]
	v = e.Get(f.Name)
	switch name {
	case "position", "exclude_recursion", "display_index":
		return v, v != nil
	case "probability", "group_weight":
		return or(v, null), true
	case "useProbability", "use_group_scoring", "delay_until_recursion":
		return or(v, no), true
	}
	return or(v, f.Default), true
}

// ImportNovel converts a NovelAI lorebook as SillyTavern does.
func ImportNovel(book *jsondoc.Tree) *jsondoc.Tree {
	return importEntries(book.Get("entries"), func(b, e *jsondoc.Tree) {
		name := truthyOr(b.Get("displayName"), empty)
		e.Set("key", b.Get("keys"))
		e.Set("comment", name)
		e.Set("content", b.Get("text"))
		e.Set("addMemo", jsondoc.NewBool(truthy(name)))
		e.Set("order", or(b.At("contextConfig", "budgetPriority"), jsondoc.Int(0)))
		e.Set("disable", jsondoc.NewBool(!truthy(b.Get("enabled"))))
	})
}

// ImportAgnai converts an Agnai memory book as SillyTavern does.
func ImportAgnai(book *jsondoc.Tree) *jsondoc.Tree {
	return importEntries(book.Get("entries"), func(b, e *jsondoc.Tree) {
		e.Set("key", b.Get("keywords"))
		e.Set("comment", b.Get("name"))
		e.Set("content", b.Get("entry"))
		e.Set("addMemo", jsondoc.NewBool(truthy(b.Get("name"))))
		e.Set("order", b.Get("weight"))
		e.Set("disable", jsondoc.NewBool(!truthy(b.Get("enabled"))))
	})
}

// ImportRisu converts a RisuAI lorebook as SillyTavern does: keys split at
// commas, the percentage also as useProbability.
func ImportRisu(book *jsondoc.Tree) *jsondoc.Tree {
	return importEntries(book.Get("data"), func(b, e *jsondoc.Tree) {
		e.Set("key", splitTrim(b.Get("key")))
		if k := b.Get("secondkey"); truthy(k) {
			e.Set("keysecondary", splitTrim(k))
		}
		e.Set("comment", b.Get("comment"))
		e.Set("content", b.Get("content"))
		e.Set("constant", b.Get("alwaysActive"))
		e.Set("selective", b.Get("selective"))
		e.Set("addMemo", yes)
		e.Set("order", b.Get("insertorder"))
		e.Set("probability", or(b.Get("activationPercent"), jsondoc.Int(100)))
		e.Set("useProbability", or(b.Get("activationPercent"), yes))
	})
}

func importEntries(list *jsondoc.Tree, fill func(b, e *jsondoc.Tree)) *jsondoc.Tree {
	entries := jsondoc.Obj()
	for i, b := range items(list) {
		e := jsondoc.Obj()
		for _, f := range template {
			e.Set(f.Name, f.Default.Clone())
		}
		e.Set("selective", no)
		e.Set("delayUntilRecursion", no)
		fill(b, e)
		e.Set("uid", jsondoc.Int(i))
		e.Set("displayIndex", jsondoc.Int(i))
		entries.Set(strconv.Itoa(i), e)
	}
	return jsondoc.Obj(jsondoc.M("entries", entries))
}

// FillDefaults completes an entry as SillyTavern's editor does when it opens
// it.
func FillDefaults(entry *jsondoc.Tree) *jsondoc.Tree {
	e := entry.Clone()
	for _, f := range template {
		v := e.Get(f.Name)
		isList := f.Name == "key" || f.Name == "keysecondary"
		if v == nil || isList && v.Kind != jsondoc.Array {
			e.Set(f.Name, f.Default.Clone())
		}
	}
	if f := e.Get("characterFilter"); f == nil || f.Kind != jsondoc.Object {
		e.Set("characterFilter", FilterTree(&lore.CharacterFilter{}))
	}
	return e
}

func splitTrim(t *jsondoc.Tree) *jsondoc.Tree {
	list := jsondoc.List()
	if t == nil {
		return list
	}
	for part := range strings.SplitSeq(t.Text, ",") {
		list.Items = append(list.Items, jsondoc.Str(match.TrimJS(part)))
	}
	return list
}

// items returns the values of a list, or of an object in the order in which
// JavaScript visits them.
func items(t *jsondoc.Tree) []*jsondoc.Tree {
	if t == nil || t.Kind != jsondoc.Object {
		if t == nil {
			return nil
		}
		return t.Items
	}
	keys := make([]string, len(t.Members))
	for i, m := range t.Members {
		keys[i] = m.Key
	}
	list := make([]*jsondoc.Tree, 0, len(keys))
	seen := map[string]bool{}
	for _, k := range lore.JSKeyOrder(keys) {
		if !seen[k] {
			seen[k] = true
			list = append(list, t.Get(k))
		}
	}
	return list
}

// or returns v, or def where v is missing or null.
func or(v, def *jsondoc.Tree) *jsondoc.Tree {
	if v == nil || v.Kind == jsondoc.Null {
		return def
	}
	return v
}

func truthyOr(v, def *jsondoc.Tree) *jsondoc.Tree {
	if truthy(v) {
		return v
	}
	return def
}

// truthy reports whether JavaScript takes the value for true.
func truthy(t *jsondoc.Tree) bool {
	if t == nil {
		return false
	}
	switch t.Kind {
	case jsondoc.Bool:
		return t.Text == "true"
	case jsondoc.String:
		return t.Text != ""
	case jsondoc.Number:
		f, err := strconv.ParseFloat(t.Text, 64)
		return err == nil && f != 0
	}
	return t.Kind >= jsondoc.Array
}
