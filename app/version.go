package app

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

type versionCmd struct{}

// Help is shown by --help.
func (versionCmd) Help() string {
	return "Example:\n\n    weft version"
}

// Run prints the version.
func (versionCmd) Run(e *env) error {
	return e.print(fmt.Sprintf("%s %s (%s, %s/%s)\n", e.opts.Name, version(e.opts), runtime.Version(), runtime.GOOS, runtime.GOARCH))
}

// version returns the version of the program: the one given, or the tag or
// commit that the Go tool recorded.
func version(o Options) string {
	if o.Version != "" {
		return o.Version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	revision, modified := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = "+"
		}
	}
	if revision == "" {
		return "development"
	}
	return "development-" + revision + modified
}
