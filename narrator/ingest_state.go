package narrator

import (
	"context"
	"encoding/json"

	"github.com/weft-memory/weft/jobs"
	"github.com/weft-memory/weft/sidecar"
	"github.com/weft-memory/weft/store"
)

// settingIngest begins the names under which running ingests are kept.
const settingIngest = "ingest:"

// ingesting reads where an ingest stands.
func (s *Service) ingesting(ctx context.Context, j *jobs.Job, name string) (g sidecar.Ingesting, err error) {
	err = s.worlds.DB().View(ctx, func(tx *store.Tx) error {
		raw, err := tx.Setting("conversation:"+j.Conversation, name)
		if store.KindOf(err) == store.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		return json.Unmarshal(raw, &g)
	})
	return g, err
}

// keepIngesting keeps where an ingest stands, until it is done.
func keepIngesting(tx *store.Tx, j *jobs.Job, name string, g sidecar.Ingesting) error {
	if g.Done() {
		return tx.SetSetting("conversation:"+j.Conversation, name, nil)
	}
	raw, err := json.Marshal(g)
	if err != nil {
		return err
	}
	return tx.SetSetting("conversation:"+j.Conversation, name, raw)
}
