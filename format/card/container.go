package card

import (
	"slices"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// Container is a codec whose files hold one card as JSON, whatever is around
// it. From one container to another the JSON goes as it stands.
type Container interface {
	// Card returns the JSON of the card that counts in a file of the format.
	Card(in *format.Input) (*format.Input, error)
}

// Text is the JSON of a card on its way from one container to another.
type Text struct {
	// JSON is the text, without byte order mark.
	JSON string
	// Version is that of the card: 1, 2 or 3.
	Version int
	// From is the name of the format of the container.
	From string
	// Named is how many assets the card named in that container: so many come
	// first in the document.
	Named int
}

// Take returns the card of a document that was read from a container, with the
// edits made since and as it was before it came into that container. ok is
// false for documents from elsewhere.
func Take(w *format.Writer, doc *format.Document, opts format.WriteOptions, c *lore.Character, b *lore.Book) (t Text, ok bool, err error) {
	codec, isContainer := opts.Table.Codec(doc.Format).(Container)
	if !isContainer || doc.Input == nil || len(doc.Characters) == 0 {
		return Text{}, false, nil
	}
	inner, err := codec.Card(doc.Input)
	if err != nil {
		return Text{}, false, err
	}
	if inner == nil {
		return Text{}, false, nil
	}
	d, err := inner.Doc()
	if err != nil {
		return Text{}, false, err
	}
	edit := d.Edit()
	Splice(w, edit, inner.JSON(), c, b)
	text := edit.String()
	if inner.Wrapped() {
		if d, err = jsondoc.Parse(text, jsondoc.Limits{}); err != nil {
			return Text{}, false, err
		}
		text = d.Root().Index(0).Raw()
	}
	t = Text{JSON: text, From: doc.Format}
	before, _ := data(inner.JSON())
	t.Named = before.Get("assets").Len()
	if err := t.leave(w, c, b); err != nil {
		return Text{}, false, err
	}
	root, err := t.root()
	if err != nil {
		return Text{}, false, err
	}
	t.Version = Version(root)
	fields, _ := data(root)
	for key := range fields.Members() {
		w.Report().Keep(key)
	}
	return t, true, nil
}

func (t *Text) root() (jsondoc.Value, error) {
	d, err := jsondoc.Parse(t.JSON, jsondoc.Limits{})
	if err != nil {
		return jsondoc.Value{}, err
	}
	return d.Root(), nil
}

// The record of what a card had to become for a container stands in its
// extensions, beside what else Weft carries.
var recordPath = []string{"data", "extensions", "weft"}

const (
	recordKey   = "card"
	recordSpec  = "spec"         // the value of spec that was raised
	recordVers  = "spec_version" // the raw value with it
	recordAdd   = "added"        // members that were added
	recordURIs  = "uris"         // references that were changed: new to old
	recordWhole = "whole"        // a V1 card, which has no place for a record
)

// leave undoes what a container asked of the card.
func (t *Text) leave(w *format.Writer, c *lore.Character, b *lore.Book) error {
	root, err := t.root()
	if err != nil {
		return err
	}
	weft := root.At(recordPath...)
	record := weft.Get(recordKey)
	if !record.Exists() || weft.Get("v").Number() != "1" {
		return nil
	}
	if whole := record.Get(recordWhole); whole.Kind() == jsondoc.String {
		d, err := jsondoc.Parse(whole.ExactText(), jsondoc.Limits{})
		if err != nil {
			return err
		}
		edit := d.Edit()
		same := *c
		same.Ext = nil // a V1 card has none; what was added is reported
		Splice(w, edit, d.Root(), &same, b)
		t.JSON = edit.String()
		return nil
	}
	edit := root.Doc().Edit()
	for _, key := range []string{recordSpec, recordVers} {
		switch old := record.Get(key); {
		case old.Kind() == jsondoc.Null: // it was not there
			edit.Delete(root, key)
		case old.Exists():
			edit.Set(root, key, old.Tree())
		}
	}
	fields := root.Get("data")
	edit.Delete(fields.Get("extensions"), "weft")
	for _, item := range record.Get(recordAdd).Items() {
		m := fields.Get(item.Text())
		ours := item.Text() == "extensions" && m.Len() == 1 || item.Text() == "assets" && m.Len() == 1
		if m.Exists() && (m.Len() == 0 || ours) {
			edit.Delete(fields, item.Text())
		}
	}
	uris := map[string]string{}
	for key, old := range record.Get(recordURIs).Members() {
		uris[key] = old.Text()
	}
	changeURIs(edit, fields, func(_ int, uri, _, _ string) string { return uris[uri] })
	t.JSON = edit.String()
	return nil
}

// changeURIs gives the assets of a card other references; change returns "" for
// those that stay.
func changeURIs(edit *jsondoc.Editor, fields jsondoc.Value, change func(i int, uri, kind, ext string) string) {
	for i, a := range fields.Get("assets").Items() {
		uri := a.Get("uri")
		if uri.Kind() != jsondoc.String {
			continue
		}
		if now := change(i, uri.Text(), a.Get("type").Text(), a.Get("ext").Text()); now != "" && now != uri.Text() {
			edit.Replace(uri, jsondoc.Str(now))
		}
	}
}

// Enter says what a container asks of a card.
type Enter struct {
	// V3 raises the card to the third version.
	V3 bool
	// Icon is the reference to the picture that was the card's own, "" for none.
	Icon string
	// URI gives the i-th asset another reference; "" if it stays. plain says that
	// the way back finds the old one by itself.
	URI func(i int, uri, kind, ext string) (now string, plain bool)
}

// Enter changes the card for a container, with a record of the changes, so that
// the way back undoes them. c and b are the card's, for V1 cards.
func (t *Text) Enter(w *format.Writer, how Enter, c *lore.Character, b *lore.Book) error {
	root, err := t.root()
	if err != nil {
		return err
	}
	record := jsondoc.Obj()
	if t.Version == 1 && how.V3 {
		tree, style := New(w.Quiet(), c, b, 3)
		record.Set(recordWhole, jsondoc.Str(t.JSON))
		if how.Icon != "" {
			tree.Get("data").Set("assets", jsondoc.List(iconAsset(how.Icon)))
		}
		tree.SetAt(t.recordTree(record), recordPath...)
		t.JSON, t.Version = string(tree.Bytes(style)), 3
		return nil
	}
	if t.Version == 1 {
		return nil
	}
	edit := root.Doc().Edit()
	fields := root.Get("data")
	added := jsondoc.List()
	if how.V3 && t.Version == 2 {
		for _, raised := range [][2]string{{recordSpec, SpecV3}, {recordVers, "3.0"}} {
			old := root.Get(raised[0]).Tree()
			if old == nil {
				old = jsondoc.NewNull()
			}
			record.Set(raised[0], old)
			edit.Set(root, raised[0], jsondoc.Str(raised[1]))
		}
		if !fields.Has("group_only_greetings") {
			edit.Set(fields, "group_only_greetings", jsondoc.List())
			added.Items = append(added.Items, jsondoc.Str("group_only_greetings"))
		}
		t.Version = 3
	}
	uris := jsondoc.Obj()
	if how.URI != nil {
		changeURIs(edit, fields, func(i int, uri, kind, ext string) string {
			now, plain := how.URI(i, uri, kind, ext)
			if now != "" && now != uri && !plain {
				uris.Set(now, jsondoc.Str(uri))
			}
			return now
		})
	}
	if how.Icon != "" && fields.Get("assets").IsNull() && !fields.Has("assets") {
		edit.Set(fields, "assets", jsondoc.List(iconAsset(how.Icon)))
		added.Items = append(added.Items, jsondoc.Str("assets"))
	}
	ext := fields.Get("extensions")
	if !ext.Exists() {
		added.Items = append(added.Items, jsondoc.Str("extensions"))
	}
	if len(uris.Members) > 0 {
		record.Set(recordURIs, uris)
	}
	if len(added.Items) > 0 {
		record.Set(recordAdd, added)
	}
	hasMore := len(record.Members) > 1 || len(record.Members) == 1 && !(len(added.Items) == 1 && !ext.Exists())
	switch {
	case !hasMore:
	case ext.Kind() == jsondoc.Object:
		edit.Set(ext, "weft", t.recordTree(record))
	case !ext.Exists():
		edit.Set(fields, "extensions", jsondoc.Obj(jsondoc.M("weft", t.recordTree(record))))
	}
	t.JSON = edit.String()
	return nil
}

func (t *Text) recordTree(record *jsondoc.Tree) *jsondoc.Tree {
	return jsondoc.Obj(jsondoc.M("from", jsondoc.Str(t.From)), jsondoc.M("v", jsondoc.Int(1)), jsondoc.M(recordKey, record))
}

func iconAsset(uri string) *jsondoc.Tree {
	return jsondoc.Obj(
		jsondoc.M("type", jsondoc.Str("icon")), jsondoc.M("uri", jsondoc.Str(uri)),
		jsondoc.M("name", jsondoc.Str("main")), jsondoc.M("ext", jsondoc.Str("png")),
	)
}

// membersV3 are the members of a V3 card's data that V2 does not have.
var membersV3 = []string{
	"assets", "nickname", "creator_notes_multilingual", "source", "group_only_greetings", "creation_date", "modification_date",
}

// Assets returns the references of the card's assets, in order.
func (t *Text) Assets() []string {
	root, err := t.root()
	if err != nil {
		return nil
	}
	fields, _ := data(root)
	var uris []string
	for _, a := range fields.Get("assets").Items() {
		uris = append(uris, a.Get("uri").Text())
	}
	return uris
}

// ViewV2 returns a V3 card as a V2 one, for programs that know no other.
func (t Text) ViewV2() (string, error) {
	root, err := t.root()
	if err != nil {
		return "", err
	}
	tree := root.Tree()
	tree.Set("spec", jsondoc.Str(SpecV2))
	tree.Set("spec_version", jsondoc.Str("2.0"))
	if fields := tree.Get("data"); fields != nil {
		fields.Members = slices.DeleteFunc(fields.Members, func(m jsondoc.Member) bool { return slices.Contains(membersV3, m.Key) })
	}
	return tree.String(), nil
}
