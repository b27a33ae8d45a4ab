package lore

import (
	"fmt"

	"github.com/weft-memory/weft/weaver/diag"
)

// Builder makes a book in code:
//
//	book, err := lore.NewBook("gull_point").
//		Entry("lighthouse", "The lamp has been dark for a year.",
//			lore.Keywords("lighthouse", "lamp"), lore.Sticky(3)).
//		Entry("fog", "Fog comes in every evening at dusk.",
//			lore.Constant(), lore.InSlot(lore.SlotSetting)).
//		Build()
//
// The methods return the builder, and Build reports all mistakes at once.
type Builder struct{ book Book }

// NewBook begins a book of the weaver dialect.
func NewBook(id string) *Builder {
	return &Builder{Book{ID: id, FormatVersion: FormatVersion, Policy: PolicyWeaver()}}
}

// Name gives the book a title.
func (b *Builder) Name(name string) *Builder { b.book.Name = name; return b }

// Description says what the book is about.
func (b *Builder) Description(text string) *Builder { b.book.Description = text; return b }

// Policy makes the book one of another dialect. Defaults to [PolicyWeaver].
func (b *Builder) Policy(p Policy) *Builder { b.book.Policy = p; return b }

// ScanDepth says how many messages are searched. Defaults to the policy's.
func (b *Builder) ScanDepth(messages int) *Builder {
	b.book.ScanDepth = Messages(messages)
	return b
}

// Budget bounds what the entries may use together; see [Tokens], [Chars] and
// [Percent]. Defaults to the policy's.
func (b *Builder) Budget(a *Amount) *Builder { b.book.Budget = a; return b }

// GroupBudget bounds the entries of one [InGroup] together, in tokens.
func (b *Builder) GroupBudget(group string, tokens int) *Builder {
	if b.book.GroupBudgets == nil {
		b.book.GroupBudgets = map[string]int{}
	}
	b.book.GroupBudgets[group] = tokens
	return b
}

// Namespace declares a variable namespace for the book's entries.
func (b *Builder) Namespace(name string, access Access, description string) *Builder {
	if b.book.Namespaces == nil {
		b.book.Namespaces = map[string]Namespace{}
	}
	b.book.Namespaces[name] = Namespace{Access: access, Description: description}
	return b
}

// Slot declares a slot of the book's own, behind another one.
func (b *Builder) Slot(name, after Slot) *Builder {
	b.book.Slots = append(b.book.Slots, SlotDecl{Name: name, After: after})
	return b
}

// DefaultSlot is the slot of entries that name none. Defaults to
// [DefaultSlot].
func (b *Builder) DefaultSlot(s Slot) *Builder { b.book.DefaultSlot = s; return b }

// CaseSensitive makes keywords match only in the same case.
func (b *Builder) CaseSensitive() *Builder { yes := true; b.book.CaseSensitive = &yes; return b }

// WholeWords makes keywords match only whole words.
func (b *Builder) WholeWords() *Builder { yes := true; b.book.WholeWords = &yes; return b }

// Entry adds an entry. Content is a template; see [EntryOption] for the rest.
func (b *Builder) Entry(id, content string, options ...EntryOption) *Builder {
	e := NewEntry(id, content)
	for _, option := range options {
		option(e)
	}
	return b.Add(e)
}

// Add adds entries that exist already.
func (b *Builder) Add(entries ...*Entry) *Builder {
	b.book.Entries = append(b.book.Entries, entries...)
	return b
}

// Build returns the book, which shares nothing with the builder, or an error
// that names every mistake: those that [Validate] reports as errors, and ids
// used twice.
func (b *Builder) Build() (*Book, error) {
	book := cloneBook(&b.book)
	var list diag.List
	if book.ID == "" {
		list = append(list, diag.Diagnostic{Code: codeMissing, Message: "the book has no id", Hint: "NewBook takes it"})
	}
	seen := make(map[string]bool, len(book.Entries))
	for _, e := range book.Entries {
		if e == nil {
			continue
		}
		if seen[e.ID] {
			list = append(list, diag.Diagnostic{Code: codeIDTwice, Message: fmt.Sprintf("entry %q: another entry has this id", e.ID)})
		}
		seen[e.ID] = true
	}
	if err := append(list, Validate(book)...).Err(); err != nil {
		return nil, fmt.Errorf("book %q: %w", book.ID, err)
	}
	return book, nil
}

// EntryOption sets a field of an entry that is built.
type EntryOption func(*Entry)

