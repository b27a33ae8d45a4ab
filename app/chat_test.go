package app

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSpeakers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text, user string
		want             []string
	}{
		{"the last one asks", "Toma: Hello?\nMira: Yes.\nToma: Shall we go?\n", "", []string{"Toma", "Mira"}},
		{"once each", "Mira: Who is there?\nToma: Me.\n", "", []string{"Toma", "Mira"}},
		{"known user", "Toma: Hello?\nMira: Yes.\n", "Toma", []string{"Toma", "Mira"}},
		{"You", "You: Hello?\nMira: Yes.\n", "", []string{"You", "Mira"}},
		{"two words", "Old Toma: Hello?\nMira: Yes.\nOld Toma: Well.\n", "", []string{"Old Toma", "Mira"}},
		{"Japanese", "トマ：灯台は？\nミラ：あそこ。\nトマ：行こう。\n", "", []string{"トマ", "ミラ"}},
		{"a note in a speech", "Toma: I found this.\nIt was long.\nIt was old.\nNote: handle with care.\nIt was wet.\nMira: Show me.\nToma: Here.\nMira: Ah.\nToma: Well?\n", "", []string{"Toma", "Mira"}},
		{"no names", "The tide is out.\nNobody speaks.\n", "", []string{"User"}},
		{"JSON", `[{"role": "user", "content": "Toma: hi"}]`, "", []string{"User"}},
		{"empty", "", "", []string{"User"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, speakers(tc.text, tc.user)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
