package llm

import (
	"encoding/json"
	"strings"

	"github.com/weft-memory/weft/llm/jsontext"
)

// tag is a mark in a text that is no text.
type tag struct {
	text   string
	effect effect
}

type effect int

const (
	opens  effect = iota // thoughts begin
	closes               // thoughts end
	drops                // the mark says nothing
	holds                // a call as text begins: the rest is held back
)

// The marks of thoughts, and of turns, of the templates that are in use.
var tags = []tag{
	{"<think>", opens},
	{"</think>", closes},
	{"<thinking>", opens},
	{"</thinking>", closes},
	{"<reasoning>", opens},
	{"</reasoning>", closes},
	{"<thought>", opens},
	{"</thought>", closes},
	{"[think]", opens},
	{"[/think]", closes},
	{"<|channel|>analysis<|message|>", opens},
	{"<|channel|>final<|message|>", closes},
	{"<|channel>thought", opens},
	{"<channel|>", closes},
	{"<|end|>", closes},
	{"<|start|>assistant", drops},
	{"<|return|>", drops},
	{"<|im_end|>", drops},
	{"<|eot_id|>", drops},
	{"<|endoftext|>", drops},
}

// The marks with which calls begin that are written as text.
var callTags = []tag{
	{"<tool_call>", holds},
	{"<tool_calls>", holds},
	{"<tool_use>", holds},
	{"<toolcall>", holds},
	{"<function=", holds},
	{"<function_call>", holds},
	{"<function_calls>", holds},
	{"<functioncall>", holds},
	{"<invoke ", holds},
	{"[tool_calls]", holds},
	{"[tool_call]", holds},
	{"<|tool_call|>", holds},
	{"<|tool_call>", holds},
	{"<|python_tag|>", holds},
	{"<|channel|>commentary", holds},
	{"<|tool▁calls▁begin|>", holds},
	{"<｜tool▁calls▁begin｜>", holds},
	{"```tool_call", holds},
	{"```tool_code", holds},
}

// Bounds of what of a text is held back until it is known whether it is a call:
// where calls may be written as text, and where only the echo of one is looked
// for, while somebody reads along.
const (
	maxHeld = 256 << 10
	maxEcho = 4 << 10
)

// splitter parts what a model writes into text and thoughts, byte by byte, so
// that it cannot matter how the text was cut.
type splitter struct {
	tools   *Toolbox
	textual bool
	tags    []tag
	words   []string // what a line begins with that is a call
	// starts are the bytes with which tags begin.
	starts [256]bool
	emit   func(Event)

	shown    strings.Builder // what was shown
	thoughts strings.Builder
	pending  []byte // may become a tag
	out      strings.Builder
	outKind  EventKind

	depth    int  // of open thoughts
	opened   bool // some were opened
	nestAt   int  // where the open ones began, in thoughts
	closedAt int  // where an end stood last
	skip     bool // white space behind thoughts
	repaired bool

	lineStart bool // only white space so far in this line
	fence     bool
	ticks     int
	json      jsonScan

	block    []byte // a block of JSON that may be a call
	blockEnd func([]byte) bool
	held     strings.Builder // is held until the end
	holding  bool
}

// jsonScan follows a JSON text that stands in prose.
type jsonScan struct {
	depth    int
	in, skip bool
}

func (j *jsonScan) step(c byte) {
	switch {
	case j.skip:
		j.skip = false
	case j.in && c == '\\':
		j.skip = true
	case c == '"':
		j.in = !j.in
	case j.in:
	case c == '{' || c == '[':
		j.depth++
	case c == '}' || c == ']':
		j.depth--
	}
}

func (s *splitter) init(tools *Toolbox, textual bool, emit func(Event)) {
	s.tools, s.textual, s.emit, s.lineStart = tools, textual, emit, true
	s.tags = tags
	if textual && len(tools.Names()) > 0 {
		s.tags = append(append([]tag{}, tags...), callTags...)
		for _, name := range tools.Names() {
			for _, after := range []string{"(", "{", ":", " {"} {
				s.words = append(s.words, name+after)
			}
			s.tags = append(s.tags, tag{"<" + strings.ToLower(name) + ">", holds}, tag{"[" + strings.ToLower(name) + "(", holds})
		}
		s.words = append(s.words, "name:", "tool:", "tool_name:", "function:", "action:", "Action:", "Tool:")
	}
	for _, t := range s.tags {
		s.starts[t.text[0]] = true
	}
}

// text takes a piece of the text.
func (s *splitter) text(t string) {
	for i := 0; i < len(t); i++ {
		s.step(t[i])
	}
	s.flush()
}

// thought takes a piece of thoughts that the server told apart.
func (s *splitter) thought(t string) {
	s.flush()
	s.thoughts.WriteString(t)
	s.nestAt = s.thoughts.Len()
	s.emit(Event{Kind: EventReasoning, Text: t})
}

