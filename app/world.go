package app

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/weft-memory/weft/client"
	"github.com/weft-memory/weft/client/api"
)

type worldCmd struct {
	List   worldListCmd   `cmd:"" default:"withargs" help:"List worlds."`
	Show   worldShowCmd   `cmd:"" help:"Show a world and its settings."`
	Create worldCreateCmd `cmd:"" help:"Make a world."`
	Delete worldDeleteCmd `cmd:"" help:"Delete a world for good."`
}

type worldListCmd struct {
	JSON bool `name:"json" help:"Print JSON, as the API gives it."`
	serverFlags
}

// Help is shown by --help.
func (worldListCmd) Help() string {
	return "Examples:\n\n    weft world list\n    weft world list --server http://127.0.0.1:8720 --json"
}

// Run lists worlds.
func (c *worldListCmd) Run(e *env) error {
	l, err := c.connect(e)
	if err != nil {
		return err
	}
	defer l.close()
	list, err := client.All(func(p client.Page) (api.Page[api.World], error) { return l.Worlds(e.ctx, p) })
	if err != nil {
		return l.refused(err)
	}
	if c.JSON {
		return e.printJSON(list)
	}
	t := newTable(e.out, "world", "conversations", "messages", "changed", "name").keepWhole(0).alignRight(1).alignRight(2)
	for _, w := range list {
		t.row(cell{w.ID, strong}, cell{number(int(w.Conversations)), plain}, cell{number(int(w.Messages)), plain}, cell{when(w.Changed), dim}, cell{visible(w.Name, false), plain})
	}
	return e.printTable(t, "there is no world yet: "+e.opts.Name+" world create NAME makes one")
}

// printTable prints a table, or says that it is empty.
func (e *env) printTable(t *table, empty string) error {
	if len(t.rows) == 0 {
		e.note("%s", empty)
		return nil
	}
	var b strings.Builder
	t.print(&b)
	return e.print(b.String())
}

// when writes a time of the API for people.
func when(micros int64) string {
	if micros == 0 {
		return ""
	}
	return time.UnixMicro(micros).Format("2006-01-02 15:04")
}

type worldShowCmd struct {
	ID string `arg:"" optional:"" name:"world" help:"The world. Default: that of --world, else the only one there is."`
	worldFlags
}

// Help is shown by --help.
func (worldShowCmd) Help() string {
	return "Prints the world as JSON.\n\nExample:\n\n    weft world show skerrow"
}

// Run shows a world.
func (c *worldShowCmd) Run(e *env) error {
	if c.ID != "" {
		c.World = c.ID
	}
	l, w, err := c.open(e)
	if err != nil {
		return err
	}
	defer l.close()
	got, err := w.Get(e.ctx)
	if err != nil {
		return l.refused(err)
	}
	return e.printJSON(got)
}

type worldCreateCmd struct {
	Name string `arg:"" help:"What the world is called."`

	ID string `name:"id" placeholder:"ID" help:"Its id. Default: one is made up."`
	serverFlags
}

// Help is shown by --help.
func (worldCreateCmd) Help() string {
	return "Makes a world without books and prints its id.\n\nExample:\n\n    weft world create \"The North\" --id north"
}

// Run makes a world.
func (c *worldCreateCmd) Run(e *env) error {
	l, err := c.connect(e)
	if err != nil {
		return err
	}
	defer l.close()
	w, err := l.CreateWorld(e.ctx, api.NewWorld{ID: c.ID, Name: c.Name})
	if err != nil {
		return l.refused(err)
	}
	return e.print(w.ID + "\n")
}

type worldDeleteCmd struct {
	ID string `arg:"" name:"world" help:"The world, by its id."`

	Force bool `short:"f" help:"Delete it although it holds messages."`
	serverFlags
}

// Help is shown by --help.
func (worldDeleteCmd) Help() string {
	return "Deletes a world for good, with its books, characters and conversations: they are gone from the files of the database when the command ends. A backup made before still holds them.\n\nExample:\n\n    weft world delete north --force"
}

// Run deletes a world.
func (c *worldDeleteCmd) Run(e *env) error {
	l, err := c.connect(e)
	if err != nil {
		return err
	}
	defer l.close()
	w := l.World(c.ID)
	got, err := w.Get(e.ctx)
	if err != nil {
		return l.refused(err)
	}
	if got.Messages > 0 && !c.Force {
		return fail(ExitRefused, "give --force to delete it for good", "the world %s holds %s in %s", c.ID,
			plural(int(got.Messages), "message"), plural(int(got.Conversations), "conversation"))
	}
	return l.refused(w.Erase(e.ctx))
}

type statusCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
	serverFlags
}

// Help is shown by --help.
func (statusCmd) Help() string {
	return `Says which server the commands for worlds use, or which database where none runs, and whether it answers. The exit status is 0 if it can serve.

Examples:

    weft status
    weft status --server http://127.0.0.1:8720`
}

// serverStatus is the output of weft status --json.
type serverStatus struct {
	// Server is the address; "" if no server runs and the database itself is used.
	Server   string `json:"server"`
	Database string `json:"database,omitempty"`
	Version  string `json:"version"`
	Ready    bool   `json:"ready"`
	Worlds   int    `json:"worlds"`
}

// Run asks a server how it is.
func (c *statusCmd) Run(e *env) error {
	l, err := c.connect(e)
	if err != nil {
		return err
	}
	defer l.close()
	v, err := l.Version(e.ctx)
	if err != nil {
		return l.refused(err)
	}
	s := serverStatus{Server: l.address, Database: l.database, Version: v.Version, Ready: true}
	notReady := l.Ready(e.ctx)
	s.Ready = notReady == nil
	worlds := "unknown: a token is needed"
	list, err := client.All(func(p client.Page) (api.Page[api.World], error) { return l.Worlds(e.ctx, p) })
	var p *api.Problem
	switch {
	case err == nil:
		s.Worlds = len(list)
		worlds = number(len(list))
	case !errors.As(err, &p) || p.Kind != api.Unauthorized:
		return l.refused(err)
	}
	if c.JSON {
		err = e.printJSON(s)
	} else {
		server := s.Server
		if server == "" {
			server = "none runs; the database is used directly"
		}
		state := "ready"
		if !s.Ready {
			state = "not ready"
		}
		text := fmt.Sprintf("server    %s\nversion   %s\nstate     %s\nworlds    %s\n", server, s.Version, state, worlds)
		if s.Database != "" {
			text += "database  " + s.Database + "\n"
		}
		err = e.print(text)
	}
	if err == nil && !s.Ready {
		return l.refused(notReady)
	}
	return err
}
