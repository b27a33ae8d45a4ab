package lore

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// text draws texts that YAML finds hard.
func text(t *rapid.T, label string) string {
	return rapid.OneOf(
		rapid.SampledFrom([]string{
			"a", "mill", "yes", "null", "~", "12", "1e3", "0x1f", "true", "- x", "a: b", "a #b", "# c", "'", `"`, `\`, "[", "{a}", "!t", "&a", "*a", "%x", "@x", "`",
			" lead", "trail ", "tab\tin", "line\nbreak", "line\n", "\n", "\nlead", "a\n\n  b\n", "cr\r\nlf", "---", "a\n---\nb", "...", "é", "水車", "\u00a0", "\u2028", "\u0085x", "😀",
			"? x", ": x", "x:", "a, b", "a]", ",", "<<", "=", "|", ">", "2001-01-01", ".5", ".inf", "-", "", "a\\nb", "a\n b", "a\n\tb", "  \n x",
		}),
		rapid.StringMatching(`[a-zA-Z0-9 _:,#'"\[\]{}&*!|>%@\-\n.]{0,20}`),
	).Draw(t, label)
}

func texts(t *rapid.T, label string) []string {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return text(t, "item") }), 0, 4).Draw(t, label)
}

func maybe[T any](t *rapid.T, label string, draw func() T) *T {
	if !rapid.Bool().Draw(t, label+"?") {
		return nil
	}
	v := draw()
	return &v
}

func drawBool(t *rapid.T, label string) bool { return rapid.Bool().Draw(t, label) }

func drawCount(t *rapid.T, label string) int {
	return rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 300)).Draw(t, label)
}

func drawSlot(t *rapid.T, label string) Slot {
	return rapid.SampledFrom([]Slot{SlotPrelude, SlotContext, SlotCoda, AtDepth(0), AtDepth(12)}).Draw(t, label)
}

func drawKeys(t *rapid.T, label string) []Key {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Key {
		k := Key{Text: text(t, "text"), Kind: rapid.SampledFrom([]KeyKind{KeyLiteral, KeyLiteral, KeyLiteral, KeyRE2, KeyJS, KeyGlob}).Draw(t, "kind")}
		if k.Kind == KeyJS {
			k.Flags = rapid.SampledFrom([]string{"", "i", "gu"}).Draw(t, "flags")
		}
		return k
	}), 0, 4).Draw(t, label)
}