// put adds bytes to what is shown or thought.
func (s *splitter) put(b ...byte) {
	kind := EventText
	if s.depth > 0 {
		kind = EventReasoning
	}
	if kind != s.outKind {
		s.flush()
		s.outKind = kind
	}
	s.out.Write(b)
}

func (s *splitter) flush() {
	if s.out.Len() == 0 {
		return
	}
	t := s.out.String()
	s.out.Reset()
	if s.outKind == EventReasoning {
		s.thoughts.WriteString(t)
	} else {
		s.shown.WriteString(t)
	}
	s.emit(Event{Kind: s.outKind, Text: t})
}

func (s *splitter) step(c byte) {
	if s.holding {
		s.held.WriteByte(c)
		return
	}
	if s.block != nil {
		s.inBlock(c)
		return
	}
	s.pending = append(s.pending, c)
	s.settle(false)
}

// settle moves on what can no longer become a tag. final is true at the end.
func (s *splitter) settle(final bool) {
	for len(s.pending) > 0 {
		if s.starts[s.pending[0]] && s.tagsCount() {
			t, partial := match(s.tags, s.pending)
			if t != nil && !partial {
				s.pending = s.pending[len(t.text):]
				s.act(*t)
				if s.holding {
					s.held.Write(s.pending)
					s.pending = nil
				}
				continue
			}
			if partial && !final {
				return
			}
			if t != nil {
				s.pending = s.pending[len(t.text):]
				s.act(*t)
				continue
			}
		}
		if s.depth == 0 && s.lineStart && !s.fence && s.json.depth == 0 && len(s.words) > 0 {
			whole, partial := s.word()
			if partial && !final {
				return
			}
			if whole {
				s.hold(nil)
				continue
			}
		}
		c := s.pending[0]
		s.pending = s.pending[1:]
		s.plain(c)
		if s.block != nil && len(s.pending) > 0 {
			rest := s.pending
			s.pending = nil
			for i, b := range rest {
				if s.block == nil {
					s.pending = append(s.pending, rest[i:]...)
					break
				}
				s.inBlock(b)
				if s.holding {
					s.held.Write(rest[i+1:])
					break
				}
			}
		}
		if s.holding {
			s.held.Write(s.pending)
			s.pending = nil
		}
	}
}

// tagsCount reports whether a tag counts here: not in a string of JSON, not in
// code.
func (s *splitter) tagsCount() bool {
	return s.depth > 0 || !(s.json.depth > 0 && s.json.in) && !s.fence && s.ticks%2 == 0
}

// match looks for a tag at the start of b, without regard to case. partial is
// true if more bytes decide.
func match(tags []tag, b []byte) (found *tag, partial bool) {
	for i := range tags {
		t := tags[i].text
		n := min(len(t), len(b))
		if !strings.EqualFold(t[:n], string(b[:n])) {
			continue
		}
		if n < len(t) {
			partial = true
		} else if found == nil || len(t) > len(found.text) {
			found = &tags[i]
		}
	}
	return found, partial
}

// word reports whether the pending bytes begin with a word that begins a call.
func (s *splitter) word() (whole, partial bool) {
	p := string(s.pending)
	for _, w := range s.words {
		if strings.HasPrefix(p, w) {
			return true, false
		}
		partial = partial || strings.HasPrefix(w, p)
	}
	return false, partial
}

func (s *splitter) act(t tag) {
	switch t.effect {
	case opens:
		s.flush()
		s.repaired = true
		if s.depth == 0 {
			s.nestAt = s.thoughts.Len()
		}
		s.depth++
		s.opened = true
	case closes:
		s.flush()
		s.repaired = true
		switch {
		case s.depth > 0:
			s.depth--
			s.closedAt = s.thoughts.Len()
			if s.depth == 0 {
				s.lineStart, s.skip, s.ticks = true, true, 0
			}
		case !s.opened && t.text != "<|end|>" && t.text != "<|channel|>final<|message|>" && t.text != "<channel|>":
			// Only the end of the thoughts was sent: the template had opened
			// them.
			if s.shown.Len() > 0 {
				text := s.shown.String()
				s.shown.Reset()
				s.thoughts.WriteString(text)
				s.emit(Event{Kind: EventRetract})
				s.emit(Event{Kind: EventReasoning, Text: text})
			}
			s.opened = true
			s.lineStart, s.skip, s.json, s.ticks = true, true, jsonScan{}, 0
		}
	case drops:
		s.repaired = true
	case holds:
		if s.depth > 0 {
			s.put([]byte(t.text)...)
			return
		}
		s.hold([]byte(t.text))
	}
}

func (s *splitter) hold(prefix []byte) {
	s.holding = true
	s.held.Write(prefix)
	s.held.Write(s.pending)
	s.pending = nil
}

