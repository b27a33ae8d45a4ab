package store

import (
	"database/sql"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
)

// PathOptions say what of a path is wanted. The zero value asks for the whole
// path as it is now.
type PathOptions struct {
	// Last asks for the last messages only; 0 means all.
	Last int
	// AsOf takes the marks of nodes as they were at this number of the world;
	// 0 means now.
	AsOf int64
	// Deleted keeps deleted nodes in.
	Deleted bool
	// Known are messages of another path of the conversation, as Path returned
	// it when [Tx.MarkSeq] was KnownAt: what they say need not be read again.
	Known   []*Node
	KnownAt int64
}

// Path returns the messages from the beginning of the conversation to a node.
// Where an edit stands for a node, the edit is returned in its place, with the
// Parent, Depth, External and marks of the node. An empty node gives an empty
// path.
func (tx *Tx) Path(node string, o PathOptions) ([]Node, error) {
	if node == "" {
		return nil, nil
	}
	c, tree, path, err := tx.links(node, o)
	if err != nil {
		return nil, err
	}
	return tx.texts(c, tree, path, o)
}

// step is a node on a path, with its marks as of the moment that was asked for,
// and the edit that stands for it, if one does.
type step struct {
	link
	shown *link
}

// links returns the path to a node without texts, and the tree that it is of.
func (tx *Tx) links(node string, o PathOptions) (Conversation, *skeleton, []step, error) {
	at, err := tx.anchor(node)
	if err != nil {
		return Conversation{}, nil, nil, err
	}
	c := Conversation{ID: at.conversation, World: at.world}
	tree, err := tx.tree(c.ID)
	if err != nil {
		return c, nil, nil, err
	}
	past, err := tx.marksAsOf(c, o.AsOf)
	if err != nil {
		return c, nil, nil, err
	}
	capacity := at.depth + 1
	if o.Last > 0 {
		capacity = min(capacity, o.Last)
	}
	path := make([]step, 0, capacity)
	for l := tree.at(at.n); l != nil && (o.Last == 0 || len(path) < o.Last); l = tree.at(l.parent) {
		s := step{link: *l}
		if m, ok := past[l.n]; ok {
			s.hidden, s.deleted, s.shownAs = m.hidden, m.deleted, m.shownAs
		}
		if s.deleted && !o.Deleted {
			continue
		}
		s.shown = tree.at(s.shownAs)
		path = append(path, s)
	}
	slices.Reverse(path)
	return c, tree, path, nil
}

// nodeText is what a skeleton does not hold.
type nodeText struct {
	name, author, external, content string
	ext                             json.RawMessage
}

// texts returns the nodes of a path whole.
func (tx *Tx) texts(c Conversation, tree *skeleton, path []step, o PathOptions) ([]Node, error) {
	if len(path) == 0 {
		return nil, nil
	}
	texts := make(map[int64]*nodeText, len(path))
	for _, s := range path {
		texts[s.n] = new(nodeText)
		if s.shown != nil {
			texts[s.shownAs] = new(nodeText)
		}
	}
	known, err := tx.takeKnown(c, path, texts, o)
	if err != nil {
		return nil, err
	}
	if err := tx.readTexts(c, texts); err != nil {
		return nil, err
	}
	maps.Copy(texts, known)
	list := make([]Node, len(path))
	for i, s := range path {
		shown := &s.link
		text := texts[s.n]
		external := text.external
		if s.shown != nil {
			shown, text = s.shown, texts[s.shownAs]
		}
		list[i] = Node{
			ID: shown.id, World: c.World, Conversation: c.ID, Role: shown.role, Name: text.name, Content: text.content,
			Kind: shown.kind, Swipe: shown.swipe, Reread: shown.reread, Author: text.author, External: external, Ext: text.ext,
			Hidden: s.hidden, Deleted: s.deleted, Depth: s.depth, Created: shown.created,
			Parent: tree.id(s.parent), EditOf: tree.id(shown.editOf),
		}
		// The parent of a node behind an edit is what is on the path in its place.
		if i > 0 && s.parent == path[i-1].n {
			list[i].Parent = list[i-1].ID
		}
	}
	return list, nil
}

