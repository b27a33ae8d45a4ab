package chats_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/chats"
	"github.com/weft-memory/weft/format/internal/codectest"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

func TestEditText(t *testing.T) {
	t.Parallel()
	codecs := chats.Codecs()
	say := func(text string) func(*format.Document) {
		return func(doc *format.Document) {
			for i := range doc.Chats[0].Messages {
				if m := &doc.Chats[0].Messages[i]; strings.HasPrefix(m.Content, "I can wait.") {
					m.Content = text
				}
			}
		}
	}
	for name, want := range map[string][]string{
		"tavern.jsonl": {"I can wait.", "No hurry."}, "chub.jsonl": {"I can wait.", "No hurry."},
		"risu.json": {"I can wait.", "No hurry."}, "agnai.json": {"I can wait.", "No hurry."}, "cai.json": {"I can wait.", "No hurry."},
		"risu.txt": {"I can wait.\nReally.", "No hurry."}, "backyard.txt": {"I can wait.\nReally.", "No hurry."},
		"log.txt": {"I can wait.\nReally I can.", "No hurry."}, "backyard_v2.json": {"I can wait.", "No hurry."},
		"webui.json": {`["I can wait.","Then sit."]],"visible":[["","Too early."],["I can wait."`, `["No hurry.","Then sit."]],"visible":[["","Too early."],["No hurry."`},
	} {
		t.Run(name, func(t *testing.T) {
			doc, _ := codectest.Read(t, codecs, filepath.Join("testdata", name), formatOf(t, name))
			codectest.Edited(t, codecs, filepath.Join("testdata", name), doc.Format, say("No hurry."), want...)
		})
	}
}

func formatOf(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	doc, _, err := format.Read(t.Context(), table(t), format.Bytes(name, data))
	if err != nil {
		t.Fatal(err)
	}
	return doc.Format
}

// TestEditSwipe keeps mes and its swipe in step.
func TestEditSwipe(t *testing.T) {
	t.Parallel()
	codectest.Edited(t, chats.Codecs(), "testdata/tavern.jsonl", chats.TavernName, func(doc *format.Document) {
		m := &doc.Chats[0].Messages[0]
		m.Content = "Early."
		doc.Chats[0].Note = "[Late.]"
	}, `"mes":"\"Too early.\""`, `"mes":"Early."`, `,"\"Too early.\""]`, `,"Early."]`, "[Early.]", "[Late.]")
}

// TestAddAndRemove changes the list of messages in every format.
func TestAddAndRemove(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"tavern.jsonl", "chub.jsonl", "risu.json", "agnai.json", "cai.json", "risu.txt", "backyard.txt", "log.txt", "webui.json", "backyard_v2.json",
	} {
		t.Run(name, func(t *testing.T) {
			doc, _ := codectest.Read(t, chats.Codecs(), filepath.Join("testdata", name), formatOf(t, name))
			c := doc.Chats[0]
			user := lore.ChatMessage{Message: lore.Message{Role: lore.RoleUser, Name: "Pim", Content: "Good morning."}, Time: "3/1/2025, 5:03:00 AM"}
			answer := lore.ChatMessage{Message: lore.Message{Role: lore.RoleAssistant, Name: "Odile", Content: "Morning."}, Time: "3/1/2025, 5:04:00 AM"}
			c.Messages = append(slices.Delete(c.Messages, 0, 1), user, answer)
			var want []string
			who := func(m lore.ChatMessage) string {
				if strings.HasSuffix(name, ".txt") { // text does not say who is the person
					return m.Name
				}
				return string(m.Role)
			}
			for _, m := range c.Messages {
				want = append(want, who(m)+": "+m.Content)
			}
			out := codectest.Write(t, chats.Codecs(), doc)
			again, _, err := format.ReadAs(t.Context(), table(t), format.Bytes(name, out), doc.Format)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var got []string
			for _, m := range again.Chats[0].Messages {
				got = append(got, who(m)+": "+m.Content)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("messages (-want +got):\n%s\n%s", diff, out)
			}
		})
	}
}

