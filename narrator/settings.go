package narrator

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/sidecar"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

// Settings are what a world, or a conversation in it, wants of the sidecar. They
// stand in the settings under the name "sidecar"; a conversation's fields
// override the world's.
type Settings struct {
	// On switches the sidecar. Defaults to on where a model for it is known.
	On *bool `json:"on,omitempty"`
	// Retrieve is wait (the reply waits for the sidecar's picks, up to
	// Deadline), prefetch (they are made ready after the reply before) or off.
	// Defaults to wait.
	Retrieve Retrieve `json:"retrieve,omitempty"`
	// Deadline bounds that wait, such as "2s", the default.
	Deadline string `json:"deadline,omitempty"`
	// Search lets the narrator search while it writes, if its model can call
	// tools. Defaults to on.
	Search *bool `json:"search,omitempty"`
	// Write and Summarize switch what is done after replies. Default to on.
	Write     *bool `json:"write,omitempty"`
	Summarize *bool `json:"summarize,omitempty"`
	// Propose names what waits for a person instead of being done: entries (new
	// ones), changes, merges, forgetting, summaries, or all.
	Propose []string `json:"propose,omitempty"`
	// Books are the rights to books by id: read, write, both or none. Books that
	// are not named may be read.
	Books map[string]string `json:"books,omitempty"`
	// Prefix begins forced actions in messages, such as /remember. Defaults to
	// "/"; "off" switches them off.
	Prefix string `json:"prefix,omitempty"`
	// Notebook lets the narrator keep a notebook. Defaults to off.
	Notebook *bool `json:"notebook,omitempty"`
	// Limits pause the sidecar when they are reached.
	Limits Limits `json:"limits,omitzero"`

	sidecar.Settings
}

// Retrieve says when the sidecar picks lore for a reply.
type Retrieve string

// The modes of retrieval.
const (
	RetrieveWait     Retrieve = "wait"
	RetrievePrefetch Retrieve = "prefetch"
	RetrieveOff      Retrieve = "off"
)

// Limits bound what the sidecar may cost. 0 is no limit.
type Limits struct {
	// TokensPerDay and MoneyPerDay count what the world used in the last 24
	// hours; the others what the conversation ever used.
	TokensPerDay          int64   `json:"tokens_per_day,omitempty"`
	MoneyPerDay           float64 `json:"money_per_day,omitempty"`
	TokensPerConversation int64   `json:"tokens_per_conversation,omitempty"`
	MoneyPerConversation  float64 `json:"money_per_conversation,omitempty"`
}

// proposable are the values of Settings.Propose.
var proposable = []string{"all", "entries", "changes", "merges", "forgetting", "summaries"}

// settingSidecar is the name of these settings among those of worlds and
// conversations.
const settingSidecar = "sidecar"

// ParseSettings reads settings and says which field is wrong.
func ParseSettings(raw json.RawMessage) (Settings, error) {
	var s Settings
	if len(raw) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return s, store.Errorf(store.Invalid, "settings.sidecar: %v", err)
	}
	return s, s.check()
}

func (s *Settings) check() error {
	bad := func(field, format string, args ...any) error {
		return store.Errorf(store.Invalid, "settings.sidecar.%s: %s", field, fmt.Sprintf(format, args...))
	}
	if s.Retrieve != "" && !slices.Contains([]Retrieve{RetrieveWait, RetrievePrefetch, RetrieveOff}, s.Retrieve) {
		return bad("retrieve", "%q is none of wait, prefetch, off", s.Retrieve)
	}
	if s.Deadline != "" {
		if d, err := time.ParseDuration(s.Deadline); err != nil || d < 0 || d > time.Minute {
			return bad("deadline", "%q is no time of at most a minute, such as 2s", s.Deadline)
		}
	}
	for _, p := range s.Propose {
		if !slices.Contains(proposable, p) {
			return bad("propose", "%q is none of %v", p, proposable)
		}
	}
	for id, right := range s.Books {
		if !slices.Contains([]string{"read", "write", "both", "none"}, right) {
			return bad("books."+id, "%q is none of read, write, both, none", right)
		}
	}
	if err := sidecar.CheckPrompts(s.Prompts); err != nil {
		return bad("prompts", "%v", err)
	}
	return nil
}

// over lays the settings of a conversation over those of its world.
func over(world, conversation json.RawMessage) (Settings, error) {
	merged := map[string]json.RawMessage{}
	for _, raw := range []json.RawMessage{world, conversation} {
		if len(raw) == 0 {
			continue
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(raw, &fields); err != nil {
			return Settings{}, store.Errorf(store.Invalid, "settings.sidecar: expected an object")
		}
		maps.Copy(merged, fields)
	}
	raw, err := json.Marshal(merged)
	if err != nil {
		return Settings{}, err
	}
	return ParseSettings(raw)
}

func isOn(b *bool, def bool) bool {
	if b == nil {
		return def
	}
	return *b
}

func (s *Settings) deadline() time.Duration {
	if d, err := time.ParseDuration(s.Deadline); err == nil && s.Deadline != "" {
		return d
	}
	return 2 * time.Second
}

func (s *Settings) prefix() string {
	if s.Prefix == "" {
		return "/"
	}
	return s.Prefix
}

// rights returns the rights to the books of a view.
func (s *Settings) rights(names map[string]string) []sidecar.Book {
	var list []sidecar.Book
	for _, id := range slices.Sorted(maps.Keys(names)) {
		b := sidecar.Book{ID: id, Name: names[id], Read: true}
		switch s.Books[id] {
		case "none":
			b.Read = false
		case "write":
			b.Read, b.Write = false, true
		case "both":
			b.Write = true
		}
		list = append(list, b)
	}
	return list
}

// cast is who takes part in a conversation, and what it wants.
type cast struct {
	world.Settings
	sidecar Settings
	// speaker is the character who answers; nil if there is none.
	speaker    *lore.Character
	characters []*lore.Character
}

// cast reads what a conversation wants.
func (s *Service) cast(ctx context.Context, worldID, conversation, speaker string) (*cast, error) {
	w, err := s.worlds.World(ctx, worldID)
	if err != nil {
		return nil, err
	}
	c, err := s.worlds.Conversation(ctx, worldID, conversation)
	if err != nil {
		return nil, err
	}
	ofWorld, err := world.ParseSettings(w.Settings)
	if err != nil {
		return nil, err
	}
	own, err := world.ParseSettings(c.Settings)
	if err != nil {
		return nil, err
	}
	out := &cast{Settings: own.Over(ofWorld)}
	if out.sidecar, err = over(ofWorld.Extra[settingSidecar], own.Extra[settingSidecar]); err != nil {
		return nil, err
	}
	if speaker == "" {
		speaker = out.Speaker
	}
	for _, id := range out.Characters {
		ch, err := s.worlds.Character(ctx, worldID, id)
		if world.KindOf(err) == store.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		card := ch.Card
		out.characters = append(out.characters, card)
		if id == speaker || speaker == "" && out.speaker == nil {
			out.speaker = card
		}
	}
	return out, nil
}
