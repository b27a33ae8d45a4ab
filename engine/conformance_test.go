package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/internal/testenv"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/diag"
	"github.com/weft-memory/weft/weaver/stdlib"
)

// vector is a case of the engine's conformance folder.
type vector struct {
	ID    string `json:"id"`
	About string `json:"about"`
	Quirk string `json:"quirk"`
	Books []struct {
		Entries []string          `json:"entries"`
		Config  json.RawMessage   `json:"config"`
		Files   map[string]string `json:"files"`
	} `json:"books"`
	Engine struct {
		MaxRecursionDepth *int `json:"max_recursion_depth"`
		MaxActiveEntries  *int `json:"max_active_entries"`
		MaxTriggerPasses  *int `json:"max_trigger_passes"`
		Lenient           bool `json:"lenient"`
	} `json:"engine"`
	AvailableSlots *[]lore.Slot                       `json:"available_slots"`
	Tokenizer      string                             `json:"tokenizer"`
	Namespaces     map[string]string                  `json:"namespaces"`
	Variables      map[string]map[string]weaver.Value `json:"variables"`
	Hooks          []vectorHook                       `json:"hooks"`
	Turns          []vectorTurn                       `json:"turns"`
	WantLoadError  *struct {
		Kind  string `json:"kind"`
		Entry string `json:"entry"`
	} `json:"want_load_error"`
}

type vectorTurn struct {
	Set      map[string]map[string]weaver.Value `json:"set"`
	Save     string                             `json:"save"`
	Restore  string                             `json:"restore"`
	Advance  *int                               `json:"advance"`
	Messages *[]json.RawMessage                 `json:"messages"`
	Want     vectorWant                         `json:"want"`
}

type vectorWant struct {
	Blocks *[]struct {
		Slot    string `json:"slot"`
		ID      string `json:"id"`
		Content string `json:"content"`
		Tokens  *int   `json:"tokens"`
	} `json:"blocks"`
	Activated *[]string `json:"activated"`
	Error     *struct {
		Kind     string `json:"kind"`
		Entry    string `json:"entry"`
		EvalKind string `json:"eval_kind"`
		Hook     string `json:"hook"`
		Plugin   string `json:"plugin"`
		Message  string `json:"message"`
	} `json:"error"`
	Persistent      json.RawMessage `json:"persistent"`
	ActivationState *[]struct {
		Turn   int            `json:"turn"`
		Sticky map[string]int `json:"sticky"`
		Last   map[string]int `json:"last"`
	} `json:"activation_state"`
	Log *[]string `json:"log"`
}

func TestConformanceEngine(t *testing.T) {
	t.Parallel()
	dir := testenv.Conformance(t, "engine")
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s (%v)", dir, err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases []vector
		if err := json.Unmarshal(src, &cases); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, c := range cases {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".json")+"/"+c.ID, func(t *testing.T) {
				t.Parallel()
				diffs := runVector(t.Context(), &c)
				switch {
				case c.Quirk != "" && len(diffs) > 0:
					t.Logf("quirk (%s): Weft does otherwise:\n%s", c.Quirk, strings.Join(diffs, "\n"))
				case c.Quirk != "":
					t.Logf("quirk (%s): Weft does the same", c.Quirk)
				case len(diffs) > 0:
					t.Errorf("%s:\n%s", c.About, strings.Join(diffs, "\n"))
				}
			})
		}
	}
}

// runVector runs a case and returns what differs.
func runVector(ctx context.Context, c *vector) (diffs []string) {
	r := &vectorRun{c: c, saved: make(map[string]engine.State)}
	if list := r.load(ctx); len(list) > 0 {
		if c.WantLoadError == nil {
			return []string{"loading: " + list.Err().Error()}
		}
		kind := lore.LoadKind(list[0])
		if kind != c.WantLoadError.Kind {
			return []string{fmt.Sprintf("loading: kind %s (%s), want %s", kind, list[0].Code, c.WantLoadError.Kind)}
		}
		return nil
	}
	if c.WantLoadError != nil {
		return []string{"loading: no error, want " + c.WantLoadError.Kind}
	}
	for i, turn := range c.Turns {
		for _, d := range r.turn(ctx, turn) {
			diffs = append(diffs, "turn "+strconv.Itoa(i)+": "+d)
		}
	}
	return diffs
}

