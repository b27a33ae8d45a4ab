package store

import (
	"bytes"
	"database/sql"
	"encoding/json"

	"github.com/weft-memory/weft/engine"
)

// stateChain is how many states at most are differences in a row; then comes a
// whole one.
const stateChain = 64

// maxState bounds a state; its variables are bounded by the engine.
const maxState = 16 << 20

// PutState keeps the state of the engine after the reply at a node. It is
// stored as the difference to the state before, with a full copy every 64. The
// state of a node is written once; the same one again changes nothing, a
// different one is a Conflict.
func (tx *Tx) PutState(node string, s engine.State) error {
	text, err := json.Marshal(s)
	if err != nil {
		return &Error{Kind: Invalid, Message: "the state of the message cannot be kept: " + err.Error(), Err: err}
	}
	if len(text) > maxState {
		return Errorf(Invalid, "the state of the message has %d bytes: at most %d can be kept", len(text), maxState)
	}
	at, err := tx.node(node)
	if err != nil {
		return err
	}
	if _, err := tx.touch(at.world); err != nil {
		return err
	}
	now, err := parseTree(text, stateDepth)
	if err != nil {
		return err
	}
	if _, fresh := tx.nodes[node]; !fresh { // one that was just added has none
		if found, err := tx.hasState(at, now); found || err != nil {
			return err
		}
	}
	before, err := tx.stateBefore(at, true)
	if err != nil {
		return err
	}
	var body []byte
	var base int64
	step := 0
	if before.n != 0 {
		old, err := tx.stateOf(at.conversation, before)
		if err != nil {
			return err
		}
		if old.step+1 < stateChain {
			diff, err := diffStates(old.tree, now)
			if err != nil {
				return err
			}
			// What is read back has to be what was given; else it is kept whole.
			if again, err := applyState(old.tree, diff); err == nil && again.equal(now) {
				small := pack(diff)
				if 8*len(small) > len(text) { // the whole one may be no larger
					body = pack(text)
				}
				if body == nil || len(small) < len(body) {
					base, step, body = old.n, old.step+1, small
				}
			}
		}
	}
	if body == nil {
		body = pack(text)
	}
	added, err := tx.exec("INSERT INTO node_states (conversation, n, base, step, body) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING", at.conversation, at.n, base, step, body)
	if err != nil {
		return err
	}
	if added == 0 {
		_, err := tx.hasState(at, now)
		return err
	}
	kept := keptState{n: at.n, step: step, tree: now, body: body}
	tx.OnCommit(func() { tx.db.states.put(stateKey{at.conversation, at.n}, kept, len(text)*4) })
	return nil
}

// State returns the state at a node: its own, or that of the nearest node
// before it that has one and is not deleted. An edit without a state has that
// of what it edits. from names the node that the state is of; it is "" and the
// state zero if there is none.
func (tx *Tx) State(node string) (s engine.State, from string, err error) {
	if node == "" {
		return s, "", nil
	}
	at, err := tx.node(node)
	if err != nil {
		return s, "", err
	}
	near, err := tx.stateBefore(at, false)
	if err != nil || near.n == 0 {
		return s, "", err
	}
	kept, err := tx.stateOf(at.conversation, near)
	if err != nil {
		return s, "", err
	}
	if err := json.Unmarshal(kept.tree.json(nil), &s); err != nil {
		return s, "", damagedState(err)
	}
	return s, near.id, nil
}

// hasState reports whether a node has a state; one other than now is a Conflict.
func (tx *Tx) hasState(at nodeRef, now *tree) (bool, error) {
	old := nearState{n: at.n}
	found, err := tx.row("SELECT body FROM node_states WHERE conversation = $1 AND n = $2", []any{at.conversation, at.n}, &old.body)
	if err != nil || !found {
		return false, err
	}
	s, err := tx.stateOf(at.conversation, old)
	if err == nil && !s.tree.equal(now) {
		err = Errorf(Conflict, "the message %s has another state already", at.id)
	}
	return true, err
}

func damagedState(err error) error {
	return &Error{Kind: Corrupt, Message: "the state of a message is damaged in the database: restore a backup", Err: err}
}

