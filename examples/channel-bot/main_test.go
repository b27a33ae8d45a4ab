package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/client"
	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/internal/servetest"
)

func sortedLines(s string) []string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	slices.Sort(lines)
	return lines
}

// said returns what stands on the path of a channel, as author: text.
func said(t *testing.T, w *client.World, channel string) []string {
	t.Helper()
	path, err := w.Path(t.Context(), client.External(channel), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, n := range path {
		out = append(out, n.Name+": "+n.Content)
	}
	return out
}

// The bot runs against a real server.
func TestBot(t *testing.T) {
	t.Parallel()
	s := servetest.Start(t, servetest.Build(t, "./cmd/weft"), "--no-sample")
	weft := client.New(s.Address, client.Options{})
	t.Cleanup(weft.Close)
	for name, test := range map[string]func(*testing.T, *client.Client, *client.World){
		"evening": testEvening, "many": testManyChannels, "trouble": testTrouble,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, weft, weft.World(name))
		})
	}
}

// The bot is started a second time on the same events, as after a crash, and
// nothing is there twice.
func testEvening(t *testing.T, weft *client.Client, w *client.World) {
	evening, err := os.ReadFile("evening.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`#quay Of 2 messages I remember best: "I hear a bell."`,
		`#quay Of 2 messages I remember best: "Then I wait for the pilot."`,
		`#stair Of 1 messages I remember best: "Forty-one switchbacks, and no lamp."`,
	}
	for _, start := range []string{"first", "second"} {
		var out bytes.Buffer
		b := &bot{world: w, narrate: parrot, out: &out}
		if err := b.run(t.Context(), weft, bytes.NewReader(evening)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, sortedLines(out.String())); diff != "" {
			t.Errorf("posts of the %s start (-want +got):\n%s", start, diff)
		}
		if diff := cmp.Diff([]string{
			"sam: Is anyone there? It is dark.",
			`bot: Of 2 messages I remember best: "I hear a bell."`,
			"sam: Then I wait for the pilot.",
			`bot: Of 2 messages I remember best: "Then I wait for the pilot."`,
		}, said(t, w, "#quay")); diff != "" {
			t.Errorf("the channel after the %s start (-want +got):\n%s", start, diff)
		}
	}
	list, err := client.All(func(p client.Page) (api.Page[api.Conversation], error) { return w.Conversations(t.Context(), p) })
	if err != nil || len(list) != 2 {
		t.Errorf("there are %d conversations, %v", len(list), err)
	}
}

// Many channels talk at once; each keeps its own order, and its authors.
func testManyChannels(t *testing.T, weft *client.Client, w *client.World) {
	const channels, rounds = 12, 5
	var in strings.Builder
	for round := range rounds {
		for c := range channels {
			fmt.Fprintf(&in, "#c%d ida: question %d\n#c%d sam: remark %d\n#c%d reply\n", c, round, c, round, c)
		}
	}
	b := &bot{world: w, narrate: parrot, out: io.Discard}
	if err := b.run(t.Context(), weft, strings.NewReader(in.String())); err != nil {
		t.Fatal(err)
	}
	var want []string
	for round := range rounds {
		want = append(want, fmt.Sprintf("ida: question %d", round), fmt.Sprintf("sam: remark %d", round),
			fmt.Sprintf("bot: Of %d messages I remember best: \"remark %d\"", 2*round+2, round))
	}
	for c := range channels {
		if diff := cmp.Diff(want, said(t, b.world, fmt.Sprintf("#c%d", c))); diff != "" {
			t.Errorf("channel %d (-want +got):\n%s", c, diff)
		}
	}
}

// What cannot be handled is said, and the rest goes on; a model that fails
// leaves no turn behind.
func testTrouble(t *testing.T, weft *client.Client, w *client.World) {
	var out bytes.Buffer
	broken := true
	b := &bot{world: w, out: &out, narrate: func(ctx context.Context, p []api.PromptMessage) (string, error) {
		if broken {
			broken = false
			return "", errors.New("the model sleeps")
		}
		return parrot(ctx, p)
	}}
	events := "#a reply\n#a ida: hello\n#a nonsense\n#a edit 9: nothing\n#a delete x\n#a reply\n#a reply\n\n#alone\n"
	if err := b.run(t.Context(), weft, strings.NewReader(events)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`cannot handle "reply"`, `cannot handle "nonsense"`, `cannot handle "edit 9: nothing"`, `cannot handle "delete x"`, "the model sleeps", `Of 1 messages I remember best: "hello"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is not said:\n%s", want, out.String())
		}
	}
}
