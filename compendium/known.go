package compendium

// known is an entry with what is worked out from it once, because every snapshot
// and query asks for it.
type known struct {
	*Entry
	importance int
	// turn is the latest turn that changed the entry.
	turn  int
	ended bool
	// placed is when it was said where it is; -1 if that is not known.
	placed int
	// tense are the relationships under strain.
	tense []tense
	// wants says that there is a goal or something that it does; owes that there
	// are open obligations.
	wants, owes bool
}

// tense is a relationship under strain.
type tense struct {
	key    string
	row    Object
	strain float64
	turn   int
}

func know(e *Entry) *known {
	k := &known{Entry: e, importance: e.Importance(), turn: e.lastTurn(), ended: e.Ended(), placed: -1}
	if e.Type != Character {
		return k
	}
	if r, ok := e.state("location").(Ref); ok && r.Text != "" {
		k.placed = e.Sources["current_state.location"].Turn
	}
	rows, _ := e.Data["relationships"].(Object)
	for key, v := range rows {
		row, ok := v.(Object)
		if !ok {
			continue
		}
		strain, _ := row["tension"].(float64)
		trust, _ := row["trust"].(float64)
		status, _ := row["status"].(string)
		if strain < 1 && trust >= 0 && !isStrained(status) || rowEnded(row) {
			continue
		}
		k.tense = append(k.tense, tense{key, row, max(strain, 0.5), e.rowTurn(rowPath("relationships", key), row)})
	}
	k.wants = e.state("activity") != nil || e.state("immediate_goal") != nil || openGoal(e) != ""
	debts, _ := e.Data["obligations"].(Object)
	for _, v := range debts {
		k.owes = k.owes || !rowEnded(asObject(v))
	}
	return k
}
