package memory

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawText draws texts of few different sentences, so that repetitions are
// common.
func drawText(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
		"Ha. ", "Ha.", " ", "\n\n", "The mill burned. ", "The mill burned.", "No one knew why.\n", "水車は燃えた。", "wait...", "Dr. Orr came. ", "x",
	}), 0, 9).Draw(t, label), "")
}

func TestHunksMakeNewOfOldAndOfNewNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		old, new := drawText(t, "old"), drawText(t, "new")
		hunks := diffTexts(old, new)
		got, lost := patchText(old, hunks, false, nil)
		if got != new || len(lost) > 0 {
			t.Fatalf("%q → %q: %#v gives %q, lost %v", old, new, hunks, got, lost)
		}
		if again, lost := patchText(new, hunks, false, nil); again != new || len(lost) > 0 {
			t.Fatalf("%q → %q: %#v applied twice gives %q, lost %v", old, new, hunks, again, lost)
		}
		back := diffTexts(new, old)
		if got, lost := patchText(new, back, false, nil); got != old || len(lost) > 0 {
			t.Fatalf("%q ← %q: %#v gives %q, lost %v", old, new, back, got, lost)
		}
	})
}

func TestPatchText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		hunk       Hunk
		dedup      bool
		want       string
		lost       bool
	}{
		{name: "append", text: "A mill.", hunk: Hunk{New: "It burned."}, want: "A mill. It burned."},
		{name: "append to lines", text: "Age: 30\nHair: red", hunk: Hunk{New: "Eyes: grey"}, want: "Age: 30\nHair: red\nEyes: grey"},
		{name: "append to nothing", text: "", hunk: Hunk{New: "It burned."}, want: "It burned."},
		{name: "append chinese", text: "他走了。", hunk: Hunk{New: "她哭了。"}, want: "他走了。她哭了。"},
		{name: "append what stands there", text: "A mill. It  burned. Now a ruin.", hunk: Hunk{New: "It burned."}, want: "A mill. It  burned. Now a ruin."},
		{name: "append in part", text: "A mill. It burned.", hunk: Hunk{New: "It burned. It rained."}, want: "A mill. It burned. It rained."},
		{name: "a person may repeat", text: "Ha.", hunk: Hunk{Before: "Ha.", New: " Ha."}, want: "Ha. Ha."},
		{name: "a sidecar may not", text: "Ha.", hunk: Hunk{Before: "Ha.", New: " Ha."}, dedup: true, want: "Ha."},
		{name: "nor within", text: "Ha.", hunk: Hunk{New: "Ho. Ho. Hi."}, dedup: true, want: "Ha. Ho. Hi."},
		{name: "replace", text: "One. Two. Three.", hunk: Hunk{Before: "One. ", Old: "Two.", New: "2.", After: " Three."}, want: "One. 2. Three."},
		{name: "replace, context gone on one side", text: "Two. Three.", hunk: Hunk{Before: "One. ", Old: "Two.", New: "2.", After: " Three."}, want: "2. Three."},
		{name: "replace, alone", text: "Zero. Two. Four.", hunk: Hunk{Before: "One. ", Old: "Two.", New: "2.", After: " Three."}, want: "Zero. 2. Four."},
		{name: "replace, gone", text: "One. Zwei. Three.", hunk: Hunk{Before: "One. ", Old: "Two.", New: "2.", After: " Three."}, want: "One. Zwei. Three.", lost: true},
		{name: "replace, twice there", text: "Two. And. Two. End.", hunk: Hunk{Before: "One. ", Old: "Two.", New: "2.", After: " Three."}, want: "Two. And. Two. End.", lost: true},
		{name: "replace, twice there, one meant", text: "Two. And. Two. Three.", hunk: Hunk{Before: "One. ", Old: "Two.", New: "2.", After: " Three."}, want: "Two. And. 2. Three."},
		{name: "not in the middle of a sentence", text: "Then John ran. Far.", hunk: Hunk{Old: "John ran.", New: "He ran.", After: " Near."}, want: "Then John ran. Far.", lost: true},
		{name: "delete", text: "One.\nTwo.\nThree.", hunk: Hunk{Before: "One. ", Old: "Two. ", After: "Three."}, want: "One.\nThree."},
		{name: "delete the last", text: "One.\nTwo.", hunk: Hunk{Before: "One.", Old: " Two."}, want: "One."},
		{name: "insert, both sides gone", text: "Four.", hunk: Hunk{Before: "One. ", New: "Two. ", After: "Three."}, want: "Four.", lost: true},
		{name: "insert, one side gone", text: "Zero. Three.", hunk: Hunk{Before: "One. ", New: "Two. ", After: "Three."}, want: "Zero. Two. Three."},
		{name: "insert at the end, neighbour gone", text: "Zero.", hunk: Hunk{Before: "One.", New: " Two."}, want: "Zero. Two."},
		{name: "insert at the start, neighbour gone", text: "Zero.", hunk: Hunk{New: "Two. ", After: "One."}, want: "Two. Zero."},
		{name: "applied before", text: "One. 2. Three.", hunk: Hunk{Before: "One. ", Old: "Two.", New: "2.", After: " Three."}, want: "One. 2. Three."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, lost := patchText(tt.text, []Hunk{tt.hunk}, tt.dedup, nil)
			if got != tt.want || (len(lost) > 0) != tt.lost {
				t.Errorf("got %q, lost %v; want %q, lost %v", got, lost, tt.want, tt.lost)
			}
		})
	}
}

func TestTwoHunksForOnePlace(t *testing.T) {
	t.Parallel()
	got, lost := patchText("One. Two.", []Hunk{{Old: "One.", New: "1.", After: " Two."}, {Old: "One.", New: "I.", After: " Two."}}, false, nil)
	if got != "1. Two." || !cmp.Equal(lost, []int{1}) {
		t.Errorf("got %q, lost %v", got, lost)
	}
}

func TestHunksOfLongTexts(t *testing.T) {
	t.Parallel()
	old := strings.Repeat("Ha. ", 3000)
	for _, new := range []string{old + "Ha. ", "Ho. " + old, strings.Replace(old, "Ha. Ha. Ha. ", "Ha. Ho. Ha. ", 500), strings.Repeat("Hi. ", 2000)} {
		hunks := diffTexts(old, new)
		if got, lost := patchText(old, hunks, false, nil); got != new || len(lost) > 0 {
			t.Fatalf("%d hunks lost %v", len(hunks), lost)
		}
	}
}

// TestHunksOfHugeTexts keeps the work bounded where every sentence is like the
// next; it would not end within the test's time otherwise.
func TestHunksOfHugeTexts(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"Ha. ", "...", "A. ", "\n", "。", "(((. ", "x"} {
		old := strings.Repeat(unit, 100_000/len(unit))
		new := strings.Repeat(unit, 60_000/len(unit)) + "Ho. " + strings.Repeat(unit, 50_000/len(unit))
		hunks := diffTexts(old, new)
		if got, lost := patchText(old, hunks, false, nil); got != new || len(lost) > 0 {
			t.Fatalf("%q: %d hunks, lost %v", unit, len(hunks), lost)
		}
		patchText(old, []Hunk{{Old: unit, New: "x", Before: unit}, {New: unit, After: unit, Before: "y"}}, true, nil)
	}
}
