// Stdlibdoc writes docs/stdlib.md, the reference of the standard library of the
// weaver language, from the signatures in the registry. The results of its
// examples are computed, not written by hand.
//
//	go run ./internal/gen/stdlibdoc -o docs/stdlib.md
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/stdlib"
)

func main() {
	out := flag.String("o", "docs/stdlib.md", "file to write")
	flag.Parse()
	page, err := render()
	if err == nil {
		err = os.WriteFile(*out, page, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "stdlibdoc:", err)
		os.Exit(1)
	}
}

const intro = `# The standard library

<!-- Generated from the signatures by internal/gen/stdlibdoc. Do not edit: run go generate ./weaver/stdlib. -->

What every template can call. Commands, ` + "`$[name(…)]`" + `, read and change variables.
Processors, ` + "`@[group.name(…)]`" + `, compute a value and change nothing. Arguments may be
named (` + "`min: 1, max: 6`" + `) or stand in the order of the tables (` + "`1, 6`" + `).

Unless a description says otherwise, an argument that is missing or has another
type counts as its default. Positions and lengths count characters (code
points) from 0; fractions in them are dropped, and negative ones count as 0.
A result that would be larger than the limits of the evaluation ends in the
error ` + "`resource_limit`" + ` before it is made. Random draws come from the seed of the
evaluation: the same seed gives the same draws.

The results in the examples were computed with seed 1 and these variables:

` + "```json\n%s\n```\n"

// variables are what the examples can refer to.
var variables = map[string]any{
	"state": map[string]any{
		"coins": 12,
		"crew":  []any{"Ansa", "Bo", "Teal"},
		"ship":  map[string]any{"name": "Heron", "masts": 2},
	},
}

func render() ([]byte, error) {
	registry := stdlib.NewRegistry()
	vars, err := weaver.FromGo(variables)
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	fmt.Fprintf(&page, intro, vars.AppendJSON(nil))
	group := ""
	for _, sig := range registry.Signatures() {
		if g := groupOf(sig); g != group {
			group = g
			fmt.Fprintf(&page, "\n## %s\n", group)
		}
		if err := writeSignature(&page, sig, registry); err != nil {
			return nil, err
		}
	}
	return page.Bytes(), nil
}

func groupOf(sig weaver.Signature) string {
	if sig.Kind == weaver.CommandKind {
		return "Commands"
	}
	name, _, _ := strings.Cut(sig.Name, ".")
	return name
}

func writeSignature(page *bytes.Buffer, sig weaver.Signature, registry *weaver.Registry) error {
	names := make([]string, len(sig.Params))
	for i, p := range sig.Params {
		names[i] = p.Name
	}
	call := sig.Name + "(" + strings.Join(names, ", ") + ")"
	if sig.Kind == weaver.CommandKind {
		call = "$[" + call + "]"
	} else {
		call = "@[" + call + "]"
	}
	fmt.Fprintf(page, "\n### `%s`\n\n%s", call, sig.Doc)
	if sig.Returns != "none" && sig.Returns != "" {
		fmt.Fprintf(page, " Result: %s.", sig.Returns)
	}
	page.WriteString("\n")
	if len(sig.Params) > 0 {
		page.WriteString("\n| parameter | type | default | |\n| --- | --- | --- | --- |\n")
		for _, p := range sig.Params {
			fmt.Fprintf(page, "| `%s` | %s | %s | %s |\n", p.Name, p.Type, defaultOf(p), p.Doc)
		}
	}
	list := examples[sig.Name]
	if len(list) == 0 {
		return fmt.Errorf("%s has no example: add one to examples.go", sig.Name)
	}
	page.WriteString("\n| example | gives |\n| --- | --- |\n")
	for _, src := range list {
		result, err := run(src, registry)
		if err != nil {
			return fmt.Errorf("example %s: %w", src, err)
		}
		if result != "" {
			result = "`" + strings.ReplaceAll(result, "\n", "↵") + "`"
		}
		fmt.Fprintf(page, "| `%s` | %s |\n", cell(src), cell(result))
	}
	return nil
}

// cell makes a text fit into a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

func defaultOf(p weaver.Param) string {
	switch {
	case p.Required:
		return "required"
	case p.Default.IsNone():
		return ""
	case p.Default.Kind() == weaver.KindString && p.Default.Len() == 0:
		return "`\"\"`"
	}
	return "`" + string(p.Default.AppendJSON(nil)) + "`"
}

// run renders an example with variables of its own, so that examples do not
// see each other's changes.
func run(src string, registry *weaver.Registry) (string, error) {
	template, list := weaver.Parse("example", src)
	if err := list.Err(); err != nil {
		return "", err
	}
	host := &weaver.MapHost{}
	for scope, vars := range variables {
		for name, x := range vars.(map[string]any) {
			v, err := weaver.FromGo(x)
			if err != nil {
				return "", err
			}
			if err := host.Set(scope, name, v); err != nil {
				return "", err
			}
		}
	}
	result, err := template.Render(context.Background(), entries{host}, weaver.Options{Registry: registry, Seed: 1})
	return result.Text, err
}

// entries is a host with one active entry in the book, and a second one in
// another.
type entries struct{ *weaver.MapHost }

func (entries) IsActive(id string) bool       { return id == "storm" }
func (entries) IsActiveGlobal(id string) bool { return id == "storm" || id == "plague" }
