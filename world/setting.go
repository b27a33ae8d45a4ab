package world

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/weaver"
)

// Settings are how a world, or a conversation in it, is told. What a
// conversation sets overrides what the world sets; what an assembly is given
// overrides both.
type Settings struct {
	// User is the name of the person who plays. Defaults to "User".
	User string `json:"user,omitempty"`
	// Persona describes that person, for entries that search it.
	Persona string `json:"persona,omitempty"`
	// PersonaName is the name under which books are bound to the persona.
	// Defaults to User.
	PersonaName string `json:"persona_name,omitempty"`

	// Characters are the ids of the characters of a conversation, the main one
	// first.
	Characters []string `json:"characters,omitempty"`
	// Speaker is the id of the character who speaks next. Defaults to the first
	// of Characters.
	Speaker string `json:"speaker,omitempty"`
	// Viewpoint is from whose view a turn is told: the id of a character, or
	// [Narrator]. Defaults to the speaker if there are characters, else to the
	// narrator.
	Viewpoint string `json:"viewpoint,omitempty"`
	// Greeting is the greeting that the conversation began with: 0 the
	// character's first message, n the n-th alternate.
	Greeting int `json:"greeting,omitempty"`

	// Books: of a world, the order of its books (others follow by id); of a
	// conversation, books that are bound to it.
	Books []string `json:"books,omitempty"`
	// Note is the author's note.
	Note string `json:"note,omitempty"`
	// Scenario overrides the character's.
	Scenario string `json:"scenario,omitempty"`
	// Vars are variables of the host by namespace and name.
	Vars map[string]map[string]weaver.Value `json:"vars,omitempty"`

	// Slots are those that the prompt has. Nil means all.
	Slots []lore.Slot `json:"slots,omitempty"`
	// Budget bounds all lore in a prompt: "25%" of the context, "800" tokens,
	// "4000chars" or "none". Defaults to 25%.
	Budget string `json:"budget,omitempty"`
	// Context is the model's context window in tokens. Defaults to 8,192.
	Context int `json:"context,omitempty"`

	// Settled is how many messages of the user have to follow a message before
	// what it says counts for the whole world. Defaults to 2.
	Settled *int `json:"settled,omitempty"`
	// RerollOnSwipe gives every swipe random numbers of its own.
	RerollOnSwipe *bool `json:"reroll_on_swipe,omitempty"`

	// Extra keeps fields that this version does not know.
	Extra map[string]json.RawMessage `json:"-"`
}

// Narrator is the viewpoint of the narrator, who sees everything.
const Narrator = "narrator"

// defaultBudget is the share of the context that lore may take.
const defaultBudget = "25%"

// defaultSettled is how many messages of the user settle a message.
const defaultSettled = 2

// ParseSettings reads settings as they are stored. Unknown fields are kept; a
// value that no setting can have is Invalid, with the name of its field.
func ParseSettings(raw json.RawMessage) (Settings, error) {
	var s Settings
	if len(raw) == 0 || isNull(raw) {
		return s, nil
	}
	return s, s.UnmarshalJSON(raw)
}

type settingsJSON Settings

// settingNames are the fields that Settings knows, by their names in JSON.
var settingNames = func() map[string]bool {
	out := map[string]bool{}
	for t, i := reflect.TypeFor[Settings](), 0; i < t.NumField(); i++ {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		out[name] = true
	}
	return out
}()

// UnmarshalJSON reads settings, checks them, and keeps unknown fields.
func (s *Settings) UnmarshalJSON(src []byte) error {
	var v settingsJSON
	if err := json.Unmarshal(src, &v); err != nil {
		var mismatch *json.UnmarshalTypeError
		if errors.As(err, &mismatch) && mismatch.Field != "" {
			return store.Errorf(store.Invalid, "settings.%s: a %s does not fit there", mismatch.Field, mismatch.Value)
		}
		return store.Errorf(store.Invalid, "settings: expected an object of settings")
	}
	all, _ := object(src)
	for name, raw := range all {
		if !settingNames[name] {
			if v.Extra == nil {
				v.Extra = map[string]json.RawMessage{}
			}
			v.Extra[name] = raw
		}
	}
	*s = Settings(v)
	return s.check()
}

// MarshalJSON writes the settings that are set, and the unknown ones.
func (s Settings) MarshalJSON() ([]byte, error) {
	raw, err := json.Marshal(settingsJSON(s))
	if err != nil || len(s.Extra) == 0 {
		return raw, err
	}
	all := maps.Clone(s.Extra)
	known, _ := object(raw)
	maps.Copy(all, known)
	return json.Marshal(all)
}

