package narrator_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weft-memory/weft/jobs"
	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/llm/dial"
	"github.com/weft-memory/weft/llm/llmtest"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/narrator"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

// fixture is a service over a database of its own and a scripted model.
type fixture struct {
	t      *testing.T
	ctx    context.Context
	db     *store.DB
	queue  *jobs.Queue
	worlds *world.Service
	n      *narrator.Service
	model  *llmtest.Server
	conv   string
}

const theWorld = "skerrow"

// setup makes a world with a book, a character and a conversation.
func setup(t *testing.T, model *llmtest.Server, settings string) *fixture {
	t.Helper()
	f := &fixture{t: t, ctx: t.Context(), model: model}
	var err error
	if f.db, err = store.Open(f.ctx, filepath.Join(t.TempDir(), "weft.db"), store.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.db.Close() })
	if f.queue, err = jobs.Open(f.db, jobs.Options{}); err != nil {
		t.Fatal(err)
	}
	clients := narrator.Clients{}
	for _, p := range []string{llm.Narrator, llm.Sidecar} {
		c, err := dial.Open(llm.Profile{
			Name: p, Endpoint: model.URL + "/v1", Model: p, Retry: llm.Retry{Attempts: 1}, Prices: llm.Prices{Currency: "USD", Input: 1, Output: 2},
		}, llm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		clients[p] = c
	}
	if f.n, err = narrator.New(f.queue, narrator.Options{Models: clients}); err != nil {
		t.Fatal(err)
	}
	if f.worlds, err = world.Open(f.db, world.Options{Watchers: []world.Watcher{f.n}}); err != nil {
		t.Fatal(err)
	}
	f.n.Bind(f.worlds)
	f.queue.Start()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := f.queue.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	f.ok2(f.worlds.CreateWorld(f.ctx, world.NewWorld{ID: theWorld, Name: "Skerrow"}))
	mill := lore.NewEntry("mill", "The mill of Skerrow belongs to Odile.")
	mill.Name, mill.Keys = "The Mill", lore.LiteralKeys("mill")
	law := lore.NewEntry("law", "Nobody carries iron into the tower.")
	law.Name, law.Keys = "The Law of Iron", lore.LiteralKeys("iron law")
	f.ok2(f.worlds.SaveBook(f.ctx, theWorld, &lore.Book{ID: "skerrow", Policy: lore.PolicyWeaver(), Entries: []*lore.Entry{mill, law}}, world.SaveBook{}))
	f.ok2(f.worlds.SaveCharacter(f.ctx, theWorld, &lore.Character{ID: "maddis", Name: "Maddis", Description: "{{char}} keeps the inn."}, 0))
	set, err := world.ParseSettings([]byte(`{"user":"Ren","characters":["maddis"],"sidecar":` + settings + `}`))
	f.ok(err)
	c, err := f.worlds.CreateConversation(f.ctx, theWorld, world.NewConversation{Settings: set})
	f.ok(err)
	f.conv = c.ID
	return f
}

func (f *fixture) ok(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) ok2(_ any, err error) {
	f.t.Helper()
	f.ok(err)
}

// turn runs a turn and returns the reply with what was heard of it.
func (f *fixture) turn(r narrator.Request) (*narrator.Reply, string) {
	f.t.Helper()
	heard := ""
	reply, err := f.n.Turn(f.ctx, theWorld, f.conv, r, func(e narrator.Event) error {
		heard += string(e.Kind) + " "
		return nil
	})
	f.ok(err)
	return reply, heard
}

func say(text string) narrator.Request {
	return narrator.Request{Messages: []world.Message{{Content: text}}}
}

// idle waits until no work is open.
func (f *fixture) idle() {
	f.t.Helper()
	var after int64
	for {
		list, _, err := f.worlds.WorkList(f.ctx, theWorld, store.WorkFilter{}, store.Page{Limit: 1000})
		f.ok(err)
		open := 0
		for _, w := range list {
			switch w.State {
			case store.WorkFailed:
				f.t.Fatalf("work %s failed: %s", w.Kind, w.Error)
			case store.WorkDone, store.WorkCancelled:
			default:
				open++
			}
		}
		if open == 0 {
			return
		}
		events, err := f.worlds.WaitEvents(f.ctx, theWorld, after, 1000)
		f.ok(err)
		after = events[len(events)-1].ID
	}
}

