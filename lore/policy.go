package lore

// Policy names every choice in which lorebook dialects differ. A book carries
// its policy; readers of foreign formats choose the right one, and books of
// different policies work in one assembly. Policies are compared by value:
// books with equal policies whose scan is shared (see ScanTogether) are
// scanned as one.
//
// Take one of the constructors and change fields of the copy.
type Policy struct {
	// Name is the dialect: "weaver", "suzune", "sillytavern", ….
	Name string `json:"name"`
	// Language is what content is written in.
	Language Language `json:"language"`
	// Constants says what precedence constant entries have.
	Constants Constants `json:"constants"`
	// StopOnOverflow ends the selection at the first entry that does not fit.
	// Otherwise it is skipped and the next one is tried.
	StopOnOverflow bool `json:"stop_on_overflow"`
	// ScanBudget applies the book's budget while scanning (an entry that does
	// not fit is not active), not at placement.
	ScanBudget bool `json:"scan_budget"`
	// Join says how messages become one text.
	Join Join `json:"join"`
	// Fold and Words say how literal keys are compared.
	Fold  Fold  `json:"fold"`
	Words Words `json:"words"`
	// CaseSensitive is the default for books that do not say.
	CaseSensitive bool `json:"case_sensitive"`
	// ScanDepth is the default scan depth.
	ScanDepth Amount `json:"scan_depth"`
	// Budget is the default budget; N = 0 means none. BudgetCap bounds a
	// percentage, in tokens; 0 means none.
	Budget    Amount `json:"budget"`
	BudgetCap int    `json:"budget_cap"`
	// BudgetChars takes a percentage of the context in characters, four for
	// each token, and counts what entries use in characters.
	BudgetChars bool `json:"budget_chars"`
	// Trim says how an entry that does not fit is cut, where it does not say so
	// itself. Without a direction it is left out instead.
	Trim Trim `json:"trim"`
	// BasePriority is the priority of an entry that names none. Where books of
	// several dialects share a budget, priorities count from it.
	BasePriority int `json:"base_priority"`
	// MaxActive bounds the number of active entries; 0 means no bound.
	MaxActive int `json:"max_active"`
	// Timers says how sticky, cooldown and delay are counted.
	Timers Timers `json:"timers"`
	// TimersForKept starts timers only for entries that the budget kept;
	// otherwise for all activated ones.
	TimersForKept bool `json:"timers_for_kept"`
	// Conditions evaluates weaver conditions of entries.
	Conditions bool `json:"conditions"`
	// Triggers is how many passes of template triggers follow the evaluation;
	// 0 means that content has no triggers.
	TriggerPasses int `json:"trigger_passes"`

	// ScanTogether scans all books of an equal policy as one list, with one
	// budget, as SillyTavern does.
	ScanTogether bool `json:"scan_together"`
	// Strategy orders books of a shared scan by their bindings.
	Strategy Strategy `json:"strategy"`
	// Recursive searches the content of active entries too, MaxRecursionSteps
	// times at most; 0 means no bound.
	Recursive         bool `json:"recursive"`
	MaxRecursionSteps int  `json:"max_recursion_steps"`
	// MinActivations widens the scan until so many entries are active, at most
	// to MinActivationsDepthMax messages (0 means the whole chat).
	MinActivations         int `json:"min_activations"`
	MinActivationsDepthMax int `json:"min_activations_depth_max"`
	// RollsAgain rolls an entry's die anew in each pass of a recursive scan, as
	// RisuAI does. Otherwise a failed roll holds for the whole scan.
	RollsAgain bool `json:"rolls_again"`
	// GroupScoring is the default of [Inclusion].Scoring.
	GroupScoring bool `json:"group_scoring"`
	// Decorators says which lines at the head of the content are orders.
	Decorators Decorators `json:"decorators"`
	// OrderByAppearance ranks equal entries by the newest message that holds a
	// key of theirs, as Agnai does.
	OrderByAppearance bool `json:"order_by_appearance"`
	// KeepNewest lets a budget go by that message alone, not by priority, as AI
	// Dungeon does.
	KeepNewest bool `json:"keep_newest"`
	// PriorityAscending orders the blocks of one place by their insertion order
	// alone, not by priority first, as SillyTavern and character books do.
	PriorityAscending bool `json:"priority_ascending"`
	// EqualsReversed puts entries of equal order in reverse: what was found
	// first stands last, as in SillyTavern.
	EqualsReversed bool `json:"equals_reversed"`
	// Faithful keeps the known faults of the dialect, for conformance and for
	// people who want byte-equal behaviour.
	Faithful bool `json:"faithful"`
}

// Language is what the content of a dialect is written in.
type Language string

// The languages of content.
const (
	LangWeaver Language = "weaver" // templates of package weaver
	LangBasic  Language = "basic"  // only {{char}} and {{user}}
	LangTavern Language = "tavern" // SillyTavern's macros
	LangRisu   Language = "risu"   // CBS macros of V3 cards and RisuAI
	LangPlain  Language = "plain"  // text as it stands
)

