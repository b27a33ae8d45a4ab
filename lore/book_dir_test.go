package lore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/internal/testenv"
	"github.com/weft-memory/weft/weaver/diag"
)

func mapFS(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, src := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(src)}
	}
	return fsys
}

func loadFiles(t *testing.T, files map[string]string, opts ...LoadOption) (*Dir, diag.List) {
	t.Helper()
	d, list, err := LoadFS(t.Context(), mapFS(files), "book", opts...)
	if err != nil {
		t.Fatal(err)
	}
	return d, list
}

func ids(b *Book) string {
	var out []string
	for _, e := range b.Entries {
		out = append(out, e.ID)
	}
	return strings.Join(out, " ")
}

func TestLoadFindsFiles(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"beside", map[string]string{"b.weaver": "---\nid: b\n---\n", "a.weaver": "---\nid: a\n---\n", "x.txt": "x", ".h.weaver": "x"}, "a b"},
		{"entries only", map[string]string{"entries/b.weaver": "---\nid: b\n---\n", "a.weaver": "---\nid: a\n---\n"}, "b"},
		{"not deeper", map[string]string{"entries/b.weaver": "---\nid: b\n---\n", "entries/deep/c.weaver": "---\nid: c\n---\n"}, "b"},
		{"a file called entries", map[string]string{"entries": "x", "a.weaver": "---\nid: a\n---\n"}, "a"},
		{"nothing", map[string]string{"README.md": "x"}, ""},
		{"second replaces first", map[string]string{"a.weaver": "---\nid: x\n---\n1", "b.weaver": "---\nid: y\n---\n", "c.weaver": "---\nid: x\n---\n2"}, "x y"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, list := loadFiles(t, tt.files)
			if list.HasErrors() {
				t.Fatal(list)
			}
			if got := ids(d.Book()); got != tt.want {
				t.Errorf("entries %q, want %q", got, tt.want)
			}
			if d.Book().ID != "book" {
				t.Errorf("id %q, want that of the folder", d.Book().ID)
			}
		})
	}
}

func TestLoadReportsEachBadFileAndLoadsTheRest(t *testing.T) {
	d, list := loadFiles(t, map[string]string{
		"lorebook.yaml":      "token_budget: lots\ndefault_priority: 7\ndefault_slot: bakdrop\n",
		"entries/a.weaver":   "---\nid: a\nslot: settign\n---\nA",
		"entries/b.weaver":   "nope",
		"entries/c.weaver":   "---\nid: a\npriority: 100\n---\nC",
		"entries/d.weaver":   "---\nid: d\n---\n{# if #}",
		"entries/big.weaver": "---\nid: big\n---\n" + strings.Repeat("x", 200),
	}, WithLimits(Limits{FileBytes: 150}))
	var got []string
	for _, x := range list {
		if x.File != "entries/d.weaver" {
			got = append(got, LoadKind(x)+" "+x.String())
		} else if LoadKind(x) != KindTemplate || x.Line != 4 {
			t.Errorf("the body of d is reported as %s %v", LoadKind(x), x)
		}
	}
	want := []string{
		`meta_parse entries/b.weaver:1:1: no front matter: the first line must be --- (an entry begins with a line ---, its settings, and another line ---)`,
		`io entries/big.weaver: cannot be read: the file is larger than 150 bytes`,
		`meta_parse entries/c.weaver:2:5: warning: id "a" is taken by entries/a.weaver too; this file replaces that one (give one of the two another id)`,
		`meta_parse lorebook.yaml:1:15: token_budget: expected a whole number, a percentage such as "12%" or {n, unit}, got the text "lots"`,
		`meta_parse lorebook.yaml:3:15: default_slot: there is no slot "bakdrop" (did you mean backdrop?)`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("reports differ (-want +got):\n%s", d)
	}
	if got := ids(d.Book()); got != "a d" {
		t.Errorf("entries %q, want a and d", got)
	}
	if p := d.Book().Entry("a").Placement.Priority; p != 100 {
		t.Errorf("priority of a is %d, want its own", p)
	}
	if p := d.Book().Entry("d").Placement.Priority; p != 7 {
		t.Errorf("priority of d is %d, want the book's default", p)
	}
}

