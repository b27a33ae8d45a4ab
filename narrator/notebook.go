package narrator

import (
	"context"

	"github.com/weft-memory/weft/store"
)

// maxNotebook bounds the narrator's notebook, in bytes.
const maxNotebook = 16 << 10

const settingNotebook = "notebook"

// Notebook returns what the narrator, or a person, wrote down for the narrator
// of a conversation.
func (s *Service) Notebook(ctx context.Context, worldID, conversation string) (text string, err error) {
	c, err := s.worlds.Conversation(ctx, worldID, conversation)
	if err != nil {
		return "", err
	}
	return viewKept[string](ctx, s, c.ID, settingNotebook)
}

// SetNotebook replaces the notebook of a conversation.
func (s *Service) SetNotebook(ctx context.Context, worldID, conversation, text string) error {
	if len(text) > maxNotebook {
		return store.Errorf(store.Invalid, "notebook: it has %d bytes; %d are allowed", len(text), maxNotebook)
	}
	c, err := s.worlds.Conversation(ctx, worldID, conversation)
	if err != nil {
		return err
	}
	return s.worlds.DB().UpdateWorld(ctx, worldID, func(tx *store.Tx) error { return keep(tx, c.ID, settingNotebook, text) })
}
