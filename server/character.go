package server

import (
	"context"
	"net/http"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/server/internal/params"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

func characterBody(c store.Character) api.Character {
	card := c.Card
	if card == nil {
		card = &lore.Character{}
	}
	out := api.Character{
		ID: c.ID, Name: c.Name, Nickname: card.Nickname, DisplayName: card.DisplayName, Description: card.Description,
		Personality: card.Personality, Scenario: card.Scenario, Greeting: card.Greeting, Greetings: card.Greetings,
		GroupGreetings: card.GroupGreetings, Examples: card.Examples, SystemPrompt: card.SystemPrompt, PostHistory: card.PostHistory,
		Creator: card.Creator, CreatorNotes: card.CreatorNotes, CardVersion: card.Version, Tags: card.Tags,
		Book: card.Book, Books: card.Books, Ext: card.Ext, Version: c.Version, Created: c.Created, Changed: c.Changed,
	}
	if p := card.DepthPrompt; p != nil {
		out.DepthPrompt = &api.DepthPrompt{Text: p.Text, Depth: p.Depth, Role: string(p.Role)}
	}
	return out
}

func cardOf(c api.Character) *lore.Character {
	out := &lore.Character{
		ID: c.ID, Name: c.Name, Nickname: c.Nickname, DisplayName: c.DisplayName, Description: c.Description,
		Personality: c.Personality, Scenario: c.Scenario, Greeting: c.Greeting, Greetings: c.Greetings,
		GroupGreetings: c.GroupGreetings, Examples: c.Examples, SystemPrompt: c.SystemPrompt, PostHistory: c.PostHistory,
		Creator: c.Creator, CreatorNotes: c.CreatorNotes, Version: c.CardVersion, Tags: c.Tags, Book: c.Book, Books: c.Books, Ext: c.Ext,
	}
	if p := c.DepthPrompt; p != nil {
		out.DepthPrompt = &lore.DepthPrompt{Text: p.Text, Depth: p.Depth, Role: lore.Role(p.Role)}
	}
	return out
}

func renderCharacter(c store.Character) (rendered[api.Character], error) {
	return rendered[api.Character]{characterBody(c), etag(c.Version)}, nil
}

func authorBody(a store.Author) api.Author {
	return api.Author{ID: a.ID, Name: a.Name, External: a.External, Settings: a.Settings, Version: a.Version}
}

func (s *Server) registerCharacters() {
	const tag, characters = "characters", worldPath + "/characters"
	add(s, route{method: "GET", path: characters, id: "list-characters", summary: "List the characters of a world", tag: tag}, s.listCharacters)
	add(s, route{method: "POST", path: characters, id: "create-character", summary: "Make a character", status: 201, tag: tag}, s.createCharacter)
	add(s, route{method: "GET", path: characters + "/{character}", id: "get-character", summary: "Read a character", tag: tag}, s.getCharacter)
	add(s, route{method: "PUT", path: characters + "/{character}", id: "save-character", summary: "Make a character, or write over one", tag: tag}, s.saveCharacter)
	add(s, route{method: "DELETE", path: characters + "/{character}", id: "delete-character", summary: "Delete a character for good, with its bindings", status: 204, tag: tag}, s.deleteCharacter)
	add(s, route{method: "GET", path: worldPath + "/bindings", id: "list-bindings", summary: "Which books are bound to whom", tag: tag}, s.listBindings)
	add(s, route{method: "PUT", path: worldPath + "/bindings", id: "set-binding", summary: "Bind books; no books take the binding away", status: 204, tag: tag}, s.setBinding)
	add(s, route{method: "GET", path: worldPath + "/authors", id: "list-authors", summary: "List those who write messages", tag: tag}, s.listAuthors)
	add(s, route{method: "GET", path: worldPath + "/authors/{author}", id: "get-author", summary: "Read an author", tag: tag}, s.getAuthor)
	add(s, route{method: "POST", path: worldPath + "/authors", id: "save-author", summary: "Make an author, or write over the one with this id or external id", tag: tag}, s.saveAuthor)
}

func (s *Server) listCharacters(ctx context.Context, in *struct {
	params.InWorld
	params.Paging
},
) (*reply[api.Page[api.Character]], error) {
	list, next, err := s.worlds.Characters(ctx, in.World, in.Page())
	return pageOf(list, next, err, sure(characterBody))
}

func (s *Server) createCharacter(ctx context.Context, in *struct {
	params.InWorld
	Body api.Character
},
) (*reply[api.Character], error) {
	card := cardOf(in.Body)
	if card.ID != "" {
		// A PUT writes over it; a POST must not.
		switch _, err := s.worlds.Character(ctx, in.World, card.ID); store.KindOf(err) {
		case store.NotFound:
		case "":
			if err != nil {
				return nil, err
			}
			if requestOf(ctx).key == "" {
				return nil, store.Errorf(store.Exists, "there is a character %q already", card.ID)
			}
		default:
			return nil, err
		}
	}
	return write(ctx, http.StatusCreated, func(ctx context.Context) (store.Character, error) {
		return s.worlds.SaveCharacter(ctx, in.World, card, 0)
	}, renderCharacter)
}

func (s *Server) getCharacter(ctx context.Context, in *params.InCharacter) (*reply[api.Character], error) {
	c, err := s.worlds.Character(ctx, in.World, in.Character)
	if err != nil {
		return nil, err
	}
	return get(ctx, characterBody(c), etag(c.Version)), nil
}

func (s *Server) saveCharacter(ctx context.Context, in *struct {
	params.InCharacter
	Body api.Character
},
) (*reply[api.Character], error) {
	cond, err := ifVersion(ctx)
	if err != nil {
		return nil, err
	}
	card := cardOf(in.Body)
	if card.ID != "" && card.ID != in.Character {
		return nil, store.Errorf(store.Invalid, "the character has the id %q, but is saved as %q", card.ID, in.Character)
	}
	card.ID = in.Character
	// What the card's file was like is not told over HTTP, and stays.
	switch old, err := s.worlds.Character(ctx, in.World, in.Character); {
	case err == nil && old.Card != nil:
		card.Origin = old.Card.Origin
	case err != nil && store.KindOf(err) != store.NotFound:
		return nil, err
	}
	return write(ctx, http.StatusOK, func(ctx context.Context) (store.Character, error) {
		return s.worlds.SaveCharacter(ctx, in.World, card, cond)
	}, renderCharacter)
}

func (s *Server) deleteCharacter(ctx context.Context, in *params.InCharacter) (*none, error) {
	cond, err := ifVersion(ctx)
	if err != nil {
		return nil, err
	}
	return writeNone(ctx, func(ctx context.Context) error { return s.worlds.DeleteCharacter(ctx, in.World, in.Character, cond) })
}

func (s *Server) listBindings(ctx context.Context, in *struct {
	params.InWorld
	params.Paging
},
) (*reply[api.Page[api.Binding]], error) {
	list, err := s.worlds.Bindings(ctx, in.World)
	out, err := part(list, in.Paging, err, sure(func(b lore.Binding) api.Binding {
		return api.Binding{Scope: string(b.Scope), Name: b.Name, Books: append([]string{}, b.Books...)}
	}))
	if err == nil {
		out.ETag = quoted(world.BindingsVersion(list))
	}
	return out, err
}

func (s *Server) setBinding(ctx context.Context, in *struct {
	params.InWorld
	Body api.Binding
},
) (*none, error) {
	b := lore.Binding{Scope: lore.Scope(in.Body.Scope), Name: in.Body.Name, Books: in.Body.Books}
	return writeNoneSeen(ctx, world.Seen{Thing: world.ThingBindings}, func(ctx context.Context) error { return s.worlds.SetBinding(ctx, in.World, b) })
}

func (s *Server) listAuthors(ctx context.Context, in *struct {
	params.InWorld
	params.Paging
},
) (*reply[api.Page[api.Author]], error) {
	list, next, err := s.worlds.Authors(ctx, in.World, in.Page())
	return pageOf(list, next, err, sure(authorBody))
}

func (s *Server) getAuthor(ctx context.Context, in *struct {
	params.InWorld
	Author string `path:"author" maxLength:"1000"`
},
) (*reply[api.Author], error) {
	a, err := s.worlds.Author(ctx, in.World, in.Author)
	if err != nil {
		return nil, err
	}
	return get(ctx, authorBody(a), etag(a.Version)), nil
}

func (s *Server) saveAuthor(ctx context.Context, in *struct {
	params.InWorld
	Body api.Author
},
) (*reply[api.Author], error) {
	a := store.Author{ID: in.Body.ID, Name: in.Body.Name, External: in.Body.External, Settings: in.Body.Settings}
	id := a.ID
	if id == "" {
		id = world.ExternalPrefix + a.External
	}
	return writeSeen(ctx, world.Seen{Thing: world.ThingAuthor, ID: id}, http.StatusOK, func(ctx context.Context) (store.Author, error) { return s.worlds.SaveAuthor(ctx, in.World, a) },
		func(a store.Author) (rendered[api.Author], error) {
			return rendered[api.Author]{authorBody(a), etag(a.Version)}, nil
		})
}
