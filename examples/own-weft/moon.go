package main

import (
	"context"
	"fmt"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/weaver"
)

// moon lets templates ask for the moon: @[moon.phase(day: 12)].
var moon = engine.PluginFunc("moon", func(r *weaver.Registry) error {
	return r.RegisterProcessor(weaver.NewProcessor("moon.phase", "Returns how the moon looks on a day of the story.", phase))
})

type phaseArgs struct {
	Day int `weaver:"day" default:"0" doc:"the day, counted from a new moon"`
}

var phases = []string{"new", "waxing", "full", "waning"}

func phase(_ *weaver.Context, a phaseArgs) (string, error) {
	const month = 28
	day := (a.Day%month + month) % month
	return phases[day*len(phases)/month], nil
}

// tally ends each text with its place in the prompt. A hook sees every assembly,
// those of the server too.
var tally = engine.NewHook("tally", engine.HookFuncs{
	PostAssemble: func(_ context.Context, c *engine.PostAssemble) error {
		for i := range c.Blocks {
			c.Blocks[i].Content += fmt.Sprintf(" [%d of %d]", i+1, len(c.Blocks))
		}
		return nil
	},
})
