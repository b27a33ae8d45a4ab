package compendium

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/resolve"
)

// FieldName is the field of a lorebook entry that holds the typed data: a
// member of the entry beside keywords and content, in .weaver files and in
// Weft's own JSON. Inside [lore.Entry] it is one of the unknown fields that
// travel with it. Programs that do not know it see an ordinary entry.
const FieldName = "compendium"

// nativeExt is the namespace in which a lore.Entry keeps fields of Weft's own
// files that package lore has no name for.
const nativeExt = "weaver"

// FromLore reads a lorebook entry as a typed one. The typed data, if any, is in
// its field [FieldName]; name, type, tags and content are the entry's own. ok is
// false for an entry without typed data, see [Convert] for those.
func FromLore(e *lore.Entry) (t *Entry, ok bool, err error) {
	raw := storedField(e)
	return FromParts(e, raw)
}

// FromParts is FromLore with the typed data given, for an entry that a story has
// laid its own data over. Nil data is none.
func FromParts(e *lore.Entry, data json.RawMessage) (t *Entry, ok bool, err error) {
	if len(data) == 0 {
		return nil, false, nil
	}
	typ, known := ParseType(e.Type)
	if !known {
		typ = Note
	}
	content, data, err := described(e, data)
	if err != nil {
		return nil, true, err
	}
	t = &Entry{ID: e.ID, Type: typ, Layer: LayerStory, Data: Object{}, base: e}
	if e.Name != "" {
		t.Data["name"] = e.Name
	}
	if content != "" {
		t.Data["description"] = content
	}
	if tags := e.Tags; len(tags) > 0 {
		t.Data["tags"] = slices.Clone(tags)
	}
	if err := t.readStored(data); err != nil {
		return nil, true, err
	}
	return t, true, nil
}

// ToLore returns the entry as a lorebook entry. One that was read from a
// lorebook keeps everything of it that is not typed data: slot, priority,
// timers, conditions, and fields that nobody knows. FromLore(ToLore(e)) is e.
//
// The content is the description; see [Present] for the text that a prompt
// gets. The keys are those that the entry had, with the name and each alias that
// is in none of them.
func (e *Entry) ToLore() *lore.Entry {
	var out *lore.Entry
	if e.base != nil {
		out = e.base.Clone()
		out.ID = e.ID
	} else {
		out = lore.NewEntry(e.ID, "")
		out.Priority = Priority(e.Importance())
	}
	out.Name, _ = e.Data["name"].(string)
	out.Content, _ = e.Data["description"].(string)
	tags, _ := e.Data["tags"].([]string)
	out.Tags = slices.Clone(tags)
	if t, ok := ParseType(out.Type); !ok && e.Type != Note || ok && t != e.Type || out.Type == "" {
		out.Type = string(e.Type)
	}
	out.Keys = e.keys(out.Keys)
	setStored(out, encode(e.stored()))
	return out
}

// keys adds the names of an entry to keys.
func (e *Entry) keys(have []lore.Key) []lore.Key {
	norm := map[string]bool{}
	for _, k := range have {
		if k.Kind == lore.KeyLiteral || k.Kind == "" {
			norm[resolve.Normal(k.Text)] = true
		}
	}
	add := func(s string) {
		if n := resolve.Normal(s); s != "" && !norm[n] {
			norm[n] = true
			have = append(slices.Clip(have), lore.Key{Text: s, Kind: lore.KeyLiteral})
		}
	}
	name, _ := e.Data["name"].(string)
	add(name)
	for _, a := range e.Aliases() {
		if a.Kind != "misspelling" || len([]rune(a.Text)) >= 4 { // a short slip of the pen hits everything
			add(a.Text)
		}
	}
	return have
}

// Priority returns the priority, by which a budget chooses, of an entry of an
// importance.
func Priority(importance int) int {
	return lore.DefaultPriority + 10*(min(max(importance, 1), 5)-2)
}

// storedField returns the typed data of a lorebook entry, nil if there is none.
func storedField(e *lore.Entry) json.RawMessage {
	raw := e.Ext[nativeExt]
	if len(raw) == 0 || !bytes.Contains(raw, []byte(`"`+FieldName+`"`)) {
		return nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return nil
	}
	return members[FieldName]
}

// setStored puts typed data into a lorebook entry and leaves its other unknown
// fields as they are, in their order.
func setStored(e *lore.Entry, data json.RawMessage) {
	var b bytes.Buffer
	b.WriteByte('{')
	n := 0
	put := func(name string, v json.RawMessage) {
		if n++; n > 1 {
			b.WriteByte(',')
		}
		b.Write(encode(name))
		b.WriteByte(':')
		b.Write(v)
	}
	set := false
	dec := json.NewDecoder(bytes.NewReader(e.Ext[nativeExt]))
	if tok, err := dec.Token(); err == nil && tok == json.Delim('{') {
		for dec.More() {
			tok, err := dec.Token()
			if err != nil {
				break
			}
			var v json.RawMessage
			if dec.Decode(&v) != nil {
				break
			}
			name, _ := tok.(string)
			if name == FieldName {
				if set = true; data != nil {
					put(name, data)
				}
				continue
			}
			put(name, v)
		}
	}
	if !set && data != nil {
		put(FieldName, data)
	}
	b.WriteByte('}')
	if e.Ext == nil {
		e.Ext = map[string]json.RawMessage{}
	}
	if n == 0 {
		delete(e.Ext, nativeExt)
		return
	}
	e.Ext[nativeExt] = b.Bytes()
}

// Plain returns the lorebook entry that says everything in its text, for formats
// that know no typed data: its content is the full rendering, its sizes the
// shorter ones. The typed data is in the field [FieldName] as ever, with the
// description beside it, so that it travels where a format carries fields of
// Weft's, and FromLore reads it back.
func (e *Entry) Plain(r *Renderer) *lore.Entry {
	out := e.ToLore()
	data := e.stored()
	if d := e.Description(); d != "" {
		data["description"] = d
	}
	out.Content = r.Render(e, Full)
	out.Sizes = lore.Sizes{Brief: r.Render(e, Brief), OneLine: r.Render(e, OneLine)}
	data[memberRendered] = out.Content
	setStored(out, encode(data))
	return out
}

// memberRendered is the text that Plain wrote, to see whether a person changed
// it since.
const memberRendered = "rendered"

// described returns the description of an entry and its typed data. Of one that
// [Entry.Plain] wrote it is what it was, unless somebody changed the text since:
// then that is the description.
func described(e *lore.Entry, data json.RawMessage) (string, json.RawMessage, error) {
	if !bytes.Contains(data, []byte(`"`+memberRendered+`"`)) {
		return e.Content, data, nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil || members == nil {
		return "", nil, fmt.Errorf("%s of entry %q is no object", FieldName, e.ID)
	}
	var rendered, description string
	if json.Unmarshal(members[memberRendered], &rendered) != nil {
		return e.Content, data, nil
	}
	_ = json.Unmarshal(members["description"], &description)
	delete(members, memberRendered)
	delete(members, "description")
	if strings.TrimSpace(e.Content) != strings.TrimSpace(rendered) {
		description = e.Content
	}
	return description, encode(members), nil
}
