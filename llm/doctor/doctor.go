// Package doctor finds out whether a model can do what its profile is for, and
// says what to do if it cannot.
//
//	for _, f := range doctor.Examine(ctx, client, doctor.For(llm.Sidecar)) {
//		fmt.Println(f.Check, f.Status, f.Detail, f.Advice)
//	}
//
// It asks small questions, so it costs a few hundred tokens. The checks run one
// after the other; once the endpoint cannot be reached or refuses the key, the
// rest is skipped.
package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/llm/jsontext"
)

// The checks.
const (
	Reachable  = "reachable"
	Key        = "key"
	ModelKnown = "model"
	Chat       = "chat"
	Streaming  = "streaming"
	Tools      = "tools"
	JSON       = "json"
	Embeddings = "embeddings"
)

// Status is what came of a check.
type Status string

// The statuses of checks.
const (
	OK   Status = "ok"
	Warn Status = "warn" // it works, in a poorer way
	Fail Status = "fail"
	Skip Status = "skip" // not looked at
)

// Finding is the result of one check.
type Finding struct {
	Check  string `json:"check"`
	Status Status `json:"status"`
	// Detail says what was seen, Advice what to do.
	Detail string        `json:"detail,omitempty"`
	Advice string        `json:"advice,omitempty"`
	Took   time.Duration `json:"took"`
}

// For returns the checks that matter for a use of a model.
func For(profile string) []string {
	switch profile {
	case llm.Embedder:
		return []string{Reachable, Key, ModelKnown, Embeddings}
	case llm.Narrator:
		return []string{Reachable, Key, ModelKnown, Chat, Streaming, Tools}
	}
	return []string{Reachable, Key, ModelKnown, Chat, Streaming, Tools, JSON}
}

// Client is what an examination needs: a [llm.Client].
type Client interface {
	llm.Model
	Profile() llm.Profile
}

var _ Client = (*llm.Client)(nil)

// Examine runs checks and returns a finding for each, in their order.
func Examine(ctx context.Context, c Client, checks []string) []Finding {
	e := &examination{client: c}
	var out []Finding
	for _, check := range checks {
		start := time.Now()
		f := e.check(ctx, check)
		f.Check, f.Took = check, time.Since(start)
		out = append(out, f)
	}
	return out
}

type examination struct {
	client  Client
	models  []llm.ModelInfo
	listErr error
	listed  bool
	dead    bool // nothing more can be found out
	chatErr error
}

func (e *examination) check(ctx context.Context, check string) Finding {
	if ctx.Err() != nil {
		return Finding{Status: Skip, Detail: "there was no time left"}
	}
	if e.dead {
		return Finding{Status: Skip, Detail: "the endpoint does not answer"}
	}
	switch check {
	case Reachable:
		return e.reachable(ctx)
	case Key:
		return e.key(ctx)
	case ModelKnown:
		return e.model(ctx)
	case Chat:
		return e.chat(ctx)
	case Streaming:
		return e.streaming(ctx)
	case Tools:
		return e.tools(ctx)
	case JSON:
		return e.json(ctx)
	case Embeddings:
		return e.embeddings(ctx)
	}
	return Finding{Status: Skip, Detail: "there is no such check"}
}

func (e *examination) list(ctx context.Context) {
	if !e.listed {
		e.models, e.listErr = e.client.Models(ctx)
		e.listed = true
	}
}

func (e *examination) reachable(ctx context.Context) Finding {
	e.list(ctx)
	switch llm.KindOf(e.listErr) {
	case llm.KindNetwork, llm.KindTimeout, llm.KindUnsafe, llm.KindCanceled, llm.KindBreaker:
		e.dead = true
		return failure(e.listErr, "start the model server, or correct the endpoint "+e.client.Profile().Endpoint)
	case llm.KindAnswer:
		return Finding{Status: Warn, Detail: text(e.listErr), Advice: "something else may listen at this address: the endpoint of an OpenAI-compatible server ends in /v1"}
	}
	return Finding{Status: OK, Detail: e.client.Profile().Endpoint}
}

func (e *examination) key(ctx context.Context) Finding {
	e.list(ctx)
	p := e.client.Profile()
	if llm.KindOf(e.listErr) == llm.KindAuth {
		e.dead = true
		advice := "this endpoint wants a key: set key.env or key.file"
		if p.Key != (llm.KeySource{}) {
			advice = "the key is wrong or may not do this: renew it with the provider"
		}
		return failure(e.listErr, advice)
	}
	if p.Key == (llm.KeySource{}) {
		return Finding{Status: OK, Detail: "none, and none is asked for"}
	}
	if e.listErr != nil {
		return Finding{Status: Skip, Detail: "the list of models, by which it is tried, cannot be had: " + text(e.listErr)}
	}
	return Finding{Status: OK, Detail: "accepted"}
}

