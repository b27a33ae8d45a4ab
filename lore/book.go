package lore

import "encoding/json"

// FormatVersion is the version of the file format that this package writes
// into new books. Readers accept books without a version and with this one or
// an older one; a newer one is read with a warning.
const FormatVersion = 1

// Book is a set of entries with one configuration and one policy. A book that
// an index holds must not be changed: change a [Book.Clone].
type Book struct {
	// ID names the book among others; the engine keys its state by it. Readers
	// set it to the file or folder name without extension.
	ID          string
	Name        string
	Description string
	Version     string
	// FormatVersion is what the file says; 0 means that it says nothing.
	FormatVersion int

	// Entries in file order.
	Entries []*Entry
	Folders []Folder

	// Policy says how the book behaves. The zero policy is [PolicyWeaver].
	Policy Policy

	// Namespaces are the variable namespaces that the book declares for its
	// own entries.
	Namespaces map[string]Namespace
	// ScanDepth is how much of the chat's end is searched. Nil means the
	// policy's default.
	ScanDepth *Amount
	// Budget bounds what the book's entries may use together. Nil means the
	// policy's default.
	Budget *Amount
	// GroupBudgets bound the pools that entries name as their group, in tokens.
	GroupBudgets map[string]int
	// Recursive turns recursive scans on or off; nil means the policy's
	// default.
	Recursive *bool
	// CaseSensitive, WholeWords and AccentBlind are the book's choices for
	// keys; nil means the policy's default.
	CaseSensitive, WholeWords, AccentBlind *bool
	// DefaultPriority and DefaultSlot apply to entries that name none. Nil and
	// "" mean the dialect's.
	DefaultPriority *int
	DefaultSlot     Slot
	// Slots are further slots that the book declares, with their place.
	Slots []SlotDecl
	// Similarity turns activation by similarity on for every entry; nil means
	// that only entries that ask for it take part.
	Similarity *Similarity
	// RerollOnSwipe gives every swipe of a turn its own random numbers.
	RerollOnSwipe bool

	Origin Origin
	Ext    map[string]json.RawMessage
}

// Folder is a node of a book's own folder tree.
type Folder struct {
	ID, Name, Parent string
	Disabled         bool
	Ext              map[string]json.RawMessage
}

// Access says what templates may do with a namespace.
type Access string

// The kinds of access.
const (
	ReadOnly  Access = "readonly"
	ReadWrite Access = "readwrite"
)

// Namespace describes a variable namespace.
type Namespace struct {
	Access      Access `json:"access" yaml:"access"`
	Description string `json:"description,omitempty" yaml:"description,omitempty"`
}

// SlotDecl declares a slot of a book's own and its place among the others.
type SlotDecl struct {
	Name Slot `json:"name" yaml:"name"`
	// After and Before name the neighbouring slot; one of them is set.
	After  Slot `json:"after,omitempty" yaml:"after,omitempty"`
	Before Slot `json:"before,omitempty" yaml:"before,omitempty"`
}

// Entry returns the entry with this id, or nil. Where a book holds an id
// twice, the last one counts.
func (b *Book) Entry(id string) *Entry {
	for i := len(b.Entries) - 1; i >= 0; i-- {
		if b.Entries[i].ID == id {
			return b.Entries[i]
		}
	}
	return nil
}

// Clone returns a deep copy of the book that may be changed.
func (b *Book) Clone() *Book { return cloneBook(b) }
