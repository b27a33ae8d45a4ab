package check

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestForms(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		form func(string) []string
		word string
		want []string
	}{
		{verbForms, "walk", []string{"walk", "walks", "walking", "walked"}},
		{verbForms, "stop*", []string{"stop", "stops", "stopping", "stopped"}},
		{verbForms, "make/made/made", []string{"make", "makes", "making", "made", "made"}},
		{verbForms, "carry", []string{"carry", "carries", "carrying", "carried"}},
		{verbForms, "die", []string{"die", "dies", "dying", "died"}},
		{verbForms, "see/saw/seen", []string{"see", "sees", "seeing", "saw", "seen"}},
		{verbForms, "wash", []string{"wash", "washes", "washing", "washed"}},
		{nounForms, "city", []string{"city", "cities"}},
		{nounForms, "key", []string{"key", "keys"}},
		{nounForms, "wolf/wolves", []string{"wolf", "wolves"}},
		{adjectiveForms, "happy+", []string{"happy", "happily", "happier", "happiest"}},
		{adjectiveForms, "big*+", []string{"big", "bigly", "bigger", "biggest"}},
		{adjectiveForms, "simple+", []string{"simple", "simply", "simpler", "simplest"}},
		{adjectiveForms, "basic", []string{"basic", "basically"}},
		{adjectiveForms, "full+", []string{"full", "fully", "fuller", "fullest"}},
	} {
		if diff := cmp.Diff(tc.want, tc.form(tc.word)); diff != "" {
			t.Errorf("forms of %s: %s", tc.word, diff)
		}
	}
}

// The list is a few thousand plain words, and finds what a search through all
// of them finds.
func TestWordList(t *testing.T) {
	t.Parallel()
	l := commonWords()
	if n := len(l.words); n < 5000 {
		t.Errorf("%d words, want some thousands", n)
	}
	for _, w := range l.words {
		if strings.Trim(w, "abcdefghijklmnopqrstuvwxyz'-") != "" || w == "" {
			t.Errorf("%q is no plain word", w)
		}
	}
	for _, key := range []string{"ring", "elf", "orc", "inn", "ale", "art", "king", "castle", "zz", "e"} {
		others, forms := l.holding(key, false)
		got := slices.Concat(others, forms)
		for _, w := range l.words {
			// Very short keys are in too many words; the rule for them is another.
			if len(key) > 2 && strings.Contains(w, key) && w != key && !slices.Contains(got, w) {
				t.Errorf("%s: %s is missing", key, w)
			}
		}
		for _, w := range got {
			if !strings.Contains(w, key) || w == key {
				t.Errorf("%s: %s does not hold it", key, w)
			}
		}
		for _, w := range forms {
			if !strings.HasPrefix(w, key) {
				t.Errorf("%s: %s is no form of it", key, w)
			}
		}
	}
	others, _ := l.holding("ring", false)
	if !slices.Contains(others, "during") || !slices.Contains(others, "string") {
		t.Errorf("ring stands in %v", others)
	}
	if others, _ := l.holding("ring", true); len(others) > 0 {
		t.Errorf("no common word begins with ring and is another, got %v", others)
	}
}

// What the author of a lorebook takes for a good key is one.
func TestGoodKeysAreSilent(t *testing.T) {
	t.Parallel()
	l := commonWords()
	for _, key := range []string{
		"lighthouse", "castle", "sword", "forest", "queen", "harbour", "tavern", "dragon's lair", "market", "guild",
		"wolf", "moon", "storm", "captain", "bridge", "festival", "prophecy", "cathedral", "lantern", "smuggler",
	} {
		if others, _ := l.holding(key, false); len(others) > 0 {
			t.Errorf("%s: stands inside %v", key, others)
		}
		if l.function[key] {
			t.Errorf("%s counts as a word of every message", key)
		}
	}
}
