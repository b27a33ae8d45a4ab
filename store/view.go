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
func (tx *Tx) PutHeadView(v HeadView) error { return errPending }

// HeadView returns the kept view of a conversation; NotFound if there is none.
func (tx *Tx) HeadView(conversation string) (HeadView, error) { return HeadView{}, errPending }

// DropHeadViews forgets the kept views of a world.
func (tx *Tx) DropHeadViews(world string) error { return errPending }
