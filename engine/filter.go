package engine

import (
	"slices"

	"github.com/weft-memory/weft/lore"
)

// hasCharacter applies a character filter. Names are compared with the file name
// and the name; SillyTavern knows file names alone, where they are known. A
// character without a record of tags has none; in SillyTavern as it is, such a
// character passes every filter of tags.
func (b *bookScan) hasCharacter(f *lore.CharacterFilter) bool {
	c := &b.in.Character
	name := c.Name
	if b.policy.ScanTogether && (c.File != "" || b.policy.Faithful) {
		name = c.File
	}
	if len(f.Names) > 0 {
		named := slices.ContainsFunc(f.Names, func(n string) bool { return n != "" && (n == c.File || n == name) })
		if named == f.Exclude {
			return false
		}
	}
	if len(f.Tags) > 0 && (c.Tags != nil || !b.policy.Faithful) {
		tagged := slices.ContainsFunc(f.Tags, func(t string) bool { return slices.Contains(c.Tags, t) })
		if tagged == f.Exclude {
			return false
		}
	}
	return true
}
