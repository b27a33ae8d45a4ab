package engine

import (
	"strconv"
	"strings"
)

// Trace explains an assembly.
type Trace struct {
	// Turn is the turn's number.
	Turn int `json:"turn"`
	// Found is what the scan found, in order, before hooks and bounds changed
	// the list.
	Found []Activation `json:"found"`
	// Fired are the entries that were active, in the order of evaluation,
	// triggered ones included, with what became of each.
	Fired []Fired `json:"fired"`
	// Absent answers [Input].Why, in its order. At [TraceAll] the entries that
	// a key proposed but a rule kept out follow.
	Absent []Absence `json:"absent,omitempty"`
	// Scans say how recursive scans went, one for each.
	Scans []ScanTrace `json:"scans,omitempty"`
	// Budgets are the bounds that applied and what was used of them.
	Budgets []BudgetUse `json:"budgets,omitempty"`
	// Prefix compares the blocks with [Input].Previous; nil without it.
	Prefix *Prefix `json:"prefix,omitempty"`
}

// Activation is an entry that became active, and why.
type Activation struct {
	Book     string `json:"book"`
	Entry    string `json:"entry"`
	Priority int    `json:"priority"`
	Reason   Reason `json:"reason"`

	// ownPriority asks for the entry's own priority; see PostActivation.Force.
	ownPriority bool
}

// Ref returns the name of the entry.
func (a Activation) Ref() EntryRef { return EntryRef{a.Book, a.Entry} }

// ReasonKind says why an entry is active.
type ReasonKind string

// The reasons.
const (
	ReasonConstant  ReasonKind = "constant"
	ReasonKeyword   ReasonKind = "keyword"
	ReasonRegex     ReasonKind = "regex"
	ReasonSticky    ReasonKind = "sticky"
	ReasonTriggered ReasonKind = "triggered"
	ReasonPick      ReasonKind = "pick"
	// ReasonKept is an entry with keep that was found in an earlier turn.
	ReasonKept ReasonKind = "kept"
	// ReasonForced is an entry whose decorator activates it.
	ReasonForced ReasonKind = "forced"
)

// Reason is why an entry is active.
type Reason struct {
	Kind ReasonKind `json:"kind"`
	// Keys are the keys that were found, in the entry's order, for keyword and
	// regex.
	Keys []KeyHit `json:"keys,omitempty"`
	// Left is the sticky counter: for how many turns more, this one included,
	// the entry stays.
	Left int `json:"left,omitempty"`
	// By says who triggered, picked or forced the entry.
	By string `json:"by,omitempty"`
	// Score is the score of a pick.
	Score float64 `json:"score,omitempty"`
}

// String returns the reason as the conformance cases write it: `constant`,
// `keyword[a|b]`, `regex[pattern]`, `sticky[n]`, `triggered`, `pick[reason]`.
func (r Reason) String() string {
	switch r.Kind {
	case ReasonKeyword, ReasonRegex:
		keys := make([]string, len(r.Keys))
		for i, k := range r.Keys {
			keys[i] = k.Key
		}
		return string(r.Kind) + "[" + strings.Join(keys, "|") + "]"
	case ReasonSticky:
		return "sticky[" + strconv.Itoa(r.Left) + "]"
	case ReasonPick:
		return "pick[" + r.By + "]"
	}
	return string(r.Kind)
}

// KeyHit is a key and where it was found.
type KeyHit struct {
	// Key is the key as the author wrote it.
	Key string `json:"key"`
	// Message is the index in [Input].Messages of the newest message that holds
	// it, or -1 if it was found in another text, which Source names.
	Message int    `json:"message"`
	Source  string `json:"source,omitempty"`
	// Start and End are bytes of that message's content: the first occurrence.
	// Both are -1 where the match stands in the author's name, or reaches over
	// messages and begins in none.
	Start int `json:"start"`
	End   int `json:"end"`
	// Rule says how it was compared, such as "nfkc, substring" or "re2".
	Rule string `json:"rule"`
}

// Fired is an active entry and what became of it.
type Fired struct {
	Activation
	// Outcome is what became of the entry.
	Outcome Outcome `json:"outcome"`
	// Slot is where the block stands; empty if there is none.
	Slot string `json:"slot,omitempty"`
	// Tokens is the size of the text; Over is by how much it passed the budget
	// called Budget (tokens, or characters for a budget of characters).
	Tokens int    `json:"tokens"`
	Over   int    `json:"over,omitempty"`
	Budget string `json:"budget,omitempty"`
	Size   Size   `json:"size,omitempty"`
	Cut    bool   `json:"cut,omitempty"`
	// Error is the error of the evaluation.
	Error string `json:"error,omitempty"`
	// Reads are the variables that the templates read and Writes what they
	// wrote, at TraceAll.
	Reads  []VarValue `json:"reads,omitempty"`
	Writes []VarValue `json:"writes,omitempty"`
	// Includes are the documents that the entry included, at TraceAll.
	Includes []EntryRef `json:"includes,omitempty"`
}

// Outcome is what became of an active entry.
type Outcome string

// The outcomes.
const (
	OutcomeBlock     Outcome = "block"
	OutcomeEmpty     Outcome = "empty"      // its text is blank
	OutcomeNoSlot    Outcome = "no_slot"    // the prompt has none of its slots
	OutcomeOver      Outcome = "over"       // the budget did not suffice
	OutcomeStopped   Outcome = "stopped"    // an earlier entry ended the selection
	OutcomeSkipped   Outcome = "skipped"    // a hook skipped it
	OutcomeRemoved   Outcome = "removed"    // a hook took it or its block out
	OutcomeError     Outcome = "error"      // its template failed
	OutcomeMaxActive Outcome = "max_active" // too many entries were active
	OutcomeInjected  Outcome = "injected"   // its text is part of another block
	OutcomeNowhere   Outcome = "nowhere"    // its place is unknown
	OutcomeEnded     Outcome = "ended"      // an error ended the assembly before
)

// VarValue is a variable and the value it had.
type VarValue struct {
	Name string `json:"name"`
	// Value is the value as JSON; empty if the variable was not there.
	Value string `json:"value,omitempty"`
}

// BudgetUse is one bound and what was used of it.
type BudgetUse struct {
	// Name is "total", "book NAME" or "group NAME of BOOK".
	Name string `json:"name"`
	// Limit and Used are in Unit: "tokens" or "chars".
	Limit int    `json:"limit"`
	Used  int    `json:"used"`
	Unit  string `json:"unit"`
}
