package store

import (
	"database/sql"
	"slices"

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
}

// link is a node of a tree without its text.
type link struct {
	n, parent, editOf, shownAs int64
	hidden, deleted, reread    bool
	user                       bool
	id                         string
}

// Path returns the messages from the beginning of the conversation to a node.
// Where an edit stands for a node, the edit is returned in its place, with the
// Parent, Depth, External and marks of the node. An empty node gives an empty
// path.
func (tx *Tx) Path(node string, o PathOptions) ([]Node, error) {
	if node == "" {
		return nil, nil
	}
	c, links, err := tx.links(node, o)
	if err != nil {
		return nil, err
	}
	return tx.texts(c, links)
}

// links returns the path to a node without texts.
func (tx *Tx) links(node string, o PathOptions) (Conversation, []link, error) {
	at, err := tx.anchor(node)
	if err != nil {
		return Conversation{}, nil, err
	}
	c := Conversation{ID: at.conversation, World: at.world}
	past, err := tx.marksAsOf(c, o.AsOf)
	if err != nil {
		return c, nil, err
	}
	links, err := tx.up(c, at.n, o.Last, past, o.Deleted)
	if err != nil {
		return c, nil, err
	}
	slices.Reverse(links)
	return c, links, nil
}

// up returns the nodes from n to the root, at most last of them if last is not
// 0. Deleted ones are left out unless keep is set.
func (tx *Tx) up(c Conversation, n int64, last int, past map[int64]marks, keep bool) (links []link, err error) {
	// Rows come in pieces that double: most readers want the end of a path only.
	piece := 64
	if last > 0 {
		piece = min(last+8, 4096)
	}
	for n != 0 && (last == 0 || len(links) < last) {
		var l link
		count := 0
		err := tx.rows(`WITH RECURSIVE up (n, parent, edit_of, shown_as, hidden, deleted, reread, role, id, k) AS (
				SELECT n, parent, edit_of, shown_as, hidden, deleted, reread, role, id, 1 FROM nodes WHERE conversation = $1 AND n = $2
				UNION ALL
				SELECT p.n, p.parent, p.edit_of, p.shown_as, p.hidden, p.deleted, p.reread, p.role, p.id, up.k + 1
				FROM up JOIN nodes p ON p.conversation = $1 AND p.n = up.parent WHERE up.k < $3
			) SELECT n, parent, edit_of, shown_as, hidden, deleted, reread, role, id FROM up`,
			[]any{c.ID, n, piece}, func(r *sql.Rows) error {
				var role sql.RawBytes
				if err := r.Scan(&l.n, &l.parent, &l.editOf, &l.shownAs, &l.hidden, &l.deleted, &l.reread, &role, &l.id); err != nil {
					return err
				}
				count++
				n = l.parent
				l.user = string(role) == string(lore.RoleUser)
				if m, ok := past[l.n]; ok {
					l.hidden, l.deleted, l.shownAs = m.hidden, m.deleted, m.shownAs
				}
				if (keep || !l.deleted) && (last == 0 || len(links) < last) {
					links = append(links, l)
				}
				return nil
			})
		if err != nil {
			return nil, err
		}
		if count == 0 {
			break
		}
		piece = min(piece*4, 1<<20)
	}
	return links, nil
}

// texts returns the nodes of a path whole.
func (tx *Tx) texts(c Conversation, path []link) ([]Node, error) {
	if len(path) == 0 {
		return nil, nil
	}
	wanted := make(map[int64]nodeRow, len(path))
	lowest, highest := path[0].n, path[0].n
	for _, l := range path {
		for _, n := range [...]int64{l.n, l.shownAs} {
			if n != 0 {
				wanted[n] = nodeRow{}
				lowest, highest = min(lowest, n), max(highest, n)
			}
		}
	}
	take := func(rows []nodeRow) {
		for _, r := range rows {
			if _, ok := wanted[r.n]; ok {
				wanted[r.n] = r
			}
		}
	}
	// A path is most of its conversation or, in one with many branches, a few
	// scattered nodes.
	if highest-lowest < 4*int64(len(wanted))+64 {
		rows, err := tx.nodeRows(c, true, "n BETWEEN $2 AND $3", lowest, highest)
		if err != nil {
			return nil, err
		}
		take(rows)
	} else {
		numbers := make([]int64, 0, len(wanted))
		for n := range wanted {
			numbers = append(numbers, n)
		}
		slices.Sort(numbers)
		for part := range slices.Chunk(numbers, 200) {
			where, args := inList(2, part)
			rows, err := tx.nodeRows(c, true, "n IN "+where, args...)
			if err != nil {
				return nil, err
			}
			take(rows)
		}
	}
	rows := make([]nodeRow, 0, len(path))
	for _, l := range path {
		r := wanted[l.n]
		r.Hidden, r.Deleted, r.shownAs = l.hidden, l.deleted, l.shownAs
		if l.shownAs != 0 {
			edit := wanted[l.shownAs]
			edit.Depth, edit.parent, edit.shownAs = r.Depth, r.parent, 0
			edit.Hidden, edit.Deleted, edit.External = l.hidden, l.deleted, r.External
			r = edit
		}
		rows = append(rows, r)
	}
	list, err := tx.named(c, rows)
	if err != nil {
		return nil, err
	}
	// The parent of a node behind an edit is the node, and what is on the path
	// in its place is the edit.
	for i := range list {
		if i > 0 && path[i].parent == path[i-1].n {
			list[i].Parent = list[i-1].ID
		}
	}
	return list, nil
}

// inList returns a list of placeholders from $first, and their values.
func inList(first int, numbers []int64) (string, []any) {
	text := []byte{'('}
	args := make([]any, len(numbers))
	for i, n := range numbers {
		if i > 0 {
			text = append(text, ',')
		}
		text = appendPlaceholder(text, first+i)
		args[i] = n
	}
	return string(append(text, ')')), args
}

// MemoryPath returns the path to a node as package memory takes it.
func (tx *Tx) MemoryPath(node string, asOf int64) (memory.Path, error) {
	if node == "" {
		return memory.Path{}, nil
	}
	c, links, err := tx.links(node, PathOptions{AsOf: asOf})
	if err != nil {
		return memory.Path{}, err
	}
	p := memory.Path{Conversation: c.ID, Steps: make([]memory.Step, 0, len(links))}
	for _, l := range links {
		step := memory.Step{Node: l.id, User: l.user}
		at := l
		if l.shownAs != 0 {
			if at, err = tx.link(c, l.shownAs); err != nil {
				return p, err
			}
			step.Node = at.id
		}
		for at.editOf != 0 && !at.reread {
			if at, err = tx.link(c, at.editOf); err != nil {
				return p, err
			}
			step.Keeps = append(step.Keeps, at.id)
		}
		p.Steps = append(p.Steps, step)
	}
	return p, nil
}

func (tx *Tx) link(c Conversation, n int64) (link, error) {
	l := link{n: n}
	_, err := tx.row("SELECT id, edit_of, reread FROM nodes WHERE conversation = $1 AND n = $2", []any{c.ID, n}, &l.id, &l.editOf, &l.reread)
	return l, err
}
