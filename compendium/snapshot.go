package compendium

import (
	"slices"
	"strconv"
	"strings"
)

// SnapshotBudget is how many tokens a snapshot has unless the caller says
// otherwise.
const SnapshotBudget = 500

// SnapshotOptions say what a snapshot is made for.
type SnapshotOptions struct {
	// Budget is the most tokens; 0 means [SnapshotBudget].
	Budget int
	// Tokens counts; it defaults to [EstimateTokens].
	Tokens func(string) int
	// Lang defaults to English.
	Lang *Language
	// Viewer is the director unless it is set.
	Viewer Viewer
	// Scene is the place of the scene, an id or a name. If it is empty, it is
	// the place where somebody important was last said to be.
	Scene string
	// Cast are the ids of those present; empty means those who are at the
	// scene.
	Cast []string
	// Situation is one clause on what is going on, from the newest summary. It
	// is not shown to a character: a summary may tell anything.
	Situation string
	// Node and Op name the message and the operation that the state is as of;
	// they are passed through.
	Node, Op string
}

// Snapshot is what a director needs to know of the world to plan the next turn.
// It is worked out from the state alone: no model is asked, nothing is written,
// and an equal state gives equal bytes.
type Snapshot struct {
	// Text is the snapshot as prose, one line for each item.
	Text   string `json:"text"`
	Tokens int    `json:"tokens"`
	Budget int    `json:"budget"`
	AsOf   AsOf   `json:"as_of"`
	// Sections in their order; those without items are left out.
	Sections []SnapshotSection `json:"sections"`
	// Dropped counts what found no room, by section.
	Dropped map[string]int `json:"dropped,omitempty"`
}

// AsOf names the state that an answer is about.
type AsOf struct {
	Node  string `json:"node,omitempty"`
	Op    string `json:"op,omitempty"`
	Turn  int    `json:"turn"`
	Story string `json:"story,omitempty"`
}

// SnapshotSection is a section of a snapshot.
type SnapshotSection struct {
	Name  string         `json:"name"`
	Items []SnapshotItem `json:"items"`
}

// SnapshotItem is a line of a snapshot.
type SnapshotItem struct {
	// IDs are the entries that it is about.
	IDs  []string `json:"ids"`
	Text string   `json:"text"`
	// Secret says that some of the characters must not act on it.
	Secret bool `json:"secret,omitempty"`
}

// The sections with their share of the budget in hundredths, the most items, and
// the most tokens of one.
var snapshotSections = []struct {
	name        string
	share       int
	items, size int
}{
	{"now", 6, 1, 60},
	{"cast", 20, 6, 22},
	{"tensions", 18, 6, 18},
	{"plots", 20, 4, 30},
	{"threats", 12, 3, 22},
	{"elsewhere", 8, 4, 14},
	{"powers", 8, 3, 16},
	{"due", 8, 3, 16},
}

// candidate is a line that may come into a snapshot: clauses, of which the last
// are left out first.
type candidate struct {
	ids     []string
	head    string
	clauses []string
	secret  bool
	// minor lines are about what matters least; they take only room that
	// nothing else wants.
	minor bool
	score float64
}

// section is what may come into a section of a snapshot: the first candidates in
// their order, and how many more there are.
type section struct {
	list []candidate
	more int
}

// most is how many candidates of a section are looked at; of the rest only the
// number is told.
const most = 40

// firstOf makes a section of sorted things: those that matter before those that
// are minor.
func firstOf[T any](list []T, minor func(T) bool, make func(T) candidate) section {
	var s section
	for _, want := range []bool{false, true} {
		for _, x := range list {
			switch {
			case minor(x) != want:
			case len(s.list) >= most:
				s.more++
			default:
				c := make(x)
				c.minor = want
				s.list = append(s.list, c)
			}
		}
	}
	return s
}

