package lore

// FolderDisabled reports whether the folder with this id, or one that holds it,
// is disabled: its entries are out of scans and triggers then.
func (b *Book) FolderDisabled(id string) bool {
	for range b.Folders { // each step goes up; a circle ends
		if id == "" {
			return false
		}
		parent := ""
		for i := range b.Folders {
			if f := &b.Folders[i]; f.ID == id {
				if f.Disabled {
					return true
				}
				parent = f.Parent
			}
		}
		id = parent
	}
	return false
}
