package suggest

import "testing"

func TestNearest(t *testing.T) {
	t.Parallel()
	names := []string{"lighthouse", "lighthouse_keeper", "text.upper", "灯台", "inn"}
	for _, tc := range []struct{ in, want string }{
		{"lighthuose", "lighthouse"}, // swapped letters are one mistake
		{"LightHouse", "lighthouse"},
		{"text.uper", "text.upper"},
		{"灯籠", "灯台"},
		{"harbour", ""},
		{"", ""},
		{"in", "inn"},
		{"lighthouse", "lighthouse_keeper"[:0]}, // itself is no guess, the other too far
	} {
		if got := Nearest(tc.in, names); got != tc.want {
			t.Errorf("Nearest(%q) = %q, want %q", tc.in, got, tc.want)
		}
	}
}