// line returns the candidate with so many of its clauses.
func (c *candidate) line(clauses int) string {
	if clauses == 0 || len(c.clauses) == 0 {
		return c.head
	}
	sep := ": "
	if strings.HasSuffix(c.head, ":") || strings.Contains(c.head, ": ") {
		sep = "; "
	}
	if c.head == "" {
		return strings.Join(c.clauses[:clauses], "; ")
	}
	return c.head + sep + strings.Join(c.clauses[:clauses], "; ")
}

// Snapshot returns the snapshot of the world.
func (w *World) Snapshot(o SnapshotOptions) Snapshot {
	s := &snapshotter{w: w.For(o.Viewer), o: o}
	if s.o.Budget <= 0 {
		s.o.Budget = SnapshotBudget
	}
	if s.o.Tokens == nil {
		s.o.Tokens = EstimateTokens
	}
	if s.o.Lang == nil {
		s.o.Lang = LanguageFor("en")
	}
	s.setScene()
	return s.fill([]section{
		s.nowSection(), s.castSection(), s.tensions(), s.plots(), s.threats(), s.elsewhere(), s.powers(), s.due(),
	})
}

type snapshotter struct {
	w     *World
	o     SnapshotOptions
	scene Named
	cast  []*known
}

// setScene finds the place of the scene and who is there.
func (s *snapshotter) setScene() {
	w := s.w
	if s.o.Scene != "" {
		s.scene = Named{Name: s.o.Scene}
		if e := w.Entry(s.o.Scene); e != nil {
			s.scene = nameOf(e)
		} else if id, ok := w.Lookup(s.o.Scene, Location); ok {
			s.scene = nameOf(w.entries[id])
		}
	} else {
		s.scene = s.guessScene()
	}
	if len(s.o.Cast) > 0 {
		for _, id := range s.o.Cast {
			if k := w.known[w.follow(id)]; k != nil && !slices.Contains(s.cast, k) {
				s.cast = append(s.cast, k)
			}
		}
		return
	}
	if s.scene.Name == "" {
		return
	}
	for _, id := range s.at(s.scene) {
		if k := w.known[id]; k != nil && k.Type == Character && !k.ended {
			s.cast = append(s.cast, k)
		}
	}
}

// guessScene returns the place where the one who was placed last is; of several
// the most important one.
func (s *snapshotter) guessScene() Named {
	var best *known
	for _, k := range s.w.ofType(Character) {
		if k.placed < 0 || k.ended {
			continue
		}
		if best == nil || k.placed > best.placed || k.placed == best.placed && k.importance > best.importance {
			best = k
		}
	}
	if best == nil {
		return Named{}
	}
	r, _ := best.state("location").(Ref)
	return s.w.named(r, Location)
}

