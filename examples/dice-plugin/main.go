// Dice-plugin extends the engine in both ways there are: a plugin adds a
// processor that templates can call, @[dice.roll("2d6+1")], and a hook watches
// the turn and keeps a secret out of it.
//
//	go run ./examples/dice-plugin
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/stdlib"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// dicePlugin registers the processor dice.roll. Its parameters, their defaults
// and their documentation derive from the struct.
type dicePlugin struct{}

func (dicePlugin) Name() string { return "dice" }

func (dicePlugin) Register(r *weaver.Registry) error {
	return r.RegisterProcessor(weaver.NewProcessor("dice.roll",
		"Rolls dice: 2d6+1 are two dice of six sides, and one more.", roll, weaver.Owner("dice")))
}

type rollArgs struct {
	Dice string `weaver:"dice,strict" default:"1d6" doc:"COUNTdSIDES, and perhaps +N or -N"`
}

var notation = regexp.MustCompile(`^([0-9]{1,2})d([0-9]{1,4})([+-][0-9]{1,4})?$`)

// roll draws from the seed of the evaluation, so that a replay rolls the same.
func roll(ctx *weaver.Context, a rollArgs) (int, error) {
	m := notation.FindStringSubmatch(strings.ReplaceAll(a.Dice, " ", ""))
	if m == nil {
		return 0, weaver.Errorf(weaver.HostError, "dice.roll: %q is no roll, write it like 2d6+1", a.Dice)
	}
	count, _ := strconv.Atoi(m[1])
	sides, _ := strconv.Atoi(m[2])
	total, _ := strconv.Atoi(m[3]) // an empty bonus is 0
	for range count {
		total += int(ctx.IntRange(1, int64(max(sides, 1))))
	}
	return total, nil
}

// redactor is a hook. It has two of the seven methods that a hook can have; a
// hook of closures is made with engine.NewHook.
type redactor struct {
	secret string
	log    io.Writer
}

func (redactor) Name() string { return "redactor" }

// PreActivation changes what the scan will read.
func (h redactor) PreActivation(_ context.Context, c *engine.PreActivation) error {
	for i := range c.Messages {
		c.Messages[i].Content = strings.ReplaceAll(c.Messages[i].Content, h.secret, "…")
	}
	return nil
}

// PostAssemble sees the finished blocks.
func (h redactor) PostAssemble(_ context.Context, c *engine.PostAssemble) error {
	fmt.Fprintf(h.log, "hook: %d blocks on turn %d\n", len(c.Blocks), c.Turn)
	return nil
}

var (
	_ engine.Plugin        = dicePlugin{}
	_ engine.PreActivator  = redactor{}
	_ engine.PostAssembler = redactor{}
)

func run(ctx context.Context, out io.Writer) error {
	// A book made in code.
	book, err := lore.NewBook("quay").
		Entry("crane", `The crane called Heron lifts @[dice.roll("3d6+4")] crates before it jams.`, lore.Keywords("crane")).
		Entry("password", "Somebody has said the word of the night.", lore.Keywords("marigold")).
		Build()
	if err != nil {
		return err
	}
	segment, problems := engine.Build(book, engine.BuildOptions{})
	if err := problems.Err(); err != nil {
		return err
	}
	eng, err := engine.New(engine.Options{
		Plugins: []engine.Plugin{stdlib.Plugin{}, dicePlugin{}},
		Hooks:   []engine.Hook{redactor{"marigold", out}},
	})
	if err != nil {
		return err
	}
	result, err := eng.Assemble(ctx, engine.NewIndex(segment), engine.Input{
		Messages: []lore.Message{lore.UserMessage("At the crane I whisper marigold.")},
		Seed:     20,
	})
	if err != nil {
		return err
	}
	for _, b := range result.Blocks {
		fmt.Fprintf(out, "[%s] %s\n", b.Slot, b.Content)
	}
	return nil
}
