package history

import (
	"strings"

	"github.com/weft-memory/weft/lore"
)

// nothing says why a request is no turn whatever it shows; "" if it may be one.
func (r *resolver) nothing() string {
	path := strings.ToLower(r.req.Path)
	for _, p := range []string{"embedding", "tokenize", "count_tokens", "moderations", "rerank", "models", "images", "audio"} {
		if strings.Contains(path, p) {
			return "the path asks for no text"
		}
	}
	switch {
	case r.req.IDs.Kind == "quiet":
		return "the client says so"
	case r.req.MaxTokens == 1:
		return "it asks for one token only"
	case len(r.msgs) == 0:
		return "it has no messages"
	}
	return ""
}

// probes are what connection tests say.
var probes = []string{"hi", "hello", "test", "testing", "ping", "hey", "say hi", "say hello", "respond with ok", "say ok"}

// errands are words of a task about the chat, rather than of a turn in it. A text
// has to hold a word of each list of a row.
var errands = [][2][]string{
	{
		{"sum up", "summarize", "summarise", "summary", "recap", "zusammenfass", "résum", "resum", "要約", "总结", "總結"},
		{"story", "chat", "conversation", "so far", "up to now", "words", "messages", "roleplay", "events", "history", "sentence", "dialog", "geschichte", "gespräch", "对话", "故事", "会話"},
	},
	{
		{"title", "titel", "titre", "título", "标题", "タイトル"},
		{"conversation", "chat", "words", "concise", "generate", "short", "gespräch", "对话", "会話"},
	},
	{
		{"tags", "keywords", "follow-up", "follow up", "search quer", "autocomplet", "emotion", "mood", "sentiment", "classify", "classification", "image prompt", "visual"},
		{"generate", "suggest", "list", "choose", "one word", "categor", "task", "json", "output", "respond only", "reply only", "classify", "last message", "last turn", "conversation"},
	},
}

// errand reports whether a text gives a task about the chat.
func errand(s string) bool {
	if len(s) > 6000 {
		s = s[:3000] + s[len(s)-3000:]
	}
	s = strings.ToLower(s)
	holds := func(list []string) bool {
		for _, w := range list {
			if strings.Contains(s, w) {
				return true
			}
		}
		return false
	}
	for _, row := range errands {
		if holds(row[0]) && holds(row[1]) {
			return true
		}
	}
	return false
}

// urges are words of a text that asks to continue the last message.
var urges = []string{"continue", "go on", "keep going", "carry on", "weiter", "fortsetz", "continuez", "continúa", "продолж", "继续", "続け"}