type vectorRun struct {
	c      *vector
	engine *engine.Engine
	index  *engine.Index
	state  engine.State
	saved  map[string]engine.State
	log    []string
}

// load reads the books and makes the engine, by reference settings.
func (r *vectorRun) load(ctx context.Context) diag.List {
	var segments []*engine.Segment
	var all diag.List
	for i, b := range r.c.Books {
		files := fstest.MapFS{}
		for name, content := range b.Files {
			files[name] = &fstest.MapFile{Data: []byte(content)}
		}
		for n, src := range b.Entries {
			files[fmt.Sprintf("entries/%04d.weaver", n)] = &fstest.MapFile{Data: []byte(src)}
		}
		if len(b.Config) > 0 {
			files["lorebook.yaml"] = &fstest.MapFile{Data: b.Config}
		}
		dir, list, err := lore.LoadFS(ctx, files, strconv.Itoa(i))
		if err != nil {
			return diag.List{{Code: "io-read", Message: err.Error()}}
		}
		all = append(all, list.Errors()...)
		book := dir.Book()
		book.Policy.Fold = lore.FoldLower // the reference lower-cases
		s, list := engine.Build(book, engine.BuildOptions{ID: strconv.Itoa(i)})
		all = append(all, list.Errors()...)
		segments = append(segments, s)
	}
	if len(all) > 0 {
		return all
	}
	r.index = engine.NewIndex(segments...)
	opts := engine.Reference()
	opts.Registry = stdlib.NewRegistry()
	opts.Lenient = r.c.Engine.Lenient
	opts.MaxActive = countOption(r.c.Engine.MaxActiveEntries)
	opts.MaxTriggerPasses = countOption(r.c.Engine.MaxTriggerPasses)
	opts.MaxRecursionDepth = countOption(r.c.Engine.MaxRecursionDepth)
	if r.c.Tokenizer == "words" {
		opts.Tokenizer = engine.TokenizerFunc(func(s string) int { return len(strings.Fields(s)) })
	}
	for name, access := range r.c.Namespaces {
		opts.Namespaces[name] = lore.Namespace{Access: lore.Access(access)}
	}
	for _, h := range r.c.Hooks {
		opts.Hooks = append(opts.Hooks, h.hook(&r.log))
	}
	e, err := engine.New(opts)
	if err != nil {
		return diag.List{{Code: "engine", Message: err.Error()}}
	}
	r.engine = e
	r.set(r.c.Variables)
	return nil
}

// countOption turns a setting into an option, where 0 means the default.
func countOption(n *int) int {
	switch {
	case n == nil:
		return 0
	case *n == 0:
		return -1
	}
	return *n
}

func (r *vectorRun) set(vars map[string]map[string]weaver.Value) {
	for scope, m := range vars {
		for name, v := range m {
			r.state = r.state.With(scope, name, v)
		}
	}
}

func (r *vectorRun) turn(ctx context.Context, turn vectorTurn) (diffs []string) {
	r.log = nil
	r.set(turn.Set)
	if turn.Save != "" {
		r.saved[turn.Save] = engine.State{
			Turn: r.state.Turn, Books: r.state.Books,
			Vars: r.engine.Persistent(r.index, r.state),
		}
	}
	if turn.Restore != "" {
		s := r.saved[turn.Restore]
		r.state = r.state.Restore(s.Vars)
		r.state.Turn, r.state.Books = s.Turn, s.Books
	}
	advance := 0
	if turn.Messages != nil {
		advance = 1
	}
	if turn.Advance != nil {
		advance = *turn.Advance
	}
	var err error
	for i := 0; i < advance && err == nil; i++ {
		r.state, err = r.engine.Advance(ctx, r.index, r.state)
	}
	res := &engine.Result{State: r.state, Trace: &engine.Trace{}}
	if turn.Messages != nil && err == nil {
		in := engine.Input{State: r.state, Messages: vectorMessages(*turn.Messages), Slots: []lore.Slot{
			lore.SlotPrelude, lore.SlotPreamble, lore.SlotBackdrop, lore.SlotSetting, lore.SlotForeground, lore.SlotCoda,
		}}
		if r.c.AvailableSlots != nil {
			in.Slots = *r.c.AvailableSlots
		}
		res, err = r.engine.Assemble(ctx, r.index, in)
		r.state = res.State
	}
	return r.compare(turn.Want, res, err)
}

