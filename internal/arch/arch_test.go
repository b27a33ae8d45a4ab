// Package arch holds the test that keeps the arrows between packages pointing
// downwards.
package arch

import (
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/weft-memory/weft/internal/testenv"
)

const module = "github.com/weft-memory/weft"

// allowed lists, for each part, the parts whose packages it may import. A part
// is a top folder with all that is in it. Its own packages may import each
// other, and everybody may import internal. Test files are not looked at.
var allowed = map[string][]string{
	"weaver":     {},
	"match":      {},
	"tokens":     {},
	"llm":        {},
	"client":     {},
	"web":        {},
	"packaging":  {},
	"lore":       {"weaver"},
	"format":     {"lore", "weaver", "match"},
	"check":      {"weaver", "match", "lore", "format", "engine", "tokens"},
	"engine":     {"weaver", "match", "lore"},
	"resolve":    {"lore", "match"},
	"compendium": {"lore", "resolve"},
	// A view gives the engine its overlay, and a node keeps the engine's state.
	"memory":    {"lore", "engine", "resolve", "compendium"},
	"search":    {"match", "lore"},
	"sidecar":   {"weaver", "match", "lore", "format", "engine", "resolve", "compendium", "memory", "llm", "search", "tokens"},
	"turn":      {"weaver", "match", "lore", "format", "engine", "resolve", "compendium", "memory", "llm", "search", "tokens", "sidecar"},
	"store":     {"weaver", "lore", "engine", "resolve", "compendium", "memory", "search"},
	"world":     {"weaver", "match", "lore", "format", "engine", "resolve", "compendium", "memory", "search", "tokens", "turn", "store", "jobs"},
	"jobs":      {"lore", "resolve", "compendium", "memory", "search", "store"},
	"narrator":  {"weaver", "match", "lore", "format", "engine", "resolve", "compendium", "memory", "llm", "search", "tokens", "sidecar", "turn", "store", "jobs", "world"},
	"server":    {"weaver", "match", "lore", "format", "engine", "resolve", "compendium", "memory", "llm", "search", "tokens", "sidecar", "turn", "store", "jobs", "world", "narrator", "web", "client"},
	"gateway":   {"weaver", "match", "lore", "format", "engine", "resolve", "compendium", "memory", "llm", "search", "tokens", "sidecar", "turn", "store", "jobs", "world", "narrator"},
	"mcpserver": {"weaver", "match", "lore", "format", "engine", "resolve", "compendium", "memory", "llm", "search", "tokens", "sidecar", "turn", "store", "jobs", "world", "narrator"},
	"cmd":       {"app"},
}

// anything marks the parts that may import everything: they wire or show the
// whole.
var anything = []string{"app", "examples", "internal"}

// pure lists the parts that a program which only wants the engine links. They
// know neither networks, nor databases, nor other programs.
var pure = []string{"weaver", "match", "lore", "engine", "tokens", "resolve", "compendium", "memory", "search"}

// remote lists the packages of pure parts that talk to servers; a program links
// them only by importing them.
var remote = []string{module + "/search/embed/openai"}

var technology = []string{"net", "net/http", "database/sql", "os/exec", "plugin"}

// The engine knows only these modules of others beside the Go project's own.
var engineModules = []string{"github.com/dlclark/regexp2", "go.yaml.in/yaml"}

type pkg struct {
	ImportPath string
	Imports    []string
	Deps       []string
	Standard   bool
}

func list(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,Deps,Standard", "./...")
	cmd.Dir = testenv.Root()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var pkgs []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); err == io.EOF {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

// part returns the top folder of one of our packages; "" for the root or a
// package of others.
func part(importPath string) string {
	rest, ok := strings.CutPrefix(importPath, module+"/")
	if !ok {
		return ""
	}
	top, _, _ := strings.Cut(rest, "/")
	return top
}

func TestArrowsPointDownwards(t *testing.T) {
	t.Parallel()
	pkgs := list(t)
	if len(pkgs) < 5 {
		t.Fatalf("go list found %d packages, want the whole module", len(pkgs))
	}
	for _, p := range pkgs {
		from := part(p.ImportPath)
		if from == "" || slices.Contains(anything, from) {
			continue
		}
		may, known := allowed[from]
		if !known {
			t.Errorf("%s: the part %s is not in the table of parts: add it to internal/arch", p.ImportPath, from)
			continue
		}
		for _, imported := range p.Imports {
			to := part(imported)
			if to == "" || to == from || to == "internal" || slices.Contains(may, to) {
				continue
			}
			t.Errorf("%s imports %s: %s may import only %s", p.ImportPath, imported, from, orNothing(may))
		}
	}
}

func TestTheEngineKnowsNoTechnology(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		if !slices.Contains(pure, part(p.ImportPath)) || slices.Contains(remote, p.ImportPath) {
			continue
		}
		for _, imported := range p.Imports {
			if slices.Contains(technology, imported) {
				t.Errorf("%s imports %s: the engine's packages know no network, database or other program", p.ImportPath, imported)
			}
		}
		if p.ImportPath != module+"/engine" {
			continue
		}
		for _, dep := range p.Deps {
			if bad := unwanted(dep); bad != "" {
				t.Errorf("importing %s links %s: a program that only wants the engine shall not get it", p.ImportPath, bad)
			}
		}
	}
}

// unwanted returns the dependency if a program that only wants the engine must
// not get it.
func unwanted(dep string) string {
	first, _, _ := strings.Cut(dep, "/")
	switch {
	case dep == "net/http", dep == "database/sql", dep == "os/exec":
		return dep
	case !strings.Contains(first, "."): // the standard library
		return ""
	case part(dep) != "", strings.HasPrefix(dep, "golang.org/x/"), strings.HasPrefix(dep, "vendor/"):
		return ""
	}
	for _, m := range engineModules {
		if dep == m || strings.HasPrefix(dep, m+"/") {
			return ""
		}
	}
	return dep
}

func orNothing(list []string) string {
	if len(list) == 0 {
		return "nothing of ours"
	}
	return strings.Join(list, ", ")
}

// Only the folder internal holds packages without meaning of their own, and
// what is called utility has no meaning at all.
func TestPackagesAreNamedForWhatTheyProvide(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		switch name := path.Base(p.ImportPath); name {
		case "util", "utils", "common", "helpers", "models", "misc", "shared":
			t.Errorf("%s: %q says nothing about what the package provides", p.ImportPath, name)
		}
	}
}
