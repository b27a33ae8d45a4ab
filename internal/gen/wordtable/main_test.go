package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// source makes a file like the package's, of these words.
func source(words ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"size":%d,"words":["%s"],"vectors":{`, len(words), strings.Join(words, `","`))
	for i, w := range words {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"%s":[`, w)
		for k := range dimensions + 2 { // the package adds two numbers of its own
			if k > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%.4f", math.Sin(float64((i+1)*(k+3))))
		}
		b.WriteByte(']')
	}
	b.WriteString(`},"unkVector":[0]}`)
	return b.String()
}

func TestTable(t *testing.T) {
	t.Parallel()
	list, err := read(strings.NewReader(source("the", ",", "sword", "1984", "well-known", "blade")), 3)
	if err != nil {
		t.Fatal(err)
	}
	var ranks []int
	for _, w := range list {
		ranks = append(ranks, w.rank)
	}
	if !slices.Equal(ranks, []int{1, 3, 5}) {
		t.Errorf("ranks %v, want 1, 3 and 5: the words among them", ranks)
	}
	table, err := build(list)
	if err != nil {
		t.Fatal(err)
	}
	if string(table[:8]) != "WEFTWORD" || binary.LittleEndian.Uint32(table[8:]) != 3 || !strings.HasSuffix(string(table), "sword\nthe\nwell-known\n") {
		t.Errorf("the table begins with %q and ends with %q", table[:16], table[len(table)-24:])
	}
	if want := 16 + 3*(4+1+1+dimensions) + len("sword\nthe\nwell-known\n"); len(table) != want {
		t.Errorf("%d bytes, want %d", len(table), want)
	}
}

func TestSourcesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "[]", `{"vectors":{"a":[1]}}`, `{"words":["a"],"vectors":{"a":[1]}}`, `{"words":["a"],"vectors":{}}`} {
		if _, err := read(strings.NewReader(s), 3); err == nil {
			t.Errorf("%q gives no error", s)
		}
	}
}
