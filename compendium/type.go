package compendium

import (
	"slices"

	"github.com/weft-memory/weft/resolve"
)

// Type is what an entry is about. It never changes: an entry of the wrong type
// is written anew, and the old one leads to it.
type Type string

// The ten types, and the untyped note.
const (
	Character    Type = "character"
	Location     Type = "location"
	Organization Type = "organization"
	Event        Type = "event"
	Plot         Type = "plot"
	Threat       Type = "threat"
	Item         Type = "item"
	Power        Type = "power"
	Rule         Type = "rule"
	Culture      Type = "culture"
	// Note holds what fits none of the ten until somebody types it.
	Note Type = "note"
)

var types = []Type{Character, Location, Organization, Event, Plot, Threat, Item, Power, Rule, Culture}

// Types returns the ten types in their fixed order, without [Note].
func Types() []Type { return slices.Clone(types) }

// Known reports whether t is one of the ten types or a note.
func (t Type) Known() bool { return t == Note || slices.Contains(types, t) }

// ParseType returns the type that a word means: its name in any case, singular
// or plural, or one of the words that authors of lorebooks use for it (npc,
// place, faction, quest, artifact, spell, species, …). ok is false for others.
func ParseType(word string) (t Type, ok bool) {
	n := resolve.Normal(word)
	if t = Type(n); t.Known() {
		return t, true
	}
	t, ok = typeWords[n]
	return t, ok
}

var typeWords = map[string]Type{
	"characters": Character, "person": Character, "people": Character, "npc": Character, "pc": Character, "char": Character,
	"protagonist": Character, "antagonist": Character, "creature": Character,
	"locations": Location, "place": Location, "places": Location, "area": Location, "region": Location, "city": Location, "town": Location,
	"village": Location, "building": Location, "room": Location, "world": Location,
	"organizations": Organization, "organisation": Organization, "organisations": Organization, "faction": Organization, "factions": Organization,
	"group": Organization, "guild": Organization, "family": Organization, "house": Organization, "company": Organization,
	"events": Event, "history": Event, "incident": Event, "battle": Event, "scene": Event,
	"plots": Plot, "quest": Plot, "quests": Plot, "mystery": Plot, "storyline": Plot, "arc": Plot, "goal": Plot, "subplot": Plot,
	"threats": Threat, "danger": Threat, "enemy": Threat, "curse": Threat,
	"items": Item, "object": Item, "objects": Item, "artifact": Item, "artefact": Item, "weapon": Item, "relic": Item, "thing": Item, "vehicle": Item,
	"powers": Power, "ability": Power, "abilities": Power, "spell": Power, "skill": Power, "technology": Power, "blessing": Power,
	"rules": Rule, "law": Rule, "magic": Rule, "magic system": Rule, "custom": Rule, "concept": Rule, "lore": Rule, "system": Rule,
	"cultures": Culture, "species": Culture, "race": Culture, "religion": Culture, "faith": Culture, "language": Culture, "nation": Culture,
	"notes": Note, "other": Note,
}

// Status is a state in the lifecycle of a type.
type Status struct {
	Name string
	// Terminal states are the last of a life; they are true, not forgotten, and
	// are left only by an operation that names its reason.
	Terminal bool
	// Words are other words that say the same, in normal form.
	Words []string
}

// Lifecycle returns the states of a type, the default one first; nil for a
// note, which has none.
func Lifecycle(t Type) []Status { return slices.Clone(lifecycles[t]) }