func (e *examination) model(ctx context.Context) Finding {
	e.list(ctx)
	name := e.client.Profile().Model
	if e.listErr != nil {
		return Finding{Status: Skip, Detail: "the endpoint does not list its models: " + text(e.listErr)}
	}
	var names []string
	for _, m := range e.models {
		if m.ID == name {
			f := Finding{Status: OK, Detail: name}
			size := e.client.Capabilities().ContextSize
			if size > 0 {
				f.Detail += fmt.Sprintf(", context of %d tokens", size)
			}
			if size > 0 && size < 8192 {
				f.Status, f.Advice = Warn, "a context below 8192 tokens leaves little room for lore: start the server with a larger one"
			}
			return f
		}
		if len(names) < 8 {
			names = append(names, m.ID)
		}
	}
	switch {
	case len(e.models) == 0:
		return Finding{Status: Warn, Detail: "the endpoint lists no models", Advice: "load a model in the server"}
	case name == "":
		return Finding{Status: Fail, Detail: "the profile names no model", Advice: "choose one of " + strings.Join(names, ", ")}
	case len(e.models) == 1:
		return Finding{Status: Warn, Detail: fmt.Sprintf("the endpoint lists only %s, not %s", names[0], name), Advice: "servers with one model often ignore the name; set it to " + names[0] + " to be sure"}
	}
	return Finding{Status: Warn, Detail: fmt.Sprintf("%s is not in the list", name), Advice: "the list begins with " + strings.Join(names, ", ")}
}

func (e *examination) chat(ctx context.Context) Finding {
	r, err := e.client.Chat(ctx, llm.Request{Messages: []llm.Message{llm.User("Answer with the word ready.")}, MaxTokens: 2000, NoStream: true})
	if e.chatErr = err; err != nil {
		return failure(err, "")
	}
	switch {
	case r.Content == "" && r.Reasoning != "":
		return Finding{Status: Warn, Detail: "it only thought and did not answer", Advice: "set thinking: off for this profile, or a larger max_tokens"}
	case r.Content == "":
		return Finding{Status: Fail, Detail: "the answer is empty, the server says " + string(r.Finish), Advice: "check the model and its template in the server"}
	}
	return Finding{Status: OK, Detail: fmt.Sprintf("%d tokens in, %d out", r.Usage.Input, r.Usage.Output)}
}

func (e *examination) streaming(ctx context.Context) Finding {
	if e.chatErr != nil {
		return Finding{Status: Skip, Detail: "chat does not work"}
	}
	pieces, ended := 0, false
	start, first := time.Now(), time.Duration(0)
	for event, err := range e.client.Stream(ctx, llm.Request{Messages: []llm.Message{llm.User("Count from one to twenty in words.")}, MaxTokens: 2000}) {
		if err != nil {
			return failure(err, "set no_stream: true for this profile if the server cannot stream")
		}
		switch event.Kind {
		case llm.EventText, llm.EventReasoning:
			if pieces++; pieces == 1 {
				first = time.Since(start)
			}
		case llm.EventFinish:
			ended = event.Response.Finish != llm.FinishCut
		}
	}
	switch {
	case pieces == 0:
		return Finding{Status: Fail, Detail: "the stream holds nothing", Advice: "set no_stream: true for this profile"}
	case !ended:
		return Finding{Status: Warn, Detail: "the stream has no end", Advice: "a proxy between may cut streams off: raise its timeouts"}
	case pieces == 1:
		return Finding{Status: Warn, Detail: "the answer came in one piece", Advice: "a proxy between may gather the stream: switch off its buffering"}
	}
	return Finding{Status: OK, Detail: fmt.Sprintf("%d pieces, the first after %s", pieces, first.Round(time.Millisecond))}
}

var weather = llm.Tool{
	Name: "note_weather", Description: "Note the weather of a place.",
	Schema: json.RawMessage(`{"type":"object","required":["place","weather"],"properties":{"place":{"type":"string"},"weather":{"type":"string","enum":["rain","sun","snow"]}}}`),
}

