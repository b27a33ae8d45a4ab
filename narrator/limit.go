package narrator

import (
	"context"
	"fmt"
	"time"

	"github.com/weft-memory/weft/store"
)

// paused says why the sidecar may not be asked now; "" if it may. What the
// narrator itself costs does not count.
func (s *Service) paused(ctx context.Context, worldID, conversation string, set *Settings) (why string) {
	l := set.Limits
	if l == (Limits{}) {
		return ""
	}
	err := s.worlds.DB().View(ctx, func(tx *store.Tx) error {
		day, err := s.cost(tx, worldID, store.ActivityFilter{After: s.opts.Now().Add(-24 * time.Hour).UnixMicro()})
		if err != nil {
			return err
		}
		all, err := s.cost(tx, worldID, store.ActivityFilter{Conversation: conversation})
		if err != nil {
			return err
		}
		switch {
		case l.TokensPerDay > 0 && day.Input+day.Output >= l.TokensPerDay:
			why = fmt.Sprintf("the sidecar pauses: %d tokens of %d for a day are used", day.Input+day.Output, l.TokensPerDay)
		case l.MoneyPerDay > 0 && float64(day.Cost) >= l.MoneyPerDay*1e6:
			why = fmt.Sprintf("the sidecar pauses: %.4f of %.4f for a day are spent", float64(day.Cost)/1e6, l.MoneyPerDay)
		case l.TokensPerConversation > 0 && all.Input+all.Output >= l.TokensPerConversation:
			why = fmt.Sprintf("the sidecar pauses: %d tokens of %d for this conversation are used", all.Input+all.Output, l.TokensPerConversation)
		case l.MoneyPerConversation > 0 && float64(all.Cost) >= l.MoneyPerConversation*1e6:
			why = fmt.Sprintf("the sidecar pauses: %.4f of %.4f for this conversation are spent", float64(all.Cost)/1e6, l.MoneyPerConversation)
		}
		return nil
	})
	if err != nil {
		return "the sidecar pauses: what it cost so far cannot be read" // in doubt nothing is spent
	}
	return why
}

func (s *Service) cost(tx *store.Tx, worldID string, f store.ActivityFilter) (sum store.ActivityCost, err error) {
	f.Type = ""
	all, err := tx.ActivityCosts(worldID, f)
	if err != nil {
		return sum, err
	}
	told, err := tx.ActivityCosts(worldID, store.ActivityFilter{Conversation: f.Conversation, After: f.After, Type: "narrate"})
	if err != nil {
		return sum, err
	}
	for k, c := range all {
		sum.Input += c.Input - told[k].Input
		sum.Output += c.Output - told[k].Output
		sum.Cost += c.Cost - told[k].Cost
	}
	return sum, nil
}
