package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-memory/weft/weaver"
)

// Plugin adds processors and commands to the registry of an engine. A name
// that is taken already is an error naming both owners, unless what the plugin
// registers declares that it overrides.
type Plugin interface {
	// Name names the plugin in errors.
	Name() string
	// Register adds what the plugin provides.
	Register(r *weaver.Registry) error
}

// Ordered is implemented by plugins that have to be registered after others.
type Ordered interface {
	// After lists the names of plugins to be registered before this one, if
	// they are there.
	After() []string
}

// Requirer is implemented by plugins that cannot do without others.
type Requirer interface {
	// Requires lists the names of plugins that must be there; they are
	// registered before this one.
	Requires() []string
}

// PluginFunc returns a plugin made of a name and a function.
func PluginFunc(name string, register func(*weaver.Registry) error) Plugin {
	return pluginFunc{name, register}
}

type pluginFunc struct {
	name     string
	register func(*weaver.Registry) error
}

func (p pluginFunc) Name() string                      { return p.name }
func (p pluginFunc) Register(r *weaver.Registry) error { return p.register(r) }

// PluginError is the error of a plugin that could not be registered.
type PluginError struct {
	Plugin string
	Err    error
}

// Error names the plugin.
func (e *PluginError) Error() string { return "plugin " + e.Plugin + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *PluginError) Unwrap() error { return e.Err }

// register adds the plugins to r, in order.
func register(r *weaver.Registry, plugins []Plugin) (*weaver.Registry, error) {
	ordered, err := orderPlugins(plugins)
	if err != nil {
		return nil, err
	}
	owners := make(map[string]string) // of what plugins registered
	for _, p := range ordered {
		before := signatures(r)
		if err := p.Register(r); err != nil {
			return nil, &PluginError{p.Name(), conflict(p, owners, before, err)}
		}
		for name := range signatures(r) {
			if _, ok := before[name]; !ok {
				owners[name] = p.Name()
			}
		}
	}
	r.Freeze()
	return r, nil
}

// signatures returns the owner of each name in a registry.
func signatures(r *weaver.Registry) map[string]string {
	out := make(map[string]string)
	for _, s := range r.Signatures() {
		out[string(s.Kind)+" "+s.Name] = s.Owner
	}
	return out
}

// conflict says which plugin owns the name that p could not take, where that is
// why it failed.
func conflict(p Plugin, owners, before map[string]string, err error) error {
	probe := weaver.NewRegistry()
	_ = p.Register(probe) // what it would register; its error is known
	for _, name := range sortedKeys(signatures(probe)) {
		owner, taken := before[name]
		if !taken || !strings.Contains(err.Error(), name) {
			continue
		}
		if by, ok := owners[name]; ok {
			owner = by
		}
		if owner == "" {
			owner = "the host"
		}
		return fmt.Errorf("the %s is registered by %q already; declare that yours overrides it, or rename it: %w", name, owner, err)
	}
	return err
}

// orderPlugins sorts the plugins so that each follows those it names, and else
// stays in the order given.
func orderPlugins(plugins []Plugin) ([]Plugin, error) {
	byName := make(map[string]Plugin, len(plugins))
	for _, p := range plugins {
		if _, twice := byName[p.Name()]; twice {
			return nil, &PluginError{p.Name(), fmt.Errorf("two plugins have this name")}
		}
		byName[p.Name()] = p
	}
	var out []Plugin
	state := make(map[string]int) // 1 while its predecessors are placed, 2 after
	var visit func(p Plugin, path []string) error
	visit = func(p Plugin, path []string) error {
		path = append(path, p.Name())
		switch state[p.Name()] {
		case 1:
			return &PluginError{p.Name(), fmt.Errorf("plugins wait for each other: %s", strings.Join(path, " → "))}
		case 2:
			return nil
		}
		state[p.Name()] = 1
		var before []string
		if o, ok := p.(Ordered); ok {
			before = append(before, o.After()...)
		}
		if q, ok := p.(Requirer); ok {
			for _, name := range q.Requires() {
				if byName[name] == nil {
					return &PluginError{p.Name(), fmt.Errorf("it needs the plugin %q, which is not there", name)}
				}
				before = append(before, name)
			}
		}
		slices.Sort(before)
		for _, name := range before {
			if q := byName[name]; q != nil {
				if err := visit(q, slices.Clone(path)); err != nil {
					return err
				}
			}
		}
		state[p.Name()] = 2
		out = append(out, p)
		return nil
	}
	for _, p := range plugins {
		if err := visit(p, nil); err != nil {
			return nil, err
		}
	}
	return out, nil
}