// takeKnown takes those texts out that need not be read, and returns them.
func (tx *Tx) takeKnown(c Conversation, path []step, texts map[int64]*nodeText, o PathOptions) (map[int64]*nodeText, error) {
	if len(o.Known) == 0 {
		return nil, nil
	}
	// What was marked since may have been erased.
	marked := map[int64]bool{}
	err := tx.rows("SELECT n FROM node_marks WHERE conversation = $1 AND seq > $2", []any{c.ID, o.KnownAt}, func(r *sql.Rows) error {
		var n int64
		err := r.Scan(&n)
		marked[n] = true
		return err
	})
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*Node, len(o.Known))
	for _, n := range o.Known {
		byID[n.ID] = n
	}
	known := make(map[int64]*nodeText, len(path))
	for _, s := range path {
		n := byID[s.id]
		if n == nil || n.EditOf != "" || s.shown != nil || marked[s.n] || n.Created != s.created {
			continue
		}
		known[s.n] = &nodeText{name: n.Name, author: n.Author, external: n.External, content: n.Content, ext: n.Ext}
		delete(texts, s.n)
	}
	return known, nil
}

// readTexts fills in texts, by the numbers of their nodes.
func (tx *Tx) readTexts(c Conversation, texts map[int64]*nodeText) error {
	if len(texts) == 0 {
		return nil
	}
	numbers := slices.Sorted(maps.Keys(texts))
	lowest, highest := numbers[0], numbers[len(numbers)-1]
	// A path is most of its conversation or, in one with many branches, a few
	// scattered nodes.
	if highest-lowest < 4*int64(len(numbers))+64 {
		return tx.readTextsWhere(c, texts, "n BETWEEN $2 AND $3", lowest, highest)
	}
	for part := range slices.Chunk(numbers, maxInList) {
		where, args := inList(2, part)
		if err := tx.readTextsWhere(c, texts, "n IN "+where, args...); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) readTextsWhere(c Conversation, texts map[int64]*nodeText, where string, args ...any) error {
	args = append([]any{c.ID}, args...)
	var n int64
	var name, content sql.RawBytes
	words := map[string]string{} // names repeat
	err := tx.rows("SELECT n, name, content FROM nodes WHERE conversation = $1 AND "+where, args, func(r *sql.Rows) error {
		if err := r.Scan(&n, &name, &content); err != nil {
			return err
		}
		t := texts[n]
		if t == nil {
			return nil
		}
		word, ok := words[string(name)]
		if !ok {
			word = string(name)
			words[word] = word
		}
		t.name, t.content = word, string(content)
		return nil
	})
	if err != nil {
		return err
	}
	// Most messages have none of these.
	return tx.rows("SELECT n, author, coalesce(external, ''), ext FROM nodes WHERE conversation = $1 AND "+where+" AND (author <> '' OR external IS NOT NULL OR ext IS NOT NULL)",
		args, func(r *sql.Rows) error {
			var t nodeText
			if err := r.Scan(&n, &t.author, &t.external, (*[]byte)(&t.ext)); err != nil {
				return err
			}
			if to := texts[n]; to != nil {
				to.author, to.external, to.ext = t.author, t.external, t.ext
			}
			return nil
		})
}

// inList returns a list of placeholders from $first, and their values. The last
// value repeats up to one of few lengths, so that there are few statements.
func inList[T any](first int, values []T) (string, []any) {
	length := len(values)
	for _, l := range []int{8, 64, maxInList} {
		if length <= l {
			length = l
			break
		}
	}
	text := []byte{'('}
	args := make([]any, length)
	for i := range args {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, '$')
		text = strconv.AppendInt(text, int64(first+i), 10)
		args[i] = values[min(i, len(values)-1)]
	}
	return string(append(text, ')')), args
}

// maxInList is how many values a list should have at most.
const maxInList = 200

// MemoryPath returns the path to a node as package memory takes it.
func (tx *Tx) MemoryPath(node string, asOf int64) (memory.Path, error) {
	if node == "" {
		return memory.Path{}, nil
	}
	c, tree, path, err := tx.links(node, PathOptions{AsOf: asOf})
	if err != nil {
		return memory.Path{}, err
	}
	p := memory.Path{Conversation: c.ID, Steps: make([]memory.Step, 0, len(path))}
	for _, s := range path {
		at := &s.link
		if s.shown != nil {
			at = s.shown
		}
		step := memory.Step{Node: at.id, User: s.role == lore.RoleUser}
		for !at.reread && at.editOf != 0 {
			if at = tree.at(at.editOf); at == nil {
				break
			}
			step.Keeps = append(step.Keeps, at.id)
		}
		p.Steps = append(p.Steps, step)
	}
	return p, nil
}
