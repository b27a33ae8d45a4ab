package origin

import "testing"

func TestAllowed(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST:80": true, "127.0.0.1:8787": true, "127.9.9.9": true, "[::1]": true, "[::1]:80": true,
		"weft.lan": true, "WEFT.LAN:1": true, "weft.lan.evil": false, "10.0.0.1": false, "": false, "localhost.evil:80": false,
	} {
		if got := Allowed(host, []string{"weft.lan"}); got != want {
			t.Errorf("Allowed(%q) = %v", host, got)
		}
	}
}

func TestSame(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		origin, host string
		want         bool
	}{
		{"http://localhost:8787", "localhost:8787", true},
		{"http://LOCALHOST:8787", "localhost:8787", true},
		{"http://localhost:8788", "localhost:8787", false},
		{"null", "", false},
		{"", "", false},
		{"://", "x", false},
	} {
		if got := Same(tt.origin, tt.host); got != tt.want {
			t.Errorf("Same(%q, %q) = %v", tt.origin, tt.host, got)
		}
	}
}
