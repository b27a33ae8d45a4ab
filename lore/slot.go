package lore

import (
	"fmt"
	"strconv"
	"strings"
)

// Slot names a place in the prompt. It is a word of one of the two slot
// vocabularies (or one that a book declares), or `at_depth(N)`: inside the
// chat, N messages before its end, where 0 is after the last message.
//
// A slot is kept as it was written; nothing is translated on reading.
type Slot string

// The slots, front to back. Both vocabularies are valid, in one ordered list:
// the chat stands between [SlotImmediate] and [SlotCoda].
const (
	SlotPrelude    Slot = "prelude"
	SlotPreamble   Slot = "preamble"
	SlotFoundation Slot = "foundation"
	SlotBackdrop   Slot = "backdrop"
	SlotContext    Slot = "context"
	SlotReference  Slot = "reference"
	SlotSetting    Slot = "setting"
	SlotFraming    Slot = "framing"
	SlotGuidance   Slot = "guidance"
	SlotForeground Slot = "foreground"
	SlotEmphasis   Slot = "emphasis"
	SlotImmediate  Slot = "immediate"
	SlotCoda       Slot = "coda"
	SlotAftermath  Slot = "aftermath"
)

// DefaultSlot is the slot of an entry when neither the entry nor its book
// names one.
const DefaultSlot = SlotBackdrop

var slotOrder = []Slot{
	SlotPrelude, SlotPreamble, SlotFoundation, SlotBackdrop, SlotContext, SlotReference, SlotSetting,
	SlotFraming, SlotGuidance, SlotForeground, SlotEmphasis, SlotImmediate, SlotCoda, SlotAftermath,
}

// Slots returns the named slots in prompt order, without `at_depth(N)`.
func Slots() []Slot { return append([]Slot(nil), slotOrder...) }

// AtDepth returns the slot that lies n messages before the end of the chat.
// A negative n counts as 0.
func AtDepth(n int) Slot {
	return Slot("at_depth(" + strconv.Itoa(max(n, 0)) + ")")
}

// Depth returns the depth of an `at_depth(N)` slot, in messages from the end
// of the chat; ok is false for every other slot.
func (s Slot) Depth() (n int, ok bool) {
	inner, found := strings.CutPrefix(string(s), "at_depth(")
	if !found {
		return 0, false
	}
	inner, found = strings.CutSuffix(inner, ")")
	if !found {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(inner))
	if err != nil || n < 0 {
		return 0, false
	}
	return n, true
}

// Twin returns the slot that means the same in the other vocabulary, or "" if
// there is none. An entry whose slot and fallbacks a prompt lacks goes there.
func (s Slot) Twin() Slot { return slotTwins[s] }

var slotTwins = map[Slot]Slot{
	SlotPrelude: SlotPreamble, SlotPreamble: SlotPrelude,
	SlotBackdrop: SlotContext, SlotContext: SlotBackdrop,
	SlotSetting: SlotFraming, SlotFraming: SlotSetting,
	SlotForeground: SlotImmediate, SlotImmediate: SlotForeground,
	SlotCoda: SlotAftermath, SlotAftermath: SlotCoda,
}

// ParseSlot reads a slot as a person writes it: a word (letters, digits, `_`
// and `-`, beginning with a letter) or `at_depth(N)`, where spaces around N
// are allowed. The result is in the canonical spelling.
func ParseSlot(s string) (Slot, error) {
	text := strings.TrimSpace(s)
	if strings.HasPrefix(text, "at_depth") {
		inner := strings.TrimSpace(strings.TrimPrefix(text, "at_depth"))
		inner = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(inner, "("), ")"))
		n, err := strconv.Atoi(inner)
		if err != nil || n < 0 {
			return "", fmt.Errorf("slot %q: the depth must be a whole number from 0, as in at_depth(4)", s)
		}
		return AtDepth(n), nil
	}
	for i, r := range text {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || !(r == '_' || r == '-' || r >= '0' && r <= '9')) {
			return "", fmt.Errorf("slot %q: a slot is a word such as %s, or at_depth(N)", s, SlotBackdrop)
		}
	}
	if text == "" {
		return "", fmt.Errorf("slot: empty; leave the field out to take the default (%s)", DefaultSlot)
	}
	return Slot(text), nil
}