var lifecycles = map[Type][]Status{
	Character: {
		{Name: "active", Words: []string{"alive", "living", "present", "free", "returned", "revived", "resurrected"}},
		{Name: "absent", Words: []string{"away", "gone", "travelling", "traveling"}},
		{Name: "missing", Words: []string{"disappeared", "vanished"}},
		{Name: "captive", Words: []string{"captured", "imprisoned", "prisoner", "jailed", "arrested"}},
		{Name: "dead", Terminal: true, Words: []string{"deceased", "killed", "died", "slain", "murdered", "executed"}},
		{Name: "left_story", Terminal: true, Words: []string{"left the story", "retired from story", "written out"}},
	},
	Location: {
		{Name: "known", Words: []string{"discovered", "open", "intact", "active"}},
		{Name: "rumoured", Words: []string{"rumored", "legendary", "unconfirmed"}},
		{Name: "sealed", Words: []string{"closed", "locked", "hidden"}},
		{Name: "destroyed", Terminal: true, Words: []string{"ruined", "burned down", "burnt down", "razed", "collapsed", "gone"}},
	},
	Organization: {
		{Name: "active", Words: []string{"operating"}},
		{Name: "dormant", Words: []string{"inactive", "sleeping"}},
		{Name: "underground", Words: []string{"in hiding", "hiding", "outlawed"}},
		{Name: "dissolved", Terminal: true, Words: []string{"disbanded", "destroyed", "defunct"}},
	},
	Event: {
		{Name: "past", Words: []string{"happened", "done", "over", "finished", "completed", "concluded", "resolved"}},
		{Name: "ongoing", Words: []string{"active", "current", "in progress", "happening"}},
		{Name: "upcoming", Words: []string{"scheduled", "planned", "future", "pending"}},
		{Name: "averted", Terminal: true, Words: []string{"cancelled", "canceled", "prevented", "called off"}},
	},
	Plot: {
		{Name: "seeded", Words: []string{"new", "hinted", "open"}},
		{Name: "active", Words: []string{"ongoing", "in progress", "advancing"}},
		{Name: "stalled", Words: []string{"blocked", "on hold", "paused"}},
		{Name: "resolved", Terminal: true, Words: []string{"solved", "completed", "done", "finished", "closed", "succeeded"}},
		{Name: "abandoned", Terminal: true, Words: []string{"dropped", "failed", "given up"}},
	},
	Threat: {
		{Name: "latent", Words: []string{"dormant", "potential", "looming"}},
		{Name: "active", Words: []string{"present", "ongoing"}},
		{Name: "escalating", Words: []string{"growing", "rising", "worsening"}},
		{Name: "contained", Words: []string{"held", "suppressed", "sealed"}},
		{Name: "neutralized", Terminal: true, Words: []string{"neutralised", "defeated", "eliminated", "destroyed", "dead", "ended", "over"}},
	},
	Item: {
		{Name: "held", Words: []string{"carried", "active", "worn", "in use"}},
		{Name: "stored", Words: []string{"kept", "hidden", "locked away"}},
		{Name: "lost", Words: []string{"missing", "stolen", "mislaid"}},
		{Name: "unknown"},
		{Name: "consumed", Terminal: true, Words: []string{"used up", "eaten", "spent", "drunk"}},
		{Name: "destroyed", Terminal: true, Words: []string{"broken beyond repair", "shattered", "burned", "burnt", "ruined"}},
	},
	Power: {
		{Name: "available", Words: []string{"active", "usable", "known"}},
		{Name: "suppressed", Words: []string{"blocked", "sealed", "dormant"}},
		{Name: "evolving", Words: []string{"growing", "awakening"}},
		{Name: "lost", Terminal: true, Words: []string{"gone", "removed", "destroyed"}},
	},
	Rule: {
		{Name: "in_force", Words: []string{"in force", "active", "valid", "true"}},
		{Name: "suspended", Words: []string{"lifted", "paused"}},
		{Name: "disproved", Terminal: true, Words: []string{"false", "abolished", "repealed", "replaced"}},
	},
	Culture: {
		{Name: "living", Words: []string{"alive", "active", "thriving"}},
		{Name: "declining", Words: []string{"fading", "dying"}},
		{Name: "extinct", Terminal: true, Words: []string{"dead", "gone", "lost", "destroyed"}},
	},
}

// DefaultStatus returns the state of an entry that names none: the first of
// its lifecycle; "" for a note.
//
// An event without a state is past, because most events are written down when
// they have happened.
func DefaultStatus(t Type) string {
	if l := lifecycles[t]; len(l) > 0 {
		return l[0].Name
	}
	return ""
}

// Terminal reports whether a state of a type is a last one.
func Terminal(t Type, status string) bool {
	for _, s := range lifecycles[t] {
		if s.Name == status {
			return s.Terminal
		}
	}
	return false
}

// parseStatus returns the state that a word means.
func parseStatus(t Type, word string) (string, bool) {
	n := resolve.Normal(word)
	for _, s := range lifecycles[t] {
		if resolve.Normal(s.Name) == n || slices.Contains(s.Words, n) {
			return s.Name, true
		}
	}
	return "", false
}

func statusNames(t Type) []string {
	var out []string
	for _, s := range lifecycles[t] {
		out = append(out, s.Name)
	}
	return out
}