func TestUnknownSlotHasItsPlace(t *testing.T) {
	_, list := loadFiles(t, map[string]string{"a.weaver": "---\nid: a\nname: x\nfallback: [coda, settign]\n---\nA"})
	if len(list) != 1 || list[0].String() != `a.weaver:4:18: fallback[1]: there is no slot "settign" (did you mean setting?)` {
		t.Errorf("got %v", list)
	}
	_, list = loadFiles(t, map[string]string{
		"lorebook.yaml": "slots: [{name: rumours, after: backdrop}]\n",
		"a.weaver":      "---\nid: a\nslot: rumours\n---\nA",
	})
	if len(list) > 0 {
		t.Errorf("a slot of the book's own is reported: %v", list)
	}
}

func TestConfigReadsEverySetting(t *testing.T) {
	const src = `# Gull Point
format_version: 1
id: gull_point
name: Gull Point
description: A small harbour.
version: 1.2
policy: {base: weaver, max_active: 40, join: {separator: " "}}
namespaces:
  char: {access: readonly, description: From the host.}
  quest: {access: readwrite}
scan_depth: 6
token_budget: "12%"
group_budgets: {weather: 120}
case_sensitive_keywords: false
whole_words: true
accent_blind: true
recursive: false
default_priority: 90
default_slot: !at_depth 2
slots:
  - {name: rumours, after: backdrop}
similarity: true
reroll_on_swipe: true
author_url: "kept"
`
	c, list := ParseConfig("lorebook.yaml", []byte(src))
	if len(list) > 0 {
		t.Fatal(list)
	}
	policy := PolicyWeaver()
	policy.MaxActive, policy.Join = 40, Join{Separator: " "}
	yes, no, priority := true, false, 90
	want := &Book{
		ID: "gull_point", Name: "Gull Point", Description: "A small harbour.", Version: "1.2", FormatVersion: 1, Policy: policy,
		Namespaces: map[string]Namespace{"char": {ReadOnly, "From the host."}, "quest": {Access: ReadWrite}},
		ScanDepth:  Messages(6), Budget: Percent(12), GroupBudgets: map[string]int{"weather": 120},
		CaseSensitive: &no, WholeWords: &yes, AccentBlind: &yes, Recursive: &no, DefaultPriority: &priority, DefaultSlot: AtDepth(2),
		Slots: []SlotDecl{{Name: "rumours", After: SlotBackdrop}}, Similarity: &Similarity{}, RerollOnSwipe: true,
		Origin: c.Book().Origin, Ext: c.Book().Ext,
	}
	if d := cmp.Diff(want, c.Book()); d != "" {
		t.Errorf("settings differ (-want +got):\n%s", d)
	}
	if got := string(c.Book().Ext["weaver"]); got != `{"author_url":"kept"}` {
		t.Errorf("unknown settings %s", got)
	}
	b := c.Book().Clone()
	b.ScanDepth, b.Budget, b.Policy = Messages(3), Tokens(500), PolicySuzune()
	delete(b.Namespaces, "char")
	if err := c.SetBook(b); err != nil {
		t.Fatal(err)
	}
	wantSrc := strings.NewReplacer(
		"scan_depth: 6", "scan_depth: 3", `"12%"`, "500", `{base: weaver, max_active: 40, join: {separator: " "}}`, "suzune",
		"  char: {access: readonly, description: From the host.}\n", "",
	).Replace(src)
	if d := cmp.Diff(wantSrc, string(c.Bytes())); d != "" {
		t.Errorf("source differs (-want +got):\n%s", d)
	}
}

func TestConfigReports(t *testing.T) {
	tests := []struct{ src, want string }{
		{"policy: suzun\n", `1:9: policy: "suzun" is none of weaver, suzune, sillytavern, sillytavern-1.19, chara_card_v3, risu, novelai, agnai, kobold, aidungeon, chub, janitor, backyard (did you mean suzune?)`},
		{"policy: {base: weaver, max_activ: 3}\n", `1:9: policy: there is no choice "max_activ", did you mean max_active?`},
		{"policy: {base: weaver, words: asci}\n", `1:9: policy: words: "asci" is none of substring, unicode, ascii, risu, agnai, novelai`},
		{"namespaces: {a: {access: write}}\n", `1:26: namespaces.a.access: "write" is none of readonly, readwrite`},
		{"namespaces: {a: {}}\n", `1:14: namespaces.a: access is missing (add access: readonly or access: readwrite)`},
		{"group_budgets: {a: -1}\n", `1:20: group_budgets.a: -1 must not be negative or above 2147483647`},
		{"format_version: 2\n", `1:17: warning: format_version 2 is newer than 1, the newest known here: fields may be misread (update Weft)`},
		{"budget: 3\n", `1:1: warning: budget is not a field of Weft and has no effect (the field is token_budget)`},
		{"slots: [{name: a}]\nscan_depth: 1\ndefault_scan_depth: 2", `2:13: warning: scan_depth and default_scan_depth are one setting; scan_depth counts (keep one of the two)`},
	}
	for _, tt := range tests {
		_, list := ParseConfig("c", []byte(tt.src))
		if len(list) != 1 || list[0].String() != "c:"+tt.want {
			t.Errorf("%q: got %v, want %s", tt.src, list, tt.want)
		}
	}
}

