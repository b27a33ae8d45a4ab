package engine

import (
	"slices"

	"github.com/weft-memory/weft/lore"
)

// admits reports whether a character filter lets a character's entry in. Names
// are compared with the file name and the name; a character without a record of
// tags passes every filter of tags.
func admits(f *lore.CharacterFilter, c *Character) bool {
	if len(f.Names) > 0 {
		named := slices.ContainsFunc(f.Names, func(n string) bool { return n != "" && (n == c.File || n == c.Name) })
		if named == f.Exclude {
			return false
		}
	}
	if len(f.Tags) > 0 && c.Tags != nil {
		tagged := slices.ContainsFunc(f.Tags, func(t string) bool { return slices.Contains(c.Tags, t) })
		if tagged == f.Exclude {
			return false
		}
	}
	return true
}