// drawEntry draws an entry that uses any of the fields.
func drawEntry(t *rapid.T, id string) *Entry {
	e := NewEntry(id, text(t, "content"))
	set := func(label string, to *string) {
		if drawBool(t, label+"?") {
			*to = text(t, label)
		}
	}
	set("name", &e.Name)
	set("comment", &e.Comment)
	set("type", &e.Type)
	set("group", &e.Group)
	set("outlet", &e.Outlet)
	set("prefix", &e.Prefix)
	set("brief", &e.Sizes.Brief)
	set("one_line", &e.Sizes.OneLine)
	set("user_icon", &e.UserIcon)
	e.Tags = texts(t, "tags")
	e.Keys = drawKeys(t, "keys")
	for range rapid.IntRange(0, 2).Draw(t, "clauses") {
		e.Clauses = append(e.Clauses, Clause{
			Logic: rapid.SampledFrom([]Logic{AnyOf, AllOf, NoneOf, NotAllOf, Never}).Draw(t, "logic"),
			Keys:  drawKeys(t, "secondary"), Inactive: drawBool(t, "inactive"),
		})
	}
	e.Condition = rapid.SampledFrom([]string{"", "true", "{{state:a}} > 3", `"x" == "y: z"`}).Draw(t, "condition")
	e.Disabled, e.Constant, e.IgnoreBudget, e.DropFirst = drawBool(t, "off"), drawBool(t, "constant"), drawBool(t, "ignore"), drawBool(t, "drop")
	e.CaseSensitive = maybe(t, "case", func() bool { return drawBool(t, "case") })
	e.WholeWords = maybe(t, "whole", func() bool { return drawBool(t, "whole") })
	e.ScanDepth = maybe(t, "depth", func() Amount {
		return Amount{float64(drawCount(t, "n")), rapid.SampledFrom([]Unit{UnitMessages, UnitChars, UnitTokens}).Draw(t, "unit")}
	})
	e.Cap = maybe(t, "cap", func() Amount { return Amount{rapid.Float64Range(0, 100).Draw(t, "n"), UnitPercent} })
	e.Probability = maybe(t, "probability", func() float64 { return rapid.Float64Range(0, 100).Draw(t, "p") })
	e.Similarity = maybe(t, "similarity", func() Similarity {
		return Similarity{TopK: drawCount(t, "k"), Margin: rapid.Float64Range(0, 1).Draw(t, "m")}
	})
	e.Characters = maybe(t, "characters", func() CharacterFilter {
		return CharacterFilter{drawBool(t, "ex"), texts(t, "names"), texts(t, "ctags")}
	})
	e.Inclusion = maybe(t, "inclusion", func() Inclusion { return Inclusion{Names: texts(t, "groups"), Override: drawBool(t, "over")} })
	e.Foreign = maybe(t, "foreign", func() ForeignCondition { return ForeignCondition{"js", text(t, "js")} })
	e.Inject = maybe(t, "inject", func() Inject { return Inject{Target: text(t, "target"), Mode: "append"} })
	e.Greeting = maybe(t, "greeting", func() int { return drawCount(t, "g") })
	e.Recursion.Level, e.Recursion.Silent = drawCount(t, "level"), drawBool(t, "silent")
	e.Sticky, e.Timing.Cooldown, e.Timing.Delay, e.After, e.Placement.MaxTokens = drawCount(t, "sticky"), drawCount(t, "cooldown"), drawCount(t, "delay"), drawCount(t, "after"), drawCount(t, "max")
	e.Placement.Priority, e.InsertionOrder = rapid.IntRange(-200, 200).Draw(t, "priority"), rapid.IntRange(-200, 200).Draw(t, "order")
	if drawBool(t, "slot?") {
		e.Placement.Slot = drawSlot(t, "slot")
		e.Fallback = []Slot{drawSlot(t, "fallback")}
		e.Placement.Role = RoleAssistant
	}
	if drawBool(t, "ext?") {
		e.Ext = map[string]json.RawMessage{"weaver": json.RawMessage(`{"x_mine":{"b":[1,2.50,"yes"],"a":null}}`), "risu": json.RawMessage(`{"k":1e3}`)}
	}
	return e
}

func compact(e *Entry) *Entry {
	c := e.Clone()
	if len(c.Ext) > 0 {
		for k, v := range c.Ext {
			c.Ext[k] = nodeJSON(rawNode(v))
		}
	}
	return c
}

func TestEntryWritesAndReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawEntry(t, "e")
		f, err := NewFile("e.weaver", e)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(compact(e), f.Entry(), sameBook); d != "" {
			t.Fatalf("through YAML (-want +got):\n%s\n%s", d, f.Bytes())
		}
		raw, err := MarshalEntry(e)
		if err != nil {
			t.Fatal(err)
		}
		again, err := UnmarshalEntry(raw)
		if err != nil {
			if strings.Contains(err.Error(), "content: ") { // the language's business
				return
			}
			t.Fatalf("%v\n%s", err, raw)
		}
		if d := cmp.Diff(compact(e), again, sameBook); d != "" {
			t.Fatalf("through JSON (-want +got):\n%s\n%s", d, raw)
		}
	})
}