func (r *vectorRun) compare(want vectorWant, res *engine.Result, err error) (diffs []string) {
	add := func(what, diff string) {
		if diff != "" {
			diffs = append(diffs, what+" (-want +got):\n"+diff)
		}
	}
	gotError := "none"
	var ee *engine.EvalError
	var he *engine.HookError
	switch {
	case errors.As(err, &ee):
		gotError = fmt.Sprintf("eval %s %s", ee.Entry, ee.Kind())
	case errors.As(err, &he):
		gotError = fmt.Sprintf("hook %s %s %s", he.Plugin, he.Hook, he.Err)
	case err != nil:
		gotError = err.Error()
	}
	wantError := "none"
	if e := want.Error; e != nil && e.Kind == "eval" {
		wantError = fmt.Sprintf("eval %s %s", e.Entry, e.EvalKind)
	} else if e != nil {
		wantError = fmt.Sprintf("%s %s %s %s", e.Kind, e.Plugin, e.Hook, e.Message)
	}
	add("error", cmp.Diff(wantError, gotError))
	if want.Blocks != nil {
		var w, g []string
		for i, b := range *want.Blocks {
			w = append(w, fmt.Sprintf("%s %s %q", b.Slot, b.ID, b.Content))
			if b.Tokens != nil && i < len(res.Blocks) && res.Blocks[i].Tokens != *b.Tokens {
				add("tokens of "+b.ID, cmp.Diff(*b.Tokens, res.Blocks[i].Tokens))
			}
		}
		for _, b := range res.Blocks {
			g = append(g, fmt.Sprintf("%s %s %q", b.Slot, b.Entry, b.Content))
		}
		add("blocks", cmp.Diff(w, g))
	}
	if want.Activated != nil {
		g := []string{}
		for _, a := range res.Trace.Found {
			name := a.Entry
			if len(r.c.Books) > 1 {
				name = a.Book + ":" + a.Entry
			}
			g = append(g, name+" "+a.Reason.String())
		}
		add("activated", cmp.Diff(*want.Activated, g))
	}
	if len(want.Persistent) > 0 {
		var w, g any
		_ = json.Unmarshal(want.Persistent, &w)
		raw, merr := json.Marshal(r.engine.Persistent(r.index, r.state))
		_ = json.Unmarshal(raw, &g)
		if merr != nil {
			add("persistent", merr.Error())
		}
		add("persistent", cmp.Diff(w, g))
	}
	if want.ActivationState != nil {
		for i, w := range *want.ActivationState {
			s := r.state.Books[strconv.Itoa(i)]
			add("turn", cmp.Diff(w.Turn, r.state.Turn))
			add("sticky", cmp.Diff(nonNil(w.Sticky), nonNil(s.Sticky)))
			add("last", cmp.Diff(nonNil(w.Last), nonNil(s.Last)))
		}
	}
	if want.Log != nil {
		add("log", cmp.Diff(*want.Log, append([]string{}, r.log...)))
	}
	return diffs
}

func nonNil(m map[string]int) map[string]int {
	if m == nil {
		return map[string]int{}
	}
	return m
}

func vectorMessages(raw []json.RawMessage) []lore.Message {
	out := make([]lore.Message, len(raw))
	for i, r := range raw {
		if json.Unmarshal(r, &out[i].Content) == nil {
			out[i].Role = lore.RoleUser
			continue
		}
		_ = json.Unmarshal(r, &out[i])
	}
	return out
}

// vectorHook is a lifecycle plugin of a case.
type vectorHook struct {
	Name    string         `json:"name"`
	Actions []vectorAction `json:"actions"`
}

