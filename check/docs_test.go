package check_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/check"
	"github.com/weft-memory/weft/internal/testenv"
	"github.com/weft-memory/weft/weaver/diag"
)

var update = flag.Bool("update", false, "write docs/check.md anew")

// The page docs/check.md is made of the rules, so that every code is in it.
func TestPageIsCurrent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(testenv.Root(), "docs", "check.md")
	want := page()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/check.md is not current: run go test ./check -run PageIsCurrent -update\n%s", diff)
	}
}

func page() string {
	var b strings.Builder
	b.WriteString(`<!-- Made of the rules in package check: go test ./check -run PageIsCurrent -update -->

# What ` + "`weft check`" + ` reports

` + "`weft check`" + ` reads books, reports all problems at once with file, line and column, and explains each. An *error* makes something fail; a *warning* is very likely a mistake; a *note* is worth knowing. The exit status is 1 if there are errors, with ` + "`--strict`" + ` also if there are warnings.

The rules would rather be silent than cry wolf. Ids and variable names that a template computes are taken for fine; give the host's variables with ` + "`--vars`" + ` and the names of characters with ` + "`--char`" + `, and more can be checked.

`)
	b.WriteString("| code | severity | what |\n| --- | --- | --- |\n")
	for _, r := range check.Rules() {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", r.Code, r.Code, r.Severity, strings.ReplaceAll(r.What, "|", `\|`))
	}
	for _, sev := range []diag.Severity{diag.Error, diag.Warning, diag.Note} {
		fmt.Fprintf(&b, "\n## %ss\n", strings.ToUpper(sev.String()[:1])+sev.String()[1:])
		for _, r := range check.Rules() {
			if r.Severity == sev {
				fmt.Fprintf(&b, "\n### %s\n\n%s %s *%s*\n", r.Code, r.What, r.Why, r.Do)
			}
		}
	}
	b.WriteString(`
## What readers report

Findings with other codes come from reading. Those of files begin with ` + "`meta-`" + ` (front matter, YAML, settings: a field of the wrong type, a slot that does not exist, an id given twice), ` + "`text-`" + ` (not UTF-8), ` + "`io-`" + ` (files that cannot be read) and ` + "`bundle-`" + ` (damaged bundles and images). All others are about templates and conditions that do not parse. The rest of the book is read all the same.
`)
	return b.String()
}
