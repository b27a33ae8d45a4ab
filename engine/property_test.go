package engine_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/match"
	"github.com/weft-memory/weft/weaver/stdlib"
)

// pieces make texts in which folding, borders, and seams matter.
var pieces = []string{
	"mill", "Mill", "MILL", "ring", "spring", "straße", "STRASSE", "é", "e\u0301", "ΟΔΟΣ", "οδος", "水車", "ｍｉｌｌ",
	"a", "b", " ", " ", "\n", ".", "-", "\xff",
}

func genText(least, most int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), least, most).Draw(t, "pieces"), "")
	})
}

// dialects are the policies that the properties are tried on.
var dialects = map[string]func() lore.Policy{
	"weaver":      lore.PolicyWeaver,
	"suzune":      lore.PolicySuzune,
	"sillytavern": plainTavern(lore.PolicySillyTavern),
	"tavern-1.19": plainTavern(lore.PolicySillyTavern119),
}

// allDialects are those and the ones in which more than the keys decides.
func allDialects() map[string]func() lore.Policy {
	all := maps.Clone(dialects)
	for _, p := range lore.Policies() {
		if _, ok := all[p.Name+", whole"]; !ok {
			all[p.Name+", whole"] = func() lore.Policy { return p }
		}
	}
	return all
}

// plainTavern switches off what makes more than the keys decide.
func plainTavern(f func() lore.Policy) func() lore.Policy {
	return func() lore.Policy {
		p := f()
		p.Recursive = false
		p.Budget = lore.Amount{N: 1 << 20, Unit: lore.UnitTokens}
		return p
	}
}

func genBook(policy lore.Policy, literal bool) *rapid.Generator[*lore.Book] {
	return rapid.Custom(func(t *rapid.T) *lore.Book {
		b := &lore.Book{ID: "book", Policy: policy, ScanDepth: lore.Messages(rapid.IntRange(0, 6).Draw(t, "depth"))}
		if rapid.Bool().Draw(t, "sensitive") {
			yes := true
			b.CaseSensitive = &yes
		}
		if rapid.Bool().Draw(t, "whole") {
			yes := rapid.Bool().Draw(t, "words")
			b.WholeWords = &yes
		}
		for i := range rapid.IntRange(1, 8).Draw(t, "entries") {
			b.Entries = append(b.Entries, genEntry(t, "e"+strconv.Itoa(i), literal))
		}
		return b
	})
}

func genEntry(t *rapid.T, id string, literal bool) *lore.Entry {
	e := lore.NewEntry(id, "Text of "+id+".")
	for range rapid.IntRange(1, 3).Draw(t, "keys") {
		e.Keys = append(e.Keys, lore.Key{Text: strings.TrimSpace(genText(1, 4).Draw(t, "key")) + "x"[:rapid.IntRange(0, 1).Draw(t, "x")], Kind: lore.KeyLiteral})
	}
	if rapid.Bool().Draw(t, "own depth") {
		e.ScanDepth = lore.Messages(rapid.IntRange(0, 4).Draw(t, "entry depth"))
	}
	if literal {
		return e
	}
	e.Priority = rapid.IntRange(99, 101).Draw(t, "priority")
	e.InsertionOrder = rapid.IntRange(0, 2).Draw(t, "order")
	e.Constant = rapid.IntRange(0, 5).Draw(t, "constant") == 0
	e.Sticky = rapid.IntRange(0, 2).Draw(t, "sticky")
	e.Cooldown = rapid.IntRange(0, 3).Draw(t, "cooldown")
	e.Disabled = rapid.IntRange(0, 7).Draw(t, "disabled") == 0
	if rapid.Bool().Draw(t, "roll") {
		p := rapid.Float64Range(0, 100).Draw(t, "probability")
		e.Probability = &p
	}
	if rapid.IntRange(0, 3).Draw(t, "secondary") == 0 {
		logic := rapid.SampledFrom([]lore.Logic{lore.AnyOf, lore.AllOf, lore.NoneOf, lore.NotAllOf}).Draw(t, "logic")
		e.Clauses = []lore.Clause{{Logic: logic, Keys: lore.LiteralKeys(genText(1, 2).Draw(t, "second"))}}
	}
	if rapid.IntRange(0, 3).Draw(t, "regex") == 0 {
		e.Keys = append(e.Keys, lore.Key{Text: rapid.SampledFrom([]string{`mill.*ring`, `^a`, `(?i)spring\b`, `b\s+a`, `水`}).Draw(t, "pattern"), Kind: lore.KeyRE2})
	}
	return e
}

