package conformance

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/sillytavern"
	"github.com/weft-memory/weft/internal/testenv"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/match"
)

// utf16Tokens is the token rule of the cases: four UTF-16 units are a token.
type utf16Tokens struct{}

func (utf16Tokens) Count(s string) int { return (match.LenUTF16(s) + 3) / 4 }

// TestConformanceSillyTavern runs every case in the faithful mode, and those
// that do not show a fault of the reference in the default mode.
func TestConformanceSillyTavern(t *testing.T) {
	t.Parallel()
	modes := []struct {
		name   string
		policy lore.Policy
		skip   []string
	}{
		{"faithful", lore.PolicySillyTavern119(), nil},
		{"default", lore.PolicySillyTavern(), []string{"quirk", "st-bug", "malformed", "random"}},
	}
	for _, c := range readTavern(t, testenv.Conformance(t, "sillytavern")) {
		for _, mode := range modes {
			if c.Kind != "" || slices.ContainsFunc(c.Tags, func(tag string) bool { return slices.Contains(mode.skip, tag) }) {
				continue
			}
			t.Run(mode.name+"/"+c.ID, func(t *testing.T) {
				t.Parallel()
				c.run(t, mode.policy, false)
			})
		}
	}
}

// TestConformanceReports runs the rebuilt reports of users in the default mode.
func TestConformanceReports(t *testing.T) {
	t.Parallel()
	for _, c := range readTavern(t, testenv.Conformance(t, "reports")) {
		if c.Kind != "" {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			c.run(t, lore.PolicySillyTavern(), true)
		})
	}
}

// TestTavernRules runs cases of our own, one for each rule of a scan, in the
// modes that they name; only the fields that they give are compared.
func TestTavernRules(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"faithful", "default"} {
		policy := lore.PolicySillyTavern119()
		if mode == "default" {
			policy = lore.PolicySillyTavern()
		}
		for _, c := range readTavern(t, "testdata") {
			if len(c.Modes) > 0 && !slices.Contains(c.Modes, mode) {
				continue
			}
			for i := range c.Turns {
				if turn := &c.Turns[i]; mode == "default" && turn.ExpectDefault != nil {
					turn.Expect = turn.ExpectDefault
				}
			}
			t.Run(mode+"/"+c.ID, func(t *testing.T) {
				t.Parallel()
				c.run(t, policy, true)
			})
		}
	}
}

// readTavern reads every file of a folder: one with a list of cases, or a case.
func readTavern(t *testing.T, dir string) []*tavernCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s (%v)", dir, err)
	}
	var cases []*tavernCase
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var f tavernFile
		if err := json.Unmarshal(data, &f); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if f.Cases == nil {
			f.Cases = []json.RawMessage{data}
		}
		for _, raw := range f.Cases {
			var kind struct {
				ID   string `json:"id"`
				Kind string `json:"kind"`
			}
			if err := json.Unmarshal(raw, &kind); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if kind.Kind != "" {
				continue // conversions are tested beside their code
			}
			c := &tavernCase{}
			if err := json.Unmarshal(raw, c); err != nil {
				t.Fatalf("%s: %s: %v", name, kind.ID, err)
			}
			cases = append(cases, c)
		}
	}
	return cases
}