func (e *examination) tools(ctx context.Context) Finding {
	if e.chatErr != nil {
		return Finding{Status: Skip, Detail: "chat does not work"}
	}
	asked, err := llm.Calls(ctx, e.client, llm.Request{
		Messages: []llm.Message{llm.User("It is raining in Tamwick. Note it with the tool.")}, Tools: []llm.Tool{weather}, Choice: llm.Required, MaxTokens: 4000,
	}, llm.CallsOptions{})
	const advice = "the sidecar works with a model that takes no tools, by asking for JSON, less surely; a model made for tools does better"
	switch caps := e.client.Capabilities(); {
	case err != nil:
		return failure(err, advice)
	case len(asked.Executable) == 0:
		f := Finding{Status: Fail, Detail: "it called no tool: " + strings.Join(asked.Steps, "; "), Advice: "choose a model made for tools for this profile"}
		if len(asked.Calls) > 0 {
			f.Detail = "its call cannot be used: " + asked.Calls[0].Problem
		}
		return f
	case slices.Contains(asked.Steps, "asked for the calls as JSON"):
		return Finding{Status: Warn, Detail: strings.Join(asked.Steps, "; "), Advice: advice}
	case caps.TextCalls == llm.Yes:
		return Finding{Status: Warn, Detail: "it writes calls as text", Advice: "the server's template or parser does not fit the model; calls are read nevertheless"}
	case len(asked.Steps) > 0:
		return Finding{Status: Warn, Detail: strings.Join(asked.Steps, "; "), Advice: "it has to be told twice to call a tool"}
	}
	return Finding{Status: OK, Detail: "called as asked"}
}

var factSchema = json.RawMessage(`{"type":"object","required":["name","age"],"properties":{"name":{"type":"string"},"age":{"type":"integer"}}}`)

func (e *examination) json(ctx context.Context) Finding {
	if e.chatErr != nil {
		return Finding{Status: Skip, Detail: "chat does not work"}
	}
	asked, err := llm.Object(ctx, e.client, llm.Request{
		Messages: []llm.Message{llm.User("Isolde is forty years old. Give her name and age as JSON.")}, MaxTokens: 4000,
	}, llm.ObjectOptions{Name: "person", Schema: factSchema})
	if errors.Is(err, llm.ErrNoObject) {
		return Finding{Status: Fail, Detail: text(err), Advice: "choose another model for this profile"}
	}
	if err != nil {
		return failure(err, "")
	}
	var repairs []string
	for kind := range asked.Repairs {
		repairs = append(repairs, kind)
	}
	slices.Sort(repairs)
	caps := e.client.Capabilities()
	switch {
	case len(asked.Steps) > 0:
		return Finding{Status: Warn, Detail: strings.Join(asked.Steps, "; "), Advice: "it works, in two requests instead of one"}
	case len(repairs) > 0:
		return Finding{Status: Warn, Detail: "repaired: " + strings.Join(repairs, ", "), Advice: "a server that can enforce a schema gives cleaner JSON"}
	case caps.JSONSchema == llm.No:
		return Finding{Status: OK, Detail: "by asking in words: the server does not enforce schemas"}
	}
	return Finding{Status: OK, Detail: "fits the schema"}
}

func (e *examination) embeddings(ctx context.Context) Finding {
	out, err := e.client.Embed(ctx, []string{"The miller owns the mill by the river.", "A mill stands at the river; it is the miller's.", "Taxes are due in spring."})
	if err != nil {
		return failure(err, "choose a model for embeddings, and a server that offers them")
	}
	near, far := cosine(out.Vectors[0], out.Vectors[1]), cosine(out.Vectors[0], out.Vectors[2])
	f := Finding{Status: OK, Detail: fmt.Sprintf("%d dimensions, likeness %.2f against %.2f", len(out.Vectors[0]), near, far)}
	if near <= far {
		f.Status, f.Advice = Warn, "texts of one meaning are not nearer than others: this may be no model for embeddings"
	}
	return f
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / (math.Sqrt(aa) * math.Sqrt(bb))
}

// failure makes a finding of an error. Its own hint is better than advice.
func failure(err error, advice string) Finding {
	f := Finding{Status: Fail, Detail: text(err), Advice: advice}
	var e *llm.Error
	if errors.As(err, &e) && e.Hint != "" {
		f.Advice = e.Hint
		if advice != "" {
			f.Advice += "; " + advice
		}
	}
	return f
}

// text is an error without its hint, which is shown as advice.
func text(err error) string {
	var e *llm.Error
	if errors.As(err, &e) {
		plain := *e
		plain.Hint = ""
		return plain.Error()
	}
	var j *jsontext.Error
	if errors.As(err, &j) {
		return j.Error()
	}
	return err.Error()
}