func urge(s string) bool {
	s = strings.ToLower(s)
	if len(s) > 400 {
		return false
	}
	for _, w := range urges {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// speaksFor reports whether a text asks to write as the person.
func (r *resolver) speaksFor(s string) bool {
	low := strings.ToLower(s)
	if strings.Contains(low, "impersonat") {
		return true
	}
	names := []string{"user", "{{user}}", "me", "the user"}
	for name, role := range r.voices {
		if role == lore.RoleUser {
			names = append(names, strings.ToLower(name))
		}
	}
	for _, n := range names {
		for _, how := range []string{" as ", "point of view of ", "perspective of ", "reply for ", "speak for ", "turn of "} {
			if i := strings.Index(low, how+n); i >= 0 {
				rest := low[i+len(how)+len(n):]
				if rest == "" || !(rest[0] >= 'a' && rest[0] <= 'z') {
					return true
				}
			}
		}
	}
	return false
}

// raw says why a request that shows nothing known is no turn; "" if it may be
// the beginning of a conversation.
func (w *walker) raw() string {
	if w.req.IDs.Kind != "" {
		return ""
	}
	users, replies, system, known := 0, 0, 0, false
	var said string
	for i := range w.us {
		u := &w.us[i]
		switch {
		case u.tool:
		case u.role == lore.RoleSystem:
			system++
			known = known || w.h.knows(u.text, opening)
			for l := range strings.SplitSeq(u.text, "\n") {
				known = known || len(l) > 8 && w.h.knows(l, opening)
			}
		case u.role == lore.RoleUser:
			users++
			said = u.text
			if name, rest, ok := strings.Cut(said, ":"); ok && len(rest) < 20 && isName(name) {
				said = rest
			}
		default:
			replies++
		}
	}
	mixed := false
	for i := range w.msgs {
		mixed = mixed || w.msgs[i].mixed
	}
	first := ""
	if len(w.us) > 0 {
		first = w.us[0].text
	}
	switch {
	case w.req.Stream == On:
		return ""
	case len(w.places) > 0 && w.places[0].chained && mixed && w.conv >= 0 && !w.x.convs[w.conv].single && w.x.turns(w.conv) > 0:
		return "it holds the history in one message, which turns of this conversation do not"
	case mixed && (errand(first) || errand(w.msgs[0].Text)) && !known:
		return "it gives a task about a chat"
	case replies > 0 || users != 1 || known || len(w.places) > 0 && w.places[0].chained:
		return ""
	case system == 0 && contains(probes, strings.ToLower(strings.Trim(said, " .!?"))):
		return "it is a test of the connection"
	case errand(said) || system > 0 && errand(first):
		return "it gives a task about a chat"
	case w.x.habits.opens && system == 0:
		return "it has none of the text that turns of this client begin with"
	}
	return ""
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

// side makes the decision a side call.
func (w *walker) side(why string) {
	w.d.Kind, w.d.Writes, w.d.wording = Side, nil, nil
	w.trace("a side call: %s", why)
}

// decide says what is asked for.
func (w *walker) decide() {
	d := w.d
	d.Kind = Next
	d.Parent = w.ref
	d.stream = w.req.Stream
	d.Retry = w.req.Retry > 0
	if w.conv >= 0 {
		d.Conversation = w.x.convs[w.conv].id
	}
	for i := range w.msgs {
		d.single = d.single || w.msgs[i].mixed
	}
	w.kind()
	if d.Kind == Side || d.Kind == Impersonate {
		w.settle()
		d.Writes, d.wording = nil, nil
		w.spans()
		return
	}
	w.spans()
	w.study()
}

// kind finds out the kind.
func (w *walker) kind() {
	d := w.d
	if why := w.raw(); why != "" {
		w.side(why)
		return
	}
	if len(w.places) == 0 && w.prefill < 0 {
		w.side("it shows no message")
		return
	}
	last := w.lastPlace()
	end := w.lastText()
	asked := w.req.IDs.Kind
	switch {
	case w.tools(last):
		d.Kind = ToolResult
		w.trace("it brings the results of tools")
		return
	case asked == "impersonate":
		d.Kind = Impersonate
		w.trace("the client says that it asks for the person's words")
		return
	case asked == "continue" && last != nil:
		w.grows(last, "the client says so")
		return
	case w.prefill >= 0:
		d.Prefill = w.us[w.prefill].text
		w.trace("the last message is the beginning of the reply")
		w.turn(last)
		return
	case w.opens() == lore.RoleUser:
		d.Kind = Impersonate
		w.trace("the prompt ends where the person speaks")
		return
	case asked == "normal" || asked == "swipe" || asked == "regenerate":
		w.turn(last)
		switch {
		case d.Kind == Next && asked != "normal", d.Kind == Swipe && asked == "regenerate":
			d.Kind = Kind(asked)
		}
		return
	}
	after := w.behind(last)
	displaced := w.displaced(last)
	if last.role == lore.RoleAssistant && (last.node >= 0 || w.elsewhere) && last.unit == end && w.opens() != lore.RoleAssistant || w.continued(last) {
		w.grows(last, "the reply is the last message")
		return
	}
	if displaced && (last.unit == end || len(after) > 0) && (last.role == lore.RoleAssistant || last.unit == end) {
		w.grows(last, "it stands behind the text that ends turns")
		return
	}
	if len(after) > 0 {
		final := after[len(after)-1]
		text := w.h.unknown(w.us[final].text, ending)
		ends := text == "" || w.h.ends(text)
		switch {
		case w.h.knows(text, nudge) && last.role == lore.RoleAssistant:
			w.grows(last, "the text behind it asks for that")
			return
		case ends:
		case w.asks(last, after, text):
			return
		}
	} else if last.role == lore.RoleUser && w.req.Stream != On && errand(w.us[last.unit].text) {
		w.side("the last message gives a task about the chat")
		return
	}
	w.turn(last)
}

// asks finds out what a text behind the history asks for that does not end turns
// otherwise. It reports whether it asks for something else than a turn.
func (w *walker) asks(last *place, after []int, text string) bool {
	h := w.h
	tail := false // the text that ends turns stands there too
	for _, u := range after {
		tail = tail || h.unknown(w.us[u].text, ending) != strings.TrimSpace(w.us[u].text) || h.ends(w.us[u].text)
	}
	streams := Unset
	if w.conv >= 0 {
		streams = w.x.convs[w.conv].stream
	}
	if last.role == lore.RoleUser && !(streams == On && w.req.Stream != On) && (!tail || h.turns == 0) {
		return false // new text at the end of turns
	}
	switch {
	case w.speaksFor(text) && !errand(text):
		w.d.Kind = Impersonate
		w.trace("the text at the end asks for the person's words")
	case last.role == lore.RoleAssistant && urge(text) && !tail && w.req.Stream == On:
		w.grows(last, "the text at the end asks for that")
	case errand(text):
		w.side("the text at the end gives a task about the chat")
	case w.req.Stream != On && (streams == On || last.role == lore.RoleAssistant):
		w.side("text that ends no turn stands behind the last reply, and the answer is not streamed")
	case !tail && (h.turns == 0 || len(h.habits.tails) > 0):
		return false // new text at the end of turns
	default:
		w.d.Kind = Impersonate
		w.trace("text that ends no turn stands behind the last reply")
	}
	return true
}

// turn makes the decision a turn or a swipe.
func (w *walker) turn(last *place) {
	d := w.d
	if last == nil || last.node < 0 {
		if n := len(d.Writes); n > 0 {
			for _, wr := range d.Writes {
				d.Edited = d.Edited || wr.EditOf != ""
			}
		}
		if w.conv >= 0 && last != nil {
			for i := range w.places {
				if p := &w.places[len(w.places)-1-i]; p.node >= 0 {
					d.Branches = len(w.x.children(w.conv, p.node)) > 0
					break
				}
			}
		}
		return
	}
	for _, n := range w.x.children(w.conv, last.node) {
		if w.x.nodes[n].role == lore.RoleAssistant {
			d.Replaces = w.x.nodes[n].id
			if !d.Retry {
				d.Kind = Swipe
				w.trace("%s has the reply %s already", last.ref.Node, d.Replaces)
			}
			return
		}
	}
}

// grows makes the decision a continuation of the last message.
func (w *walker) grows(last *place, why string) {
	d := w.d
	d.Kind = Continue
	d.Reply, d.Shown = last.ref, w.us[last.unit].text
	if last.node >= 0 {
		d.Parent = Ref{}
		if p := w.x.before(last.node); p >= 0 {
			d.Parent = Ref{Node: w.x.nodes[p].id}
		}
	} else {
		d.Parent = d.Writes[last.ref.Write-1].Parent
	}
	w.trace("the last message is continued: %s", why)
}

func (w *walker) lastPlace() *place {
	if len(w.places) == 0 {
		return nil
	}
	return &w.places[len(w.places)-1]
}

// lastText returns the last unit that is no tool's.
func (w *walker) lastText() int {
	for u := len(w.us) - 1; u >= 0; u-- {
		if !w.us[u].tool {
			return u
		}
	}
	return -1
}

// behind returns the units behind a place.
func (w *walker) behind(p *place) []int {
	var out []int
	for u := p.unit + 1; u < len(w.us); u++ {
		if !w.us[u].tool && strings.TrimSpace(w.us[u].text) != "" {
			out = append(out, u)
		}
	}
	return out
}

// displaced reports whether text that ends turns stands before a message.
func (w *walker) displaced(p *place) bool {
	u := &w.us[p.unit]
	before := strings.TrimSpace(w.msgs[u.msg].Text[:u.from])
	if u.name != "" {
		before = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(before, ":"), u.name))
	}
	if before == "" || strings.HasSuffix(before, ":") && len(before) < 2*maxName {
		if u.msg == 0 {
			return false
		}
		before = strings.TrimSpace(w.msgs[u.msg-1].Text)
	}
	if p.unit > 0 && w.us[p.unit-1].tool {
		return false
	}
	last := before[strings.LastIndex(before, "\n\n")+1:]
	return w.h.knows(lastLine(before), ending) || w.h.knows(last, ending) || len(before) < 2000 && w.h.knows(before, ending)
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// tools reports whether the request goes on after calls of tools.
func (w *walker) tools(last *place) bool {
	if last == nil || last.role != lore.RoleUser {
		return false
	}
	for u := last.unit + 1; u < len(w.us); u++ {
		if w.us[u].tool {
			return true
		}
	}
	return false
}

// opens returns the role whose message the answer begins, where a prompt for text
// completion ends with the beginning of a message; "" otherwise.
func (w *walker) opens() lore.Role {
	if w.completion && len(w.msgs) > 0 && w.bare(&w.msgs[len(w.msgs)-1]) {
		return w.resolver.open
	}
	for i := range w.msgs {
		if m := &w.msgs[i]; m.open {
			text := strings.TrimRight(m.Text, ": \n")
			return w.voices[strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])]
		}
	}
	return ""
}

