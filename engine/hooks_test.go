package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
)

// hookFuncs take out the entries whose ids say so.
func hookFuncs() engine.HookFuncs {
	return engine.HookFuncs{
		PostActivation: func(_ context.Context, c *engine.PostActivation) error {
			c.Remove("", "taken")
			return nil
		},
		PreEvaluate: func(_ context.Context, c *engine.PreEvaluate) error {
			c.Skip = c.Skip || c.Activation.Entry == "skipped"
			return nil
		},
		PostAssemble: func(_ context.Context, c *engine.PostAssemble) error {
			c.Blocks = slices.DeleteFunc(c.Blocks, func(b engine.Block) bool { return b.Entry == "dropped" })
			return nil
		},
	}
}

// counter is a hook with methods of its own instead of closures.
type counter struct {
	blocks    int
	effectful bool
}

func (c *counter) Name() string    { return "counter" }
func (c *counter) Effectful() bool { return c.effectful }
func (c *counter) PostAssemble(_ context.Context, a *engine.PostAssemble) error {
	c.blocks += len(a.Blocks)
	return nil
}

func TestPreviewAndReplaySkipEffectfulHooks(t *testing.T) {
	t.Parallel()
	ix := readIndex(t, "id: a\nconstant: true\n---\nA.")
	for _, c := range []struct {
		purpose   engine.Purpose
		effectful bool
		want      int
	}{
		{engine.PurposeTurn, true, 1},
		{"", true, 1},
		{engine.PurposePreview, true, 0},
		{engine.PurposeReplay, true, 0},
		{engine.PurposePreview, false, 1},
	} {
		h := &counter{effectful: c.effectful}
		assemble(t, newEngine(t, engine.Options{Hooks: []engine.Hook{h}}), ix, engine.Input{Purpose: c.purpose})
		if h.blocks != c.want {
			t.Errorf("purpose %q, effectful %v: called for %d blocks, want %d", c.purpose, c.effectful, h.blocks, c.want)
		}
	}
}

func TestPreActivationChangesCount(t *testing.T) {
	t.Parallel()
	ix := readIndex(t, "id: a\nkeywords: [gold]\n---\nA.", "id: b\nkeywords: [silver]\n---\nB.")
	h := engine.NewHook("redactor", engine.HookFuncs{PreActivation: func(_ context.Context, c *engine.PreActivation) error {
		for i := range c.Messages {
			c.Messages[i].Content = strings.ReplaceAll(c.Messages[i].Content, "gold", "silver")
		}
		return nil
	}})
	in := engine.Input{Messages: says("gold")}
	r := assemble(t, newEngine(t, engine.Options{Hooks: []engine.Hook{h}}), ix, in)
	if diff := cmp.Diff("backdrop b: B.\n", summary(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if in.Messages[0].Content != "gold" {
		t.Error("the caller's messages were changed")
	}
}

func TestAFailingHookIsNamed(t *testing.T) {
	t.Parallel()
	ix := readIndex(t, "id: a\nconstant: true\n---\nA.")
	cause := errors.New("no luck")
	cases := map[string]engine.HookFuncs{
		"pre_activation": {PreActivation: func(context.Context, *engine.PreActivation) error { return cause }},
		"post_evaluate":  {PostEvaluate: func(context.Context, *engine.PostEvaluate) error { return cause }},
		"post_assemble":  {PostAssemble: func(context.Context, *engine.PostAssemble) error { panic(cause) }},
	}
	for point, funcs := range cases {
		e := newEngine(t, engine.Options{Hooks: []engine.Hook{engine.NewHook("unlucky", funcs)}})
		r, err := e.Assemble(t.Context(), ix, engine.Input{})
		var he *engine.HookError
		if !errors.As(err, &he) || he.Plugin != "unlucky" || string(he.Hook) != point {
			t.Errorf("%s: error = %v", point, err)
		}
		if r == nil || len(r.Blocks) != 0 {
			t.Errorf("%s: blocks = %v, want none", point, r.Blocks)
		}
	}
}

func TestAHookHasADeadline(t *testing.T) {
	t.Parallel()
	book := readBook(t, "book", "id: a\nconstant: true\n---\nA.")
	synctest.Test(t, func(t *testing.T) {
		ix := engine.NewIndex(mustBuild(t, book))
		h := engine.NewHook("slow", engine.HookFuncs{PreActivation: func(ctx context.Context, _ *engine.PreActivation) error {
			<-ctx.Done()
			return ctx.Err()
		}})
		e := newEngine(t, engine.Options{Hooks: []engine.Hook{h}})
		start := time.Now()
		_, err := e.Assemble(t.Context(), ix, engine.Input{})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != engine.DefaultHookDeadline {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

func TestACancelledAssemblyEnds(t *testing.T) {
	t.Parallel()
	ix := readIndex(t, "id: a\nconstant: true\n---\nA.")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := newEngine(t, engine.Options{}).Assemble(ctx, ix, engine.Input{})
	if !errors.Is(err, context.Canceled) || len(r.Blocks) != 0 {
		t.Errorf("err = %v, blocks %v", err, r.Blocks)
	}
}

func TestForceUsesTheEntrysPriority(t *testing.T) {
	t.Parallel()
	ix := readIndex(t, "id: a\nconstant: true\n---\nA.", "id: b\npriority: 300\n---\nB.")
	h := engine.NewHook("force", engine.HookFuncs{PostActivation: func(_ context.Context, c *engine.PostActivation) error {
		c.Force("", "b")
		c.Force("", "ghost")
		return nil
	}})
	r := assemble(t, newEngine(t, engine.Options{Hooks: []engine.Hook{h}}), ix, engine.Input{})
	if diff := cmp.Diff("backdrop b: B.\nbackdrop a: A.\n", summary(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(r.Problems) != 1 || r.Problems[0].Code != "hook" {
		t.Errorf("problems = %+v, want the unknown entry", r.Problems)
	}
}

func TestPicks(t *testing.T) {
	t.Parallel()
	ix := readIndex(t,
		"id: a\nkeywords: [never]\nsizes: {brief: 'Short A.'}\n---\nLong A.",
		"id: b\nkeywords: [never]\ncondition: 'false'\n---\nB.",
		"id: c\nkeywords: [mill]\n---\nC.",
		"id: d\nenabled: false\n---\nD.")
	r := assemble(t, newEngine(t, engine.Options{}), ix, engine.Input{
		Messages: says("the mill"),
		Picks: []engine.Pick{
			{Entry: "a", Reason: "semantic", Score: 0.9, Size: engine.SizeBrief},
			{Entry: "b", Reason: "semantic", Score: 0.8},
			{Book: "book", Entry: "c", Reason: "sidecar", Score: 0.7, Replace: lore.NewEntry("c", "Another C.")},
			{Entry: "d", Reason: "semantic"},
			{Entry: "ghost", Reason: "semantic"},
		},
	})
	if diff := cmp.Diff("backdrop a: Short A.\nbackdrop c: Another C.\n", summary(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var got []string
	for _, f := range r.Trace.Fired {
		got = append(got, f.Reason.String())
	}
	if diff := cmp.Diff([]string{"pick[semantic]", "keyword[mill]"}, got); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
	if len(r.Problems) != 1 || r.Problems[0].Code != "pick" {
		t.Errorf("problems = %+v, want the unknown pick", r.Problems)
	}
}
