package app

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

type configCmd struct {
	JSON bool     `name:"json" help:"Print JSON. docs/configuration.md describes it."`
	Args []string `arg:"" optional:"" passthrough:"" name:"command" help:"A command line, such as serve --listen 127.0.0.1:9000. Default: the settings of all commands."`
}

// Help is shown by --help.
func (configCmd) Help() string {
	return `Shows the settings and where each value comes from: a flag, a variable of the environment, a line of the settings file, or the default. Flags beat the environment, the environment beats the file. Passwords and tokens are never shown.

Examples:

    weft config
    weft config serve --listen 127.0.0.1:9000
    WEFT_SERVE_KEEP_EVENTS=2d weft config serve --json`
}

// settingReport is one setting of weft config --json.
type settingReport struct {
	Name string `json:"name"`
	// Value is the value as text, or a list of texts; secrets are not told.
	Value any        `json:"value"`
	From  originKind `json:"from"`
	// Place is the flag, the variable, or file:line; absent for a default.
	Place    string `json:"place,omitempty"`
	Variable string `json:"variable"`
	Secret   bool   `json:"secret,omitempty"`
}

// configReport is the output of weft config --json.
type configReport struct {
	Version int    `json:"version"`
	File    string `json:"file"`
	// Found is whether the file is there.
	Found    bool            `json:"found"`
	Settings []settingReport `json:"settings"`
}

// Run shows the settings.
func (c *configCmd) Run(e *env) error {
	s := &settings{env: e, path: e.settings.path, origins: map[string]origin{}}
	of := env{ctx: e.ctx, opts: e.opts, stdin: e.stdin, out: e.out, err: e.err, patience: e.patience, settings: s}
	parser, err := newParser(new(commands), &of)
	if err != nil {
		return fail(ExitInternal, "", "%w", err)
	}
	if len(c.Args) > 0 && c.Args[0] == "--" {
		c.Args = c.Args[1:]
	}
	list := settingsOf(parser.Model)
	if len(c.Args) > 0 {
		ctx, err := parser.Parse(c.Args)
		if err != nil {
			return fail(ExitUsage, "give a command line as it would be run", "%w", err)
		}
		s.note(ctx)
		if ctx.Selected() == nil {
			return fail(ExitUsage, "", "%s is no command", strings.Join(c.Args, " "))
		}
		if list = settingsAt(ctx); len(list) == 0 {
			return fail(ExitUsage, "", "%s has no settings: it takes flags alone", ctx.Selected().FullPath())
		}
	} else if err := s.resolveAll(parser.Model, list); err != nil {
		return err
	}
	file, err := s.open(parser.Model)
	if err != nil {
		return err
	}
	r := configReport{Version: 1, File: file.path, Found: file.found, Settings: []settingReport{}}
	for _, x := range list {
		from := s.origin(x.name)
		r.Settings = append(r.Settings, settingReport{
			Name: x.name, Value: shownValue(e, x), From: from.kind, Place: from.place, Variable: x.variable(), Secret: x.secret,
		})
	}
	if c.JSON {
		return e.printJSON(r)
	}
	return e.print(c.text(e, r))
}

// settingsAt returns the settings of the command that was parsed, with their
// values in place.
func settingsAt(ctx *kong.Context) (out []setting) {
	for node := ctx.Selected(); node != nil; node = node.Parent {
		for _, f := range node.Flags {
			if x, ok := settingOf(node, f); ok {
				out = append(out, x)
			}
		}
	}
	return out
}

// resolveAll puts the values of settings in place without a command line.
func (r *settings) resolveAll(app *kong.Application, list []setting) error {
	for _, x := range list {
		x.flag.Target.Set(reflect.Zero(x.flag.Target.Type()))
		value, from, err := r.lookup(app, x)
		if err != nil {
			return err
		}
		if value == nil {
			if !x.flag.HasDefault {
				continue
			}
			value = x.flag.Default
		} else {
			r.origins[x.name] = from
		}
		if err := x.flag.Parse(kong.Scan().PushTyped(value, kong.FlagValueToken), x.flag.Target); err != nil {
			return fail(ExitInternal, "", "%s: %w", x.name, err)
		}
	}
	return nil
}

// shownValue is the value of a setting as it may be shown.
func shownValue(e *env, x setting) any {
	v := x.flag.Target
	switch {
	case x.secret && v.IsZero():
		return ""
	case x.secret:
		return "(set)"
	case x.list():
		list := []string{}
		for i := range v.Len() {
			list = append(list, redacted(fmt.Sprint(v.Index(i).Interface())))
		}
		return list
	case x.name == "db" && v.IsZero():
		path, err := e.database("")
		if err != nil {
			return ""
		}
		return path
	}
	return redacted(fmt.Sprint(v.Interface()))
}

// text writes the settings for people.
func (c *configCmd) text(e *env, r configReport) string {
	var b strings.Builder
	file := r.File
	switch {
	case file == "":
		file = "none: the environment names no home directory"
	case !r.Found:
		file += " (not there)"
	}
	fmt.Fprintf(&b, "settings file: %s\n\n", file)
	t := newTable(e.out, "setting", "from", "value").keepWhole(0).keepWhole(1)
	for _, x := range r.Settings {
		value := fmt.Sprint(x.Value)
		if list, ok := x.Value.([]string); ok {
			value = strings.Join(list, ", ")
		}
		if value == "" {
			value = "–"
		}
		from, st := x.Place, plain
		if x.From == fromDefault {
			from, st = "default", dim
		}
		t.row(cell{x.Name, strong}, cell{visible(from, false), st}, cell{visible(value, false), st})
	}
	t.print(&b)
	return b.String()
}