// continued reports whether a prompt for text completion ends in the middle of
// the last message.
func (w *walker) continued(last *place) bool {
	return w.completion && w.us[last.unit].msg == len(w.msgs)-1
}

// settle makes the place of a request that writes nothing one that exists.
func (w *walker) settle() {
	for i := len(w.places) - 1; i >= 0; i-- {
		if p := &w.places[i]; p.node >= 0 {
			w.d.Parent = p.ref
			return
		}
	}
	w.d.Parent = Ref{}
}

// spans says what each piece is.
func (w *walker) spans() {
	at := map[int]Ref{}
	for _, p := range w.places {
		at[p.unit] = p.ref
	}
	first := len(w.us)
	if len(w.places) > 0 {
		first = w.places[0].unit
	}
	for u := range w.us {
		p := &w.us[u]
		s := Span{Message: w.msgs[p.msg].index, From: w.msgs[p.msg].offset + p.from, To: w.msgs[p.msg].offset + p.to, Class: Injected}
		ref, placed := at[u]
		switch {
		case placed && ref.Write > 0:
			s.Class, s.Ref = Fresh, ref
		case placed:
			s.Class, s.Ref = Known, ref
		case u == w.prefill:
			s.Class = Prefill
		case p.tool:
			s.Class = Tool
		case p.node >= 0:
			s.Class, s.Ref = Known, Ref{Node: w.x.nodes[p.node].id}
		case p.role != lore.RoleSystem && u < first && !w.h.knows(p.text, injected):
			s.Class = Unplaced
		case p.role == lore.RoleAssistant:
			s.Class = Unplaced
		}
		w.d.Spans = append(w.d.Spans, s)
	}
}