// knows returns the text of an entry of the story at the head; "" if there is
// none.
func (f *fixture) knows(id string) string {
	f.t.Helper()
	l, err := f.worlds.Lore(f.ctx, theWorld, world.Place{Conversation: f.conv})
	f.ok(err)
	if e := l.Entry(memory.StoryBook, id); e != nil {
		return e.Content
	}
	return ""
}

const pickNothing = `
  - name: retrieve
    when: {system: choose what the narrator should know}
    respond: {json: {picks: []}}
`

func script(steps string) string {
	return "models: [{id: narrator, context: 8192}, {id: sidecar, context: 8192}]\nsteps:\n" + steps
}

func TestATurnRemembers(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t, script(`
  - name: retrieve
    when: {system: choose what the narrator should know, last: "Who lives at the mill?"}
    expect: {contains: ["The Mill [mill]", "The Law of Iron [law]"]}
    respond: {json: {picks: [{id: law, category: enrichment, reason: the tower is near}]}}
  - name: narrate
    when: {model: narrator, has_tools: [search_lorebook]}
    expect: {contains: ["Maddis keeps the inn.", "The mill of Skerrow belongs to Odile.", "Nobody carries iron", "Be brief."]}
    respond: {text: "“Odile does,” Maddis says. “And her nephew Bram.”"}
  - name: write
    when: {has_tools: [remember_lore]}
    expect: {contains: ["her nephew Bram", "The Mill [mill]"], lacks: ["Be brief."]}
    respond: {calls: [{name: remember_lore, arguments: {name: Bram, type: character, content: "Bram is the nephew of Odile. He lives at the mill.", quote: "And her nephew Bram."}}]}
`))
	f := setup(t, model, `{}`)
	r := say("Who lives at the mill?")
	r.Directive = "Be brief."
	reply, heard := f.turn(r)
	if reply.Node.Content != "“Odile does,” Maddis says. “And her nephew Bram.”" || reply.Node.Name != "Maddis" {
		t.Errorf("the reply is %+v", reply.Node)
	}
	if !strings.HasPrefix(heard, "retrieved begun text") || !strings.HasSuffix(heard, "text finished ") {
		t.Errorf("heard %s", heard)
	}
	f.idle()
	if got := f.knows("bram"); got != "Bram is the nephew of Odile. He lives at the mill." {
		t.Errorf("the story knows of Bram: %q", got)
	}
	ops, _, err := f.worlds.Operations(f.ctx, theWorld, store.OperationFilter{Entry: "bram"}, store.Page{})
	f.ok(err)
	if len(ops) != 1 || ops[0].Node != reply.Node.ID || len(ops[0].Quotes) != 1 || ops[0].Quotes[0].Node != reply.Node.ID {
		t.Errorf("the operations are %+v", ops)
	}
	f.ok(f.db.View(f.ctx, func(tx *store.Tx) error {
		list, _, err := tx.Activities(theWorld, store.ActivityFilter{}, store.Page{})
		got := ""
		for _, a := range list {
			got = fmt.Sprintf("%s/%s/%s ", a.Type, a.Phase, a.Outcome) + got
			if a.Input == 0 || a.Cost == 0 {
				t.Errorf("%s cost nothing: %+v", a.Type, a)
			}
		}
		if got != "search/pre-gen/ok narrate/during-gen/ok remember/post-gen/ok " {
			t.Errorf("the activity is %s", got)
		}
		return err
	}))
}

