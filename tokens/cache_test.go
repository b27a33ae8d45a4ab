package tokens

import (
	"fmt"
	"testing"
)

func TestCacheStaysWithinItsSize(t *testing.T) {
	t.Parallel()
	c := newCache(100)
	for i := range 10_000 {
		c.put(keyOf(fmt.Sprint(i)), i)
		if n := c.len(); n > 100 {
			t.Fatalf("%d entries after %d puts, want at most 100", n, i+1)
		}
	}
	if n, ok := c.get(keyOf("9999")); !ok || n != 9999 {
		t.Errorf("the newest entry is gone: %d, %t", n, ok)
	}
	if _, ok := c.get(keyOf("0")); ok {
		t.Error("the oldest entry is still there")
	}
}

func TestCacheKeepsWhatIsUsed(t *testing.T) {
	t.Parallel()
	c := newCache(100)
	for i := range 10_000 {
		c.put(keyOf(fmt.Sprint(i)), i)
		if n, ok := c.get(keyOf("0")); !ok || n != 0 {
			t.Fatalf("an entry in constant use was dropped after %d puts", i+1)
		}
	}
}

func TestCutFallsBetweenCharacters(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want int
	}{
		{"short", 5},
		{"abc def ghi", 7},     // before the space
		{"abcdefghijkl", 8},    // no border: at the limit
		{"ab defghijkl", 8},    // a border only in the first half
		{"abcdef'll go", 8},    // an apostrophe may belong to the word
		{"éééé ééé", 8},        // bytes, not characters
		{"a港口港口港口", 7},         // never inside a character
		{"abcde\u0301 xyz", 8}, // a mark belongs to its letter
		{"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", 4},
	}
	for _, tt := range tests {
		if got := cut(tt.text, 8); got != tt.want {
			t.Errorf("cut(%q) = %d, want %d", tt.text, got, tt.want)
		}
	}
}