// study takes down what is to be learned from a turn.
func (w *walker) study() {
	d := w.d
	d.names = map[string]lore.Role{}
	placed := map[int]bool{}
	first, last := len(w.us), -1
	perMessage := map[int]int{}
	end := w.lastText()
	for _, p := range w.places {
		placed[p.unit] = true
		first, last = min(first, p.unit), max(last, p.unit)
		u := &w.us[p.unit]
		if u.name != "" {
			d.names[u.name] = p.role
		}
		if perMessage[u.msg]++; perMessage[u.msg] > 1 && !w.msgs[u.msg].mixed {
			d.merged = true
		}
	}
	for u := range w.us {
		p := &w.us[u]
		if placed[u] || p.tool || p.node >= 0 || u == w.prefill {
			continue
		}
		how := injected
		switch {
		case p.role != lore.RoleSystem && !p.cut && !w.h.knows(p.text, injected):
			continue
		case p.role != lore.RoleSystem && p.cut && (u < last || !d.merged && !w.x.habits.merges):
			continue
		case d.Kind == Continue && u > last:
			how |= nudge
		case d.Kind == Continue:
		case u > last && u == end && d.Kind != ToolResult:
			how |= ending
		case u < first:
			how |= opening
		}
		w.learn(p.text, how)
	}
}
