package client_test

import (
	"errors"
	"testing"

	"github.com/weft-memory/weft/client"
	"github.com/weft-memory/weft/client/api"
)

func TestWork(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w := setup(t, nil)
	if p := ok(w.WorkList(ctx, client.WorkFilter{State: api.WorkFailed, Kind: "write"}, client.Page{}))(t); len(p.Items) != 0 || p.Next != "" {
		t.Errorf("a new world has work: %+v", p)
	}
	var p *api.Problem
	if _, err := w.WorkList(ctx, client.WorkFilter{State: "asleep"}, client.Page{}); !errors.As(err, &p) || p.Kind != api.Invalid {
		t.Errorf("a state that there is none of: %v", err)
	}
	for what, call := range map[string]func() (api.Work, error){
		"read":   func() (api.Work, error) { return w.Work(ctx, "a/b") },
		"cancel": func() (api.Work, error) { return w.CancelWork(ctx, "a/b") },
		"retry":  func() (api.Work, error) { return w.RetryWork(ctx, "a/b") },
	} {
		if _, err := call(); !errors.As(err, &p) || p.Kind != api.NotFound {
			t.Errorf("%s what is not there: %v", what, err)
		}
	}
}
