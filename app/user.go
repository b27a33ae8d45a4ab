package app

import (
	"strings"

	"github.com/weft-memory/weft/client"
	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/lore"
)

type userCmd struct {
	List   userListCmd   `cmd:"" default:"withargs" help:"List users."`
	Create userCreateCmd `cmd:"" help:"Make a user, and a token for them."`
	Token  userTokenCmd  `cmd:"" help:"Make a token for a user."`
}

type userListCmd struct {
	JSON bool `name:"json" help:"Print JSON, as the API gives it."`
	serverFlags
}

// Help is shown by --help.
func (userListCmd) Help() string { return "Example:\n\n    weft user list" }

// Run lists users.
func (c *userListCmd) Run(e *env) error {
	l, err := c.connect(e)
	if err != nil {
		return err
	}
	defer l.close()
	list, err := client.All(func(p client.Page) (api.Page[api.User], error) { return l.Users(e.ctx, p) })
	if err != nil {
		return l.refused(err)
	}
	if c.JSON {
		return e.printJSON(list)
	}
	t := newTable(e.out, "name", "admin", "state", "since", "id").limit(0, 30)
	for _, u := range list {
		is, state := "", "active"
		if u.Admin {
			is = "yes"
		}
		if u.Disabled {
			state = "disabled"
		}
		t.row(cell{visible(u.Name, false), strong}, cell{is, plain}, cell{state, plain}, cell{when(u.Created), dim}, cell{u.ID, dim})
	}
	return e.printTable(t, "there are no users: on loopback none are needed")
}

type userCreateCmd struct {
	Name string `arg:"" help:"The name to sign in with."`

	Admin         bool  `help:"The user may administer the server and see all worlds."`
	Password      bool  `help:"Read a password from the first line of standard input, for signing in by name."`
	Worlds        int64 `placeholder:"N" help:"The most worlds that the user may have. Default: no bound."`
	Conversations int64 `placeholder:"N" help:"The most conversations. Default: no bound."`
	Messages      int64 `placeholder:"N" help:"The most messages. Default: no bound."`
	serverFlags
}

// Help is shown by --help.
func (userCreateCmd) Help() string {
	return "Makes a user and prints a token, this once: it signs in as WEFT_TOKEN, or as Authorization: Bearer TOKEN. Each user sees only their own worlds.\n\nExamples:\n\n    weft user create tove --worlds 3\n    weft user create mira --password < password.txt"
}

// Run makes a user.
func (c *userCreateCmd) Run(e *env) error {
	n := api.NewUser{Name: c.Name, Admin: c.Admin, Quota: api.Limits{Worlds: c.Worlds, Conversations: c.Conversations, Messages: c.Messages}}
	if c.Password {
		data, err := e.readInput("-", "password", maxFileBytes)
		if err != nil {
			return err
		}
		n.Password, _, _ = strings.Cut(lore.DecodeText(data), "\n")
		if n.Password = strings.TrimSuffix(n.Password, "\r"); n.Password == "" {
			return fail(ExitInput, "", "the first line of standard input is no password: it is empty")
		}
	}
	l, err := c.connect(e)
	if err != nil {
		return err
	}
	defer l.close()
	u, err := l.CreateUser(e.ctx, n)
	if err != nil {
		return l.refused(err)
	}
	t, err := l.CreateToken(e.ctx, u.ID, api.NewToken{Name: "first"})
	if err != nil {
		return l.refused(err)
	}
	return e.print(t.Key + "\n")
}

type userTokenCmd struct {
	Name string `arg:"" help:"The user, by name or id."`

	For string `placeholder:"TEXT" help:"What the token is for, such as the name of a program."`
	serverFlags
}

// Help is shown by --help.
func (userTokenCmd) Help() string {
	return "Makes a token and prints it, this once.\n\nExample:\n\n    weft user token tove --for bot"
}

// Run makes a token.
func (c *userTokenCmd) Run(e *env) error {
	l, err := c.connect(e)
	if err != nil {
		return err
	}
	defer l.close()
	list, err := client.All(func(p client.Page) (api.Page[api.User], error) { return l.Users(e.ctx, p) })
	if err != nil {
		return l.refused(err)
	}
	for _, u := range list {
		if u.Name != c.Name && u.ID != c.Name {
			continue
		}
		t, err := l.CreateToken(e.ctx, u.ID, api.NewToken{Name: c.For})
		if err != nil {
			return l.refused(err)
		}
		return e.print(t.Key + "\n")
	}
	return fail(ExitRefused, e.opts.Name+" user list shows those there are", "there is no user %q", c.Name)
}
