package compendium

import "encoding/json"

// migration brings the stored data of an entry from one version to the next.
type migration func(t Type, members map[string]json.RawMessage)

// migrations[v] leads from version v to v+1. Version 0 is data without a
// version, as people write it by hand.
var migrations = [SchemaVersion]migration{
	0: func(_ Type, members map[string]json.RawMessage) {
		// The name "state" was used for current_state, and "relations" of a
		// character for relationships, by hand-written entries.
		rename(members, "state", "current_state")
	},
}

// Migrate brings stored data of a type from an older version of the schema to
// [SchemaVersion], in place. What it does not know it leaves alone.
func Migrate(t Type, from int, members map[string]json.RawMessage) {
	for v := max(from, 0); v < SchemaVersion; v++ {
		migrations[v](t, members)
	}
}

// rename renames a member, unless the new name is taken.
func rename(members map[string]json.RawMessage, from, to string) {
	if v, ok := members[from]; ok && members[to] == nil {
		members[to] = v
		delete(members, from)
	}
}
