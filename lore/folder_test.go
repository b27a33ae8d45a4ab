package lore_test

import (
	"testing"

	"github.com/weft-memory/weft/lore"
)

func TestFolderDisabled(t *testing.T) {
	t.Parallel()
	b := &lore.Book{Folders: []lore.Folder{
		{ID: "off", Disabled: true},
		{ID: "in_off", Parent: "off"},
		{ID: "on"},
		{ID: "a", Parent: "b"},
		{ID: "b", Parent: "a"},
	}}
	for id, want := range map[string]bool{"off": true, "in_off": true, "on": false, "a": false, "": false, "unknown": false} {
		if got := b.FolderDisabled(id); got != want {
			t.Errorf("FolderDisabled(%q) = %v, want %v", id, got, want)
		}
	}
}
