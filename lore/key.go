package lore

// KeyKind says how the text of a [Key] is to be read.
type KeyKind string

// The kinds of key.
const (
	// KeyLiteral is plain text; folding and word borders follow the entry, the
	// book, and the policy, in this order.
	KeyLiteral KeyKind = "literal"
	// KeyRE2 is a regular expression of the RE2 family with Unicode classes:
	// the `regex` list of a .weaver entry.
	KeyRE2 KeyKind = "re2"
	// KeyJS is a JavaScript regular expression; Text is the pattern without
	// slashes, Flags its flags.
	KeyJS KeyKind = "js"
	// KeyGlob is Agnai's: `*` is any run of word characters, `?` is one.
	KeyGlob KeyKind = "glob"
)

// Key is one thing to look for in the scanned text.
type Key struct {
	Text  string  `json:"text"`
	Kind  KeyKind `json:"kind,omitempty"` // empty means KeyLiteral
	Flags string  `json:"flags,omitempty"`
}

// LiteralKeys returns a literal key for each text.
func LiteralKeys(texts ...string) []Key {
	keys := make([]Key, len(texts))
	for i, t := range texts {
		keys[i] = Key{Text: t, Kind: KeyLiteral}
	}
	return keys
}

// Logic says how the keys of a [Clause] combine.
type Logic string

// The logics of a clause of secondary keys.
const (
	AnyOf    Logic = "any_of"     // at least one key is found
	AllOf    Logic = "all_of"     // every key is found
	NoneOf   Logic = "none_of"    // no key is found
	NotAllOf Logic = "not_all_of" // at least one key is not found
	// Never fails whatever the keys: a file gave a logic that no reader knows.
	Never Logic = "never"
)

// Clause is a set of secondary keys. All clauses of an entry must hold beside
// one of its primary keys.
type Clause struct {
	Logic Logic `json:"logic"`
	Keys  []Key `json:"keys"`
	// Inactive clauses do not filter; a dialect may still count their keys, as
	// SillyTavern does when it scores the members of a group.
	Inactive bool `json:"inactive,omitempty"`
}
