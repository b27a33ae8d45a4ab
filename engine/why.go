package engine

// Absence says why an entry is not in the prompt.
type Absence struct {
	EntryRef
	// Reason is the rule that kept the entry out; [AbsentNot] if the entry is
	// there.
	Reason AbsenceReason `json:"reason"`
	// Detail says it in words, with numbers and names.
	Detail string `json:"detail"`
	// Reads are the values that a condition saw.
	Reads []VarValue `json:"reads,omitempty"`
	// Left is for how many turns (or messages) a cooldown or delay lasts.
	Left int `json:"left,omitempty"`
	// Drawn and Needed are the roll, in percent: the entry activates if Drawn
	// is less than Needed.
	Drawn  float64 `json:"drawn,omitempty"`
	Needed float64 `json:"needed,omitempty"`
}

// String gives entry, reason and detail in one line. Without it, that of the
// embedded EntryRef would hide the rest.
func (a Absence) String() string {
	s := a.EntryRef.String() + ": " + string(a.Reason)
	if a.Detail != "" {
		s += ": " + a.Detail
	}
	return s
}

// AbsenceReason is the rule that kept an entry out.
type AbsenceReason string

// The reasons.
const (
	AbsentNot       AbsenceReason = "present"
	AbsentUnknown   AbsenceReason = "unknown"
	AbsentHidden    AbsenceReason = "hidden" // the view hides it
	AbsentDisabled  AbsenceReason = "disabled"
	AbsentBroken    AbsenceReason = "broken" // its template or condition does not parse
	AbsentNoKeys    AbsenceReason = "no_keys"
	AbsentKey       AbsenceReason = "key_absent"
	AbsentSecondary AbsenceReason = "secondary"
	AbsentCondition AbsenceReason = "condition"
	AbsentCooldown  AbsenceReason = "cooldown"
	AbsentDelay     AbsenceReason = "delay"
	AbsentRoll      AbsenceReason = "roll"
	AbsentGroup     AbsenceReason = "group"
	AbsentUsed      AbsenceReason = "used" // once
	AbsentKind      AbsenceReason = "kind"
	AbsentCharacter AbsenceReason = "character"
	AbsentRecursion AbsenceReason = "recursion"
	AbsentUnbound   AbsenceReason = "unbound"
	AbsentForced    AbsenceReason = "suppressed" // a decorator keeps it away
	AbsentMaxActive AbsenceReason = "max_active"
	AbsentSkipped   AbsenceReason = "skipped"
	AbsentRemoved   AbsenceReason = "removed"
	AbsentError     AbsenceReason = "error"
	AbsentEmpty     AbsenceReason = "empty"
	AbsentNoSlot    AbsenceReason = "no_slot"
	AbsentBudget    AbsenceReason = "budget"
)
