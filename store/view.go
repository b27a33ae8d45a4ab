package store

// HeadView is a view of the lore at the head of a conversation, kept so that it
// need not be folded again. It may be dropped at any time.
type HeadView struct {
	Conversation, Node string
	// WorldSeq is the number of the world that it was folded at, Key what else
	// it depends on: the revisions of the books.
	WorldSeq int64
	Key      string
	Body     []byte
}

// PutHeadView keeps the view of a conversation's head. It does not raise the
// world's revision.
func (tx *Tx) PutHeadView(v HeadView) error {
	_, err := tx.exec(`INSERT INTO head_views (conversation, node, world_seq, stamp, body) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (conversation) DO UPDATE SET node = excluded.node, world_seq = excluded.world_seq, stamp = excluded.stamp, body = excluded.body`,
		v.Conversation, v.Node, v.WorldSeq, v.Key, pack(v.Body))
	return err
}

// HeadView returns the kept view of a conversation; NotFound if there is none.
func (tx *Tx) HeadView(conversation string) (HeadView, error) {
	v := HeadView{Conversation: conversation}
	var body []byte
	found, err := tx.row("SELECT node, world_seq, stamp, body FROM head_views WHERE conversation = $1", []any{conversation}, &v.Node, &v.WorldSeq, &v.Key, &body)
	if err != nil {
		return HeadView{}, err
	}
	if !found {
		return HeadView{}, Errorf(NotFound, "no view of the conversation is kept")
	}
	if v.Body, err = unpack(body); err != nil {
		return HeadView{}, Errorf(NotFound, "the kept view of the conversation cannot be read")
	}
	return v, nil
}

// DropHeadViews forgets the kept views of a world.
func (tx *Tx) DropHeadViews(world string) error {
	_, err := tx.exec("DELETE FROM head_views WHERE conversation IN (SELECT id FROM conversations WHERE world = $1)", world)
	return err
}