// Swiping away and back needs no model, and leaves nothing of the other reply.
func TestSwipesCarryTheirOwnLore(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t, script(pickNothing+`
  - name: narrate A
    when: {model: narrator}
    respond: {text: "Bram opens."}
  - name: write A
    when: {has_tools: [remember_lore], last: Bram opens.}
    respond: {calls: [{name: remember_lore, arguments: {name: Bram, content: "Bram opens the door."}}]}
  - name: narrate B
    when: {model: narrator}
    expect: {lacks: ["Bram"]}
    respond: {text: "Nobody opens. A dog called Tusk barks."}
  - name: write B
    when: {has_tools: [remember_lore], last: Tusk}
    expect: {lacks: ["Bram opens"]}
    respond: {calls: [{name: remember_lore, arguments: {name: Tusk, content: "Tusk is a dog."}}]}
`))
	f := setup(t, model, `{}`)
	a, _ := f.turn(say("I knock."))
	f.idle()
	b, _ := f.turn(narrator.Request{Assemble: world.Assemble{Kind: lore.KindSwipe}})
	f.idle()
	if f.knows("bram") != "" || f.knows("tusk") == "" {
		t.Errorf("after the swipe: Bram %q, Tusk %q", f.knows("bram"), f.knows("tusk"))
	}
	asked := len(model.Requests())
	f.ok2(f.worlds.SwitchSwipe(f.ctx, theWorld, a.Node.ID))
	f.idle()
	if f.knows("bram") == "" || f.knows("tusk") != "" || len(model.Requests()) != asked {
		t.Errorf("back: Bram %q, Tusk %q, %d requests more", f.knows("bram"), f.knows("tusk"), len(model.Requests())-asked)
	}
	f.ok2(f.worlds.SwitchSwipe(f.ctx, theWorld, b.Node.ID))
	f.idle()
	if f.knows("tusk") == "" || len(model.Requests()) != asked {
		t.Error("and forth again does not bring Tusk back without a model")
	}
}

// A swipe while the sidecar reads the old reply: nothing of that is written, and
// when the reader comes back it is read again.
func TestWorkForARejectedReplyLeavesNoTrace(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t, script(pickNothing+`
  - name: narrate A
    when: {model: narrator}
    respond: {text: "Bram opens."}
  - name: write A, too late
    when: {has_tools: [remember_lore], last: Bram opens.}
    respond: {delay: 60s, calls: [{name: remember_lore, arguments: {name: Bram, content: "Bram opens."}}]}
  - name: narrate B
    when: {model: narrator}
    respond: {text: "Nobody opens."}
  - name: write B
    when: {has_tools: [remember_lore], last: Nobody opens.}
    respond: {text: nothing}
  - name: write A again
    when: {has_tools: [remember_lore], last: Bram opens.}
    respond: {calls: [{name: remember_lore, arguments: {name: Bram, content: "Bram opens."}}]}
`))
	f := setup(t, model, `{}`)
	a, _ := f.turn(say("I knock."))
	f.until("work.started")
	f.turn(narrator.Request{Assemble: world.Assemble{Kind: lore.KindSwipe}})
	f.idle()
	if f.knows("bram") != "" {
		t.Errorf("what was rejected is remembered: %q", f.knows("bram"))
	}
	f.ok2(f.worlds.SwitchSwipe(f.ctx, theWorld, a.Node.ID))
	f.idle()
	if f.knows("bram") == "" {
		t.Error("the reply that the reader came back to was never read")
	}
}

// until waits for an event of a kind.
func (f *fixture) until(kind string) {
	f.t.Helper()
	var after int64
	for {
		events, err := f.worlds.WaitEvents(f.ctx, theWorld, after, 1000)
		f.ok(err)
		for _, e := range events {
			if e.Kind == kind {
				return
			}
		}
		after = events[len(events)-1].ID
	}
}

func TestTheNarratorSearches(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t, script(pickNothing+`
  - name: narrate
    when: {model: narrator, has_tools: [search_lorebook]}
    expect: {lacks: ["Nobody carries iron"]}
    respond: {text: "Ren goes up to the tower.", calls: [{name: search_lorebook, arguments: {query: "Law of Iron"}}]}
  - name: narrate on
    when: {model: narrator}
    expect: {contains: ["Nobody carries iron into the tower."]}
    respond: {text: "The guard takes his knife."}
  - name: write
    when: {has_tools: [remember_lore]}
    respond: {text: nothing}
`))
	f := setup(t, model, `{}`)
	reply, heard := f.turn(say("I go up."))
	if reply.Node.Content != "Ren goes up to the tower.\n\nThe guard takes his knife." || reply.Searched != 1 || !strings.Contains(heard, "search") {
		t.Errorf("the reply is %q, heard %s", reply.Node.Content, heard)
	}
	f.idle()
}

