package app

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// A setting is a flag whose value may also come from the environment or from
// the settings file. A flag becomes one by the tag
//
//	setting:"own"     a setting of its command: serve.listen
//	setting:"shared"  the same for all commands that have it: db
//	setting:"secret"  shared, and never shown
//
// and has one name, spelt for each place: --allow-origin of weft serve is
// serve.allow_origin in the file and WEFT_SERVE_ALLOW_ORIGIN in the
// environment. A flag on the command line beats the environment, the environment
// beats the file, and the file beats the default.
type setting struct {
	name    string
	command string // that it belongs to; "" for a shared one
	flag    *kong.Flag
	secret  bool
}

// settingOf returns the setting that a flag of a command is; false if it is
// none.
func settingOf(node *kong.Node, flag *kong.Flag) (setting, bool) {
	kind := flag.Tag.Get("setting")
	s := setting{name: strings.ReplaceAll(flag.Name, "-", "_"), flag: flag, secret: kind == "secret"}
	switch kind {
	case "shared", "secret":
		return s, true
	case "own":
		for n := node; n != nil && n.Type == kong.CommandNode; n = n.Parent {
			s.name = n.Name + "." + s.name
			s.command = strings.TrimPrefix(n.Name+" "+s.command, " ")
		}
		s.command = strings.TrimSpace(s.command)
		return s, true
	}
	return setting{}, false
}

// variable is the name of a setting in the environment.
func (s setting) variable() string {
	return "WEFT_" + strings.ToUpper(strings.ReplaceAll(s.name, ".", "_"))
}

// list reports whether the setting takes several values.
func (s setting) list() bool { return s.flag.Target.Kind() == reflect.Slice }

// settingsOf returns all settings of a command line by name, sorted: the shared
// ones first.
func settingsOf(app *kong.Application) []setting {
	var out []setting
	var walk func(*kong.Node)
	walk = func(node *kong.Node) {
		for _, f := range node.Flags {
			if s, ok := settingOf(node, f); ok && !slices.ContainsFunc(out, func(o setting) bool { return o.name == s.name }) {
				out = append(out, s)
			}
		}
		for _, child := range node.Children {
			walk(child)
		}
	}
	walk(app.Node)
	slices.SortStableFunc(out, func(a, b setting) int {
		return cmp.Or(cmp.Compare(a.command, b.command), cmp.Compare(a.name, b.name))
	})
	return out
}

// originKind says which of the four places a value came from.
type originKind string

const (
	fromFlag        originKind = "flag"
	fromEnvironment originKind = "environment"
	fromFile        originKind = "file"
	fromDefault     originKind = "default"
)

// origin is where a value came from. place is the flag, the variable, or
// file:line.
type origin struct {
	kind  originKind
	place string
}

// rank orders origins: the higher one wins.
func (o origin) rank() int {
	return slices.Index([]originKind{fromDefault, fromFile, fromEnvironment, fromFlag}, o.kind)
}

// settings finds the values of settings that the command line does not give. It
// is a resolver of the parser.
type settings struct {
	env *env
	// path is what --config names; "" is the default place.
	path string
	file *settingsFile
	err  error
	read bool
	// origins are those of the settings that were resolved, by name.
	origins map[string]origin
}

var _ kong.Resolver = (*settings)(nil)

// Validate is part of kong.Resolver. Files are looked at when the first value is
// asked for, so that commands without settings need none.
func (*settings) Validate(*kong.Application) error { return nil }

// Resolve is part of kong.Resolver.
func (r *settings) Resolve(ctx *kong.Context, parent *kong.Path, flag *kong.Flag) (any, error) {
	for _, p := range ctx.Path {
		if p.Flag != nil && p.Flag.Name == "config" {
			r.path, _ = ctx.FlagValue(p.Flag).(string)
		}
	}
	s, ok := settingOf(parent.Node(), flag)
	if !ok {
		return nil, nil
	}
	value, from, err := r.lookup(ctx.Model, s)
	if err != nil || value == nil {
		return nil, err
	}
	r.origins[s.name] = from
	return value, nil
}

// lookup returns the value of a setting in the environment or in the file; nil
// if it is in neither.
func (r *settings) lookup(app *kong.Application, s setting) (any, origin, error) {
	file, err := r.open(app)
	if err != nil {
		return nil, origin{}, err
	}
	if text := r.env.opts.Getenv(s.variable()); text != "" {
		if err := s.try(text); err != nil {
			return nil, origin{}, fail(ExitUsage, "", "the environment variable %s: %w", s.variable(), err)
		}
		return text, origin{fromEnvironment, s.variable()}, nil
	}
	v, ok := file.values[s.name]
	if !ok {
		return nil, origin{}, nil
	}
	if err := s.try(v.value); err != nil {
		return nil, origin{}, fail(ExitInput, "", "%s:%d: %s: %w", file.path, v.line, s.name, err)
	}
	return v.value, origin{fromFile, fmt.Sprintf("%s:%d", file.path, v.line)}, nil
}

// try reads a value into a place of its own, so that what is wrong with it can be
// said with where it stands.
func (s setting) try(value any) error {
	into := reflect.New(s.flag.Target.Type()).Elem()
	set := s.flag.Set
	err := s.flag.Parse(kong.Scan().PushTyped(value, kong.FlagValueToken), into)
	s.flag.Set = set
	if err != nil && s.secret {
		return fmt.Errorf("the value cannot be read")
	}
	return err
}

// open reads the settings file once.
func (r *settings) open(app *kong.Application) (*settingsFile, error) {
	if !r.read {
		r.read = true
		r.file, r.err = readSettings(r.env, r.path, settingsOf(app))
	}
	return r.file, r.err
}

// note remembers where the values on the command line came from.
func (r *settings) note(ctx *kong.Context) {
	for _, p := range ctx.Path {
		if p.Flag == nil || p.Resolved {
			continue
		}
		for _, node := range ctx.Path {
			if node.Node() == nil {
				continue
			}
			for _, f := range node.Node().Flags {
				if s, ok := settingOf(node.Node(), f); ok && f == p.Flag {
					r.origins[s.name] = origin{fromFlag, "--" + f.Name}
				}
			}
		}
	}
}

// origin returns where the value of a setting came from.
func (r *settings) origin(name string) origin {
	if o, ok := r.origins[name]; ok {
		return o
	}
	return origin{kind: fromDefault}
}