// at returns the ids of what is at a place or in places that are part of it, in
// order.
func (s *snapshotter) at(place Named) []string {
	g := s.w.Graph()
	id := place.ID
	if id == "" {
		id = ghostPrefix + keyPart(place.Name)
	}
	var out []string
	seen := map[string]bool{id: true}
	for list := []string{id}; len(list) > 0 && len(seen) < 256; list = list[1:] {
		for _, e := range g.at[list[0]] {
			switch {
			case e.To != list[0]:
			case e.Kind == "located_at":
				out = append(out, e.From)
			case e.Kind == "part_of" && !seen[e.From]:
				seen[e.From] = true
				list = append(list, e.From)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// fill chooses the lines that find room and writes them.
func (s *snapshotter) fill(lists []section) Snapshot {
	budget := s.o.Budget
	tail := 0
	if budget >= 150 {
		tail = 24 // the last line tells what was left out
	}
	f := &filling{s: s, lists: lists, taken: make([][]int, len(lists)), room: budget - tail}
	for i := range lists {
		f.taken[i] = make([]int, len(lists[i].list))
		for j := range f.taken[i] {
			f.taken[i][j] = -1
		}
	}
	spare := 0
	for i, sec := range snapshotSections {
		share := f.room*sec.share/100 + spare
		spare = share - f.take(i, share, false)
	}
	for _, i := range []int{3, 2, 4, 1} {
		spare -= f.take(i, spare, false)
	}
	for i := range lists {
		spare -= f.take(i, spare, true)
	}
	snap := f.write(tail > 0)
	for snap.Tokens > budget && len(f.order) > 0 { // a tokenizer need not add up
		last := f.order[len(f.order)-1]
		f.order = f.order[:len(f.order)-1]
		f.taken[last[0]][last[1]] = -1
		snap = f.write(tail > 0)
	}
	if snap.Tokens > budget {
		snap.Text, snap.Tokens, snap.Sections = "", 0, nil
	}
	return snap
}

// filling is a snapshot in the making.
type filling struct {
	s     *snapshotter
	lists []section
	// taken holds for each candidate how many of its clauses are in, -1 if it
	// is not; order is the order in which they came in.
	taken [][]int
	order [][2]int
	room  int
}

// take takes candidates of a section into so much room and returns how much they
// need.
func (f *filling) take(i, room int, minor bool) int {
	sec := snapshotSections[i]
	used, n := 0, 0
	for _, k := range f.taken[i] {
		if k >= 0 {
			n++
		}
	}
	for j := range f.lists[i].list {
		if f.taken[i][j] >= 0 || f.lists[i].list[j].minor != minor {
			continue
		}
		if n >= sec.items {
			break
		}
		c := &f.lists[i].list[j]
		head := 0
		if n == 0 {
			head = f.s.o.Tokens(f.s.title(i)) + 1
		}
		for k := len(c.clauses); k >= 0; k-- {
			line := c.line(k)
			if line == "" {
				break
			}
			cost := f.s.o.Tokens("- "+line) + 1
			if cost-1 > sec.size+2 && k > 0 || used+head+cost > room {
				continue
			}
			if cost-1 > sec.size+2 && c.head != "" && len(c.clauses) > 0 && cost > 2*sec.size {
				break // even its name is too long
			}
			f.taken[i][j] = k
			f.order = append(f.order, [2]int{i, j})
			used += head + cost
			n++
			break
		}
	}
	return used
}

func (s *snapshotter) title(i int) string { return s.o.Lang.phrase("snap_" + snapshotSections[i].name) }

// write writes what was taken.
func (f *filling) write(tail bool) Snapshot {
	s := f.s
	snap := Snapshot{Budget: s.o.Budget, AsOf: AsOf{Node: s.o.Node, Op: s.o.Op, Turn: s.w.turn, Story: s.w.now.Label}, Sections: []SnapshotSection{}}
	var b strings.Builder
	var left []string
	for i := range f.lists {
		var sec SnapshotSection
		dropped := f.lists[i].more
		for j := range f.lists[i].list {
			k := f.taken[i][j]
			if k < 0 {
				dropped++
				continue
			}
			c := &f.lists[i].list[j]
			sec.Items = append(sec.Items, SnapshotItem{IDs: c.ids, Text: c.line(k), Secret: c.secret})
		}
		name := snapshotSections[i].name
		if dropped > 0 {
			if snap.Dropped == nil {
				snap.Dropped = map[string]int{}
			}
			snap.Dropped[name] = dropped
			if i > 0 {
				left = append(left, s.o.Lang.phrase("snap_more", "n", strconv.Itoa(dropped), "what", s.o.Lang.label("", "snap."+name)))
			}
		}
		if len(sec.Items) == 0 {
			continue
		}
		sec.Name = name
		snap.Sections = append(snap.Sections, sec)
		b.WriteString(s.title(i) + "\n")
		for _, it := range sec.Items {
			b.WriteString("- " + it.Text + "\n")
		}
	}
	text := b.String()
	if tail && len(left) > 0 {
		for n := len(left); n > 0; n-- { // never at the cost of the rest
			if more := text + strings.Join(left[:n], ", ") + "\n"; s.o.Tokens(more) <= s.o.Budget {
				text = more
				break
			}
		}
	}
	snap.Text, snap.Tokens = text, s.o.Tokens(text)
	return snap
}
