package engine_test

import (
	"testing"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
)

// TestDisabledFolder takes the entries of a folder out with the folder.
func TestDisabledFolder(t *testing.T) {
	t.Parallel()
	inside := lore.NewEntry("inside", "The barn is shut.")
	inside.Constant, inside.Folder = true, "barn"
	outside := lore.NewEntry("outside", "The gate is open.")
	outside.Constant = true
	book := &lore.Book{
		ID: "farm", Policy: lore.PolicyWeaver(), Entries: []*lore.Entry{inside, outside},
		Folders: []lore.Folder{{ID: "barn", Disabled: true}},
	}
	res := assemble(t, newEngine(t, engine.Options{}), engine.NewIndex(mustBuild(t, book)), engine.Input{})
	if len(res.Blocks) != 1 || res.Blocks[0].Entry != "outside" {
		t.Errorf("blocks are %+v", res.Blocks)
	}
}
