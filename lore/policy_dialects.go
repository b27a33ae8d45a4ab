package lore

// The policies below describe programs whose books Weft reads beside those of
// its two ancestors and of SillyTavern. Where a program gives the user a
// choice, the value here is its default; where no source says how it behaves,
// the comment says what was chosen. What a policy cannot express is listed in
// the report of the codec that reads the book.

// wholeChat is a scan depth that no chat exceeds.
const wholeChat = 1 << 30

// PolicyRisu is the policy of RisuAI's own lorebooks: five messages, 800
// tokens, text and keys compared without their spaces (or, for full words, the
// text split at single spaces), recursion without a bound, an entry that does
// not fit is skipped. A lone U+0001 between two messages keeps a key from
// matching across them under both word rules.
func PolicyRisu() Policy {
	return Policy{
		Name: "risu", Language: LangRisu, Constants: ConstantsNoRule,
		Join: Join{Separator: " \x01 "}, Fold: FoldLower, Words: WordsRisu,
		ScanDepth: Amount{N: 5, Unit: UnitMessages}, Budget: Amount{N: 800, Unit: UnitTokens},
		BasePriority: 100, Timers: TimersMessages, Recursive: true, RollsAgain: true, Decorators: DecoratorsRisu, PriorityAscending: true,
	}
}

// PolicyNovelAI is the policy of NovelAI lorebooks: each entry looks back over
// a range of characters of the story (1,000 unless it says otherwise), keys are
// bounded where they begin or end with a letter, and active entries are
// searched by those entries that ask for it. Entries carry their own caps and
// reserves; there is no budget of the book.
func PolicyNovelAI() Policy {
	return Policy{
		Name: "novelai", Language: LangPlain, Constants: ConstantsNoRule,
		Join: Join{Separator: "\n"}, Fold: FoldLower, Words: WordsNovelAI,
		ScanDepth: Amount{N: 1000, Unit: UnitChars},
		Trim:      Trim{Direction: "bottom", Unit: "sentence"}, BasePriority: 400, Timers: TimersTurns, Recursive: true, PriorityAscending: true,
	}
}

// PolicyAgnai is the policy of Agnai memory books: 50 messages, 500 tokens,
// keys as whole words with `*` and `?`, and of equal entries the one whose key
// stands in the newer message first.
func PolicyAgnai() Policy {
	return Policy{
		Name: "agnai", Language: LangBasic, Constants: ConstantsNoRule,
		Join: Join{Separator: "\n"}, Fold: FoldLower, Words: WordsAgnai,
		ScanDepth: Amount{N: 50, Unit: UnitMessages}, Budget: Amount{N: 500, Unit: UnitTokens},
		BasePriority: 100, Timers: TimersTurns, OrderByAppearance: true, PriorityAscending: true,
	}
}

// PolicyKobold is the policy of KoboldAI and KoboldCpp world info: the whole
// context is searched by substring, entries stand in list order, and what
// passes the memory's limit is cut off at the end.
func PolicyKobold() Policy {
	return Policy{
		Name: "kobold", Language: LangBasic, Constants: ConstantsNoRule, StopOnOverflow: true,
		Join: Join{Separator: "\n"}, Fold: FoldLower, Words: WordsSubstring,
		Trim: Trim{Direction: "bottom", Unit: "token"}, ScanDepth: Amount{N: wholeChat, Unit: UnitMessages}, Timers: TimersTurns, PriorityAscending: true,
	}
}

// PolicyAIDungeon is the policy of AI Dungeon's story cards and its older
// world info: substring in the recent actions, no order and no budget of its
// own. How many actions count as recent is not documented; ten is chosen here.
func PolicyAIDungeon() Policy {
	return Policy{
		Name: "aidungeon", Language: LangPlain, Constants: ConstantsNoRule,
		Join: Join{Separator: "\n"}, Fold: FoldLower, Words: WordsSubstring,
		ScanDepth: Amount{N: DefaultScanDepth, Unit: UnitMessages}, Timers: TimersTurns,
		OrderByAppearance: true, KeepNewest: true, PriorityAscending: true,
	}
}

// PolicyChub is the policy of Chub's lorebooks: character books whose keys
// ignore case and stand as whole words unless the book or the entry says
// otherwise. The site's scan depth of two messages applies where the book
// names none.
func PolicyChub() Policy {
	return Policy{
		Name: "chub", Language: LangTavern, Constants: ConstantsNoRule,
		Join: Join{Separator: "\n\x01"}, Fold: FoldLower, Words: WordsUnicode,
		ScanDepth:    Amount{N: 2, Unit: UnitMessages},
		BasePriority: 100, Timers: TimersMessages, Decorators: DecoratorsTavern, PriorityAscending: true,
	}
}

// PolicyJanitor is the policy of JanitorAI lorebooks, whose entries speak most
// of SillyTavern's words. The site does not say how far back it looks; four
// messages are chosen here.
func PolicyJanitor() Policy {
	return Policy{
		Name: "janitor", Language: LangBasic, Constants: ConstantsNoRule,
		Join: Join{Separator: "\n\x01"}, Fold: FoldLower, Words: WordsUnicode,
		ScanDepth:    Amount{N: 4, Unit: UnitMessages},
		BasePriority: 100, Timers: TimersMessages, PriorityAscending: true,
	}
}

// PolicyBackyard is the policy of Backyard (Faraday) lore: the last four
// messages, by substring, about 384 tokens, in the order of the list.
func PolicyBackyard() Policy {
	return Policy{
		Name: "backyard", Language: LangBasic, Constants: ConstantsNoRule,
		Join: Join{Separator: "\n"}, Fold: FoldLower, Words: WordsSubstring,
		ScanDepth: Amount{N: 4, Unit: UnitMessages}, Budget: Amount{N: 384, Unit: UnitTokens},
		Timers: TimersTurns, PriorityAscending: true,
	}
}
