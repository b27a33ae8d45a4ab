package search

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKeptIndexAnswersTheSame(t *testing.T) {
	t.Parallel()
	docs, path, others := world(300, 300)
	docs[5].Sources = []string{path[3], "a message that comes later"}
	docs[6].Language = "de"
	x := index(t, docs...)
	x.Remove(others[10], path[20])
	data, err := x.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	y, err := ReadIndex(data)
	if err != nil {
		t.Fatal(err)
	}
	again, err := y.MarshalBinary()
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("%d bytes become %d when they are read and written, %v", len(data), len(again), err)
	}
	for _, q := range questions(docs, 30) {
		q.Vector = nil
		want, got := x.Search(x.View(path, others), q, DefaultConfig()), y.Search(y.View(path, others), q, DefaultConfig())
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s (-made +read):\n%s", q.Text, diff)
		}
	}
	if err := y.Put(message("a message that comes later", "A", "xyzzy")); err != nil {
		t.Fatal(err)
	}
	if got := ask(y, "xyzzy"); len(got) == 0 || got[0] != "a message that comes later" {
		t.Errorf("xyzzy finds %v", got)
	}
}

func TestDamagedIndexes(t *testing.T) {
	t.Parallel()
	x := index(t, entry("e", "Lamp", "A lamp of brass."), message("m", "A", "the lamp"))
	data, err := x.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 0x41
		if _, err := ReadIndex(bad); err == nil {
			t.Errorf("byte %d is wrong, and nobody notices", i)
		}
		if _, err := ReadIndex(data[:i]); err == nil {
			t.Errorf("%d of %d bytes are taken", i, len(data))
		}
	}
	other := bytes.Clone(data)
	other[len(magic)]++
	if _, err := ReadIndex(other); !errors.Is(err, ErrFormat) {
		t.Errorf("another format: %v, want ErrFormat", err)
	}
}

func FuzzReadIndex(f *testing.F) {
	x := index(f, entry("e", "Lamp", "A lamp of brass."), message("m", "A", "the lamp"))
	data, err := x.MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[len(magic)+1 : len(data)-4])
	f.Fuzz(func(t *testing.T, body []byte) {
		y, err := ReadIndex(seal(body))
		if err != nil {
			return
		}
		y.Search(y.All(), Query{Text: "lamp"}, DefaultConfig())
		if err := y.Put(entry("e", "Lamp", "lamp")); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkReadIndex(b *testing.B) {
	docs, _, _ := world(10_000, 6_000)
	x := index(b, docs...)
	data, err := x.MarshalBinary()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(len(data))/1e6, "MB")
	for b.Loop() {
		if _, err := ReadIndex(data); err != nil {
			b.Fatal(err)
		}
	}
}

// seal puts the frame of a kept index around a body.
func seal(body []byte) []byte {
	data := append([]byte(magic), format)
	data = append(data, body...)
	return binary.LittleEndian.AppendUint32(data, crc32.ChecksumIEEE(data))
}
