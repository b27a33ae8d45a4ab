package store

import "database/sql"

// Category is a node of the lore tree as it is kept for fast reading. Where the
// tree comes from operations, this is a copy of what their fold says.
type Category struct {
	World string
	// Conversation is "" for the tree that the world shares.
	Conversation string
	ID, Parent   string
	Book         string
	Name         string
	Summary      string
	// Position orders the children of a parent.
	Position int
	// Entries are the ids of the entries that are in it.
	Entries []string
}

// SetCategories writes the tree of a world, or of a conversation in it, over
// the one that is there. Unknown parents, circles, and an entry of a book that
// is in two categories are Invalid.
func (tx *Tx) SetCategories(world, conversation string, tree []Category) error {
	if err := checkTree(tree); err != nil {
		return err
	}
	if world == System {
		return noWorld(world)
	}
	if conversation != "" {
		c, err := tx.Conversation(conversation)
		if err != nil {
			return err
		}
		if c.World != world {
			return Errorf(Invalid, "the conversation %s belongs to another world", conversation)
		}
	}
	if _, err := tx.touch(world); err != nil {
		return err
	}
	err := tx.execEach([]any{world, conversation},
		"DELETE FROM category_entries WHERE world = $1 AND conversation = $2",
		"DELETE FROM categories WHERE world = $1 AND conversation = $2")
	if err != nil {
		return err
	}
	for _, c := range tree {
		_, err := tx.exec("INSERT INTO categories (world, conversation, id, parent, book, name, summary, position) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
			world, conversation, c.ID, c.Parent, c.Book, c.Name, c.Summary, c.Position)
		if err != nil {
			return err
		}
		for i, entry := range c.Entries {
			_, err := tx.exec("INSERT INTO category_entries (world, conversation, book, entry, category, position) VALUES ($1, $2, $3, $4, $5, $6)",
				world, conversation, c.Book, entry, c.ID, i)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// checkTree makes sure that categories are a forest in which every entry has
// one place.
func checkTree(tree []Category) error {
	parents := make(map[string]string, len(tree))
	type ref struct{ book, entry string }
	place := map[ref]string{}
	for _, c := range tree {
		if c.ID == "" {
			return Errorf(Invalid, "the category %q has no id", c.Name)
		}
		if _, twice := parents[c.ID]; twice {
			return Errorf(Invalid, "two categories have the id %q", c.ID)
		}
		parents[c.ID] = c.Parent
		for _, e := range c.Entries {
			at := ref{c.Book, e}
			if other, twice := place[at]; twice {
				return Errorf(Invalid, "the entry %q is in the categories %q and %q: an entry has one place", e, other, c.ID)
			}
			place[at] = c.ID
		}
	}
	sound := map[string]bool{"": true}
	for id := range parents {
		var way []string
		for at := id; !sound[at]; at = parents[at] {
			if _, known := parents[at]; !known {
				return Errorf(Invalid, "the category %q has the parent %q, which is not there", way[len(way)-1], at)
			}
			if len(way) > len(parents) {
				return Errorf(Invalid, "the category %q is above itself", id)
			}
			way = append(way, at)
		}
		for _, at := range way {
			sound[at] = true
		}
	}
	return nil
}

// Categories returns a tree, parents before their children.
func (tx *Tx) Categories(world, conversation string) ([]Category, error) {
	children := map[string][]*Category{}
	byID := map[string]*Category{}
	err := tx.rows("SELECT id, parent, book, name, summary, position FROM categories WHERE world = $1 AND conversation = $2 ORDER BY position, id",
		[]any{world, conversation}, func(r *sql.Rows) error {
			c := &Category{World: world, Conversation: conversation}
			err := r.Scan(&c.ID, &c.Parent, &c.Book, &c.Name, &c.Summary, &c.Position)
			children[c.Parent] = append(children[c.Parent], c)
			byID[c.ID] = c
			return err
		})
	if err != nil {
		return nil, err
	}
	err = tx.rows("SELECT category, entry FROM category_entries WHERE world = $1 AND conversation = $2 ORDER BY category, position",
		[]any{world, conversation}, func(r *sql.Rows) error {
			var category, entry string
			err := r.Scan(&category, &entry)
			if c := byID[category]; c != nil {
				c.Entries = append(c.Entries, entry)
			}
			return err
		})
	if err != nil {
		return nil, err
	}
	list := make([]Category, 0, len(byID))
	for queue := children[""]; len(queue) > 0; queue = queue[1:] {
		list = append(list, *queue[0])
		queue = append(queue, children[queue[0].ID]...)
	}
	return list, nil
}
