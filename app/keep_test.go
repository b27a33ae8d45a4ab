package app

import (
	"testing"
	"time"
)

func TestKeep(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"7d": 7 * 24 * time.Hour, "1.5d": 36 * time.Hour, "36h": 36 * time.Hour, "90m": 90 * time.Minute, "forever": -1, " 2d ": 48 * time.Hour,
	} {
		var k keep
		if err := k.UnmarshalText([]byte(text)); err != nil || time.Duration(k) != want {
			t.Errorf("%q is %v, %v; want %v", text, time.Duration(k), err, want)
		}
		var again keep
		if err := again.UnmarshalText([]byte(k.String())); err != nil || again != k {
			t.Errorf("%q is written as %q, which is %v, %v", text, k.String(), time.Duration(again), err)
		}
	}
	for _, text := range []string{"", "soon", "-1d", "0", "0d", "d", "1e9d", "NaNd", "5"} {
		var k keep
		if err := k.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is taken as %v", text, time.Duration(k))
		}
	}
}

func TestRedacted(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"weft.db":                         "weft.db",
		"postgres://weft@db/weft":         "postgres://weft@db/weft",
		"postgres://weft:hunter2@db/weft": "postgres://weft:xxxxx@db/weft",
		"postgres://db/weft?user=weft&password=hunter2&sslmode=on": "postgres://db/weft?user=weft&password=xxxxx&sslmode=on",
		"postgres://db/weft?sslpassword=hunter2":                   "postgres://db/weft?sslpassword=xxxxx",
		"postgres://weft:hun%ter2@db/weft":                         "postgres://xxxxx@db/weft",
		"https://user:hunter2@weft.example/":                       "https://user:xxxxx@weft.example/",
		"host=db user=weft password=hunter2":                       "host=db user=weft password=xxxxx",
	} {
		if got := redacted(address); got != want {
			t.Errorf("redacted(%q) = %q, want %q", address, got, want)
		}
	}
}
