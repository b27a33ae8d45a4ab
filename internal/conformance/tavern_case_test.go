package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
)

// tavernFile is a file of the folder of SillyTavern cases.
type tavernFile struct {
	Cases []json.RawMessage `json:"cases"`
}

// tavernCase is one case; reports have the same form.
type tavernCase struct {
	ID       string                     `json:"id"`
	Kind     string                     `json:"kind"`
	Title    string                     `json:"title"`
	Symptom  string                     `json:"symptom"`
	Tags     []string                   `json:"tags"`
	Raw      bool                       `json:"raw"`
	Modes    []string                   `json:"modes"` // empty means both
	Books    map[string]json.RawMessage `json:"books"`
	Active   *tavernActive              `json:"active"`
	Settings struct {
		Depth                  *int     `json:"depth"`
		IncludeNames           *bool    `json:"includeNames"`
		Recursive              *bool    `json:"recursive"`
		CaseSensitive          *bool    `json:"caseSensitive"`
		MatchWholeWords        *bool    `json:"matchWholeWords"`
		GroupScoring           *bool    `json:"groupScoring"`
		BudgetPercent          *float64 `json:"budgetPercent"`
		BudgetCap              *int     `json:"budgetCap"`
		MinActivations         *int     `json:"minActivations"`
		MinActivationsDepthMax *int     `json:"minActivationsDepthMax"`
		MaxRecursionSteps      *int     `json:"maxRecursionSteps"`
		Strategy               *int     `json:"strategy"`
		MaxContext             *int     `json:"maxContext"`
	} `json:"settings"`
	Character *struct {
		Name string    `json:"name"`
		File string    `json:"file"`
		Tags *[]string `json:"tags"`
	} `json:"character"`
	User         *string           `json:"user"`
	Sources      map[string]string `json:"sources"`
	Injects      []string          `json:"injects"`
	AuthorsNote  *tavernNote       `json:"authorsNote"`
	ChatMetadata struct {
		TimedWorldInfo map[string]json.RawMessage `json:"timedWorldInfo"`
	} `json:"chatMetadata"`
	Turns []tavernTurn `json:"turns"`
}

type tavernActive struct {
	Global    []string `json:"global"`
	Character []string `json:"character"`
	Chat      string   `json:"chat"`
	Persona   string   `json:"persona"`
}

type tavernNote struct {
	Text   string `json:"text"`
	Active bool   `json:"active"`
	Scan   bool   `json:"scan"`
}

type tavernTurn struct {
	Drop int `json:"drop"`
	Add  []struct {
		Name string `json:"name"`
		Text string `json:"text"`
	} `json:"add"`
	Edit    map[string]json.RawMessage `json:"edit"`
	Trigger lore.TurnKind              `json:"trigger"`
	DryRun  bool                       `json:"dryRun"`
	Random  []float64                  `json:"random"`
	Force   []struct {
		ID   string          `json:"id"`
		With json.RawMessage `json:"with"`
	} `json:"force"`
	Expect map[string]json.RawMessage `json:"expect"`
	// ExpectDefault is what the default mode gives, where that differs.
	ExpectDefault map[string]json.RawMessage `json:"expectDefault"`
}

// tavernResult is what a turn gave, in the words of the cases.
type tavernResult struct {
	Activated []string            `json:"activated"`
	Sweeps    [][]string          `json:"sweeps"`
	Before    string              `json:"before"`
	After     string              `json:"after"`
	Depth     []tavernDepth       `json:"depth"`
	ANTop     []string            `json:"anTop"`
	ANBottom  []string            `json:"anBottom"`
	Examples  []tavernExample     `json:"examples"`
	Outlets   map[string][]string `json:"outlets"`
	Note      *string             `json:"authorsNote"`
	Budget    struct {
		Limit      *int `json:"limit"`
		Overflowed bool `json:"overflowed"`
	} `json:"budget"`
	Timed       map[string]map[string]tavernTimer `json:"timed"`
	RandomDraws int                               `json:"randomDraws"`
	Skipped     []string                          `json:"skippedForBudget"`
}

type tavernDepth struct {
	Depth *int     `json:"depth"`
	Role  string   `json:"role"`
	Text  []string `json:"text"`
}

type tavernExample struct {
	Position string `json:"position"`
	Text     string `json:"text"`
}

type tavernTimer struct {
	Start     int  `json:"start"`
	End       int  `json:"end"`
	Protected bool `json:"protected"`
}

// tavernTemplate is a new entry as SillyTavern's editor saves it, in its order.
var tavernTemplate = []struct{ field, value string }{
	{"key", "[]"},
	{"keysecondary", "[]"},
	{"comment", `""`},
	{"content", `""`},
	{"constant", "false"},
	{"vectorized", "false"},
	{"selective", "true"},
	{"selectiveLogic", "0"},
	{"addMemo", "false"},
	{"order", "100"},
	{"position", "0"},
	{"disable", "false"},
	{"ignoreBudget", "false"},
	{"excludeRecursion", "false"},
	{"preventRecursion", "false"},
	{"matchPersonaDescription", "false"},
	{"matchCharacterDescription", "false"},
	{"matchCharacterPersonality", "false"},
	{"matchCharacterDepthPrompt", "false"},
	{"matchScenario", "false"},
	{"matchCreatorNotes", "false"},
	{"delayUntilRecursion", "0"},
	{"probability", "100"},
	{"useProbability", "true"},
	{"depth", "4"},
	{"outletName", `""`},
	{"group", `""`},
	{"groupOverride", "false"},
	{"groupWeight", "100"},
	{"scanDepth", "null"},
	{"caseSensitive", "null"},
	{"matchWholeWords", "null"},
	{"useGroupScoring", "null"},
	{"automationId", `""`},
	{"role", "0"},
	{"sticky", "null"},
	{"cooldown", "null"},
	{"delay", "null"},
	{"triggers", "[]"},
}