// layout rewrites canonical YAML into other spellings of the same.
func layout(t *rapid.T, src string) string {
	lines := strings.SplitAfter(src, "\n")
	var out strings.Builder
	for i, line := range lines {
		top := line != "" && line[0] >= 'a' && line[0] <= 'z'
		if i > 0 && top && rapid.IntRange(0, 4).Draw(t, "comment") == 0 {
			out.WriteString("# about the next\n")
		}
		if top && strings.HasSuffix(line, "]\n") && strings.Contains(line, "[") && rapid.IntRange(0, 3).Draw(t, "trail") == 0 {
			line = strings.TrimSuffix(line, "\n") + "  # c\n"
		}
		out.WriteString(line)
	}
	return out.String()
}

func TestEditTouchesOnlyLinesOfItsField(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		made, err := NewFile("e.weaver", drawEntry(t, "e"))
		if err != nil {
			t.Fatal(err)
		}
		head, body, _ := strings.Cut(string(made.Bytes())[4:], "\n---\n")
		head = layout(t, head+"\n")
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol")
		if strings.Contains(head, "\r") || strings.Contains(head, "\u0085") || strings.Contains(head, "\u2028") {
			eol = "\n"
		}
		src := strings.ReplaceAll("---\n"+head+"---\n", "\n", eol) + body
		f, list := ParseEntry("e.weaver", []byte(src))
		if f.Entry() == nil {
			t.Fatal(list)
		}
		before := f.Entry().Clone()
		next := drawEntry(t, "e")
		e := before.Clone()
		field := rapid.SampledFrom([]string{"name", "tags", "keys", "sizes", "priority", "slot", "characters", "content", "cooldown", "ext"}).Draw(t, "field")
		switch field {
		case "name":
			e.Name = next.Name
		case "tags":
			e.Tags = next.Tags
		case "keys":
			e.Keys = next.Keys
		case "sizes":
			e.Sizes = next.Sizes
		case "priority":
			e.Placement.Priority = next.Placement.Priority
		case "slot":
			e.Placement.Slot, e.Fallback = next.Placement.Slot, before.Fallback
		case "characters":
			e.Characters = next.Characters
		case "content":
			e.Content = next.Content
		case "cooldown":
			e.Timing.Cooldown = next.Timing.Cooldown
		case "ext":
			e.Ext = map[string]json.RawMessage{"weaver": json.RawMessage(fmt.Sprintf(`{"x_mine":%d}`, next.InsertionOrder))}
			for k, v := range before.Ext {
				if k != nativeExt {
					e.Ext[k] = v
				}
			}
		}
		if err := f.SetEntry(e); err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		if d := cmp.Diff(compact(e), f.Entry(), sameBook); d != "" {
			t.Fatalf("the edit reads otherwise (-want +got):\n%s\n%s", d, f.Bytes())
		}
		own := map[string]string{"keys": "keywords: regex: keys:", "ext": "x_mine:", "slot": "slot:"}[field]
		if own == "" {
			own = field + ":"
		}
		if d := foreignLines(src, string(f.Bytes()), own, len(body), len(f.Entry().Content), field); d != "" {
			t.Fatalf("editing %s changes other lines:\n%s\nwas:\n%s\nis:\n%s", field, d, src, f.Bytes())
		}
	})
}

// foreignLines compares two sources without the lines of a field and returns
// how they differ.
func foreignLines(was, is, own string, oldBody, newBody int, field string) string {
	strip := func(src string, body int) string {
		head := src[:len(src)-body]
		tail := src[len(src)-body:]
		if field == "content" {
			tail = ""
		}
		var out strings.Builder
		inside := false
		for line := range strings.Lines(head) {
			if line[0] != ' ' && line[0] != '-' && line[0] != '\t' && line[0] != '\n' && line[0] != '\r' && line[0] != ']' && line[0] != '}' || strings.HasPrefix(line, "---") {
				name, _, _ := strings.Cut(line, ":")
				inside = strings.Contains(" "+own, " "+name+":")
			}
			if !inside {
				out.WriteString(line)
			}
		}
		return out.String() + tail
	}
	return cmp.Diff(strip(was, oldBody), strip(is, newBody))
}
