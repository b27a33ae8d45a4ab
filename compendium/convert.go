package compendium

import (
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/resolve"
)

// Convert makes a typed entry of a plain one, as far as rules can: its type and
// name are known, and lines of its text that read "Age: 30" fill the fields of
// that name. The text stays as it is, as the description: nothing is lost, and
// what the rules cannot tell is left to somebody who reads. ok is false if the
// type is not known; typ, if not empty, stands for the one that the entry lacks.
func Convert(e *lore.Entry, typ Type) (t *Entry, ok bool) {
	if have, known := ParseType(e.Type); known && have != Note {
		typ = have
	}
	if !typ.Known() || typ == Note {
		return nil, false
	}
	t = &Entry{ID: e.ID, Type: typ, Layer: LayerStory, Data: Object{}, Schema: SchemaVersion, base: e}
	t.Data["name"] = resolve.FromEntry(e).Name
	if e.Content != "" {
		t.Data["description"] = e.Content
	}
	if len(e.Tags) > 0 {
		t.Data["tags"] = e.Tags
	}
	args := map[string]any{}
	for line := range strings.SplitSeq(clip(e.Content, 20_000), "\n") {
		label, value, found := strings.Cut(strings.Trim(strings.TrimSpace(line), "-*•[]() "), ":")
		if !found || len(label) > 40 || strings.Contains(value, "{{") {
			continue
		}
		f := guessField(Fields(typ), strings.Trim(label, "*_ "))
		if f == nil || convertless[f.Name] || args[f.Name] != nil || f.Kind == Group || f.Kind == Rows && len(f.Key) > 1 && f.Name != "relationships" {
			continue
		}
		if value = strings.Trim(value, "*_\" "); value != "" {
			args[f.Name] = value
		}
	}
	if len(args) > 0 {
		c := &coercer{t: typ}
		data := c.object(args, Fields(typ), "")
		c.lifeFromState(data)
		next, _ := Merge(t, Patch{Type: typ, Data: data}, Context{Source: Source{By: ByRule, Phase: "convert"}})
		t = next
	}
	return t, true
}

// convertless are fields that a line of text does not fill.
var convertless = map[string]bool{"name": true, "description": true, "one_line": true, "tags": true, "notes": true, "facts": true, "knowledge": true, "scopes": true, "locks": true}
