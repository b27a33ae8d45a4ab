package llm

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Bounds of one answer.
const (
	maxContent = 4 << 20
	maxCalls   = 128
	// maxArguments bounds the arguments of one call, in bytes.
	maxArguments = 512 << 10
)

// Assembler puts an answer together from the pieces that a protocol reads off
// the wire. It is the one place where the habits of servers are dealt with:
// thoughts in the text, calls in pieces, calls written as text, ends that
// contradict the answer.
//
// The answer does not depend on how its text was cut into pieces.
//
// A protocol calls Text, Reasoning, Call and so on for what it reads; the client
// calls End.
type Assembler struct {
	tools    *Toolbox
	textual  bool
	newID    func() string
	emit     func(Event) bool
	stopped  bool
	split    splitter
	calls    []*building
	response Response
	ended    bool // the server said that the answer is at its end
	bytes    int
	err      error
}

// AssemblerOptions say what an answer may hold.
type AssemblerOptions struct {
	// Tools are those that were offered.
	Tools *Toolbox
	// TextCalls is that of the request.
	TextCalls bool
	// NewID makes ids for calls that come without. Defaults to random ones of
	// nine letters and digits, the form that the strictest server accepts.
	NewID func() string
	// Emit gets each event as it comes; it returns false to stop. May be nil.
	Emit func(Event) bool
}

// NewAssembler returns an assembler of one answer.
func NewAssembler(o AssemblerOptions) *Assembler {
	if o.NewID == nil {
		o.NewID = randomID
	}
	a := &Assembler{tools: o.Tools, textual: o.TextCalls, newID: o.NewID, emit: o.Emit}
	a.split.init(o.Tools, o.TextCalls, a.send)
	return a
}

func (a *Assembler) send(e Event) {
	if a.emit != nil && !a.stopped && !a.emit(e) {
		a.stopped = true
	}
}

// Stopped reports whether the receiver of the events has had enough.
func (a *Assembler) Stopped() bool { return a.stopped }

// Begun reports whether anything of the answer has come yet.
func (a *Assembler) Begun() bool { return a.bytes > 0 }

// room reports whether the answer may grow by n bytes.
func (a *Assembler) room(n int) bool {
	if a.bytes+n > maxContent {
		a.note("answer too long")
		if a.response.Finish == "" {
			a.response.Finish = FinishLength
		}
		return false
	}
	a.bytes += n
	return true
}

// Text adds a piece of the text.
func (a *Assembler) Text(s string) {
	if s != "" && a.room(len(s)) {
		a.split.text(s)
	}
}

// Reasoning adds a piece of the thoughts, where a server tells them apart.
func (a *Assembler) Reasoning(s string) {
	if s != "" && a.room(len(s)) {
		a.split.thought(s)
	}
}

// Refusal adds a piece of a refusal.
func (a *Assembler) Refusal(s string) {
	if a.room(len(s)) {
		a.response.Refusal += s
	}
}

// Keep keeps what the protocol wants back with this answer.
func (a *Assembler) Keep(protocol string, value json.RawMessage) {
	if a.response.Kept == nil {
		a.response.Kept = map[string]json.RawMessage{}
	}
	a.response.Kept[protocol] = value
}

// Identify notes the id of the answer and the model that gave it.
func (a *Assembler) Identify(id, model string) {
	if id != "" && a.response.ID == "" {
		a.response.ID = clipText(id, 200)
	}
	if model != "" && a.response.Model == "" {
		a.response.Model = clipText(model, 200)
	}
}

// Usage notes counts; those that are 0 leave earlier ones alone.
func (a *Assembler) Usage(u Usage) {
	have := &a.response.Usage
	for _, f := range []struct {
		to   *int
		from int
	}{{&have.Input, u.Input}, {&have.Output, u.Output}, {&have.Cached, u.Cached}, {&have.CacheWrite, u.CacheWrite}, {&have.Reasoning, u.Reasoning}} {
		if f.from > 0 {
			*f.to = f.from
		}
	}
}

