package store

import (
	"bytes"
	"encoding/json"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
)

// AssemblyRecord is what the prompt and the trace of a reply can be derived
// from again, byte for byte.
type AssemblyRecord struct {
	// Node is the reply, Conversation its conversation.
	Node, Conversation string
	// Books are the books in their order.
	Books []BookRef
	// WorldSeq is [World].Seq as the assembly saw it: operations and marks of
	// messages as of this number are those that counted.
	WorldSeq int64
	Seed     uint64
	Kind     lore.TurnKind
	Picks    []engine.Pick
	// ParentState is the node whose state the assembly began from; "" for none.
	ParentState string
	// EngineVersion names the engine that made it.
	EngineVersion string
	// Options are the other inputs (settings, slots, budget, sources), as JSON.
	Options json.RawMessage
	Time    int64
}

// BookRef names a revision of a book.
type BookRef struct {
	ID       string `json:"id"`
	Revision int64  `json:"revision"`
}

type recordJSON struct {
	Books         []BookRef       `json:"books,omitempty"`
	WorldSeq      int64           `json:"world_seq"`
	Seed          uint64          `json:"seed"`
	Kind          lore.TurnKind   `json:"kind,omitempty"`
	Picks         []pickJSON      `json:"picks,omitempty"`
	ParentState   string          `json:"parent_state,omitempty"`
	EngineVersion string          `json:"engine,omitempty"`
	Options       json.RawMessage `json:"options,omitempty"`
	Time          int64           `json:"time"`
}

type pickJSON struct {
	Book    string          `json:"book,omitempty"`
	Entry   string          `json:"entry"`
	Reason  string          `json:"reason,omitempty"`
	Score   float64         `json:"score,omitempty"`
	Size    engine.Size     `json:"size,omitempty"`
	Replace json.RawMessage `json:"replace,omitempty"`
}

func (r *AssemblyRecord) marshal() ([]byte, error) {
	v := recordJSON{
		Books: r.Books, WorldSeq: r.WorldSeq, Seed: r.Seed, Kind: r.Kind, ParentState: r.ParentState,
		EngineVersion: r.EngineVersion, Options: r.Options, Time: r.Time,
	}
	for _, p := range r.Picks {
		q := pickJSON{Book: p.Book, Entry: p.Entry, Reason: p.Reason, Score: p.Score, Size: p.Size}
		if p.Replace != nil {
			raw, err := lore.MarshalEntry(p.Replace)
			if err != nil {
				return nil, err
			}
			q.Replace = raw
		}
		v.Picks = append(v.Picks, q)
	}
	return json.Marshal(v)
}

func (r *AssemblyRecord) unmarshal(text []byte) error {
	var v recordJSON
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	r.Books, r.WorldSeq, r.Seed, r.Kind, r.ParentState = v.Books, v.WorldSeq, v.Seed, v.Kind, v.ParentState
	r.EngineVersion, r.Options, r.Time = v.EngineVersion, v.Options, v.Time
	for _, q := range v.Picks {
		p := engine.Pick{Book: q.Book, Entry: q.Entry, Reason: q.Reason, Score: q.Score, Size: q.Size}
		if len(q.Replace) > 0 {
			e, err := lore.UnmarshalEntry(q.Replace)
			if err != nil {
				return err
			}
			p.Replace = e
		}
		r.Picks = append(r.Picks, p)
	}
	return nil
}

// PutRecord keeps the record of a reply. The same one again changes nothing, a
// different one is a Conflict. Conversation and Time are filled in.
func (tx *Tx) PutRecord(r AssemblyRecord) error {
	at, err := tx.node(r.Node)
	if err != nil {
		return err
	}
	if _, err := tx.touch(at.world); err != nil {
		return err
	}
	r.Time = tx.now
	if _, fresh := tx.nodes[r.Node]; !fresh { // one that was just added has none
		if found, err := tx.hasRecord(r); found || err != nil {
			return err
		}
	}
	text, err := r.marshal()
	if err != nil {
		return unfitRecord(err)
	}
	added, err := tx.exec("INSERT INTO records (conversation, n, body) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", at.conversation, at.n, pack(text))
	if err == nil && added == 0 {
		_, err = tx.hasRecord(r)
	}
	return err
}

func unfitRecord(err error) error {
	return &Error{Kind: Invalid, Message: "the record of the reply cannot be kept: " + err.Error(), Err: err}
}

// hasRecord reports whether a reply has a record; one other than r is a
// Conflict.
func (tx *Tx) hasRecord(r AssemblyRecord) (bool, error) {
	old, err := tx.Record(r.Node)
	if KindOf(err) == NotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	r.Time = old.Time
	text, err := r.marshal()
	if err != nil {
		return true, unfitRecord(err)
	}
	before, err := old.marshal()
	if err == nil && !bytes.Equal(before, text) {
		err = Errorf(Conflict, "the reply %s has another record already", r.Node)
	}
	return true, err
}

// Record returns the record of a reply.
func (tx *Tx) Record(node string) (AssemblyRecord, error) {
	at, err := tx.node(node)
	if err != nil {
		return AssemblyRecord{}, err
	}
	r := AssemblyRecord{Node: node, Conversation: at.conversation}
	var body []byte
	found, err := tx.row("SELECT body FROM records WHERE conversation = $1 AND n = $2", []any{at.conversation, at.n}, &body)
	if err != nil {
		return AssemblyRecord{}, err
	}
	if !found {
		return AssemblyRecord{}, Errorf(NotFound, "the message %s has no record of an assembly", node)
	}
	text, err := unpack(body)
	if err == nil {
		err = r.unmarshal(text)
	}
	if err != nil {
		return AssemblyRecord{}, &Error{Kind: Corrupt, Message: "the record of a reply is damaged in the database: restore a backup", Err: err}
	}
	return r, nil
}
