package memory

import (
	"encoding/json"
	"testing"

	"github.com/weft-memory/weft/lore"
)

func FuzzChangeJSON(f *testing.F) {
	f.Add(`{}`)
	f.Add(`{"fields":{"keywords":{"old":["a"],"new":["a","b"]},"x":{"new":null}},"content":[{"new":"A."}]}`)
	f.Add(`{"entry":{"id":"e","content":"x"},"from":["a"],"y":1}`)
	f.Add(`{"fields":{"~order":{"new":["a"]},"content_base64":{"new":"/w=="},"clauses":{"new":[{"logic":"any_of","keys":["k"]}]}}}`)
	f.Fuzz(func(t *testing.T, src string) {
		var c Change
		if json.Unmarshal([]byte(src), &c) != nil {
			return
		}
		raw, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var again Change
		if err := json.Unmarshal(raw, &again); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if second, _ := json.Marshal(again); string(second) != string(raw) {
			t.Fatalf("%s\n%s", raw, second)
		}
		e := lore.NewEntry("e", "One. Two.")
		e.Keys = lore.LiteralKeys("a")
		out, _ := c.Apply(e)
		back, conflicts := Inverse(e, c).Apply(out)
		if got, want := marshalT(t, back), marshalT(t, e); got != want || len(conflicts) > 0 {
			t.Fatalf("%s\ntaken back: %s\nwant %s\n%+v", raw, got, want, conflicts)
		}
	})
}

func FuzzHunks(f *testing.F) {
	f.Add("One. Two.", "One. 2.", "Two.")
	f.Add("", "A.", "")
	f.Add("Ha. Ha. Ha.", "Ha. Ha.", "Ha.\n")
	f.Add("他走了。她哭了。", "他走了。", "「x。」と")
	f.Fuzz(func(t *testing.T, old, new, other string) {
		hunks := diffTexts(old, new)
		if got, lost := patchText(old, hunks, false, nil); got != new || len(lost) > 0 {
			t.Fatalf("%q → %q: %#v gives %q, lost %v", old, new, hunks, got, lost)
		}
		if got, lost := patchText(new, hunks, false, nil); got != new || len(lost) > 0 {
			t.Fatalf("%q → %q: %#v twice gives %q, lost %v", old, new, hunks, got, lost)
		}
		patchText(other, hunks, true, sentenceSet(old))
	})
}