// plain takes a byte that belongs to no tag.
func (s *splitter) plain(c byte) {
	if s.depth > 0 {
		s.put(c)
		return
	}
	if s.skip {
		if c == ' ' || c == '\n' || c == '\r' || c == '\t' {
			return
		}
		s.skip = false
	}
	if s.lineStart && !s.fence && s.json.depth == 0 && s.tools != nil && len(s.tools.tools) > 0 {
		switch c {
		case '{', '[':
			s.block = []byte{c}
			s.blockEnd = bracketEnd(c)
			return
		case '`':
			s.block = []byte{c}
			s.blockEnd = fenceEnd
			return
		}
	}
	s.follow(c)
	s.put(c)
}

// bracketEnd returns a function that reports whether a block that began with a
// bracket is over: the bracket was closed, or it begins no JSON.
func bracketEnd(open byte) func([]byte) bool {
	scan, second := jsonScan{depth: 1}, false
	return func(b []byte) bool {
		c := b[len(b)-1]
		if !second && c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			second = true
			if open == '[' && strings.IndexByte("{[\"]", c) < 0 || open == '{' && strings.IndexByte("{[(<%|*", c) >= 0 {
				return true
			}
		}
		scan.step(c)
		return scan.depth <= 0
	}
}

// fenceEnd reports whether a block that began with a tick is over: it was no
// fence, or the fence was closed.
func fenceEnd(b []byte) bool {
	switch {
	case len(b) <= 3:
		return b[len(b)-1] != '`'
	case len(b) < 7:
		return false
	}
	return strings.HasSuffix(string(b[3:]), "\n```")
}

// follow keeps account of lines, code and JSON.
func (s *splitter) follow(c byte) {
	if s.json.depth > 0 {
		s.json.step(c)
	} else if c == '{' && s.lineStart {
		s.json = jsonScan{depth: 1}
	}
	switch c {
	case '\n':
		s.lineStart = true
		s.ticks = 0
		return
	case '`':
		s.ticks++
		if s.ticks == 3 && s.lineStart {
			s.fence = !s.fence
		}
		if s.ticks == 3 {
			s.ticks = 0
		}
		if s.lineStart && s.ticks > 0 {
			return // it may be the second of three
		}
	}
	if c != ' ' && c != '\t' && c != '\r' {
		if c == '[' && s.lineStart {
			return // a list of objects may follow
		}
		s.lineStart = false
	}
}

func (s *splitter) mostHeld() int {
	if s.textual {
		return maxHeld
	}
	return maxEcho
}

// inBlock takes a byte of a block that may be a call.
func (s *splitter) inBlock(c byte) {
	s.block = append(s.block, c)
	if most := s.mostHeld(); !s.blockEnd(s.block) && len(s.block) < most {
		return
	}
	s.endBlock()
}

// endBlock decides about a block of JSON: what may be a call, or the arguments
// of one, is held until the end of the answer, the rest is text.
func (s *splitter) endBlock() {
	block := s.block
	s.block = nil
	if mayBeCall(string(block), s.tools) {
		s.holding = true
		s.held.Write(block)
		return
	}
	for _, c := range block {
		s.follow(c)
		s.put(c)
	}
}

// mayBeCall reports whether JSON looks like a call of a tool, or like the
// arguments of one.
func mayBeCall(text string, tools *Toolbox) bool {
	for _, found := range jsontext.Candidates(text, 0) {
		if len(callsOf(found.JSON, tools)) > 0 {
			return true
		}
		var m map[string]json.RawMessage
		if json.Unmarshal(found.JSON, &m) != nil || len(m) == 0 {
			continue
		}
		for _, t := range tools.tools {
			all := true
			for k := range m {
				all = all && tools.schemas[t.Name].Has(k)
			}
			if all {
				return true
			}
		}
	}
	return false
}

// close ends the text. If thoughts are still open though an end of thoughts
// stands in them, what follows that end is text: models open twice and close
// once. Of an answer that was cut off it stays a thought.
func (s *splitter) close(cut bool) {
	if s.block != nil {
		s.endBlock()
	}
	s.settle(true)
	if s.block != nil {
		s.endBlock()
	}
	s.flush()
	if s.depth > 0 && s.closedAt > s.nestAt && !cut {
		all := s.thoughts.String()
		rest := strings.TrimLeft(all[s.closedAt:], " \r\n\t")
		s.thoughts.Reset()
		s.thoughts.WriteString(all[:s.closedAt])
		s.release(rest)
	}
	s.depth = 0
}

func (s *splitter) takeHeld() string {
	h := s.held.String()
	s.held.Reset()
	s.holding = false
	return h
}

// release shows what was held back.
func (s *splitter) release(t string) {
	if t == "" {
		return
	}
	s.shown.WriteString(t)
	s.emit(Event{Kind: EventText, Text: t})
}

func (s *splitter) content() string {
	return s.shown.String()
}

func (s *splitter) reasoning() string {
	t := s.thoughts.String()
	if s.repaired {
		t = strings.TrimSpace(t)
	}
	return t
}
