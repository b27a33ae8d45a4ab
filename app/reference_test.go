package app

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
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
		t.Errorf("docs/cli.md is not current: run go test ./app -run Current -update\n%s", diff)
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
	b.WriteString("<!-- Made of the commands in package app: go test ./app -run Current -update -->\n\n")
	b.WriteString(part("head.md"))
	for _, group := range commandGroups {
		fmt.Fprintf(&b, "## %s\n\n", group.Title)
		if text, err := os.ReadFile(filepath.Join("testdata", "cli", group.Key+".md")); err == nil {
			b.Write(text)
			b.WriteByte('\n')
		}
		for _, node := range model(t).Children {
			if node.Group == nil || node.Group.Key != group.Key {
				continue
			}
			if len(node.Children) == 0 {
				writeCommand(&b, node)
				continue
			}
			fmt.Fprintf(&b, "### `weft %s`\n\n%s\n\n", node.Name, node.Help)
			for _, child := range node.Children {
				writeCommand(&b, child)
			}
		}
	}
	b.WriteString(part("tail.md"))
	return b.String()
}

// The settings in docs/configuration.md are those of the command structs.
func TestSettingsAreCurrent(t *testing.T) {
	t.Parallel()
	const begin, end = "<!-- settings: go test ./app -run Current -update -->\n", "<!-- end of settings -->\n"
	var b strings.Builder
	b.WriteString("| in the file | in the environment | meaning |\n| --- | --- | --- |\n")
	for _, s := range settingsOf(model(t)) {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", s.name, s.variable(), cellText(s.flag.Help))
	}
	path := filepath.Join(testenv.Root(), "docs", "configuration.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("docs/configuration.md has no place for the settings")
	}
	want := head + begin + "\n" + b.String() + "\n" + end + tail
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("docs/configuration.md is not current: run go test ./app -run Current -update\n%s", diff)
	}
}

func model(t *testing.T) *kong.Application {
	t.Helper()
	env := &env{
		ctx: t.Context(), opts: Options{Name: "weft"},
		settings: &settings{origins: map[string]origin{}},
		out:      newConsole(io.Discard, func(string) string { return "" }), err: newConsole(io.Discard, func(string) string { return "" }),
	}
	k, err := newParser(new(commands), env)
	if err != nil {
		t.Fatal(err)
	}
	return k.Model
}

func writeCommand(b *strings.Builder, node *kong.Node) {
	level := "###"
	if node.Depth() > 0 {
		level = "####"
	}
	fmt.Fprintf(b, "%s `%s`\n\n%s\n\n```\n%s\n```\n\n", level, node.FullPath(), node.Help, usage(node))
	about, examples, _ := strings.Cut(node.Detail, "\n\nExample")
	if strings.HasPrefix(node.Detail, "Example") {
		about, examples = "", strings.TrimPrefix(node.Detail, "Example")
	}
	if about != "" {
		fmt.Fprintf(b, "%s\n\n", about)
	}
	flags := slices.DeleteFunc(slices.Clone(node.Flags), func(f *kong.Flag) bool { return everywhere(node, f) })
	if len(node.Positional) > 0 || len(flags) > 0 {
		b.WriteString("| argument | meaning |\n| --- | --- |\n")
		for _, p := range node.Positional {
			fmt.Fprintf(b, "| `%s` | %s |\n", p.Summary(), cellText(p.Help))
		}
		for _, f := range flags {
			name := "--" + f.Name
			if f.Short != 0 {
				name = "-" + string(f.Short) + ", " + name
			}
			if f.Tag.Negatable != "" {
				name = "--[no-]" + f.Name
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

// everywhere reports whether a flag is one that all commands for worlds share:
// those stand in the page once.
func everywhere(node *kong.Node, f *kong.Flag) bool {
	for n := node; n != nil; n = n.Parent {
		if n.Group != nil && n.Group.Key == "worlds" {
			s, ok := settingOf(node, f)
			return ok && s.command == ""
		}
	}
	return false
}

func usage(node *kong.Node) string {
	parts := []string{node.FullPath()}
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

// leaves returns the commands that do something.
func leaves(node *kong.Node) (out []*kong.Node) {
	if len(node.Children) == 0 {
		return []*kong.Node{node}
	}
	for _, child := range node.Children {
		out = append(out, leaves(child)...)
	}
	return out
}

func cellText(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// Every command says what it does, has an example, and explains each flag.
func TestHelpIsComplete(t *testing.T) {
	t.Parallel()
	for _, node := range leaves(model(t).Node) {
		if !strings.Contains(node.Detail, "Example") || !strings.Contains(node.Detail, "    "+node.FullPath()) {
			t.Errorf("%s --help has no example", node.FullPath())
		}
		if !strings.HasSuffix(node.Help, ".") {
			t.Errorf("%s: help should be a sentence: %q", node.FullPath(), node.Help)
		}
		for _, f := range node.Flags {
			if !strings.HasSuffix(f.Help, ".") && !strings.HasSuffix(f.Help, "}.") {
				t.Errorf("%s --%s: help should be a sentence: %q", node.FullPath(), f.Name, f.Help)
			}
		}
		for n := node; n.Parent != nil; n = n.Parent {
			if n.Parent.Type == kong.ApplicationNode && n.Group == nil {
				t.Errorf("%s stands under no heading of the help", n.FullPath())
			}
		}
	}
}
