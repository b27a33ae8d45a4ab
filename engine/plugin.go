package engine

import "github.com/weft-memory/weft/weaver"

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