// Finish notes the server's word for the end of the answer.
func (a *Assembler) Finish(word string) {
	if word == "" || a.response.RawFinish != "" && word == "stop" {
		return
	}
	a.response.RawFinish = clipText(word, 100)
	if f := finishOf(word); f != "" {
		a.response.Finish = f
	}
}

// Done notes that the server has sent all.
func (a *Assembler) Done() { a.ended = true }

// Fail notes an error that the server reports inside of its answer.
func (a *Assembler) Fail(err error) {
	if a.err == nil {
		a.err = err
	}
	a.response.Finish = FinishError
}

// Err returns that error.
func (a *Assembler) Err() error { return a.err }

// Note counts something that had to be put right.
func (a *Assembler) Note(kind string) { a.note(kind) }

func (a *Assembler) note(kind string) {
	if a.response.Repairs == nil {
		a.response.Repairs = map[string]int{}
	}
	a.response.Repairs[kind]++
}

// finishOf maps the words of servers.
func finishOf(word string) Finish {
	switch strings.ToLower(word) {
	case "stop", "eos", "eos_token", "end_turn", "stop_sequence", "end", "complete", "completed", "finish_reason_stop", "load", "pause_turn":
		return FinishStop
	case "length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded":
		return FinishLength
	case "tool_calls", "tool_call", "tool_use", "function_call":
		return FinishCalls
	case "content_filter", "refusal", "safety", "recitation", "blocklist", "prohibited_content", "spii", "image_safety", "language":
		return FinishFilter
	case "error", "malformed_function_call", "unexpected_tool_call":
		return FinishError
	case "null", "none", "unknown", "finish_reason_unspecified":
		return ""
	}
	return FinishStop
}

// End finishes the answer. cut is true if the connection ended without the
// protocol's own end.
func (a *Assembler) End(cut bool) *Response {
	r := &a.response
	a.split.close(cut)
	calls := a.buildCalls(cut && !a.ended)
	held := a.split.takeHeld()
	switch {
	case held == "":
	case len(calls) > 0:
		rest := withoutEcho(held, calls, a.tools)
		if rest != held {
			a.note("arguments repeated in the text")
		}
		a.split.release(rest)
	case a.textual:
		written, rest := textCalls(held, a.tools)
		for _, w := range written {
			a.note("call written as text")
			calls = append(calls, a.build(&building{name: w.name, args: []byte(w.args), textual: true}))
		}
		a.split.release(rest)
	default:
		a.split.release(held)
	}
	r.Content = a.split.content()
	r.Reasoning = a.split.reasoning()
	if a.split.repaired {
		a.note("thoughts in the text")
	}
	r.Calls = a.unique(calls)
	a.settle(cut)
	for i := range r.Calls {
		a.send(Event{Kind: EventCall, Call: &r.Calls[i]})
	}
	if r.Usage != (Usage{}) {
		u := r.Usage
		a.send(Event{Kind: EventUsage, Usage: &u})
	}
	return r
}

// settle decides how the answer ended, whatever word the server had for it.
func (a *Assembler) settle(cut bool) {
	r := &a.response
	if r.Finish == "" {
		switch {
		case a.err != nil:
			r.Finish = FinishError
		case cut && !a.ended:
			r.Finish = FinishCut
		default:
			r.Finish = FinishStop
		}
	}
	if r.Refusal != "" && r.Finish == FinishStop && r.Content == "" && len(r.Calls) == 0 {
		r.Finish = FinishFilter
	}
	switch {
	case r.Finish == FinishStop && len(r.Calls) > 0:
		r.Finish = FinishCalls
	case r.Finish == FinishCalls && len(r.Calls) == 0:
		a.note("finish says calls, there are none")
		r.Finish = FinishStop
	}
	// What a call lacks because the answer was cut off is no fault of its own
	// grammar: say so.
	for i := range r.Calls {
		c := &r.Calls[i]
		if c.Truncated && c.Problem == "" {
			c.Problem = "the arguments were cut off"
		}
	}
}

// clipText bounds a text in bytes.
func clipText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	s = s[:most]
	for len(s) > 0 && !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s + "…"
}
