package storetest

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

func testActivity(t *testing.T, b Backend) {
	f := setup(t, b)
	c, other := f.conversation(), f.conversation()
	n := f.chain(c, "", 1)[0]
	full := store.Activity{
		World: f.world, Conversation: c.ID, Node: n.ID, Type: "remember", Phase: "post-gen", Profile: "sidecar", Model: "m", Outcome: "timeout",
		Reason: "the mill\x00", Entries: []memory.Ref{{Book: "b", Entry: "mill"}}, Operations: []string{"o1"}, Duration: 1500,
		ActivityCost: store.ActivityCost{Input: 100, Output: 20, Cached: 60, Calls: 1, Cost: 250, Currency: "USD"}, Detail: json.RawMessage(`{"rounds":2}`),
	}
	var added []store.Activity
	f.write(func(tx *store.Tx) error {
		added = nil
		for _, a := range []store.Activity{
			full,
			{World: f.world, Conversation: other.ID, Type: "search", Phase: "pre-gen", Profile: "sidecar", ActivityCost: store.ActivityCost{Input: 5, Calls: 1}},
			{World: f.world, Type: "ingest", Phase: "summary", Profile: "historian", ActivityCost: store.ActivityCost{Output: 7, Cost: 3, Currency: "USD"}},
		} {
			a, err := tx.AddActivity(a)
			if err != nil {
				return err
			}
			added = append(added, a)
		}
		return nil
	})
	list := func(filter store.ActivityFilter) (types string) {
		f.view(func(tx *store.Tx) error {
			types = ""
			cursor := ""
			for {
				page, next, err := tx.Activities(f.world, filter, store.Page{Limit: 1, Cursor: cursor})
				if err != nil {
					return err
				}
				for _, a := range page {
					types += a.Type + " "
				}
				if cursor = next; next == "" {
					return nil
				}
			}
		})
		return strings.TrimSpace(types)
	}
	for want, filter := range map[string]store.ActivityFilter{
		"ingest search remember": {}, "remember": {Conversation: c.ID}, "search": {Type: "search"}, "ingest": {Phase: "summary"}, "": {After: 1 << 60},
	} {
		if got := list(filter); got != want {
			t.Errorf("%+v lists %q, want %q", filter, got, want)
		}
	}
	f.view(func(tx *store.Tx) error {
		got, _, err := tx.Activities(f.world, store.ActivityFilter{Node: n.ID}, store.Page{})
		if err != nil {
			return err
		}
		want := added[0]
		want.Reason = strings.ReplaceAll(want.Reason, "\x00", "\ufffd")
		if d := cmp.Diff([]store.Activity{want}, got); d != "" {
			t.Errorf("an activity comes back as (-want +got):\n%s", d)
		}
		costs, err := tx.ActivityCosts(f.world, store.ActivityFilter{})
		if d := cmp.Diff(map[string]store.ActivityCost{
			"sidecar USD": full.ActivityCost, "sidecar": {Input: 5, Calls: 1}, "historian USD": {Output: 7, Cost: 3, Currency: "USD"},
		}, costs); d != "" {
			t.Errorf("the costs are (-want +got):\n%s", d)
		}
		return err
	})
	f.refused(store.Invalid, "no type", func(tx *store.Tx) error {
		_, err := tx.AddActivity(store.Activity{World: f.world, Phase: "x"})
		return err
	})
	f.refused(store.NotFound, "no such conversation", func(tx *store.Tx) error {
		_, err := tx.AddActivity(store.Activity{World: f.world, Conversation: "none", Type: "a", Phase: "b"})
		return err
	})
	f.refused(store.Invalid, "no JSON", func(tx *store.Tx) error {
		_, err := tx.AddActivity(store.Activity{World: f.world, Type: "a", Phase: "b", Detail: json.RawMessage("{")})
		return err
	})
	f.clock.move(31 * 24 * time.Hour)
	if p, err := f.Prune(f.ctx, store.Retention{Events: -1, Responses: -1, Deleted: -1, Work: -1}); err != nil || p != (store.Pruned{Activity: 3}) {
		t.Errorf("pruned %+v, %v", p, err)
	}
}
