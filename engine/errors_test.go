package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
)

func TestAFailingEntryFailsAlone(t *testing.T) {
	t.Parallel()
	ix := readIndex(t,
		"id: bad\nconstant: true\npriority: 200\n---\n$[set_var(\"state:gold\", 9)]<trigger id=\"wolf\">{{state:ghost}}",
		"id: good\nconstant: true\n---\nGold: $[get_var(\"state:gold\")].",
		"id: wolf\n---\nA wolf.")
	r := assemble(t, newEngine(t, engine.Options{}), ix, engine.Input{})
	if diff := cmp.Diff("backdrop good: Gold: .\n", summary(r)); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	if len(r.State.Vars["state"]) != 0 || len(r.State.Pending) != 0 {
		t.Errorf("the failed entry left something behind: %v %v", r.State.Vars, r.State.Pending)
	}
	if len(r.Problems) != 1 || r.Problems[0].Entry != "bad" || r.Problems[0].Code != "eval" {
		t.Fatalf("problems = %+v, want one of the entry bad", r.Problems)
	}
	var ee *engine.EvalError
	if !errors.As(r.Problems[0].Err, &ee) || ee.Kind() != weaver.UndefinedVariable {
		t.Errorf("the problem's error is %v, want an undefined variable", r.Problems[0].Err)
	}
	if r.Trace.Fired[0].Outcome != engine.OutcomeError {
		t.Errorf("outcome = %q, want error", r.Trace.Fired[0].Outcome)
	}
}

func TestStrictEndsAtTheFirstError(t *testing.T) {
	t.Parallel()
	ix := readIndex(t,
		"id: bad\nconstant: true\npriority: 200\n---\n$[set_var(\"state:gold\", 9)]{{state:ghost}}",
		"id: good\nconstant: true\n---\nGood.")
	r, err := newEngine(t, engine.Options{Strict: true}).Assemble(t.Context(), ix, engine.Input{})
	var ee *engine.EvalError
	if !errors.As(err, &ee) || ee.Entry != "bad" {
		t.Fatalf("error = %v, want an EvalError of bad", err)
	}
	if len(r.Blocks) != 0 {
		t.Errorf("blocks = %v, want none", r.Blocks)
	}
	if _, ok := r.State.Vars["state"]["gold"]; !ok {
		t.Error("the state as it stood lacks state:gold")
	}
}

// TestABadKeyIsReportedOnce: what is wrong with it, and what to do, each in its
// place, and no line that has nothing to do with it.
func TestABadKeyIsReportedOnce(t *testing.T) {
	t.Parallel()
	f, list := lore.ParseEntry("tower.weaver", []byte("---\nid: tower\nregex: ['(?<=x)y']\n---\nA tower."))
	if list.HasErrors() {
		t.Fatal(list)
	}
	book := &lore.Book{ID: "b", Entries: []*lore.Entry{f.Entry()}, Policy: lore.PolicyWeaver()}
	_, list = engine.Build(book, engine.BuildOptions{})
	if len(list) != 1 {
		t.Fatalf("findings = %v, want one", list)
	}
	d := list[0]
	if d.Hint == "" || strings.Contains(d.Message, d.Hint) {
		t.Errorf("message %q and hint %q say the same", d.Message, d.Hint)
	}
	if d.File != "tower.weaver" || d.Line != 0 {
		t.Errorf("place %s:%d, want the file as a whole", d.File, d.Line)
	}
}

func TestUndefinedInAConditionReadsAsNone(t *testing.T) {
	t.Parallel()
	const swamp = "id: swamp\nconstant: true\ncondition: '{{state:location}} != \"forest\" && !{{state:safe}}'\n---\nSwamp."
	r := assemble(t, newEngine(t, engine.Options{}), readIndex(t, swamp), engine.Input{})
	if diff := cmp.Diff("backdrop swamp: Swamp.\n", summary(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	r = assemble(t, newEngine(t, engine.Options{StrictConditions: true}), readIndex(t, swamp), engine.Input{})
	if got := summary(r); got != "" {
		t.Errorf("with strict conditions: %q, want nothing", got)
	}
}

func TestConditionsSeeTheirBookAndTheEntriesFoundSoFar(t *testing.T) {
	t.Parallel()
	ix := readIndex(t,
		"config\nnamespaces: {lore: {access: readwrite}}\n",
		"id: a\nconstant: true\npriority: 200\n---\nA.",
		"id: b\nconstant: true\ncondition: '$[is_active(\"a\")] && {{lore:open}} == true'\n---\nB.")
	s := engine.State{}.With("lore", "open", weaver.Bool(true))
	r := assemble(t, newEngine(t, engine.Options{}), ix, engine.Input{State: s})
	if diff := cmp.Diff("backdrop a: A.\nbackdrop b: B.\n", summary(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAFailingConditionIsFalseAndReported(t *testing.T) {
	t.Parallel()
	ix := readIndex(t, "id: a\nconstant: true\ncondition: '1 / 0 == 1'\n---\nA.")
	r := assemble(t, newEngine(t, engine.Options{}), ix, engine.Input{})
	if len(r.Blocks) != 0 || len(r.Problems) != 1 || r.Problems[0].Code != "condition" {
		t.Errorf("blocks %v, problems %+v; want none and one of the condition", r.Blocks, r.Problems)
	}
}

func TestACircleOfDocumentsNamesItsEntries(t *testing.T) {
	t.Parallel()
	ix := readIndex(t, "id: a\nconstant: true\n---\na [[b]]", "id: b\n---\nb [[c]]", "id: c\n---\nc [[a]]")
	r := assemble(t, newEngine(t, engine.Options{}), ix, engine.Input{})
	if len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Message, "a → b → c → a") {
		t.Errorf("problems = %+v, want the circle a → b → c → a", r.Problems)
	}
}

func TestAnUnknownTriggerIsReported(t *testing.T) {
	t.Parallel()
	ix := readIndex(t, "id: a\nconstant: true\n---\nA.<trigger id=\"ghost\">")
	r := assemble(t, newEngine(t, engine.Options{}), ix, engine.Input{})
	if summary(r) != "backdrop a: A.\n" || len(r.Problems) != 1 || r.Problems[0].Code != "trigger" {
		t.Errorf("blocks %q, problems %+v", summary(r), r.Problems)
	}
}