// nearState is a state as it is stored, and the node that has it.
type nearState struct {
	n    int64
	id   string
	body []byte
}

// stateBefore returns the state of the nearest node, from the given one upwards,
// that has one; its n is 0 if none has. With deleted set, those of deleted nodes
// count too.
func (tx *Tx) stateBefore(at nodeRef, deleted bool) (s nearState, err error) {
	_, err = tx.row(`WITH RECURSIVE up (n, parent, id, s) AS (
			SELECT m.n, CASE WHEN m.edit_of <> 0 AND NOT m.deleted THEN m.edit_of ELSE m.parent END, m.id, CASE WHEN m.deleted AND NOT $3 THEN NULL ELSE s.n END
			FROM nodes m LEFT JOIN node_states s ON s.conversation = m.conversation AND s.n = m.n WHERE m.conversation = $1 AND m.n = $2
			UNION ALL
			SELECT m.n, CASE WHEN m.edit_of <> 0 AND NOT m.deleted THEN m.edit_of ELSE m.parent END, m.id, CASE WHEN m.deleted AND NOT $3 THEN NULL ELSE s.n END
			FROM up JOIN nodes m ON m.conversation = $1 AND m.n = up.parent
			LEFT JOIN node_states s ON s.conversation = m.conversation AND s.n = m.n WHERE up.s IS NULL
		) SELECT s, id, (SELECT body FROM node_states WHERE conversation = $1 AND n = up.s) FROM up WHERE s IS NOT NULL`,
		[]any{at.conversation, at.n, deleted}, &s.n, &s.id, &s.body)
	return s, err
}

// keptState is a state as it is remembered. Its tree is never changed.
type keptState struct {
	n    int64
	step int
	tree *tree
	body []byte // as it is stored
}

// stateOf returns a state from how it is stored.
func (tx *Tx) stateOf(conversation string, at nearState) (keptState, error) {
	n := at.n
	// What is remembered may have been erased since, or be another's of the same
	// id.
	if s, ok := tx.db.states.get(stateKey{conversation, n}); ok && bytes.Equal(at.body, s.body) {
		return s, nil
	}
	type part struct {
		n, base int64
		step    int
		body    []byte
	}
	var chain []part
	err := tx.rows(`WITH RECURSIVE chain (n, base, step, body) AS (
			SELECT n, base, step, body FROM node_states WHERE conversation = $1 AND n = $2
			UNION ALL
			SELECT s.n, s.base, s.step, s.body FROM chain c JOIN node_states s ON s.conversation = $1 AND s.n = c.base
		) SELECT n, base, step, body FROM chain ORDER BY step`, []any{conversation, n}, func(r *sql.Rows) error {
		var p part
		err := r.Scan(&p.n, &p.base, &p.step, &p.body)
		chain = append(chain, p)
		return err
	})
	if err != nil {
		return keptState{}, err
	}
	if len(chain) == 0 {
		return keptState{}, damagedState(errBrokenChain)
	}
	var s keptState
	for i, p := range chain {
		text, err := unpack(p.body)
		switch {
		case err != nil:
		case p.base == 0:
			s.tree, err = parseTree(text, stateDepth)
		case i > 0 && chain[i-1].n == p.base:
			s.tree, err = applyState(s.tree, text)
		default:
			err = errBrokenChain
		}
		if err != nil {
			return keptState{}, damagedState(err)
		}
		s.n, s.step, s.body = p.n, p.step, p.body
	}
	if !tx.write { // in a transaction that writes it may not be committed
		tx.db.states.put(stateKey{conversation, n}, s, len(s.tree.json(nil))*4)
	}
	return s, nil
}

var errBrokenChain = Errorf(Corrupt, "a state lacks its base")

type stateKey struct {
	conversation string
	n            int64
}

// stateCache remembers states. The state of a node never changes, so it need
// not be told of anything.
type stateCache = lru[stateKey, keptState]

// cachedStates is how many bytes of states are remembered: one or two for each
// of the conversations that go on at once.
const cachedStates = 32 << 20

func newStateCache() *stateCache { return newLRU[stateKey, keptState](cachedStates) }