// run plays the turns of a case. With partial only the fields that a turn
// names are compared.
func (c *tavernCase) run(t *testing.T, policy lore.Policy, partial bool) {
	eng, err := engine.New(engine.Options{Tokenizer: utf16Tokens{}})
	if err != nil {
		t.Fatal(err)
	}
	policy = c.policy(policy)
	names, bindings := c.active()
	edits := map[string][]json.RawMessage{}
	state := engine.State{Books: c.timers()}
	var chat []lore.Message
	for n, turn := range c.Turns {
		chat = chat[:max(0, len(chat)-turn.Drop)]
		for _, m := range turn.Add {
			chat = append(chat, lore.Message{Name: m.Name, Content: m.Text})
		}
		for id, e := range turn.Edit {
			edits[id] = append(edits[id], e)
		}
		books := map[string]*lore.Book{}
		var segments []*engine.Segment
		for _, name := range names {
			b := c.book(t, name, edits, policy)
			books[name] = b
			seg, list := engine.Build(b, engine.BuildOptions{ID: name})
			if list.HasErrors() {
				t.Fatalf("turn %d: book %s: %v", n+1, name, list.Err())
			}
			segments = append(segments, seg)
		}
		if len(segments) == 0 {
			seg, _ := engine.Build(&lore.Book{ID: "none", Policy: policy}, engine.BuildOptions{})
			segments = append(segments, seg)
		}
		draws := &counted{Source: engine.List(0.5, turn.Random...)}
		in := engine.Input{
			Messages: slices.Clone(chat), State: state, Rand: draws, Kind: turn.Trigger, Injects: slices.Clone(c.Injects),
			Bindings: bindings, Context: 8192, Character: engine.Character{Name: "Bot", File: "bot"}, User: "User",
			Sources: map[lore.Source]string{}, Why: nil,
		}
		if turn.DryRun {
			in.Purpose = engine.PurposePreview
		}
		if s := c.Settings.MaxContext; s != nil {
			in.Context = *s
		}
		if ch := c.Character; ch != nil {
			in.Character = engine.Character{Name: ch.Name, File: ch.File}
			if ch.Tags != nil {
				in.Character.Tags = append([]string{}, *ch.Tags...)
			}
		}
		assign(&in.User, c.User)
		for name, text := range c.Sources {
			in.Sources[tavernSources[name]] = text
		}
		if note := c.AuthorsNote; note != nil && note.Scan {
			in.Injects = append(in.Injects, note.Text)
		}
		for _, f := range turn.Force {
			in.Picks = append(in.Picks, c.pick(t, books, f.ID, f.With))
		}
		r, err := eng.Assemble(t.Context(), engine.NewIndex(segments...), in)
		if err != nil {
			t.Fatalf("turn %d: %v", n+1, err)
		}
		got := c.result(r, books, draws.n)
		if !turn.DryRun {
			state = r.State
		}
		got.Timed = timed(state)
		compareTavern(t, n+1, got, turn.Expect, partial)
	}
}

func (c *tavernCase) book(t *testing.T, name string, edits map[string][]json.RawMessage, p lore.Policy) *lore.Book {
	t.Helper()
	table, err := format.NewTable(sillytavern.Codec())
	if err != nil {
		t.Fatal(err)
	}
	data := c.world(t, name, edits)
	doc, _, err := format.Read(context.Background(), table, format.Bytes(name+".json", data))
	if err != nil {
		t.Fatalf("book %s: %v\n%s", name, err, data)
	}
	b := doc.Books[0]
	b.Policy = p
	return b
}

// pick activates an entry from outside, with fields replaced.
func (c *tavernCase) pick(t *testing.T, books map[string]*lore.Book, id string, with json.RawMessage) engine.Pick {
	t.Helper()
	book, entry, _ := strings.Cut(id, ".")
	p := engine.Pick{Book: book, Entry: entry, Reason: "outside"}
	if with == nil {
		return p
	}
	b := c.book(t, book, map[string][]json.RawMessage{id: {with}}, books[book].Policy)
	p.Replace = b.Entry(entry)
	return p
}

// result translates what an assembly gave.
func (c *tavernCase) result(r *engine.Result, books map[string]*lore.Book, draws int) tavernResult {
	scan := r.Trace.Scans[0]
	got := tavernResult{Activated: refs(scan.Admitted), RandomDraws: draws, Skipped: refs(scan.Refused)}
	for _, s := range scan.Sweeps {
		got.Sweeps = append(got.Sweeps, refs(s))
	}
	if scan.Limit >= 0 {
		got.Budget.Limit = &scan.Limit
	}
	got.Budget.Overflowed = scan.Overflowed
	var before, after []string
	for _, b := range r.Blocks {
		switch b.Where {
		case lore.WhereBeforeChar:
			before = append(before, b.Content)
		case lore.WhereAfterChar:
			after = append(after, b.Content)
		case lore.WhereNoteTop:
			got.ANTop = append(got.ANTop, b.Content)
		case lore.WhereNoteBottom:
			got.ANBottom = append(got.ANBottom, b.Content)
		}
	}
	got.Before, got.After = strings.Join(before, "\n"), strings.Join(after, "\n")
	// The rest is in the order in which the reference walks: the last first.
	for _, b := range byOrder(r.Blocks) {
		switch b.Where {
		case lore.WhereExamplesTop:
			got.Examples = append([]tavernExample{{"before", b.Content}}, got.Examples...)
		case lore.WhereExamplesBottom:
			got.Examples = append([]tavernExample{{"after", b.Content}}, got.Examples...)
		case lore.WhereOutlet:
			if b.Outlet == "" {
				continue
			}
			if got.Outlets == nil {
				got.Outlets = map[string][]string{}
			}
			got.Outlets[b.Outlet] = append(got.Outlets[b.Outlet], b.Content)
		case lore.WhereAtDepth:
			got.depth(b, hasDepth(books[b.Book].Entry(b.Entry)))
		}
	}
	if note := c.AuthorsNote; note != nil && note.Active {
		parts := slices.Concat(got.ANTop, []string{note.Text}, got.ANBottom)
		text := strings.Join(parts, "\n")
		text = strings.TrimSuffix(strings.TrimPrefix(text, "\n"), "\n")
		got.Note = &text
	}
	return got
}

