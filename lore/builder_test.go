package lore

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

func TestBuilderSetsEveryField(t *testing.T) {
	got, err := NewBook("b").
		Name("N").Description("D").Policy(PolicyWeaver()).ScanDepth(4).Budget(Chars(900)).GroupBudget("g", 40).
		Namespace("quest", ReadWrite, "how far").Slot("rumours", SlotBackdrop).DefaultSlot("rumours").
		CaseSensitive().WholeWords().
		Entry("a", "text", Keywords("k"), Regex("r+"), Secondary(NoneOf, "s"), When("true"), Constant(), ScanMessages(2),
			Probability(5), BySimilarity(Similarity{Threshold: 0.5}), ForKinds(KindSwipe), ForCharacters("Tam"), Sticky(1),
			Cooldown(2), Delay(3), Priority(4), Order(5), InSlot(AtDepth(6), SlotCoda), As(RoleUser), InGroup("g"),
			Exclusive("x"), MaxTokens(7), InSizes("brief", "line"), Titled("T"), Tagged("t"), Off()).
		Build()
	if err != nil {
		t.Fatal(err)
	}
	yes, percent := true, 5.0
	want := &Book{
		ID: "b", Name: "N", Description: "D", FormatVersion: 1, Policy: PolicyWeaver(), ScanDepth: Messages(4), Budget: Chars(900),
		GroupBudgets: map[string]int{"g": 40}, Namespaces: map[string]Namespace{"quest": {ReadWrite, "how far"}},
		Slots: []SlotDecl{{Name: "rumours", After: SlotBackdrop}}, DefaultSlot: "rumours", CaseSensitive: &yes, WholeWords: &yes,
		Entries: []*Entry{{
			ID: "a", Name: "T", Tags: []string{"t"}, Content: "text", Disabled: true,
			Match: Match{
				Constant: true, Keys: []Key{{Text: "k", Kind: KeyLiteral}, {Text: "r+", Kind: KeyRE2}},
				Clauses: []Clause{{Logic: NoneOf, Keys: LiteralKeys("s")}}, Condition: "true", ScanDepth: Messages(2),
				Probability: &percent, Kinds: []TurnKind{KindSwipe}, Characters: &CharacterFilter{Names: []string{"Tam"}},
				Similarity: &Similarity{Threshold: 0.5},
			},
			Timing: Timing{Sticky: 1, Cooldown: 2, Delay: 3},
			Placement: Placement{
				Slot: AtDepth(6), Fallback: []Slot{SlotCoda}, Role: RoleUser, Priority: 4, InsertionOrder: 5, Group: "g",
				MaxTokens: 7, Sizes: Sizes{"brief", "line"},
			},
			Inclusion: &Inclusion{Names: []string{"x"}},
		}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("book differs (-want +got):\n%s", d)
	}
	// What the builder can say, all files can.
	for name, through := range map[string]func(*Book) (*Book, error){
		"JSON": func(b *Book) (*Book, error) {
			raw, err := MarshalBook(b)
			if err != nil {
				return nil, err
			}
			b, list := ParseBook("b.json", raw)
			return b, list.Err()
		},
		"folder": func(b *Book) (*Book, error) {
			d, err := NewDir(b)
			if err != nil {
				return nil, err
			}
			return d.Book(), nil
		},
	} {
		again, err := through(got)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(got, again, sameBook); d != "" {
			t.Errorf("%s: book differs (-want +got):\n%s", name, d)
		}
	}
}

func TestBuildNeedsAnID(t *testing.T) {
	if _, err := NewBook("").Entry("", "x").Add(nil).Build(); err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("got %v, want three mistakes", err)
	}
}

func TestBuildSharesNothing(t *testing.T) {
	e := NewEntry("a", "x")
	b := NewBook("b").Add(e)
	book, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	e.Content = "changed"
	if book.Entries[0].Content != "x" {
		t.Error("the book shares an entry with the builder")
	}
}

func TestConfigEdits(t *testing.T) {
	tests := []struct {
		name, src, want string
		edit            func(*ConfigFile) error
	}{
		{"empty file", "", "name: x\n", func(c *ConfigFile) error { return c.Set("name", "x") }},
		{"only a comment", "# c", "# c\nname: x", func(c *ConfigFile) error { return c.Set("name", "x") }},
		{"no final line break", "id: a", "id: a\nname: x", func(c *ConfigFile) error { return c.Set("name", "x") }},
		{"last value", "id: a\nname: y", "id: a\nname: x", func(c *ConfigFile) error { return c.Set("name", "x") }},
		{"last list", "id: a\nslots:\n  - {name: a, after: coda}", "id: a\nslots:\n  - {name: b, after: coda}", func(c *ConfigFile) error {
			return c.Set("slots", []map[string]string{{"name": "b", "after": "coda"}})
		}},
		{"budget", "token_budget: 12 # c\n", "token_budget: 20% # c\n", func(c *ConfigFile) error { return c.Set("token_budget", Percent(20)) }},
		{"group", "group_budgets:\n  a: 1 # c\n  # d\n  b: 2\nid: x\n", "group_budgets:\n  a: 1 # c\n  # d\n  b: 3\nid: x\n", func(c *ConfigFile) error {
			return c.Set("group_budgets", map[string]int{"a": 1, "b": 3})
		}},
		{"gone", "# top\nid: a\nname: x # c\n", "# top\nid: a\n", func(c *ConfigFile) error { return c.Unset("name") }},
		{"document end", "id: a\n...\n", "id: a\nname: x\n...\n", func(c *ConfigFile) error { return c.Set("name", "x") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, list := ParseConfig("lorebook.yaml", []byte(tt.src))
			if list.HasErrors() {
				t.Fatal(list)
			}
			if err := tt.edit(c); err != nil {
				t.Fatal(err)
			}
			if got := string(c.Bytes()); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNewConfig(t *testing.T) {
	c, err := NewConfig("lorebook.yaml", &Book{ID: "b", Policy: PolicySuzune(), Similarity: &Similarity{TopK: 3}, Folders: []Folder{{ID: "f", Disabled: true}}})
	if err != nil {
		t.Fatal(err)
	}
	want := "id: b\npolicy: suzune\nsimilarity:\n  top_k: 3\nfolders:\n  - id: f\n    disabled: true\n"
	if d := cmp.Diff(want, string(c.Bytes())); d != "" {
		t.Errorf("source differs (-want +got):\n%s", d)
	}
	bad, _ := ParseConfig("lorebook.yaml", []byte("token_budget: lots\n"))
	if err := bad.SetBook(&Book{Policy: PolicyWeaver()}); err == nil {
		t.Error("settings with an error are overwritten")
	}
}

func TestMessagesFromYAML(t *testing.T) {
	var got []Message
	if err := yaml.Unmarshal([]byte("- Hello\n- {role: system, content: x, name: n}\n- 5\n"), &got); err != nil {
		t.Fatal(err)
	}
	want := []Message{UserMessage("Hello"), {Role: RoleSystem, Name: "n", Content: "x"}, UserMessage("5")}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("messages differ (-want +got):\n%s", d)
	}
	raw, err := yaml.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	if err := yaml.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("messages differ after writing (-want +got):\n%s", d)
	}
	if err := yaml.Unmarshal([]byte("[[a]]"), &got); err == nil {
		t.Error("a list is read as a message")
	}
}