func (s *Settings) check() error {
	if _, err := ParseBudget(s.Budget); err != nil {
		return err
	}
	if s.Context < 0 {
		return store.Errorf(store.Invalid, "settings.context: %d is no size of a context window", s.Context)
	}
	if s.Settled != nil && *s.Settled < 0 {
		return store.Errorf(store.Invalid, "settings.settled: %d is negative", *s.Settled)
	}
	if s.Greeting < 0 {
		return store.Errorf(store.Invalid, "settings.greeting: %d is negative", s.Greeting)
	}
	for i, slot := range s.Slots {
		parsed, err := lore.ParseSlot(string(slot))
		if err != nil {
			return store.Errorf(store.Invalid, "settings.slots[%d]: %v", i, err)
		}
		s.Slots[i] = parsed
	}
	return nil
}

// ParseBudget reads a budget as settings have it: "25%", "800", "4000chars",
// "none". An empty one is the default. It is nil for "none".
func ParseBudget(text string) (*lore.Amount, error) {
	if text == "" {
		text = defaultBudget
	}
	number := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(text), " ", ""))
	if number == "none" {
		return nil, nil
	}
	unit := lore.UnitTokens
	for _, u := range []struct {
		suffix string
		unit   lore.Unit
	}{{"%", lore.UnitPercent}, {"chars", lore.UnitChars}, {"tokens", lore.UnitTokens}} {
		if rest, ok := strings.CutSuffix(number, u.suffix); ok {
			number, unit = rest, u.unit
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !(n >= 0) || n > 1e12 || unit == lore.UnitPercent && n > 100 || unit != lore.UnitPercent && n != float64(int64(n)) {
		return nil, store.Errorf(store.Invalid, "budget %q: write tokens (800), percent of the context (25%%), characters (4000chars), or none", text)
	}
	return &lore.Amount{N: n, Unit: unit}, nil
}

// Over returns the settings of a conversation laid over those of its world.
func (s Settings) Over(w Settings) Settings {
	out := w
	out.Extra = nil
	pick(&out.User, s.User)
	pick(&out.Persona, s.Persona)
	pick(&out.PersonaName, s.PersonaName)
	pick(&out.Speaker, s.Speaker)
	pick(&out.Viewpoint, s.Viewpoint)
	pick(&out.Note, s.Note)
	pick(&out.Scenario, s.Scenario)
	pick(&out.Budget, s.Budget)
	pick(&out.Context, s.Context)
	pick(&out.Settled, s.Settled)
	pick(&out.RerollOnSwipe, s.RerollOnSwipe)
	if s.Characters != nil {
		out.Characters = s.Characters
	}
	if s.Slots != nil {
		out.Slots = s.Slots
	}
	out.Greeting = s.Greeting
	out.Books = s.Books // the world's are an order, these are bindings
	out.Vars = overVars(w.Vars, s.Vars)
	return out
}

// pick replaces a value if the other one says anything.
func pick[T comparable](to *T, v T) {
	var zero T
	if v != zero {
		*to = v
	}
}

// overVars lays variables over others, name by name.
func overVars(list ...map[string]map[string]weaver.Value) map[string]map[string]weaver.Value {
	var out map[string]map[string]weaver.Value
	for _, vars := range list {
		for scope, names := range vars {
			if out == nil {
				out = map[string]map[string]weaver.Value{}
			}
			if out[scope] == nil {
				out[scope] = map[string]weaver.Value{}
			}
			maps.Copy(out[scope], names)
		}
	}
	return out
}

func (s *Settings) settled() int {
	if s.Settled == nil {
		return defaultSettled
	}
	return *s.Settled
}

// patched returns stored settings with a merge patch laid over them, checked.
func patched(raw, patch json.RawMessage) (json.RawMessage, error) {
	merged, err := mergePatch(raw, patch)
	if err != nil {
		return nil, err
	}
	s, err := ParseSettings(merged)
	if err != nil {
		return nil, err
	}
	return json.Marshal(s)
}

// sortedBooks orders books as the settings of a world say: those named first,
// the others by id.
func (s *Settings) sortedBooks(books []store.Book) []store.Book {
	place := func(id string) int {
		if i := slices.Index(s.Books, id); i >= 0 {
			return i
		}
		return len(s.Books)
	}
	out := slices.Clone(books)
	slices.SortStableFunc(out, func(a, b store.Book) int {
		if d := place(a.ID) - place(b.ID); d != 0 {
			return d
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out
}
