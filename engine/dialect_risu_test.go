package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
)

// risuBook is an export of RisuAI of rows "comment|key|content".
func risuBook(t testing.TB, rows ...string) *lore.Book {
	t.Helper()
	type row struct {
		Key         string `json:"key"`
		Secondkey   string `json:"secondkey"`
		Insertorder int    `json:"insertorder"`
		Comment     string `json:"comment"`
		Content     string `json:"content"`
		Mode        string `json:"mode"`
		Always      bool   `json:"alwaysActive"`
		Selective   bool   `json:"selective"`
	}
	file := struct {
		Type string `json:"type"`
		Ver  int    `json:"ver"`
		Data []row  `json:"data"`
	}{Type: "risu", Ver: 1}
	for i, r := range rows {
		parts := strings.SplitN(r, "|", 3)
		file.Data = append(file.Data, row{Key: parts[1], Insertorder: i, Comment: parts[0], Content: parts[2], Mode: "normal", Always: parts[1] == ""})
	}
	raw, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return readFile(t, "risu.json", string(raw))
}

func TestRisuMatching(t *testing.T) {
	t.Parallel()
	book := risuBook(t,
		"partial|old mill|P.",
		"full|@@x|.", // replaced below
		"both|mill|@@exclude_keys_all old,mill\nNot with both.",
	)
	book.Entries[1] = risuBook(t, "full|mill|@@match_full_word\nF.").Entries[0]
	book.Entries[1].ID, book.Entries[1].InsertionOrder = "full", 1
	runDialect(t, book, []dialectCase{
		{"spaces do not count", engine.Input{Messages: says("the o ld mill,")}, "partial: P.\n"},
		{"full words stand between spaces", engine.Input{Messages: says("a mill here")}, "full: F.\nboth: Not with both.\n"},
		{"not if all are there", engine.Input{Messages: says("an old mill here")}, "partial: P.\nfull: F.\n"},
		{"no key over two messages", engine.Input{Messages: says("the old", "mill")}, "full: F.\n"},
	})
}

func TestRisuRecursion(t *testing.T) {
	t.Parallel()
	runDialect(t, risuBook(t,
		"a|quay|The ferry comes.", "b|ferry|Its bell rings.", "c|bell|@@unrecursive\nIt is bronze.", "d|bronze|Never.",
		"e|bell|@@no_recursive_search\nNot by others.",
	), []dialectCase{
		{"texts of others are searched", engine.Input{Messages: says("the quay")}, "a: The ferry comes.\nb: Its bell rings.\nc: It is bronze.\n"},
		{"the chat too", engine.Input{Messages: says("a bell")}, "c: It is bronze.\ne: Not by others.\n"},
	})
	off := risuBook(t, "a|quay|@@recursive\nThe ferry comes.", "b|ferry|Its bell rings.", "c|bell|Never.")
	no := false
	off.Recursive = &no
	runDialect(t, off, []dialectCase{{"one entry alone", engine.Input{Messages: says("the quay")}, "a: The ferry comes.\nb: Its bell rings.\n"}})
}

func TestRisuCounts(t *testing.T) {
	t.Parallel()
	// The whole chat counts, and the greeting that is no message.
	runDialect(t, risuBook(t, "after||@@activate_only_after 3\nA.", "every||@@activate_only_every 2\nE."), []dialectCase{
		{"1 + 1", engine.Input{Messages: says("x")}, "every: E.\n"},
		{"2 + 1", engine.Input{Messages: says("x", "y")}, "after: A.\n"},
		{"3 + 1", engine.Input{Messages: says("x", "y", "z")}, "after: A.\nevery: E.\n"},
	})
}

func TestRisuRollsInEachSweep(t *testing.T) {
	t.Parallel()
	// Two more sweeps follow the first, so an entry of 50 % gets three rolls.
	chain := risuBook(t, "a|quay|ferry", "b|ferry|bell", "c|bell|bronze", "coin|quay|@@probability 50\n@@unrecursive\nCoin.")
	once := risuBook(t, "coin|quay|@@probability 50\n@@unrecursive\nCoin.")
	e := newEngine(t, engine.Options{})
	fired := func(book *lore.Book) (n int) {
		ix := engine.NewIndex(mustBuild(t, book))
		for seed := range uint64(400) {
			if strings.Contains(blocks(assemble(t, e, ix, engine.Input{Messages: says("the quay"), Seed: seed})), "Coin") {
				n++
			}
		}
		return n
	}
	if n := fired(once); n < 160 || n > 240 {
		t.Errorf("one roll of 50 %% succeeds %d times of 400", n)
	}
	if n := fired(chain); n < 340 {
		t.Errorf("four rolls of 50 %% succeed %d times of 400, want about 375", n)
	}
}

func TestRisuInjections(t *testing.T) {
	t.Parallel()
	in := engine.Input{Messages: says("the quay")}
	runDialect(t, risuBook(t, "ship|quay|A ship lies there.",
		"mast|quay|@@inject_lore ship\nIts mast is broken.", "flag|quay|@@inject_lore ship\n@@inject_prepend\nA flag flies.",
		"name|quay|@@inject_lore ship\n@@inject_replace ship\nbrig",
	), []dialectCase{{"append, prepend, replace", in, "ship: A flag flies.\nA brig lies there.\nIts mast is broken.\n"}})

	book := risuBook(t, "mast|quay|@@inject_lore ship\nIts mast is broken.", "ship|weir|A ship.",
		"desc|quay|@@inject_at description\nShe limps.", "slot|quay|@@inject_at pt_extra\nMore.", "lost|quay|@@inject_at the_moon\nM.",
		"named|quay|@@position pt_names\nN.")
	r := assemble(t, newEngine(t, engine.Options{}), engine.NewIndex(mustBuild(t, book)), in)
	got := map[string]string{}
	for _, b := range r.Blocks {
		got[b.Name] = string(b.Where) + " " + b.Outlet
	}
	want := map[string]string{"mast": " ", "desc": "after_char ", "slot": "outlet pt_extra", "lost": " ", "named": "outlet pt_names"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"inject", "inject"}, codes(r)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestRisuBudget(t *testing.T) {
	t.Parallel()
	book := risuBook(t, "last||@@ignore_on_max_context\nL.", "low||@@priority -5\nLow.", "big||"+strings.Repeat("b", 400), "small||Small.")
	runDialect(t, book, []dialectCase{
		{"what does not fit is skipped", engine.Input{Budget: lore.Tokens(4)}, "last: L.\nlow: Low.\nsmall: Small.\n"},
		{"one entry goes before all others", engine.Input{Budget: lore.Tokens(3)}, "low: Low.\nsmall: Small.\n"},
	})
}
