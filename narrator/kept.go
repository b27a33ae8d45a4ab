package narrator

import (
	"context"
	"encoding/json"

	"github.com/weft-memory/weft/store"
)

// What the service keeps of a conversation stands among its settings, so that it
// is erased with it.

// readKept reads a value that is kept of a conversation; the zero value if there
// is none.
func readKept[T any](tx *store.Tx, conversation, name string) (v T, err error) {
	raw, err := tx.Setting("conversation:"+conversation, name)
	if store.KindOf(err) == store.NotFound {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	return v, json.Unmarshal(raw, &v)
}

// viewKept is readKept in a transaction of its own.
func viewKept[T any](ctx context.Context, s *Service, conversation, name string) (v T, err error) {
	err = s.worlds.DB().View(ctx, func(tx *store.Tx) (err error) {
		v, err = readKept[T](tx, conversation, name)
		return err
	})
	return v, err
}

// keep keeps a value of a conversation.
func keep(tx *store.Tx, conversation, name string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return tx.SetSetting("conversation:"+conversation, name, raw)
}

// dropKept forgets a value of a conversation.
func dropKept(tx *store.Tx, conversation, name string) error {
	return tx.SetSetting("conversation:"+conversation, name, nil)
}