type vectorAction struct {
	Hook    engine.HookPoint `json:"hook"`
	Fail    string           `json:"fail"`
	Replace []string         `json:"replace"`
	Append  string           `json:"append"`
	Remove  string           `json:"remove"`
	Force   string           `json:"force"`
	Skip    string           `json:"skip"`
	Add     string           `json:"add"`
	Drop    string           `json:"drop"`
	Reverse bool             `json:"reverse"`
}

// hook returns the plugin as a hook that writes to log.
func (h vectorHook) hook(log *[]string) engine.Hook {
	do := func(at engine.HookPoint, line string, act func(vectorAction)) error {
		*log = append(*log, h.Name+"."+string(at)+" "+line)
		for _, a := range h.Actions {
			if a.Hook != at {
				continue
			}
			if a.Fail != "" {
				return errors.New(a.Fail)
			}
			if act != nil {
				act(a)
			}
		}
		return nil
	}
	return engine.NewHook(h.Name, engine.HookFuncs{
		TurnAdvance: func(_ context.Context, c *engine.TurnAdvance) error {
			return do(engine.AtTurnAdvance, strconv.Itoa(c.Turn), nil)
		},
		PreActivation: func(_ context.Context, c *engine.PreActivation) error {
			return do(engine.AtPreActivation, fmt.Sprintf("turn=%d messages=%d", c.Turn, len(c.Messages)), func(a vectorAction) {
				if len(a.Replace) == 2 {
					for i := range c.Messages {
						c.Messages[i].Content = strings.ReplaceAll(c.Messages[i].Content, a.Replace[0], a.Replace[1])
					}
				}
			})
		},
		PostActivation: func(_ context.Context, c *engine.PostActivation) error {
			var list []string
			for _, a := range c.Activations {
				list = append(list, a.Book+":"+a.Entry+"="+a.Reason.String())
			}
			return do(engine.AtPostActivation, strings.Join(list, ","), func(a vectorAction) {
				if a.Remove != "" {
					c.Remove("", a.Remove)
				}
				if a.Force != "" {
					c.Activations = append(c.Activations, engine.Activation{
						Book: "0", Entry: a.Force, Priority: lore.DefaultPriority,
						Reason: engine.Reason{Kind: engine.ReasonTriggered},
					})
				}
			})
		},
		PreEvaluate: func(_ context.Context, c *engine.PreEvaluate) error {
			return do(engine.AtPreEvaluate, c.Activation.Entry, func(a vectorAction) {
				c.Skip = c.Skip || a.Skip == c.Activation.Entry
			})
		},
		PostEvaluate: func(_ context.Context, c *engine.PostEvaluate) error {
			return do(engine.AtPostEvaluate, c.Activation.Entry, func(a vectorAction) {
				if len(a.Replace) == 2 {
					c.Content = strings.ReplaceAll(c.Content, a.Replace[0], a.Replace[1])
				}
				c.Content += a.Append
			})
		},
		TriggerFired: func(_ context.Context, c *engine.TriggerFired) error {
			var list []string
			for _, ref := range c.Triggered {
				list = append(list, ref.Book+":"+ref.Entry)
			}
			return do(engine.AtTriggerFired, fmt.Sprintf("pass=%d %s", c.Pass, strings.Join(list, ",")), func(a vectorAction) {
				if a.Remove != "" {
					c.Triggered = slices.DeleteFunc(c.Triggered, func(ref engine.EntryRef) bool { return ref.Entry == a.Remove })
				}
				if a.Add != "" {
					c.Triggered = append(c.Triggered, engine.EntryRef{Book: "0", Entry: a.Add})
				}
			})
		},
		PostAssemble: func(_ context.Context, c *engine.PostAssemble) error {
			return do(engine.AtPostAssemble, strconv.Itoa(len(c.Blocks)), func(a vectorAction) {
				if a.Drop != "" {
					c.Blocks = slices.DeleteFunc(c.Blocks, func(b engine.Block) bool { return b.Entry == a.Drop })
				}
				if a.Reverse {
					slices.Reverse(c.Blocks)
				}
			})
		},
	})
}
