package app

import (
	"context"
	"fmt"

	"github.com/weft-memory/weft/examples"
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/world"
)

// sampleWorld makes the example world: its book, two characters, and with each
// a conversation to go on with.
func sampleWorld(ctx context.Context, worlds *world.Service) error {
	dir, findings, err := lore.LoadFS(ctx, examples.Skerrow(), "skerrow")
	if err != nil {
		return err
	}
	if findings.HasErrors() {
		return fmt.Errorf("the book cannot be read: %w", findings.Err())
	}
	w, err := worlds.CreateWorld(ctx, world.NewWorld{ID: "skerrow", Name: "Skerrow", Settings: world.Settings{
		User: "Sam", Vars: map[string]map[string]weaver.Value{"chat": {"season": weaver.String("late autumn")}},
	}})
	if err != nil {
		return err
	}
	if _, err := worlds.SaveBook(ctx, w.ID, dir.Book(), world.SaveBook{Note: "the sample world"}); err != nil {
		return err
	}
	for _, part := range []struct {
		file, title string
		card        []byte
		vars        map[string]map[string]weaver.Value
	}{
		{"maddis.json", "At the Drowned Lark", examples.Maddis(), nil},
		{"ilka.json", "A first evening", examples.Ilka(), map[string]map[string]weaver.Value{"char": {"age": weaver.Number(31)}}},
	} {
		got, err := worlds.Import(ctx, w.ID, format.Bytes(part.file, part.card), world.Import{})
		if err != nil {
			return err
		}
		n := world.NewConversation{Title: part.title}
		n.Settings.Vars = part.vars
		for _, c := range got.Characters {
			n.Settings.Characters = append(n.Settings.Characters, c.ID)
		}
		if _, err := worlds.CreateConversation(ctx, w.ID, n); err != nil {
			return err
		}
	}
	return nil
}
