package engine_test

import (
	"strings"
	"testing"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
)

// TestConditionOnWhatIsNotSet: at the beginning of a story nothing is set. A
// comparison is then false, and no problem to report; a real mistake is one.
func TestConditionOnWhatIsNotSet(t *testing.T) {
	t.Parallel()
	tests := []struct {
		condition string
		vars      map[string]weaver.Value
		active    bool
		problem   bool
		detail    string
	}{
		{"{{state:trust}} >= 3", nil, false, false, "state:trust is not set"},
		{"{{state:trust}} >= 3", map[string]weaver.Value{"trust": weaver.Number(4)}, true, false, ""},
		{"{{state:trust}} >= 3", map[string]weaver.Value{"trust": weaver.Number(2)}, false, false, "is false"},
		{"!({{state:trust}} >= 3)", nil, false, false, "state:trust is not set"},
		{"!{{state:safe}}", nil, true, false, ""},
		{"{{state:trust}} >= 3", map[string]weaver.Value{"trust": weaver.String("much")}, false, true, "failed"},
		{"1 / 0 == 1", nil, false, true, "failed"},
	}
	for _, tt := range tests {
		e := lore.NewEntry("a", "A.")
		e.Constant, e.Condition = true, tt.condition
		eng := newEngine(t, engine.Options{})
		in := engine.Input{Why: []engine.EntryRef{{Entry: "a"}}, Vars: map[string]map[string]weaver.Value{"state": tt.vars}}
		r, err := eng.Assemble(t.Context(), engine.NewIndex(mustBuild(t, &lore.Book{ID: "b", Policy: lore.PolicyWeaver(), Entries: []*lore.Entry{e}})), in)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(r.Blocks) == 1; got != tt.active {
			t.Errorf("%s with %v: active is %v", tt.condition, tt.vars, got)
		}
		if got := len(r.Problems) > 0; got != tt.problem {
			t.Errorf("%s with %v: problems %v", tt.condition, tt.vars, r.Problems)
		}
		if got := r.Trace.Absent[0].Detail; !strings.Contains(got, tt.detail) {
			t.Errorf("%s with %v: %q does not say %q", tt.condition, tt.vars, got, tt.detail)
		}
	}
}