// Constants says what precedence constant entries have.
type Constants string

// The precedences of constants.
const (
	ConstantsByPriority Constants = "by_priority"
	ConstantsFirst      Constants = "first"   // before all others under a budget
	ConstantsAtEnd      Constants = "at_end"  // at the end of the prompt, counted, never dropped
	ConstantsNoRule     Constants = "no_rule" // like any other entry
)

// Join says how the scanned messages become one text.
type Join struct {
	Separator string `json:"separator"`
	// Lead stands before the first message.
	Lead string `json:"lead"`
	// Names puts "Name: " before each message that has a name.
	Names bool `json:"names"`
	// NewestFirst reverses the order.
	NewestFirst bool `json:"newest_first"`
	// Trim removes white space around each message.
	Trim bool `json:"trim"`
}

// Fold is the folding of keys and text.
type Fold string

// The foldings.
const (
	FoldLower Fold = "lower" // full lower-case mapping, as JavaScript's
	FoldNFKC  Fold = "nfkc"  // NFKC and full case folding
)

// Words is the rule for the borders of literal keys.
type Words string

// The word rules. All but WordsSubstring apply only where whole words are
// asked for, or where the dialect knows no other way.
const (
	WordsSubstring Words = "substring"
	WordsUnicode   Words = "unicode" // letters and digits of every script
	WordsASCII     Words = "ascii"   // SillyTavern 1.19
	WordsRisu      Words = "risu"
	WordsAgnai     Words = "agnai"
	WordsNovelAI   Words = "novelai"
)

// Timers says how timed effects are counted.
type Timers string

// The ways to count.
const (
	// TimersTurns counts turns: sticky N lasts the N turns after the match,
	// cooldown N suppresses while turn - last < N.
	TimersTurns Timers = "turns"
	// TimersAfterSticky counts turns too, but N full turns of cooldown begin
	// when sticky has run out.
	TimersAfterSticky Timers = "after_sticky"
	// TimersMessages counts messages of the chat, with SillyTavern's records.
	TimersMessages Timers = "messages"
)

// Strategy orders the books of a shared scan.
type Strategy string

// The strategies.
const (
	StrategyEvenly         Strategy = "evenly"
	StrategyCharacterFirst Strategy = "character_first"
	StrategyGlobalFirst    Strategy = "global_first"
)

// Decorators says which decorators a dialect obeys.
type Decorators string

// The sets of decorators.
const (
	DecoratorsNone   Decorators = ""
	DecoratorsTavern Decorators = "tavern" // @@activate and @@dont_activate
	DecoratorsV3     Decorators = "v3"     // all of the V3 specification
	DecoratorsRisu   Decorators = "risu"   // V3's and RisuAI's own
)

// PolicyWeaver is the policy of .weaver books and of books made in code.
func PolicyWeaver() Policy {
	return Policy{
		Name: "weaver", Language: LangWeaver, Constants: ConstantsByPriority,
		Join: Join{Separator: "\n"}, Fold: FoldNFKC, Words: WordsSubstring,
		ScanDepth: Amount{N: DefaultScanDepth, Unit: UnitMessages},
		MaxActive: 100, BasePriority: DefaultPriority, Timers: TimersTurns, Conditions: true, TriggerPasses: 3,
	}
}

// PolicySuzune is the policy of Suzune's JSON books.
func PolicySuzune() Policy {
	return Policy{
		Name: "suzune", Language: LangBasic, Constants: ConstantsAtEnd, StopOnOverflow: true,
		Join: Join{Separator: " "}, Fold: FoldLower, Words: WordsSubstring,
		ScanDepth: Amount{N: DefaultScanDepth, Unit: UnitMessages},
		Budget:    Amount{N: 12, Unit: UnitPercent}, BudgetChars: true, BasePriority: -50,
		Timers: TimersAfterSticky, TimersForKept: true, Conditions: true,
	}
}

// PolicySillyTavern is the policy of SillyTavern books: its rules without its
// known faults.
func PolicySillyTavern() Policy {
	return Policy{
		Name: "sillytavern", Language: LangTavern, Constants: ConstantsFirst, ScanBudget: true,
		Join: Join{Separator: "\n\x01", Lead: "\x01", Names: true, NewestFirst: true, Trim: true},
		Fold: FoldLower, Words: WordsUnicode,
		ScanDepth: Amount{N: 2, Unit: UnitMessages},
		Budget:    Amount{N: 25, Unit: UnitPercent}, BasePriority: 100,
		Timers: TimersMessages, TimersForKept: true, Conditions: true,
		ScanTogether: true, Strategy: StrategyCharacterFirst, Recursive: true,
		Decorators: DecoratorsTavern, PriorityAscending: true, EqualsReversed: true,
	}
}

// PolicySillyTavern119 is SillyTavern 1.19 as it is, faults included.
func PolicySillyTavern119() Policy {
	p := PolicySillyTavern()
	p.Name = "sillytavern-1.19"
	p.Constants = ConstantsNoRule
	p.StopOnOverflow = true
	p.Words = WordsASCII
	p.Faithful = true
	return p
}