func genChat(t *rapid.T) []lore.Message {
	var out []lore.Message
	for range rapid.IntRange(0, 7).Draw(t, "messages") {
		m := lore.UserMessage(genText(0, 6).Draw(t, "message"))
		m.Name = rapid.SampledFrom([]string{"", "Ilse", "mill"}).Draw(t, "name")
		m.Hidden = rapid.IntRange(0, 7).Draw(t, "hidden") == 0
		out = append(out, m)
	}
	return out
}

func mustBuild(t testing.TB, b *lore.Book) *engine.Segment {
	t.Helper()
	s, list := engine.Build(b, engine.BuildOptions{})
	if err := list.Err(); err != nil {
		t.Fatalf("build: %v", err)
	}
	return s
}

func newEngine(t testing.TB, opts engine.Options) *engine.Engine {
	t.Helper()
	if opts.Registry == nil {
		opts.Registry = stdlib.NewRegistry()
	}
	e, err := engine.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func asJSON(t testing.TB, x any) string {
	t.Helper()
	raw, err := json.MarshalIndent(x, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestCacheNeverChangesTheResult runs a growing chat with no cache, with a fresh
// one for each turn, with one that lives on, and with one too small to keep
// anything.
func TestCacheNeverChangesTheResult(t *testing.T) {
	t.Parallel()
	for name, policy := range allDialects() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t, engine.Options{})
			rapid.Check(t, func(rt *rapid.T) {
				book := genBook(policy(), false).Draw(rt, "book")
				chat := genChat(rt)
				keysFromChat(rt, book, chat)
				s, _ := engine.Build(book, engine.BuildOptions{})
				ix := engine.NewIndex(s)
				warm, tiny := engine.NewCache(0), engine.NewCache(400)
				var state engine.State
				for n := 0; n <= len(chat); n++ {
					in := engine.Input{Messages: chat[:n], State: state, Seed: 7, Trace: engine.TraceAll}
					plain, err := e.Assemble(t.Context(), ix, in)
					if err != nil {
						rt.Fatal(err)
					}
					want := asJSON(t, plain)
					for _, c := range []*engine.Cache{engine.NewCache(0), warm, warm, tiny} {
						in.Cache = c
						got, err := e.Assemble(t.Context(), ix, in)
						if err != nil {
							rt.Fatal(err)
						}
						if diff := cmp.Diff(want, asJSON(t, got)); diff != "" {
							rt.Fatalf("message %d: (-no cache +cache):\n%s", n, diff)
						}
					}
					if state, err = e.Advance(t.Context(), ix, plain.State); err != nil {
						rt.Fatal(err)
					}
				}
			})
		})
	}
}

