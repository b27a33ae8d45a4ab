package match

import "testing"

func TestTrimJS(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{" \t\n\v\f\r\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000\ufeffx y\ufeff ", "x y"},
		{"\u0085x\u200b", "\u0085x\u200b"},
		{"   ", ""},
	} {
		if got := TrimJS(tt.in); got != tt.want {
			t.Errorf("TrimJS(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestLenUTF16(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want int
	}{{"", 0}, {"abc", 3}, {"é東", 2}, {"a🐙", 3}, {"\xff\xfe", 2}} {
		if got := LenUTF16(tt.in); got != tt.want {
			t.Errorf("LenUTF16(%q) = %d, want %d", tt.in, got, tt.want)
		}
	}
}

func TestNames(t *testing.T) {
	if s := (FoldLower | FoldNoSpaces).String(); s != "lower+nospaces" {
		t.Errorf("String = %q", s)
	}
	if s := Fold(77).String(); s != "Fold(77)" {
		t.Errorf("String = %q", s)
	}
	if s := GlobAgnai.String() + " " + Words(99).String(); s != "glob-agnai Words(99)" {
		t.Errorf("String = %q", s)
	}
}
