package store

import (
	"database/sql"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/memory"
)

// EventActivity tells of new activity. Ref is its id, the payload {"type",
// "phase", "outcome"}.
const EventActivity = "activity.added"

// Activity is one thing that was done with a model: what it was asked for, how
// that ended, and what it cost. Changes to lore are operations; an activity
// names those that came of it.
type Activity struct {
	ID, World string
	// Conversation and Node say where; both may be "".
	Conversation, Node string
	// Type is search, remember, summary, ingest and so on, Phase pre-gen,
	// during-gen, post-gen or summary.
	Type, Phase string
	// Time is in microseconds since 1970 UTC; 0 means that of the transaction.
	Time int64
	// Profile and Model name the model.
	Profile, Model string
	// Outcome is ok, or why not: error, timeout, skipped, paused, refused.
	Outcome string
	// Reason is for people; longer ones are cut.
	Reason string
	// Entries are what it is about, Operations the ids of what came of it.
	Entries    []memory.Ref
	Operations []string
	ActivityCost
	// Duration is in microseconds.
	Duration int64
	// Detail is JSON; nil means null.
	Detail json.RawMessage
}

// ActivityCost is what activity cost.
type ActivityCost struct {
	// Input, with Cached, and Output are in tokens; Calls counts requests.
	Input, Output, Cached, Calls int64
	// Cost is in millionths of Currency.
	Cost     int64
	Currency string
}

// MaxActivityDetail bounds the detail of an activity, in bytes.
const MaxActivityDetail = 256 << 10

// AddActivity adds an activity, with its event.
func (tx *Tx) AddActivity(a Activity) (Activity, error) {
	if a.Type == "" || a.Phase == "" {
		return a, Errorf(Invalid, "an activity needs a type and a phase")
	}
	if len(a.Detail) > MaxActivityDetail {
		return a, Errorf(Invalid, "the detail of the activity has %d bytes; %d are allowed", len(a.Detail), MaxActivityDetail)
	}
	if len(a.Detail) > 0 && !json.Valid(a.Detail) {
		return a, Errorf(Invalid, "the detail of the activity is no JSON")
	}
	if _, err := tx.world(a.World); err != nil {
		return a, err
	}
	if a.Conversation != "" {
		c, err := tx.Conversation(a.Conversation)
		if err != nil {
			return a, err
		}
		if c.World != a.World {
			return a, Errorf(NotFound, "there is no conversation %q in the world %q", clip(a.Conversation), clip(a.World))
		}
	}
	if a.ID == "" {
		a.ID = tx.NewID()
	}
	if a.Time == 0 {
		a.Time = tx.Now()
	}
	if a.Outcome == "" {
		a.Outcome = "ok"
	}
	a.Reason = workText(a.Reason)
	entries, err := json.Marshal(a.Entries)
	if err != nil {
		return a, err
	}
	operations, err := json.Marshal(a.Operations)
	if err != nil {
		return a, err
	}
	detail := []byte(a.Detail)
	if len(detail) == 0 {
		detail = []byte("null")
	}
	payload, err := json.Marshal(map[string]string{"type": a.Type, "phase": a.Phase, "outcome": a.Outcome})
	if err != nil {
		return a, err
	}
	if _, err := tx.AppendEvent(Event{World: a.World, Kind: EventActivity, Ref: a.ID, Conversation: a.Conversation, Payload: payload}); err != nil {
		return a, err
	}
	_, err = tx.exec(`INSERT INTO activity (id, world, conversation, node, type, phase, time, profile, model, outcome, reason, entries, operations,
		input, output, cached, calls, cost, currency, duration, detail)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`,
		a.ID, a.World, a.Conversation, a.Node, a.Type, a.Phase, a.Time, a.Profile, a.Model, a.Outcome, a.Reason, entries, operations,
		a.Input, a.Output, a.Cached, a.Calls, a.Cost, a.Currency, a.Duration, detail)
	return a, err
}