// TestScanFindsWhatANaiveSearchFinds compares the entries found with a search
// of the joined text for every key in the plainest way.
func TestScanFindsWhatANaiveSearchFinds(t *testing.T) {
	t.Parallel()
	for name, policy := range dialects {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t, engine.Options{})
			rapid.Check(t, func(rt *rapid.T) {
				book := genBook(policy(), true).Draw(rt, "book")
				chat := genChat(rt)
				keysFromChat(rt, book, chat)
				s, _ := engine.Build(book, engine.BuildOptions{})
				r, err := e.Assemble(t.Context(), engine.NewIndex(s), engine.Input{Messages: chat, Cache: engine.NewCache(0)})
				if err != nil {
					rt.Fatal(err)
				}
				var want, got []string
				for _, en := range book.Entries {
					var keys []string
					for _, k := range en.Keys {
						if naiveFinds(book, en, k.Text, chat) {
							keys = append(keys, k.Text)
						}
					}
					if book.Policy.ScanTogether && len(keys) > 0 {
						keys = nil // one key is enough there
						want = append(want, en.ID)
					} else if len(keys) > 0 {
						want = append(want, fmt.Sprintf("%s %q", en.ID, keys))
					}
				}
				for _, a := range r.Trace.Found {
					line := a.Entry
					if !book.Policy.ScanTogether {
						var keys []string
						for _, k := range a.Reason.Keys {
							keys = append(keys, k.Key)
						}
						line = fmt.Sprintf("%s %q", a.Entry, keys)
					}
					got = append(got, line)
				}
				slices.Sort(want)
				slices.Sort(got)
				if diff := cmp.Diff(want, got); diff != "" {
					rt.Fatalf("found (-naive +engine):\n%s", diff)
				}
			})
		})
	}
}

// keysFromChat makes some keys pieces of the joined chat, so that many match,
// over the borders of messages too.
func keysFromChat(t *rapid.T, b *lore.Book, chat []lore.Message) {
	text := joined(b, chat, len(chat))
	for _, e := range b.Entries {
		if len(text) == 0 || rapid.Bool().Draw(t, "own key") {
			continue
		}
		i := rapid.IntRange(0, len(text)-1).Draw(t, "from")
		j := min(len(text), i+rapid.IntRange(1, 12).Draw(t, "length"))
		key := strings.ToValidUTF8(text[i:j], "")
		if !strings.ContainsFunc(key, unicode.IsLetter) {
			key += "a" // keys of blanks alone are a matter of each dialect
		}
		e.Keys = append(e.Keys, lore.Key{Text: key, Kind: lore.KeyLiteral})
	}
}

// joined is the text of the last messages as the dialect joins them.
func joined(b *lore.Book, chat []lore.Message, depth int) string {
	p := b.Policy
	var texts []string
	for _, m := range chat {
		if m.Hidden {
			continue
		}
		text := m.Content
		if p.Join.Names && m.Name != "" {
			text = m.Name + ": " + text
		}
		if p.Join.Trim {
			text = match.TrimJS(text)
		}
		texts = append(texts, text)
	}
	texts = texts[max(0, len(texts)-depth):]
	if p.Join.NewestFirst {
		slices.Reverse(texts)
	}
	if depth == 0 || len(texts) == 0 {
		return p.Join.Lead
	}
	return p.Join.Lead + strings.Join(texts, p.Join.Separator)
}

func naiveFinds(b *lore.Book, e *lore.Entry, key string, chat []lore.Message) bool {
	p := b.Policy
	depth := int(b.ScanDepth.N)
	if e.ScanDepth != nil {
		depth = int(e.ScanDepth.N)
	}
	if depth == 0 {
		return false
	}
	text := joined(b, chat, depth)
	fold := match.FoldNFKC
	if p.Fold == lore.FoldLower {
		fold = match.FoldLower
	}
	if b.CaseSensitive != nil {
		fold = match.FoldNone
	}
	whole := p.Words != lore.WordsSubstring
	if b.WholeWords != nil {
		whole = *b.WholeWords
	}
	words := match.Substring
	switch {
	case whole && p.Words == lore.WordsUnicode:
		words = match.WholeWordUnicode
	case whole && p.Words == lore.WordsASCII:
		words = match.WholeWordASCII
	case whole:
		words = match.WholeWordPhrase
	}
	if p.ScanTogether {
		key = match.TrimJS(key)
	}
	if key == "" {
		return false
	}
	return len(match.Naive(key, fold, words, text)) > 0
}

