// Channel-bot shows how a bot of a chat platform gives its channels a memory:
// many channels, many authors, and the platform's own ids for all of them, so
// that the bot needs no table and can be started anew at any time. It knows no
// platform: it reads what happens there as lines,
//
//	#quay sam: Is anybody there?     a message, the first one of #quay: its id is #quay/1
//	#quay ida: I hear a bell.        another one, #quay/2, before anybody replies
//	#quay reply                      the bot answers all that was said; its answer is #quay/3
//	#quay edit 1: Is anyone there?   the author changed message #quay/1
//	#quay delete 2                   somebody deleted message #quay/2
//
// and prints what it would post. Run it beside weft serve:
//
//	go run ./examples/channel-bot < examples/channel-bot/evening.txt
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"

	"github.com/weft-memory/weft/client"
	"github.com/weft-memory/weft/client/api"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	address := os.Getenv("WEFT_SERVER")
	if address == "" {
		address = "http://127.0.0.1:8720"
	}
	weft := client.New(address, client.Options{Token: os.Getenv("WEFT_TOKEN")})
	b := &bot{world: weft.World("channels"), narrate: parrot, out: os.Stdout}
	if err := b.run(ctx, weft, os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// narrator writes a reply to a prompt: here a real bot asks a model.
type narrator func(ctx context.Context, prompt []api.PromptMessage) (string, error)

// parrot needs no model: it says how many messages of the story it was given,
// and repeats the last one.
func parrot(_ context.Context, prompt []api.PromptMessage) (string, error) {
	n, last := 0, ""
	for _, m := range prompt {
		if m.Role == "user" {
			n, last = n+1, m.Content
		}
	}
	return fmt.Sprintf("Of %d messages I remember best: %q", n, last), nil
}

// bot keeps one conversation for each channel.
type bot struct {
	world   *client.World
	narrate narrator

	mu  sync.Mutex // of out
	out io.Writer
}

// run reads what happens on the platform until it ends. Each channel is worked
// on in order, and all of them at the same time.
func (b *bot) run(ctx context.Context, weft *client.Client, in io.Reader) error {
	_, err := weft.CreateWorld(ctx, api.NewWorld{ID: b.world.ID(), Name: "Channels"})
	var p *api.Problem
	if err != nil && !(errors.As(err, &p) && p.Kind == api.Exists) {
		return err
	}
	var wait sync.WaitGroup
	channels := map[string]chan string{}
	lines := bufio.NewScanner(in)
	for lines.Scan() && ctx.Err() == nil {
		name, event, ok := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		if !ok {
			continue
		}
		events := channels[name]
		if events == nil {
			events = make(chan string, 100)
			channels[name] = events
			c := &channel{bot: b, name: name}
			wait.Go(func() { c.follow(ctx, events) })
		}
		events <- event
	}
	for _, events := range channels {
		close(events)
	}
	wait.Wait()
	return errors.Join(lines.Err(), ctx.Err())
}

// channel is one channel of the platform.
type channel struct {
	*bot
	name  string
	posts int // how many messages the platform has in it
}

func (c *channel) follow(ctx context.Context, events <-chan string) {
	for event := range events {
		if err := c.handle(ctx, event); err != nil {
			c.say("cannot handle %q: %v", event, err)
		}
	}
}

// chat is the conversation of the channel, by the name that the platform has
// for it.
func (c *channel) chat() string { return client.External(c.name) }

// post is a message of the channel, by the id that the platform has for it.
func (c *channel) post(n int) string { return c.name + "/" + strconv.Itoa(n) }

// handle does what one event asks for.
func (c *channel) handle(ctx context.Context, event string) error {
	head, text, spoken := strings.Cut(event, ":")
	text = strings.TrimSpace(text)
	words := strings.Fields(head)
	switch {
	case len(words) == 1 && words[0] == "reply" && !spoken:
		return c.reply(ctx)
	case len(words) == 2 && words[0] == "edit" && spoken:
		n, err := strconv.Atoi(words[1])
		if err != nil {
			return err
		}
		_, err = c.world.Edit(ctx, client.External(c.post(n)), api.Edit{Content: text})
		return err
	case len(words) == 2 && words[0] == "delete" && !spoken:
		n, err := strconv.Atoi(words[1])
		if err != nil {
			return err
		}
		_, err = c.world.Delete(ctx, client.External(c.post(n)), false)
		return err
	case len(words) == 1 && spoken:
		return c.message(ctx, words[0], text)
	}
	return errors.New("this is no event")
}

// message stores what somebody said; nobody replies yet. With IfNew, an event
// that the platform tells twice is stored once.
func (c *channel) message(ctx context.Context, author, text string) error {
	c.posts++
	if _, err := c.world.CreateConversation(ctx, api.NewConversation{External: c.name, Title: c.name, IfNew: true}); err != nil {
		return err
	}
	who, err := c.world.SaveAuthor(ctx, api.Author{External: "user/" + author, Name: author})
	if err != nil {
		return err
	}
	_, err = c.world.Append(ctx, c.chat(), api.Append{
		IfNew:    true,
		Messages: []api.Message{{Name: who.Name, Author: who.ID, Content: text, External: c.post(c.posts)}},
	})
	return err
}

// reply answers all that was said since the last reply. The answer gets the id
// of the post that it becomes, and is written once, however often the bot is
// asked or restarted.
func (c *channel) reply(ctx context.Context) error {
	c.posts++
	id := c.post(c.posts)
	if n, err := c.world.Node(ctx, client.External(id)); err == nil {
		c.say("%s", n.Content)
		return nil
	}
	turn, err := c.world.BeginTurn(ctx, c.chat(), api.NewTurn{})
	if err != nil {
		return err
	}
	text, err := c.narrate(ctx, turn.Prompt)
	if err != nil {
		return errors.Join(err, c.world.CancelTurn(ctx, turn.ID))
	}
	n, err := c.world.FinishTurn(ctx, turn.ID, api.Reply{Content: text, Name: "bot", External: id})
	if err != nil {
		return err
	}
	c.say("%s", n.Content)
	return nil
}

func (c *channel) say(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(c.out, "%s %s\n", c.name, fmt.Sprintf(format, args...))
}