// Keywords adds texts of which one must occur in the searched messages.
func Keywords(texts ...string) EntryOption {
	return func(e *Entry) { e.Keys = append(e.Keys, LiteralKeys(texts...)...) }
}

// Regex adds patterns (RE2 syntax, Unicode classes, case-sensitive) that count
// like keywords.
func Regex(patterns ...string) EntryOption {
	return func(e *Entry) {
		for _, p := range patterns {
			e.Keys = append(e.Keys, Key{Text: p, Kind: KeyRE2})
		}
	}
}

// Secondary adds a clause of further keywords that must hold as well.
func Secondary(logic Logic, texts ...string) EntryOption {
	return func(e *Entry) { e.Clauses = append(e.Clauses, Clause{Logic: logic, Keys: LiteralKeys(texts...)}) }
}

// When sets the condition, an expression of the weaver language.
func When(condition string) EntryOption { return func(e *Entry) { e.Condition = condition } }

// Constant makes the entry active without keywords.
func Constant() EntryOption { return func(e *Entry) { e.Constant = true } }

// ScanMessages says how many messages are searched. Defaults to the book's.
func ScanMessages(n int) EntryOption { return func(e *Entry) { e.ScanDepth = Messages(n) } }

// Probability sets the chance, in percent, that a found entry activates.
func Probability(percent float64) EntryOption {
	return func(e *Entry) { e.Probability = &percent }
}

// BySimilarity lets the entry activate by similarity too.
func BySimilarity(s Similarity) EntryOption { return func(e *Entry) { e.Similarity = &s } }

// ForKinds restricts the entry to some kinds of turn.
func ForKinds(kinds ...TurnKind) EntryOption { return func(e *Entry) { e.Kinds = kinds } }

// ForCharacters restricts the entry to some characters.
func ForCharacters(names ...string) EntryOption {
	return func(e *Entry) { e.Characters = &CharacterFilter{Names: names} }
}

// Sticky keeps the entry for so many turns after it was found.
func Sticky(turns int) EntryOption { return func(e *Entry) { e.Timing.Sticky = turns } }

// Cooldown keeps the entry away after it was found: see [Timing].
func Cooldown(turns int) EntryOption { return func(e *Entry) { e.Timing.Cooldown = turns } }

// Delay keeps the entry away until the chat has so many messages.
func Delay(messages int) EntryOption { return func(e *Entry) { e.Timing.Delay = messages } }

// Priority decides who survives a budget: higher is kept longer. Defaults to
// [DefaultPriority].
func Priority(p int) EntryOption { return func(e *Entry) { e.Placement.Priority = p } }

// Order orders entries of equal priority: lower comes first. Defaults to
// [DefaultInsertionOrder].
func Order(n int) EntryOption { return func(e *Entry) { e.InsertionOrder = n } }

// InSlot places the entry; the fallbacks are tried in turn where the prompt
// lacks the slot. InSlot(AtDepth(3)) places it inside the chat.
func InSlot(slot Slot, fallback ...Slot) EntryOption {
	return func(e *Entry) { e.Placement.Slot, e.Fallback = slot, fallback }
}

// As sets the role of a block inside the chat. Defaults to system.
func As(role Role) EntryOption { return func(e *Entry) { e.Placement.Role = role } }

// InGroup lets the entry draw on a budget pool of the book.
func InGroup(group string) EntryOption { return func(e *Entry) { e.Group = group } }

// Exclusive puts the entry into inclusion groups, of which one member is kept.
func Exclusive(groups ...string) EntryOption {
	return func(e *Entry) { e.Inclusion = &Inclusion{Names: groups} }
}

// MaxTokens cuts a longer text at a sentence end.
func MaxTokens(n int) EntryOption { return func(e *Entry) { e.Placement.MaxTokens = n } }

// InSizes gives shorter versions that budgeting may take.
func InSizes(brief, oneLine string) EntryOption {
	return func(e *Entry) { e.Sizes = Sizes{Brief: brief, OneLine: oneLine} }
}

// Titled gives the entry a name for people.
func Titled(name string) EntryOption { return func(e *Entry) { e.Name = name } }

// Tagged adds tags.
func Tagged(tags ...string) EntryOption { return func(e *Entry) { e.Tags = append(e.Tags, tags...) } }

// Off takes the entry out of scans and triggers.
func Off() EntryOption { return func(e *Entry) { e.Disabled = true } }