// byOrder returns the blocks as the reference walks them: by falling order,
// those of equal order as they were admitted.
func byOrder(blocks []engine.Block) []engine.Block {
	out := slices.Clone(blocks)
	slices.Reverse(out)
	slices.SortStableFunc(out, func(a, b engine.Block) int { return b.InsertionOrder - a.InsertionOrder })
	return out
}

// hasDepth reports whether the file gives the entry a depth.
func hasDepth(e *lore.Entry) bool {
	var raw map[string]json.RawMessage
	_ = json.Unmarshal(e.Origin.Raw, &raw)
	_, ok := raw["depth"]
	return ok
}

func (r *tavernResult) depth(b engine.Block, has bool) {
	role := b.Role
	if role == "" {
		role = lore.RoleSystem
	}
	same := func(d tavernDepth) bool { return d.Role == string(role) && d.Depth != nil && *d.Depth == b.Depth }
	if i := slices.IndexFunc(r.Depth, same); i >= 0 {
		r.Depth[i].Text = append([]string{b.Content}, r.Depth[i].Text...)
		return
	}
	d := tavernDepth{Role: string(role), Text: []string{b.Content}}
	if has {
		d.Depth = &b.Depth
	}
	r.Depth = append(r.Depth, d)
}

func timed(s engine.State) map[string]map[string]tavernTimer {
	out := map[string]map[string]tavernTimer{}
	add := func(effect, book string, list map[string]engine.MessageTimer) {
		for id, r := range list {
			if out[effect] == nil {
				out[effect] = map[string]tavernTimer{}
			}
			out[effect][book+"."+id] = tavernTimer{r.Start, r.End, r.Protected}
		}
	}
	for book, b := range s.Books {
		add("sticky", book, b.StickyUntil)
		add("cooldown", book, b.CooldownUntil)
	}
	return out
}

// compareTavern compares a turn. Absent fields are empty, unless only those
// that are there count.
func compareTavern(t *testing.T, turn int, got tavernResult, expect map[string]json.RawMessage, partial bool) {
	t.Helper()
	raw, err := json.Marshal(expect)
	if err != nil {
		t.Fatal(err)
	}
	var want tavernResult
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatalf("turn %d: expect: %v", turn, err)
	}
	if set, ok := expect["activatedSet"]; ok {
		if err := json.Unmarshal(set, &want.Activated); err != nil {
			t.Fatal(err)
		}
		slices.Sort(want.Activated)
		slices.Sort(got.Activated)
		expect["activated"] = set
	}
	blank := func(field string, clear func()) {
		if _, there := expect[field]; partial && !there {
			clear()
		}
	}
	blank("activated", func() { got.Activated = nil })
	blank("sweeps", func() { got.Sweeps = nil })
	blank("before", func() { got.Before = "" })
	blank("after", func() { got.After = "" })
	blank("depth", func() { got.Depth = nil })
	blank("anTop", func() { got.ANTop = nil })
	blank("anBottom", func() { got.ANBottom = nil })
	blank("examples", func() { got.Examples = nil })
	blank("outlets", func() { got.Outlets = nil })
	blank("timed", func() { got.Timed = nil })
	blank("budget", func() { got.Budget = want.Budget })
	blank("randomDraws", func() { got.RandomDraws = 0 })
	if _, there := expect["skippedForBudget"]; !there {
		got.Skipped = nil
	}
	if _, there := expect["authorsNote"]; !there {
		got.Note = nil
	}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("turn %d (-want +got):\n%s", turn, d)
	}
}
