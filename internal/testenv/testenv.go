// Package testenv finds the data folders that lie beside the project and that
// some tests read: conformance cases, format samples, benchmarks, stories and
// recorded traffic.
//
// Each folder has an environment variable of its own; without it the folder
// below ../shared, seen from the root of the repository, is taken. A test
// whose folder is absent is skipped with a message, unless CI is set: there a
// missing folder is a failure, since a skipped check would look like a passed
// one.
package testenv

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Conformance returns the folder of the conformance cases called name
// ("weaver", "engine", "sillytavern", "reports") below WEFT_CONFORMANCE.
func Conformance(t testing.TB, name string) string {
	t.Helper()
	return folder(t, "WEFT_CONFORMANCE", "conformance", name)
}

// Formats returns the folder called name ("samples", "real") below
// WEFT_FORMATS.
func Formats(t testing.TB, name string) string {
	t.Helper()
	return folder(t, "WEFT_FORMATS", "formats", name)
}

// Bench returns the folder of benchmark data called name below WEFT_BENCH.
func Bench(t testing.TB, name string) string {
	t.Helper()
	return folder(t, "WEFT_BENCH", "bench", name)
}

// Stories returns the folder WEFT_STORIES.
func Stories(t testing.TB) string {
	t.Helper()
	return folder(t, "WEFT_STORIES", "stories", "")
}

// Traffic returns the folder called name below WEFT_TRAFFIC.
func Traffic(t testing.TB, name string) string {
	t.Helper()
	return folder(t, "WEFT_TRAFFIC", "traffic", name)
}

// Root returns the root folder of the repository.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}

func folder(t testing.TB, env, kind, name string) string {
	t.Helper()
	base := os.Getenv(env)
	if base == "" {
		base = filepath.Join(Root(), "..", "shared", kind)
	}
	dir := filepath.Join(base, name)
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not there: set %s to the folder that holds it", filepath.Join(kind, name), env)
		}
		t.Skipf("%s is not there (set %s to the folder that holds it)", filepath.Join(kind, name), env)
	}
	return dir
}
