package store

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
func (tx *Tx) SetCategories(world, conversation string, tree []Category) error { return errPending }

// Categories returns a tree, parents before their children.
func (tx *Tx) Categories(world, conversation string) ([]Category, error) { return nil, errPending }