// TestBrokenLineStays keeps a line that is no message where it stood.
func TestBrokenLineStays(t *testing.T) {
	t.Parallel()
	doc, report := codectest.Read(t, chats.Codecs(), "testdata/tavern.jsonl", chats.TavernName)
	if !slices.ContainsFunc(report.Problems, func(d diag.Diagnostic) bool { return d.Code == "bad-line" && d.Line == 4 }) {
		t.Errorf("the line is not reported: %v", report.Problems)
	}
	c := doc.Chats[0]
	c.Messages = append(c.Messages, lore.ChatMessage{Message: lore.Message{Role: lore.RoleUser, Name: "Pim", Content: "More."}})
	lines := strings.Split(string(codectest.Write(t, chats.Codecs(), doc)), "\n")
	if len(lines) != 6 || !strings.HasSuffix(lines[3], `"mes":"broken`) || !strings.Contains(lines[5], "More.") {
		t.Errorf("lines are %q", lines)
	}
}

// TestRoundTripPairs converts every chat to every format with a place for
// foreign data and back: the same bytes come back.
func TestRoundTripPairs(t *testing.T) {
	t.Parallel()
	tab := table(t)
	for _, name := range []string{"tavern.jsonl", "chub.jsonl", "risu.json", "agnai.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "tavern.jsonl" { // a line that is no message belongs to its file
			lines := strings.Split(string(data), "\n")
			data = []byte(strings.Join(slices.Delete(lines, 3, 4), "\n"))
		}
		for _, c := range tab.Codecs() {
			t.Run(name+"/"+c.Info().Name, func(t *testing.T) {
				doc, _, err := format.Read(t.Context(), tab, format.Bytes(name, data))
				if err != nil {
					t.Fatal(err)
				}
				there, report, err := format.Write(t.Context(), tab, doc, c.Info().Name)
				if err != nil {
					t.Fatal(err)
				}
				if c.Info().Name == doc.Format {
					return
				}
				if !c.Info().Carries {
					if len(report.Filter(format.Lost)) == 0 {
						t.Error("nothing is reported as lost")
					}
					return
				}
				back, _, err := format.ReadAs(t.Context(), tab, format.Bytes(name, there.Bytes()), c.Info().Name)
				if err != nil {
					t.Fatal(err)
				}
				out, _, err := format.Write(t.Context(), tab, back, doc.Format)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(data), string(out.Bytes())); diff != "" {
					t.Errorf("came back otherwise (-want +got):\n%s\nbetween: %s", diff, there.Bytes())
				}
			})
		}
	}
}

// TestEditBetween edits a chat in the other format: the edit wins.
func TestEditBetween(t *testing.T) {
	t.Parallel()
	tab := table(t)
	doc, _ := codectest.Read(t, chats.Codecs(), "testdata/risu.json", chats.RisuName)
	there, _, err := format.Write(t.Context(), tab, doc, chats.TavernName)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(there.Bytes()), "I can wait.", "No hurry.", 1)
	back, _, err := format.Read(t.Context(), tab, format.Bytes("x.jsonl", []byte(edited)))
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := format.Write(t.Context(), tab, back, chats.RisuName)
	if err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile("testdata/risu.json")
	if diff := cmp.Diff(strings.Replace(string(data), "I can wait.", "No hurry.", 1), string(out.Bytes())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPlainLogNames(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"A: one\nB: two\nA: three\nB: four":           "A|B|A|B",
		"A: one\nSee http://x: y\nA: two":             "A|A",
		"A: one\nTime: 12\nA: two\n10:30 came":        "A|A",
		"User: hi\nOdd One: hm\nUser: ho":             "User|User",
		"Ann B. Smith: one\nUser: x\nAnn B. Smith: y": "Ann B. Smith|User|Ann B. Smith",
	} {
		doc, _, err := format.ReadAs(context.Background(), table(t), format.Bytes("x", []byte(src)), chats.LogName)
		if err != nil {
			t.Errorf("%q: %v", src, err)
			continue
		}
		var names []string
		for _, m := range doc.Chats[0].Messages {
			names = append(names, m.Name)
		}
		if got := strings.Join(names, "|"); got != want {
			t.Errorf("%q: authors %s, want %s", src, got, want)
		}
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"tavern.jsonl", "risu.json", "agnai.json", "webui.json", "cai.json", "log.txt", "risu.txt", "backyard.txt"} {
		codectest.BadInput(t, chats.Codecs(), filepath.Join("testdata", name))
	}
}

func FuzzRead(f *testing.F) { codectest.Fuzz(f, chats.Codecs(), "testdata/*.*") }