const activityColumns = `id, world, conversation, node, type, phase, time, profile, model, outcome, reason, entries, operations,
	input, output, cached, calls, cost, currency, duration, detail`

// ActivityFilter chooses activity; empty fields choose all.
type ActivityFilter struct {
	Conversation, Node, Type, Phase string
	// After and Before bound the time, in microseconds: later than, earlier
	// than.
	After, Before int64
}

func (f ActivityFilter) where(world string) (string, []any) {
	text, args := "world = $1", []any{world}
	add := func(condition string, value any) {
		args = append(args, value)
		text += " AND " + condition + " $" + strconv.Itoa(len(args))
	}
	for _, c := range []struct{ column, value string }{
		{"conversation", f.Conversation}, {"node", f.Node}, {"type", f.Type}, {"phase", f.Phase},
	} {
		if c.value != "" {
			add(c.column+" =", c.value)
		}
	}
	if f.After != 0 {
		add("time >", f.After)
	}
	if f.Before != 0 {
		add("time <", f.Before)
	}
	return text, args
}

// Activities lists activity of a world, the newest first.
func (tx *Tx) Activities(world string, f ActivityFilter, p Page) (list []Activity, next string, err error) {
	where, args := f.where(world)
	if p.Cursor != "" {
		var time int64
		var id string
		if err := p.after(&time, &id); err != nil {
			return nil, "", err
		}
		args = append(args, time, id)
		n := len(args)
		where += " AND (time < $" + strconv.Itoa(n-1) + " OR time = $" + strconv.Itoa(n-1) + " AND id < $" + strconv.Itoa(n) + ")"
	}
	args = append(args, p.limit()+1)
	err = tx.rows("SELECT "+activityColumns+" FROM activity WHERE "+where+" ORDER BY time DESC, id DESC LIMIT $"+strconv.Itoa(len(args)), args,
		func(r *sql.Rows) error {
			a, err := scanActivity(r)
			list = append(list, a)
			return err
		})
	if err != nil {
		return nil, "", err
	}
	list, next = cut(p, list, func(a Activity) []any { return []any{a.Time, a.ID} })
	return list, next, nil
}

func scanActivity(r *sql.Rows) (a Activity, err error) {
	var entries, operations, detail []byte
	err = r.Scan(&a.ID, &a.World, &a.Conversation, &a.Node, &a.Type, &a.Phase, &a.Time, &a.Profile, &a.Model, &a.Outcome, &a.Reason, &entries, &operations,
		&a.Input, &a.Output, &a.Cached, &a.Calls, &a.Cost, &a.Currency, &a.Duration, &detail)
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(entries, &a.Entries); err != nil {
		return a, err
	}
	if err := json.Unmarshal(operations, &a.Operations); err != nil {
		return a, err
	}
	a.Detail = detail
	return a, nil
}

// ActivityCosts adds up what activity cost, by profile and currency.
func (tx *Tx) ActivityCosts(world string, f ActivityFilter) (map[string]ActivityCost, error) {
	where, args := f.where(world)
	out := map[string]ActivityCost{}
	err := tx.rows(`SELECT profile, currency, CAST(sum(input) AS BIGINT), CAST(sum(output) AS BIGINT), CAST(sum(cached) AS BIGINT),
		CAST(sum(calls) AS BIGINT), CAST(sum(cost) AS BIGINT) FROM activity WHERE `+where+` GROUP BY profile, currency ORDER BY profile, currency`, args,
		func(r *sql.Rows) error {
			var profile string
			var c ActivityCost
			if err := r.Scan(&profile, &c.Currency, &c.Input, &c.Output, &c.Cached, &c.Calls, &c.Cost); err != nil {
				return err
			}
			key := profile
			if c.Currency != "" {
				key = strings.Join([]string{profile, c.Currency}, " ")
			}
			out[key] = c
			return nil
		})
	return out, err
}
