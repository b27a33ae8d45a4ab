package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/weft-memory/weft/internal/suggest"
)

// settingsFile is what a settings file says.
type settingsFile struct {
	path   string
	found  bool
	values map[string]settingValue
}

// settingValue is a value as the parser of the command line takes it: a string,
// a bool, or a list of strings as []any.
type settingValue struct {
	value any
	line  int
}

// maxSettings bounds the file: it holds a few lines.
const maxSettings = 1 << 20

// configFile is where the settings file is unless something else is said.
func configFile(getenv func(string) string) (string, error) {
	dir, err := configDir(getenv)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "config.yaml"), nil
}

// configDir is where programs keep the settings of a user.
func configDir(getenv func(string) string) (string, error) {
	switch runtime.GOOS {
	case "windows":
		if dir := getenv("APPDATA"); dir != "" {
			return filepath.Join(dir, "weft"), nil
		}
		return homeDir(getenv, "AppData", "Roaming", "weft")
	case "darwin":
		return homeDir(getenv, "Library", "Application Support", "weft")
	}
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "weft"), nil
	}
	return homeDir(getenv, ".config", "weft")
}

// readSettings reads a settings file: the one that is named, or that
// WEFT_CONFIG names, or the user's own, which need not be there.
func readSettings(e *env, named string, known []setting) (*settingsFile, error) {
	f := &settingsFile{path: named, values: map[string]settingValue{}}
	must := "--config names it"
	if f.path == "" {
		f.path, must = e.opts.Getenv("WEFT_CONFIG"), "the environment variable WEFT_CONFIG names it"
	}
	if f.path == "" {
		path, err := configFile(e.opts.Getenv)
		if err != nil {
			return f, nil // without a home there are no settings
		}
		f.path, must = path, ""
	}
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) && must == "" {
		return f, nil
	}
	switch {
	case err != nil:
		return nil, fail(ExitInput, must, "cannot read the settings: %w", err)
	case info.IsDir():
		return nil, fail(ExitInput, must, "cannot read the settings: %s is a folder", f.path)
	case info.Size() > maxSettings:
		return nil, fail(ExitInput, must, "cannot read the settings: %s has %d bytes, and a settings file has a few lines", f.path, info.Size())
	}
	text, err := os.ReadFile(f.path)
	if err != nil {
		return nil, fail(ExitInput, must, "cannot read the settings: %w", err)
	}
	f.found = true
	return f, f.parse(text, known)
}

// parse reads the text of a settings file. All that is wrong is reported at
// once.
func (f *settingsFile) parse(text []byte, known []setting) error {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return fail(ExitInput, "docs/configuration.md has an example", "%s: %s", f.path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 || doc.Content[0].Tag == "!!null" {
		return nil
	}
	p := &settingsParser{file: f, known: known}
	p.section("", doc.Content[0])
	if len(p.faults) > 0 {
		return fail(ExitInput, "docs/configuration.md lists the settings, and weft config shows those that count", "%s", strings.Join(p.faults, "\n"))
	}
	return nil
}

type settingsParser struct {
	file   *settingsFile
	known  []setting
	faults []string
}

func (p *settingsParser) fault(n *yaml.Node, format string, args ...any) {
	p.faults = append(p.faults, fmt.Sprintf("%s:%d: ", p.file.path, n.Line)+fmt.Sprintf(format, args...))
}

// section reads the settings of a command, or with "" the whole file.
func (p *settingsParser) section(prefix string, n *yaml.Node) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.MappingNode {
		what := "the file"
		if prefix != "" {
			what = strings.TrimSuffix(prefix, ".")
		}
		p.fault(n, "%s has to be settings, one a line: name: value", what)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		name := prefix + key.Value
		if seen[name] {
			p.fault(key, "%s stands here a second time", name)
			continue
		}
		seen[name] = true
		at := slices.IndexFunc(p.known, func(s setting) bool { return s.name == name })
		switch {
		case at >= 0:
			p.value(p.known[at], key, value)
		case slices.ContainsFunc(p.known, func(s setting) bool { return strings.HasPrefix(s.name, name+".") }):
			if value.Tag != "!!null" { // a heading without settings
				p.section(name+".", value)
			}
		default:
			p.unknown(prefix, key)
		}
	}
}

// unknown reports a name that is none, with what may have been meant.
func (p *settingsParser) unknown(prefix string, key *yaml.Node) {
	name := strings.ReplaceAll(key.Value, "-", "_")
	var here, elsewhere []string
	for _, s := range p.known {
		if rest, ok := strings.CutPrefix(s.name, prefix); ok {
			word, _, _ := strings.Cut(rest, ".")
			here = append(here, prefix+word)
		}
		if s.name == name || strings.HasSuffix(s.name, "."+name) {
			elsewhere = append(elsewhere, s.name)
		}
	}
	guess := prefix + name
	if !slices.Contains(here, guess) {
		guess = suggest.Nearest(guess, here)
	}
	if guess == "" {
		guess = strings.Join(elsewhere, " or ")
	}
	text := "there is no setting " + prefix + key.Value
	if guess != "" {
		text += "; did you mean " + guess + "?"
	}
	p.fault(key, "%s", text)
}

// value takes a value up in the form in which the command line takes it.
func (p *settingsParser) value(s setting, key, n *yaml.Node) {
	var v any
	switch {
	case n.Tag == "!!null":
		return // a name without a value leaves the default
	case s.list() && n.Kind == yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			if item.Kind != yaml.ScalarNode || item.Tag == "!!null" {
				p.fault(item, "%s: each item has to be a text", s.name)
				return
			}
			list = append(list, item.Value)
		}
		v = list
	case s.list() && n.Kind == yaml.ScalarNode:
		v = []any{n.Value}
	case n.Kind != yaml.ScalarNode:
		p.fault(n, "%s has one value, not several", s.name)
		return
	case s.flag.IsBool():
		switch strings.ToLower(n.Value) {
		case "true", "yes", "on":
			v = "true"
		case "false", "no", "off":
			v = "false"
		default:
			p.fault(n, "%s has to be true or false", s.name)
			return
		}
	default:
		v = n.Value
	}
	p.file.values[s.name] = settingValue{v, key.Line}
}