func TestSaveWritesOnlyWhatChanged(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"lorebook.yaml":    "name: x # keep\n",
		"entries/a.weaver": "---\nid: a\n---\nA",
		"entries/b.weaver": "---\r\nid: b\r\n---\r\nB",
		"entries/c.weaver": "broken",
	}
	if err := os.CopyFS(dir, mapFS(files)); err != nil {
		t.Fatal(err)
	}
	d, list, err := LoadDir(t.Context(), dir)
	if err != nil || len(list) != 1 {
		t.Fatal(err, list)
	}
	if want := filepath.ToSlash(dir) + "/entries/c.weaver"; list[0].File != want {
		t.Errorf("the report names %s, want %s", list[0].File, want)
	}
	save := func(want ...string) {
		t.Helper()
		got, err := d.Save(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("written files differ (-want +got):\n%s", d)
		}
	}
	save()
	a := d.Book().Entry("a").Clone()
	a.Constant = true
	if err := d.SetEntry(a); err != nil {
		t.Fatal(err)
	}
	if err := d.SetEntry(NewEntry("new/one", "N")); err != nil {
		t.Fatal(err)
	}
	if !d.RemoveEntry("b") || d.RemoveEntry("b") {
		t.Error("RemoveEntry does not say whether there was an entry")
	}
	b := d.Book().Clone()
	b.Name = "Why"
	if err := d.SetBook(b); err != nil {
		t.Fatal(err)
	}
	save("lorebook.yaml", "entries/a.weaver", "entries/new_one.weaver", "entries/b.weaver")
	want := map[string]string{
		"lorebook.yaml":          "name: Why # keep\n",
		"entries/a.weaver":       "---\nid: a\nconstant: true\n---\nA",
		"entries/c.weaver":       "broken",
		"entries/new_one.weaver": "---\nid: new/one\n---\nN",
	}
	if d := cmp.Diff(want, readTree(t, dir)); d != "" {
		t.Errorf("files differ (-want +got):\n%s", d)
	}
	save()

	if err := os.WriteFile(filepath.Join(dir, "entries/a.weaver"), []byte("changed elsewhere"), 0o644); err != nil {
		t.Fatal(err)
	}
	a.Constant = false
	if err := d.SetEntry(a); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Save(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "entries/a.weaver changed on disk") {
		t.Errorf("Save overwrites a file that changed on disk: %v", err)
	}
}

func readTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		src, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		out[filepath.ToSlash(rel)] = string(src)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestLoadStaysInsideTheFolder(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.weaver")
	if err := os.WriteFile(outside, []byte("---\nid: secret\n---\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "link.weaver")); err != nil {
		t.Skip("no symbolic links here")
	}
	d, list, err := LoadDir(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Book().Entries) != 0 || len(list) != 1 || LoadKind(list[0]) != KindIO {
		t.Errorf("entries %q, reports %v", ids(d.Book()), list)
	} else if !strings.Contains(list[0].Message, "link") || list[0].Hint == "" {
		t.Errorf("the report %q does not say what is wrong and what to do", list[0])
	}
}

func TestLoadErrors(t *testing.T) {
	if _, _, err := LoadDir(t.Context(), filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("an absent folder loads")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := LoadFS(ctx, mapFS(map[string]string{"a.weaver": "---\nid: a\n---\n"}), "b"); err == nil {
		t.Error("a cancelled load succeeds")
	}
	_, list := loadFiles(t, map[string]string{"a.weaver": "---\nid: a\n---\n", "b.weaver": "---\nid: b\n---\n"}, WithLimits(Limits{Files: 1}))
	if len(list) != 1 || LoadKind(list[0]) != KindIO {
		t.Errorf("too many files: %v", list)
	}
}

func TestFileNamesOfIDs(t *testing.T) {
	d, err := NewDir(&Book{ID: "b", Policy: PolicyWeaver(), Entries: []*Entry{
		NewEntry("Mill", ""), NewEntry("mill", ""), NewEntry("../../etc", ""), NewEntry("nul", ""), NewEntry("水車", ""), NewEntry(strings.Repeat("x", 500), ""),
	}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range d.Files {
		got = append(got, f.Path())
	}
	want := []string{
		"entries/Mill.weaver", "entries/_.._etc.weaver", "entries/_nul.weaver", "entries/mill-2.weaver",
		"entries/" + strings.Repeat("x", 60) + ".weaver", "entries/水車.weaver",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("names differ (-want +got):\n%s", d)
	}
}

// The sample book loads without a report, and every file comes back as it was.
func TestFormatSampleContextWeaver(t *testing.T) {
	dir := filepath.Join(testenv.Formats(t, "samples"), "contextweaver")
	d, list, err := LoadDir(t.Context(), dir)
	if err != nil || len(list) > 0 {
		t.Fatal(err, list)
	}
	if got, want := ids(d.Book()), "ferry_bell harbour lighthouse old_slots"; got != want {
		t.Errorf("entries %q, want %q", got, want)
	}
	if got := d.Book().Entry("harbour").Slot; got != AtDepth(3) {
		t.Errorf("slot of harbour is %q", got)
	}
	again, err := NewDir(d.Book())
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if _, err := again.Save(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(readTree(t, dir), readTree(t, out)); d != "" {
		t.Errorf("files differ (-want +got):\n%s", d)
	}
}

func TestLargeInput(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	big := "---\nid: big\nkeywords: [x]\n---\n" + strings.Repeat("All work and no play.\n", 10<<20/22)
	f := parseOK(t, big)
	if err := f.Set("cooldown", 2); err != nil {
		t.Fatal(err)
	}
	if got, want := len(f.Bytes()), len(big)+len("cooldown: 2\n"); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
	files := map[string]string{}
	for i := range 100_000 {
		files[fmt.Sprintf("entries/%05d.weaver", i)] = fmt.Sprintf("---\nid: e%d\nkeywords: [k%d]\n---\nText %d.", i, i, i)
	}
	d, list := loadFiles(t, files)
	if len(list) > 0 || len(d.Book().Entries) != 100_000 {
		t.Errorf("%d entries, reports %v", len(d.Book().Entries), list)
	}
}

func TestHostileYAML(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'n'; c++ {
		p := string(c - 1)
		bomb += fmt.Sprintf("%c: &%c [*%s,*%s,*%s,*%s,*%s,*%s,*%s,*%s,*%s,*%s]\n", c, c, p, p, p, p, p, p, p, p, p, p)
	}
	tests := map[string]string{
		"alias bomb":     bomb,
		"alias cycle":    "a: &a [*a]\n",
		"deep flow":      "a: " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "\n",
		"deep flow open": "a: " + strings.Repeat("{a: ", 100_000) + "\n",
		"deep block":     "a:\n" + deepBlock(2000),
		"many keys":      manyKeys(20_000),
		"one long line":  "a: [" + strings.Repeat("x, ", 200_000) + "]\n",
		"many problems":  "keywords: [" + strings.Repeat("[], ", 100_000) + "]\n",
		"comments":       strings.Repeat("# c\n", 100_000),
		"anchors":        strings.Repeat("&a ", 50_000) + "\n",
		"question marks": strings.Repeat("? ", 50_000) + "\n",
		"dashes":         strings.Repeat("- ", 50_000) + "\n",
	}
	for name, yaml := range tests {
		t.Run(name, func(t *testing.T) {
			src := "---\nid: a\n" + yaml + "---\nx"
			f, list := ParseEntry("e.weaver", []byte(src))
			if string(f.Bytes()) != src {
				t.Error("bytes are lost")
			}
			if len(list) > maxProblems+1 {
				t.Errorf("%d findings", len(list))
			}
			if f.Entry() == nil && !list.HasErrors() {
				t.Error("no entry and no report")
			}
			if strings.HasPrefix(name, "alias") && !list.HasErrors() {
				t.Errorf("no report")
			}
		})
	}
}

func deepBlock(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i%400+1) + "a:\n")
	}
	return b.String()
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "key%d: %d\n", i, i)
	}
	return b.String()
}