// TestOverlayIsTheChangedBook compares an index with an overlay with one of the
// book as it would be with the changes made.
func TestOverlayIsTheChangedBook(t *testing.T) {
	t.Parallel()
	for name, policy := range allDialects() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t, engine.Options{})
			rapid.Check(t, func(rt *rapid.T) {
				book := genBook(policy(), false).Draw(rt, "book")
				s, _ := engine.Build(book, engine.BuildOptions{})
				ix := engine.NewIndex(s)
				base := len(book.Entries)
				changed, hidden := book.Clone(), map[string]bool{}
				for range rapid.IntRange(1, 3).Draw(rt, "rounds") {
					o := engine.Overlay{Put: map[string][]*lore.Entry{}, Hide: map[string][]string{}}
					for range rapid.IntRange(0, 3).Draw(rt, "put") {
						en := genEntry(rt, "e"+strconv.Itoa(rapid.IntRange(0, 10).Draw(rt, "id")), false)
						o.Put["book"] = append(o.Put["book"], en)
						delete(hidden, en.ID)
						if i := slices.IndexFunc(changed.Entries, func(x *lore.Entry) bool { return x.ID == en.ID }); i >= 0 {
							changed.Entries[i] = en
						} else {
							changed.Entries = append(changed.Entries, en)
						}
					}
					for range rapid.IntRange(0, 2).Draw(rt, "hide") {
						id := "e" + strconv.Itoa(rapid.IntRange(0, 10).Draw(rt, "id"))
						o.Hide["book"] = append(o.Hide["book"], id)
						hidden[id] = true
					}
					ix, _ = ix.Overlay(o)
					// An entry of the book keeps its place while it is hidden; one that an
					// overlay added is gone.
					added := slices.DeleteFunc(slices.Clone(changed.Entries[base:]), func(x *lore.Entry) bool { return hidden[x.ID] })
					changed.Entries = append(changed.Entries[:base], added...)
				}
				changed.Entries = slices.DeleteFunc(changed.Entries, func(x *lore.Entry) bool { return hidden[x.ID] })
				s2, _ := engine.Build(changed, engine.BuildOptions{})
				chat := genChat(rt)
				in := engine.Input{Messages: chat, Seed: 3}
				got, err := e.Assemble(t.Context(), ix, in)
				if err != nil {
					rt.Fatal(err)
				}
				want, err := e.Assemble(t.Context(), engine.NewIndex(s2), in)
				if err != nil {
					rt.Fatal(err)
				}
				if diff := cmp.Diff(asJSON(t, want), asJSON(t, got)); diff != "" {
					rt.Fatalf("(-built +overlay):\n%s", diff)
				}
			})
		})
	}
}

// TestAnEntryChangesNoOthersRolls adds entries to a book and looks at the rolls
// of those that were there.
func TestAnEntryChangesNoOthersRolls(t *testing.T) {
	t.Parallel()
	e := newEngine(t, engine.Options{})
	rapid.Check(t, func(rt *rapid.T) {
		half := 50.0
		book := &lore.Book{ID: "book", Policy: lore.PolicyWeaver()}
		for i := range 20 {
			en := lore.NewEntry("e"+strconv.Itoa(i), "@[core.rng(min: 1, max: 1000)]")
			en.Constant, en.Probability = true, &half
			book.Entries = append(book.Entries, en)
		}
		seed := rapid.Uint64().Draw(rt, "seed")
		blocks := func(b *lore.Book) map[string]string {
			r, err := e.Assemble(t.Context(), engine.NewIndex(mustBuild(t, b)), engine.Input{Seed: seed})
			if err != nil {
				rt.Fatal(err)
			}
			out := make(map[string]string)
			for _, b := range r.Blocks {
				out[b.Entry] = b.Content
			}
			return out
		}
		before := blocks(book)
		more := book.Clone()
		extra := lore.NewEntry("between", "@[core.rng(min: 1, max: 1000)]")
		extra.Constant, extra.Priority = true, rapid.IntRange(0, 200).Draw(rt, "priority")
		more.Entries = append(more.Entries, extra)
		after := blocks(more)
		delete(after, "between")
		if diff := cmp.Diff(before, after); diff != "" {
			rt.Fatalf("(-before +after):\n%s", diff)
		}
	})
}
