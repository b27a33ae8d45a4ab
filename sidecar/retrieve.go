package sidecar

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/llm/jsontext"
	"github.com/weft-memory/weft/memory"
)

// Choice is an entry that the sidecar picked for the next prompt.
type Choice struct {
	Ref      memory.Ref  `json:"ref"`
	Category Category    `json:"category"`
	Size     engine.Size `json:"size,omitempty"`
	Reason   string      `json:"reason,omitempty"`
}

// Pick returns the choice as the engine takes it.
func (c Choice) Pick() engine.Pick {
	reason := "the sidecar: " + string(c.Category)
	if c.Reason != "" {
		reason += ", " + c.Reason
	}
	score := 1 - 0.2*float64(slices.Index(Categories, c.Category))
	return engine.Pick{Book: c.Ref.Book, Entry: c.Ref.Entry, Reason: reason, Score: score, Size: c.Size}
}

// Retrieved is what Retrieve found.
type Retrieved struct {
	Choices []Choice `json:"choices"`
	// Unknown are picks that name nothing, Over those that a quota left out.
	Unknown []string `json:"unknown,omitempty"`
	Over    int      `json:"over,omitempty"`
	Usage   llm.Usage
	Model   string
}

// retrieveSchema is the answer of the phase.
var retrieveSchema = json.RawMessage(`{"type":"object","properties":{"picks":{"type":"array","items":{"type":"object","properties":{` +
	`"id":{"type":"string","description":"The id of an entry or of a category."},` +
	`"category":{"type":"string","enum":["active","anticipatory","enrichment","wild_card"]},` +
	`"size":{"type":"string","enum":["full","brief","one_line"]},` +
	`"reason":{"type":"string","description":"A few words."}},"required":["id","category"]}}},"required":["picks"]}`)

// Retrieve asks the model what the narrator should know for the next reply. The
// scene ends with what the reply will answer; of a swipe, without the reply that
// was rejected.
func Retrieve(ctx context.Context, m Model, s *Scene) (*Retrieved, error) {
	r := llm.Request{
		Messages: []llm.Message{
			llm.System(s.system("retrieve")), llm.User(s.loreSection()), llm.User(s.retrieveTask()),
		},
		Format: llm.JSONAnswer("picks", retrieveSchema), MaxTokens: 1200, StablePrefix: 2,
	}
	answer, err := m.Chat(ctx, r)
	if err != nil {
		return nil, err
	}
	object, err := jsontext.Extract(answer.Content, jsontext.Options{Schema: retrieveCompiled})
	if err != nil {
		return &Retrieved{Usage: answer.Usage, Model: answer.Model}, fmt.Errorf("the sidecar's picks cannot be read: %w", err)
	}
	out := s.choose(object.JSON)
	out.Usage, out.Model = answer.Usage, answer.Model
	return out, nil
}

var retrieveCompiled = jsontext.MustCompile(string(retrieveSchema))

// loreSection is the overview, which seldom changes.
func (s *Scene) loreSection() string {
	v := s.Anchor
	if v == nil {
		v = s.View
	}
	return "The lore, as name [id]:\n" + inside("lore", Overview(s, v, or(s.Settings.OverviewSize, 12000)))
}

func (s *Scene) retrieveTask() string {
	var b strings.Builder
	b.WriteString("The story so far, the newest message last:\n")
	b.WriteString(inside("story", s.transcript(window(s.Messages, or(s.Settings.Window, 12)))))
	if news := News(s.Anchor, s.View); news != "" {
		b.WriteString("\n\nNew since the overview was made:\n" + inside("lore", news))
	}
	if s.Notebook != "" {
		b.WriteString("\n\nThe narrator's notebook:\n" + inside("notebook", s.Notebook))
	}
	b.WriteString("\n\nAnswer with one JSON object: {\"picks\": [{\"id\": …, \"category\": …, \"size\": …, \"reason\": …}]}.")
	return b.String()
}

