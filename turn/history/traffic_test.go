package history_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weft-memory/weft/internal/testenv"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/turn/history"
)

// recording is a file of the format weft-traffic/1.
type recording struct {
	Frontend, Scenario string
	Steps              []step
}

type step struct {
	N       int
	Did     string
	Request *struct {
		Path    string
		Headers map[string]string
		Body    map[string]json.RawMessage
	}
	Reply    *string
	Replies  []string
	Aborted  bool
	Status   int
	Tree     *tree
	Expected expected
}

type tree struct {
	Nodes  []treeNode
	Path   []string
	Hidden []string
	Head   string
}

type treeNode struct {
	ID, Role, Name, Text string
	Parent               *string
	Was                  []string
}

type expected struct {
	Kind         string
	Parent       *string
	Node         *string
	Replaces     *string
	Edited       []string
	EditOf       *string
	SamePromptAs []int
	Twins        []string
	Fork         bool
	What         string
	Map          []struct {
		Message  int
		Node     string
		From, To int
	}
}

// request lays a recorded body open, as a gateway would.
func request(t testing.TB, path string, headers map[string]string, body map[string]json.RawMessage) *history.Request {
	t.Helper()
	req := &history.Request{Path: path}
	read := func(name string, into any) {
		if raw, ok := body[name]; ok {
			if err := json.Unmarshal(raw, into); err != nil && name != "stop" && name != "input" && name != "system" {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	var stream *bool
	read("stream", &stream)
	if stream != nil {
		req.Stream = history.Off
		if *stream {
			req.Stream = history.On
		}
	}
	read("max_tokens", &req.MaxTokens)
	read("stop", &req.Stop)
	read("prompt", &req.Prompt)
	req.System, _ = content(body["system"])
	if s, n := content(body["instructions"]); n > 0 {
		req.System = s
	}
	list := body["messages"]
	if len(list) == 0 {
		list = body["input"]
	}
	var messages []map[string]json.RawMessage
	_ = json.Unmarshal(list, &messages)
	for _, m := range messages {
		var role, name string
		_ = json.Unmarshal(m["role"], &role)
		_ = json.Unmarshal(m["name"], &name)
		if role == "developer" {
			role = "system"
		}
		text, parts := content(m["content"])
		_, calls := m["tool_calls"]
		req.Messages = append(req.Messages, history.Message{Role: lore.Role(role), Name: name, Text: text, Parts: parts, Calls: calls})
	}
	var metadata map[string]any
	read("metadata", &metadata)
	req.IDs = history.ReadIDs(func(name string) string {
		if v := headers[history.Prefix+name]; v != "" {
			return v
		}
		s, _ := metadata[name].(string)
		return s
	})
	req.Retry = history.ReadRetry(headers["x-stainless-retry-count"])
	return req
}

func content(raw json.RawMessage) (string, int) {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil {
		return s, min(1, len(raw))
	}
	var parts []struct{ Text string }
	if json.Unmarshal(raw, &parts) != nil {
		return "", 0
	}
	var out []string
	for _, p := range parts {
		if p.Text != "" {
			out = append(out, p.Text)
		}
	}
	return strings.Join(out, "\n\n"), len(out)
}

// memory is what a service would have written: a forest of messages.
type memory struct {
	index *history.Index
	nodes map[string]*kept
	n     int

	order    []string // of the nodes
	active   map[string]int64
	external map[string]string
	clock    int64
}

type kept struct {
	id, conv, parent string
	role             lore.Role
	name             string
	active           int64
	text             string
	was              []string
}

func newMemory() *memory {
	return &memory{index: history.NewIndex(), nodes: map[string]*kept{}, active: map[string]int64{}, external: map[string]string{}}
}

// put keeps a message.
func (m *memory) put(n *kept) {
	m.nodes[n.id] = n
	m.order = append(m.order, n.id)
	m.touch(n)
}

// touch says that a message is on show.
func (m *memory) touch(n *kept) {
	m.clock++
	for ; n != nil; n = m.nodes[n.parent] {
		n.active, m.active[n.conv] = m.clock, m.clock
	}
}

// Wordings implements history.Source.
func (m *memory) Wordings(id string) []string {
	n := m.nodes[id]
	return append([]string{n.text}, n.was...)
}

func (m *memory) id(prefix string) string {
	m.n++
	return fmt.Sprint(prefix, m.n)
}

// carry carries a decision out and returns the id of the parent, and of the
// message that is continued.
func (m *memory) carry(d *history.Decision) (conv, parent, reply string) {
	conv = d.Conversation
	if !d.Kind.Writes() {
		m.index.Commit(d, conv, nil)
		return conv, d.Parent.Node, ""
	}
	if conv == "" {
		conv = m.id("c")
	}
	ids := make([]string, len(d.Writes))
	ref := func(r history.Ref) string {
		if r.Write > 0 {
			return ids[r.Write-1]
		}
		return r.Node
	}
	for i, w := range d.Writes {
		if w.Edit != "" {
			n := m.nodes[w.Edit]
			n.was = append(n.was, n.text)
			n.text = w.Text
			continue
		}
		ids[i] = m.id("m")
		m.put(&kept{id: ids[i], conv: conv, parent: ref(w.Parent), role: w.Role, name: w.Name, text: w.Text})
	}
	m.index.Commit(d, conv, ids)
	if d.External != "" {
		m.external[conv] = d.External
	}
	m.touch(m.nodes[ref(d.Parent)])
	return conv, ref(d.Parent), ref(d.Reply)
}

// answer writes what the model answered.
func (m *memory) answer(d *history.Decision, conv, parent, reply string, texts []string) (first string) {
	if !d.Kind.Writes() {
		return ""
	}
	for _, t := range texts {
		if strings.TrimSpace(t) == "" {
			continue
		}
		if d.Kind == history.Continue {
			n := m.nodes[reply]
			n.was = append(n.was, n.text)
			n.text = d.Shown + t
			m.index.Add(history.Node{ID: reply, Texts: []string{n.text}})
			return reply
		}
		id := m.id("m")
		m.put(&kept{id: id, conv: conv, parent: parent, role: lore.RoleAssistant, text: t})
		node := history.Node{ID: id, Conversation: conv, Parent: parent, Role: lore.RoleAssistant, Texts: []string{t}}
		if d.Prefill != "" {
			node.Texts = append(node.Texts, d.Prefill+t)
		}
		m.index.Add(node)
		if first == "" {
			first = id
		}
	}
	return first
}

// path returns the messages from the beginning to a node.
func (m *memory) path(id string) []*kept {
	var out []*kept
	for n := m.nodes[id]; n != nil; n = m.nodes[n.parent] {
		out = append(out, n)
	}
	slices.Reverse(out)
	return out
}

func squeeze(s string) string {
	s = strings.NewReplacer("“", `"`, "”", `"`, "’", "'", "‘", "'").Replace(s)
	return strings.Map(func(r rune) rune {
		if r <= ' ' || strings.ContainsRune("*_`~", r) {
			return -1
		}
		return r
	}, s)
}

// shows reports whether one of our messages is one of theirs.
func shows(ours *kept, theirs treeNode) bool {
	for _, t := range append([]string{theirs.Text}, theirs.Was...) {
		want := squeeze(t)
		for _, o := range append([]string{ours.text}, ours.was...) {
			if have := squeeze(o); want != "" && (strings.Contains(have, want) || len(have) > 8 && strings.Contains(want, have)) {
				return true
			}
		}
	}
	return false
}

type verdict string

const (
	right  verdict = "right"
	forked verdict = "needless fork"
	wrong  verdict = "wrong node"
	missed verdict = "not recognised"
)

// player replays one recording.
type player struct {
	mem     *memory
	same    map[string][]string // their node: ours
	chosen  map[int]string      // our parent at each step
	strict  bool
	ids     bool                          // the front end says what it does
	form    func(*history.Request, *step) // how the request is sent instead
	t       testing.TB
	verbose bool
}

func (p *player) judge(s *step, now *tree, d *history.Decision, parent string) (verdict, string) {
	if s.Expected.Parent == nil {
		return right, ""
	}
	want := *s.Expected.Parent
	byID := map[string]treeNode{}
	for _, n := range now.Nodes {
		byID[n.ID] = n
	}
	ours := p.mem.path(parent)
	if parent != "" && slices.Contains(p.same[want], parent) {
		return right, ""
	}
	for _, twin := range s.Expected.Twins {
		if parent != "" && slices.Contains(p.same[twin], parent) {
			return right, "twin"
		}
	}
	for _, n := range s.Expected.SamePromptAs {
		if parent != "" && p.chosen[n] == parent {
			return right, "same prompt"
		}
	}
	shown := map[string]bool{}
	for _, e := range s.Expected.Map {
		shown[e.Node] = true
	}
	var theirs []treeNode
	for id := want; id != ""; {
		n := byID[id]
		theirs = append(theirs, n)
		if n.Parent == nil {
			break
		}
		id = *n.Parent
	}
	slices.Reverse(theirs)
	if len(ours) == 0 {
		if !d.Kind.Writes() && len(p.same[want]) == 0 {
			return right, "nothing to land on"
		}
		if !d.Kind.Writes() {
			return missed, "lands on the beginning"
		}
		return wrong, "lands on the beginning"
	}
	// Every message of ours has to be one of theirs, in order, the last the last.
	i, j := len(ours)-1, len(theirs)-1
	if !shows(ours[i], theirs[j]) {
		return wrong, fmt.Sprintf("lands on %q, not on %q", ours[i].text, theirs[j].Text)
	}
	extra := ""
	for i, j = i-1, j-1; i >= 0; i-- {
		k := j
		for k >= 0 && !shows(ours[i], theirs[k]) {
			k--
		}
		if k < 0 {
			if theirsAreHidden(theirs[:j+1], shown) && len(shown) > 0 {
				break // ours goes on before what is shown
			}
			extra = fmt.Sprintf("has %q before it", ours[i].text)
			break
		}
		for _, n := range theirs[k+1 : j+1] {
			if shown[n.ID] && n.Role != "system" && !shows(ours[i+1], n) { // narration looks like lore at a depth
				return wrong, fmt.Sprintf("lacks %q, which is shown", n.Text)
			}
		}
		j = k - 1
	}
	if extra != "" {
		return wrong, extra
	}
	if len(p.same[want]) > 0 && len(s.Expected.Edited) == 0 && d.Kind.Writes() && !p.edited(theirs) {
		return forked, fmt.Sprintf("%s is %v already, lands on %s", want, p.same[want], parent)
	}
	return right, ""
}

// edited reports whether the end of a path was edited since we knew it: an edit
// may be a sibling.
func (p *player) edited(theirs []treeNode) bool {
	for _, n := range theirs[max(0, len(theirs)-3):] {
		for _, id := range p.same[n.ID] {
			if o := p.mem.nodes[id]; o != nil && !strings.Contains(squeeze(o.text), squeeze(n.Text)) {
				return true
			}
		}
	}
	return false
}

func theirsAreHidden(list []treeNode, shown map[string]bool) bool {
	return !slices.ContainsFunc(list, func(n treeNode) bool { return shown[n.ID] })
}

// kindOK compares the kinds.
//
// A new reply to a prompt that was asked before is a swipe on the wire, also
// where the person took the old reply away first; and what is asked for the
// first time is no swipe, also where the front end calls it so.
func kindOK(s *step, d *history.Decision, asked bool) bool {
	switch s.Expected.Kind {
	case "side":
		return d.Kind == history.Side
	case "impersonate", "continue", "tool-result":
		return string(d.Kind) == s.Expected.Kind
	case "swipe", "regenerate":
		return d.Kind == history.Swipe || d.Kind == history.Regenerate || d.Kind == history.Next && !asked
	}
	return d.Kind == history.Next || d.Kind == history.Swipe && (asked || len(s.Expected.SamePromptAs)+len(s.Expected.Twins) > 0)
}

type tally struct{ turns, right, forks, wrong, missed, kinds, sides, sideWrites int }

type miss struct {
	n     int
	what  string
	grave bool // a wrong node, or a write by a side call: never to be listed
}

func (p *player) play(rec *recording) (sum tally, misses []miss) {
	for i := range rec.Steps {
		s := &rec.Steps[i]
		now := s.Tree
		for j := i; now == nil && j < len(rec.Steps); j++ {
			now = rec.Steps[j].Tree
		}
		if s.Request == nil {
			continue
		}
		body := s.Request.Body
		req := request(p.t, s.Request.Path, s.Request.Headers, body)
		if !p.strict {
			req.IDs = history.IDs{Last: -1}
		}
		if p.form != nil {
			p.form(req, s)
		}
		before := len(p.mem.nodes)
		d := p.mem.index.Resolve(req, p.mem)
		conv, parent, reply := p.mem.carry(d)
		if p.verbose {
			p.t.Logf("%d %s\n  want %s %v\n  have %s parent %s reply %v replaces %q writes %+v\n  %s", s.N, s.Did, s.Expected.Kind, deref(s.Expected.Parent), d.Kind, parent, d.Reply, d.Replaces, d.Writes, strings.Join(d.Trace, "\n  "))
		}
		asked := slices.ContainsFunc(rec.Steps[:i], func(o step) bool {
			return o.Expected.Parent != nil && s.Expected.Parent != nil && *o.Expected.Parent == *s.Expected.Parent && p.chosen[o.N] == parent
		})
		isSide := s.Expected.Kind == "side"
		if isSide {
			sum.sides++
			if d.Kind != history.Side {
				sum.sideWrites++
				misses = append(misses, miss{s.N, fmt.Sprintf("side call %s taken for %s", s.Expected.What, d.Kind), false})
			}
			if len(p.mem.nodes) != before {
				misses = append(misses, miss{s.N, "a side call wrote", true})
			}
			if d.Kind == history.Side {
				continue
			}
		} else {
			sum.turns++
			v, why := right, ""
			if d.Kind == history.Side {
				v, why = missed, "taken for a side call: "+strings.Join(d.Trace, "; ")
			} else {
				v, why = p.judge(s, now, d, parent)
			}
			switch v {
			case right:
				sum.right++
			case forked:
				sum.forks++
			case wrong:
				sum.wrong++
			case missed:
				sum.missed++
			}
			if v != right {
				misses = append(misses, miss{s.N, fmt.Sprintf("%s: %s", v, why), v == wrong})
			} else if s.Expected.Parent != nil && parent != "" {
				p.same[*s.Expected.Parent] = append(p.same[*s.Expected.Parent], parent)
			}
			if !kindOK(s, d, asked) {
				sum.kinds++
				misses = append(misses, miss{s.N, fmt.Sprintf("kind: %s taken for %s", s.Expected.Kind, d.Kind), false})
			}
			p.chosen[s.N] = parent
		}
		if s.Status >= 400 || s.Reply == nil {
			continue
		}
		texts := s.Replies
		if len(texts) == 0 {
			texts = []string{*s.Reply}
		}
		id := p.mem.answer(d, conv, parent, reply, texts)
		if s.Expected.Node != nil && id != "" {
			p.same[*s.Expected.Node] = append(p.same[*s.Expected.Node], id)
		}
	}
	return sum, misses
}

func deref(s *string) string {
	if s == nil {
		return "-"
	}
	return *s
}

func recordings(t testing.TB) map[string]*recording {
	t.Helper()
	out := map[string]*recording{}
	dir := testenv.Traffic(t, "")
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var rec recording
		if err := json.Unmarshal(raw, &rec); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		name, _ := strings.CutSuffix(filepath.Base(f), ".json")
		out[filepath.Base(filepath.Dir(f))+"/"+name] = &rec
	}
	if len(out) == 0 {
		t.Fatalf("no recordings in %s", dir)
	}
	return out
}

// listed reads the misses that are known, with their reasons.
func listed(t testing.TB) map[string]string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "misses.txt"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for l := range strings.Lines(string(raw)) {
		if l = strings.TrimSpace(l); l == "" || l[0] == '#' {
			continue
		}
		where, why, ok := strings.Cut(l, ": ")
		if !ok {
			t.Fatalf("misses.txt: %q gives no reason", l)
		}
		out[where] = why
	}
	return out
}

func TestTraffic(t *testing.T) {
	recs, known := recordings(t), listed(t)
	names := make([]string, 0, len(recs))
	for name := range recs {
		names = append(names, name)
	}
	slices.Sort(names)
	var all tally
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			p := &player{mem: newMemory(), same: map[string][]string{}, chosen: map[int]string{}, t: t, verbose: os.Getenv("WEFT_VERBOSE") != "", strict: true}
			sum, misses := p.play(recs[name])
			all.turns += sum.turns
			all.right += sum.right
			all.forks += sum.forks
			all.wrong += sum.wrong
			all.missed += sum.missed
			all.kinds += sum.kinds
			all.sides += sum.sides
			all.sideWrites += sum.sideWrites
			for _, m := range misses {
				why, listed := known[fmt.Sprintf("%s %d", name, m.n)]
				if listed && !m.grave {
					t.Logf("step %d: %s (listed: %s)", m.n, m.what, why)
					continue
				}
				t.Errorf("step %d: %s", m.n, m.what)
			}
		})
	}
	t.Logf("turns %d, parents right %d (%.2f %%), needless forks %d, wrong nodes %d, not recognised %d; kinds wrong %d; side calls %d, taken for turns %d",
		all.turns, all.right, 100*float64(all.right)/float64(all.turns), all.forks, all.wrong, all.missed, all.kinds, all.sides, all.sideWrites)
}
