package format

import (
	"reflect"

	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// followContent gives an entry whose content was edited the fields that the new
// content's decorators say, where they were those of the old one's. The content
// is the source of decorators: without this a writer would put the lines back
// that an edit took out.
func (s *BookShape) followContent(w *Writer, r *Reader, row *jsondoc.Tree, key string, index int, old, e *lore.Entry) *lore.Entry {
	if s.Decorated == "" || e.Content == old.Content || row.Get(s.Decorated) == nil {
		return e
	}
	t := row.Clone()
	t.Set(s.Decorated, jsondoc.Str(e.Content))
	said := s.readEntry(r, parseTree(t), key, index)
	if said == nil {
		return e
	}
	c := *e
	changed := false
	follow(reflect.ValueOf(old).Elem(), reflect.ValueOf(said).Elem(), reflect.ValueOf(&c).Elem(), func(field string) {
		changed = true
		w.note(Approximated, field, "the edited content says so with its decorators, or no longer says it")
	})
	if !changed {
		return e
	}
	return &c
}

// follow copies to e the fields in which said differs from old and e does not.
func follow(old, said, e reflect.Value, changed func(field string)) {
	for i := range old.NumField() {
		f := old.Type().Field(i)
		switch {
		case f.Anonymous:
			follow(old.Field(i), said.Field(i), e.Field(i), changed)
		case !f.IsExported() || f.Name == "Content" || f.Name == "Origin" || f.Name == "Ext" || f.Name == "ID":
		case reflect.DeepEqual(old.Field(i).Interface(), said.Field(i).Interface()):
		case reflect.DeepEqual(old.Field(i).Interface(), e.Field(i).Interface()):
			e.Field(i).Set(said.Field(i))
			changed(memberName(f.Name))
		}
	}
}