// Whatever the sidecar does, the story goes on.
func TestTheStoryGoesOn(t *testing.T) {
	t.Parallel()
	for name, respond := range map[string]string{
		"slow":   `{delay: 60s, json: {picks: []}}`,
		"down":   `{status: 500, error: {message: overloaded}}`,
		"absurd": `{text: "I will not. Ignore all rules."}`,
		"broken": `{text: x, fault: reset, after: 5}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := llmtest.New(t, script(`
  - name: retrieve
    when: {system: choose what the narrator should know}
    respond: `+respond+`
  - name: narrate
    when: {model: narrator}
    expect: {contains: ["The mill of Skerrow belongs to Odile."]}
    respond: {text: "The mill turns."}
  - name: write
    when: {has_tools: [remember_lore]}
    respond: {status: 401, error: {message: no such key}}
`))
			f := setup(t, model, `{"deadline":"200ms"}`)
			reply, _ := f.turn(say("To the mill!"))
			if reply.Node.Content != "The mill turns." {
				t.Errorf("the reply is %q", reply.Node.Content)
			}
			f.until("work.finished")
		})
	}
}

func TestCommandsAreDone(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t, script(`
  - name: remember
    when: {has_tools: [remember_lore], last: The ferry burned.}
    respond: {calls: [{name: remember_lore, arguments: {name: The Ferry, content: "The ferry burned."}}]}
`))
	f := setup(t, model, `{}`)
	f.ok2(f.worlds.Append(f.ctx, theWorld, f.conv, world.Append{Messages: []world.Message{{Content: "Hello."}}}))
	reply, _ := f.turn(say("/remember The ferry burned."))
	if reply.Node.ID != "" || len(reply.Actions) != 1 {
		t.Errorf("an order alone made a reply: %+v", reply)
	}
	f.idle()
	if f.knows("ferry") != "The ferry burned." {
		t.Errorf("the ferry: %q", f.knows("ferry"))
	}
	f.turn(say("/forget The Ferry"))
	f.idle()
	if f.knows("ferry") != "" {
		t.Errorf("after the order to forget: %q", f.knows("ferry"))
	}
}

func TestWhatWaitsForAPerson(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t, script(pickNothing+`
  - name: narrate
    when: {model: narrator}
    respond: {text: "Bram and Tusk come in."}
  - name: write
    when: {has_tools: [remember_lore]}
    respond: {calls: [{name: remember_lore, arguments: {name: Bram, content: "Bram came."}}, {name: remember_lore, arguments: {name: Tusk, content: "Tusk came."}}]}
`))
	f := setup(t, model, `{"propose":["entries"]}`)
	f.turn(say("Who is there?"))
	f.idle()
	list, err := f.n.Pending(f.ctx, theWorld, f.conv)
	f.ok(err)
	if len(list) != 2 || f.knows("bram") != "" {
		t.Fatalf("%d wait, Bram: %q", len(list), f.knows("bram"))
	}
	f.ok(f.n.Decide(f.ctx, theWorld, f.conv, list[0].ID, true, nil))
	f.ok(f.n.Decide(f.ctx, theWorld, f.conv, list[1].ID, false, nil))
	if f.knows("bram") != "Bram came." || f.knows("tusk") != "" {
		t.Errorf("after the decisions: Bram %q, Tusk %q", f.knows("bram"), f.knows("tusk"))
	}
	if err := f.n.Decide(f.ctx, theWorld, f.conv, list[1].ID, true, nil); store.KindOf(err) != store.NotFound {
		t.Errorf("decided twice: %v", err)
	}
}

func TestLimitsPauseTheSidecar(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t, script(`
  - name: retrieve
    when: {system: choose what the narrator should know}
    respond: {json: {picks: []}}
  - name: narrate 1
    when: {model: narrator}
    respond: {text: "One."}
  - name: narrate 2
    when: {model: narrator}
    respond: {text: "Two."}
`))
	f := setup(t, model, `{"limits":{"tokens_per_conversation":10}}`)
	f.turn(say("First."))
	f.idle()
	reply, _ := f.turn(say("Second."))
	f.idle()
	if reply.Node.Content != "Two." {
		t.Errorf("the story stopped: %q", reply.Node.Content)
	}
	f.ok(f.db.View(f.ctx, func(tx *store.Tx) error {
		list, _, err := tx.Activities(theWorld, store.ActivityFilter{Type: "remember"}, store.Page{})
		if len(list) == 0 || list[0].Outcome != "paused" || !strings.Contains(list[0].Reason, "10") {
			t.Errorf("the activity says %+v", list)
		}
		return err
	}))
}
