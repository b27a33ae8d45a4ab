package id

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestIdsRise(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_700_000_000_000)
	m := &Maker{Now: func() time.Time { return at }}
	last := ""
	for i := range 10_000 {
		switch {
		case i%3000 == 2999:
			at = at.Add(-time.Hour) // the clock jumps back
		case i%1000 == 999:
			at = at.Add(time.Millisecond)
		}
		s := m.New()
		if s <= last || !Valid(s) || s[14] != '7' || !strings.ContainsRune("89ab", rune(s[19])) {
			t.Fatalf("id %d: %s after %s", i, s, last)
		}
		last = s
	}
}

func TestIdsAreMadeOfTheirSources(t *testing.T) {
	t.Parallel()
	m := &Maker{Now: func() time.Time { return time.UnixMilli(0x0123456789ab) }, Random: bytes.NewReader(bytes.Repeat([]byte{0xff}, 10))}
	if got, want := m.New(), "01234567-89ab-77ff-bfff-ffffffffffff"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestValid(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		New(): true, "": false, "x": false, strings.ToUpper("01234567-89ab-77ff-bfff-ffffffffffff"): false,
		"01234567-89ab-77ff-bfff-fffffffffff": false, "0123456-789ab-77ff-bfff-ffffffffffff": false,
	} {
		if Valid(s) != want {
			t.Errorf("Valid(%q) = %v", s, !want)
		}
	}
}