// member is a field of an object whose order counts.
type member struct {
	key   string
	value json.RawMessage
}

func members(t *testing.T, raw json.RawMessage) []member {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		t.Fatalf("object: %v", err)
	}
	var out []member
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			t.Fatalf("object: %v", err)
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			t.Fatalf("object: %v", err)
		}
		out = append(out, member{key.(string), v})
	}
	return out
}

func object(list []member) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		key, _ := json.Marshal(m.key)
		b.Write(key)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

func set(list []member, key string, value json.RawMessage) []member {
	if i := slices.IndexFunc(list, func(m member) bool { return m.key == key }); i >= 0 {
		list[i].value = value
		return list
	}
	return append(list, member{key, value})
}

// world completes the entries of a book with the template, and applies edits.
func (c *tavernCase) world(t *testing.T, name string, edits map[string][]json.RawMessage) []byte {
	t.Helper()
	top := members(t, c.Books[name])
	for i, m := range top {
		if m.key != "entries" || bytes.HasPrefix(bytes.TrimSpace(m.value), []byte("[")) {
			continue
		}
		entries := members(t, m.value)
		for j, e := range entries {
			fields := members(t, e.value)
			if !c.Raw {
				full := []member{{"uid", json.RawMessage(e.key)}}
				for _, f := range tavernTemplate {
					full = append(full, member{f.field, json.RawMessage(f.value)})
				}
				for _, f := range fields {
					full = set(full, f.key, f.value)
				}
				fields = full
			}
			for _, edit := range edits[name+"."+e.key] {
				for _, f := range members(t, edit) {
					fields = set(fields, f.key, f.value)
				}
			}
			entries[j].value = object(fields)
		}
		top[i].value = object(entries)
	}
	return object(top)
}

// policy applies the settings of a case.
func (c *tavernCase) policy(p lore.Policy) lore.Policy {
	p.Language = lore.LangBasic // the cases know the macros char and user alone
	s := c.Settings
	if s.Depth != nil {
		p.ScanDepth.N = float64(*s.Depth)
	}
	if s.IncludeNames != nil {
		p.Join.Names = *s.IncludeNames
	}
	assign(&p.Recursive, s.Recursive)
	assign(&p.CaseSensitive, s.CaseSensitive)
	if s.MatchWholeWords != nil && !*s.MatchWholeWords {
		p.Words = lore.WordsSubstring
	}
	assign(&p.GroupScoring, s.GroupScoring)
	assign(&p.Budget.N, s.BudgetPercent)
	assign(&p.BudgetCap, s.BudgetCap)
	assign(&p.MinActivations, s.MinActivations)
	assign(&p.MinActivationsDepthMax, s.MinActivationsDepthMax)
	assign(&p.MaxRecursionSteps, s.MaxRecursionSteps)
	if s.Strategy != nil {
		switch *s.Strategy {
		case 1:
			p.Strategy = lore.StrategyCharacterFirst
		case 2:
			p.Strategy = lore.StrategyGlobalFirst
		default:
			p.Strategy = lore.StrategyEvenly
		}
	}
	return p
}

func assign[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// active lists the books that take part, each with its binding: a book counts
// at one place only.
func (c *tavernCase) active() ([]string, map[string]engine.Binding) {
	a := c.Active
	if a == nil {
		a = &tavernActive{}
		for name := range c.Books {
			a.Global = append(a.Global, name)
		}
		slices.Sort(a.Global)
	}
	bindings := map[string]engine.Binding{}
	var names []string
	add := func(b engine.Binding, list ...string) {
		for _, name := range list {
			if name == "" || c.Books[name] == nil || bindings[name] != "" {
				continue
			}
			bindings[name] = b
			names = append(names, name)
		}
	}
	add(engine.BindGlobal, a.Global...)
	add(engine.BindChat, a.Chat)
	add(engine.BindPersona, a.Persona)
	add(engine.BindCharacter, a.Character...)
	return names, bindings
}

var tavernSources = map[string]lore.Source{
	"persona": lore.SourcePersona, "description": lore.SourceDescription, "personality": lore.SourcePersonality,
	"depthPrompt": lore.SourceDepthPrompt, "scenario": lore.SourceScenario, "creatorNotes": lore.SourceCreatorNotes,
}

// timers translates the records of a chat.
func (c *tavernCase) timers() map[string]engine.BookState {
	books := map[string]engine.BookState{}
	for effect, raw := range c.ChatMetadata.TimedWorldInfo {
		var list map[string]json.RawMessage
		if json.Unmarshal(raw, &list) != nil {
			continue
		}
		for id, raw := range list {
			var r *engine.MessageTimer
			if json.Unmarshal(raw, &r) != nil || r == nil {
				continue
			}
			i := strings.LastIndexByte(id, '.')
			b := books[id[:i]]
			m := &b.StickyUntil
			if effect == "cooldown" {
				m = &b.CooldownUntil
			}
			if *m == nil {
				*m = map[string]engine.MessageTimer{}
			}
			(*m)[id[i+1:]] = *r
			books[id[:i]] = b
		}
	}
	return books
}

// counted is a source of random numbers that counts its draws.
type counted struct {
	engine.Source
	n int
}

func (c *counted) Float64() float64 {
	c.n++
	return c.Source.Float64()
}

func refs(list []engine.EntryRef) []string {
	out := make([]string, len(list))
	for i, r := range list {
		out[i] = r.Book + "." + r.Entry
	}
	return out
}

func (t tavernDepth) String() string { return fmt.Sprintf("%v %s %q", t.Depth, t.Role, t.Text) }