// choose resolves the picks of a model: names, ids or whole categories, within
// the quotas, each entry once.
func (s *Scene) choose(object json.RawMessage) *Retrieved {
	var answer struct {
		Picks []struct {
			ID       string `json:"id"`
			Category string `json:"category"`
			Size     string `json:"size"`
			Reason   string `json:"reason"`
		} `json:"picks"`
	}
	out := &Retrieved{}
	if json.Unmarshal(object, &answer) != nil {
		return out
	}
	k := newKnown(s, s.View)
	count := map[Category]int{}
	seen := map[memory.Ref]bool{}
	for _, p := range answer.Picks {
		c := Category(strings.ToLower(strings.NewReplacer(" ", "_", "-", "_").Replace(p.Category)))
		if !slices.Contains(Categories, c) {
			c = Enrichment
		}
		refs := s.resolvePick(k, p.ID)
		if refs == nil {
			out.Unknown = append(out.Unknown, clip(clean(p.ID), 80))
			continue
		}
		for _, ref := range refs {
			if seen[ref] {
				continue
			}
			if count[c] >= s.Settings.Quotas.of(c) {
				out.Over++
				continue
			}
			seen[ref] = true
			count[c]++
			out.Choices = append(out.Choices, Choice{Ref: ref, Category: c, Size: sizeOf(p.Size, len(refs)), Reason: clip(clean(p.Reason), 200)})
		}
	}
	slices.SortStableFunc(out.Choices, func(a, b Choice) int {
		return slices.Index(Categories, a.Category) - slices.Index(Categories, b.Category)
	})
	return out
}

// resolvePick finds what a pick means; nil if nothing.
func (s *Scene) resolvePick(k *known, id string) []memory.Ref {
	id = strings.Trim(clean(id), "[]{} ")
	if ref, ok := k.byID(id); ok {
		return []memory.Ref{ref}
	}
	// A label as the overview writes it: name [id].
	if name, rest, ok := strings.Cut(id, " ["); ok {
		if ref, ok := k.byID(strings.TrimSuffix(rest, "]")); ok {
			return []memory.Ref{ref}
		}
		id = name
	}
	for _, root := range s.View.Categories() {
		if !s.book(root.Book).Read {
			continue
		}
		if root.Book == id {
			return below(s.View, root)
		}
		for _, c := range allCategories(root) {
			if c.ID == id || strings.EqualFold(c.Name, id) {
				return below(s.View, c)
			}
		}
	}
	if ref, why := k.find(id); why == "" {
		return []memory.Ref{ref}
	}
	return nil
}

func allCategories(c *memory.Category) []*memory.Category {
	var list []*memory.Category
	for _, child := range c.Children {
		list = append(append(list, child), allCategories(child)...)
	}
	return list
}

// maxBranch is how many entries a whole branch brings at most.
const maxBranch = 12

func below(v *memory.View, c *memory.Category) []memory.Ref {
	var list []memory.Ref
	for _, ref := range c.Entries {
		if e := v.Entry(ref.Book, ref.Entry); e != nil && !e.Disabled && len(list) < maxBranch {
			list = append(list, ref)
		}
	}
	for _, child := range c.Children {
		for _, ref := range below(v, child) {
			if len(list) < maxBranch {
				list = append(list, ref)
			}
		}
	}
	return list
}

// sizeOf reads a size. What comes with a whole branch is brief unless the model
// says otherwise.
func sizeOf(s string, many int) engine.Size {
	switch strings.ToLower(strings.NewReplacer("-", "_", " ", "_").Replace(s)) {
	case "full":
		return engine.SizeFull
	case "brief":
		return engine.SizeBrief
	case "one_line", "oneline":
		return engine.SizeOneLine
	}
	if many > 3 {
		return engine.SizeBrief
	}
	return engine.SizeFull
}

// Mentioned returns the entries whose name or alias is said in the last
// messages. They are candidates whatever a model chooses: a word that was said
// is found.
func Mentioned(s *Scene, messages int) []memory.Ref {
	var text strings.Builder
	for i := max(0, len(s.Messages)-messages); i < len(s.Messages); i++ {
		text.WriteString(InCharacter(s.Messages[i].Text, s.Settings.OutOfCharacter) + "\n")
	}
	return s.namedIn(text.String())
}

// namedIn returns the entries that a text names.
func (s *Scene) namedIn(text string) []memory.Ref {
	said := newSaid(text)
	var out []memory.Ref
	for _, ref := range s.View.Live() {
		if ref.IsCategory() || !s.book(ref.Book).Read {
			continue
		}
		e := s.View.Entry(ref.Book, ref.Entry)
		if isThing(e) && slices.ContainsFunc(namesOf(s.View, ref, e), said.says) {
			out = append(out, ref)
		}
	}
	return out
}
