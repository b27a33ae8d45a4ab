// Package characterbook reads and writes the lorebooks that character cards
// embed: the character_book of V2 cards, the lorebook of V3 cards, and the same
// objects alone in a file.
//
// Two habits meet in this format. The specification of V3 cards has decorators
// in the content and `use_regex`, which makes every key an expression.
// SillyTavern writes `use_regex: true` always, takes a key for an expression
// only if it is written /…/flags, and keeps its own fields under `extensions`.
// An entry with any of those fields is read by SillyTavern's habit, any other by
// the specification; books follow their entries in the choice of their policy.
//
// Written are SillyTavern's fields where an entry has something to say that the
// specification has no word for, since most programs read them; and decorators
// (in V3 books) where they suffice.
package characterbook
