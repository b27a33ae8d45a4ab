package app

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/internal/testenv"
)

// docs/cli.md is made of the command structs, between a head and a tail that
// are written by hand.
func TestReferenceIsCurrent(t *testing.T) {
	t.Parallel()
	want := reference(t)
	path := filepath.Join(testenv.Root(), "docs", "cli.md")
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/cli.md is not current: run go test ./app -run ReferenceIsCurrent -update\n%s", diff)
	}
}

func reference(t *testing.T) string {
	t.Helper()
	part := func(name string) string {
		text, err := os.ReadFile(filepath.Join("testdata", "cli", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var b strings.Builder
	b.WriteString("<!-- Made of the commands in package app: go test ./app -run ReferenceIsCurrent -update -->\n\n")
	b.WriteString(part("head.md"))
	for _, node := range model(t).Children {
		if node.Type == kong.CommandNode {
			writeCommand(&b, node)
		}
	}
	b.WriteString(part("tail.md"))
	return b.String()
}

func model(t *testing.T) *kong.Application {
	t.Helper()
	env := &env{
		ctx: t.Context(), opts: Options{Name: "weft"},
		out: newConsole(io.Discard, func(string) string { return "" }), err: newConsole(io.Discard, func(string) string { return "" }),
	}
	k, err := newParser(new(commands), env)
	if err != nil {
		t.Fatal(err)
	}
	return k.Model
}

func writeCommand(b *strings.Builder, node *kong.Node) {
	fmt.Fprintf(b, "## `weft %s`\n\n%s\n\n```\nweft %s\n```\n\n", node.Name, node.Help, usage(node))
	about, examples, _ := strings.Cut(node.Detail, "\n\nExample")
	if strings.HasPrefix(node.Detail, "Example") {
		about, examples = "", strings.TrimPrefix(node.Detail, "Example")
	}
	if about != "" {
		fmt.Fprintf(b, "%s\n\n", about)
	}
	if len(node.Positional) > 0 || len(node.Flags) > 0 {
		b.WriteString("| argument | meaning |\n| --- | --- |\n")
		for _, p := range node.Positional {
			fmt.Fprintf(b, "| `%s` | %s |\n", p.Summary(), cellText(p.Help))
		}
		for _, f := range node.Flags {
			name := "--" + f.Name
			if f.Short != 0 {
				name = "-" + string(f.Short) + ", " + name
			}
			if !f.IsBool() {
				name += " " + f.PlaceHolder
			}
			fmt.Fprintf(b, "| `%s` | %s |\n", name, cellText(f.Help))
		}
		b.WriteByte('\n')
	}
	if examples != "" {
		_, lines, _ := strings.Cut(examples, "\n\n")
		b.WriteString("```\n")
		for line := range strings.Lines(lines) {
			b.WriteString(strings.TrimPrefix(line, "    "))
		}
		b.WriteString("\n```\n\n")
	}
}

func usage(node *kong.Node) string {
	parts := []string{node.Name}
	for _, p := range node.Positional {
		parts = append(parts, p.Summary())
	}
	for _, f := range node.Flags {
		if f.Required {
			parts = append(parts, "--"+f.Name+" "+f.PlaceHolder)
		}
	}
	return strings.Join(append(parts, "[flags]"), " ")
}

func cellText(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// Every command says what it does, has an example, and explains each flag.
func TestHelpIsComplete(t *testing.T) {
	t.Parallel()
	for _, node := range model(t).Children {
		if !strings.Contains(node.Detail, "Example") || !strings.Contains(node.Detail, "    weft "+node.Name) {
			t.Errorf("weft %s --help has no example", node.Name)
		}
		if !strings.HasSuffix(node.Help, ".") {
			t.Errorf("weft %s: help should be a sentence: %q", node.Name, node.Help)
		}
		for _, f := range node.Flags {
			if !strings.HasSuffix(f.Help, ".") && !strings.HasSuffix(f.Help, "}.") {
				t.Errorf("weft %s --%s: help should be a sentence: %q", node.Name, f.Name, f.Help)
			}
		}
	}
}
