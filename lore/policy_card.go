package lore

// PolicyCharaCardV3 is the policy of character books after the specification of
// V3 cards: decorators are obeyed, an entry with the lowest priority goes first
// when the budget is short, and lower insertion orders come first. The
// specification leaves the scan depth, the budget and word borders to the
// program where a book names none: four messages, 25 percent of the context and
// plain substrings are chosen here, as is recursion only where the book asks
// for it.
func PolicyCharaCardV3() Policy {
	return Policy{
		Name: "chara_card_v3", Language: LangRisu, Constants: ConstantsNoRule,
		Join: Join{Separator: "\n\x01"}, Fold: FoldLower, Words: WordsSubstring,
		ScanDepth: Amount{N: 4, Unit: UnitMessages}, Budget: Amount{N: 25, Unit: UnitPercent},
		BasePriority: 100, Timers: TimersMessages, Decorators: DecoratorsV3, PriorityAscending: true,
	}
}
