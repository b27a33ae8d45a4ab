package format

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// nativeName stands for things that were made in Weft and not read from a
// foreign file; what a format cannot say of them is carried under this name.
const nativeName = "weft"

// nativeEntry and nativeBook write canonical fields as JSON, without those that
// are zero.
var (
	nativeEntry = side[*lore.Entry]{
		name:  nativeName,
		read:  func(t *jsondoc.Tree) *lore.Entry { return nativeRead(t, &lore.Entry{}) },
		write: func(e *lore.Entry) *jsondoc.Tree { return nativeTree(reflect.ValueOf(e)) },
	}
	nativeBook = side[*lore.Book]{
		name: nativeName,
		read: func(t *jsondoc.Tree) *lore.Book { return nativeRead(t, &lore.Book{}) },
		write: func(b *lore.Book) *jsondoc.Tree {
			c := *b
			c.Entries, c.Policy = nil, lore.Policy{}
			return nativeTree(reflect.ValueOf(&c))
		},
	}
)

func nativeRead[T any](t *jsondoc.Tree, v *T) *T {
	// Field names are matched without case; a member that does not fit is
	// skipped, the others count.
	_ = json.Unmarshal([]byte(t.String()), v)
	return v
}

var rawType = reflect.TypeFor[json.RawMessage]()

func nativeTree(v reflect.Value) *jsondoc.Tree {
	switch v.Kind() {
	case reflect.Pointer:
		return nativeTree(v.Elem())
	case reflect.Struct:
		t := jsondoc.Obj()
		nativeFields(t, v)
		return t
	}
	if v.Type() == rawType {
		if doc, err := jsondoc.Parse(v.Bytes(), jsondoc.Limits{}); err == nil {
			return doc.Root().Tree()
		}
		return jsondoc.NewNull()
	}
	switch v.Kind() {
	case reflect.Slice:
		t := jsondoc.List()
		for i := range v.Len() {
			t.Items = append(t.Items, nativeTree(v.Index(i)))
		}
		return t
	case reflect.Map:
		raw, err := json.Marshal(v.Interface())
		if err != nil {
			return jsondoc.NewNull()
		}
		doc, err := jsondoc.Parse(raw, jsondoc.Limits{})
		if err != nil {
			return jsondoc.NewNull()
		}
		return doc.Root().Tree()
	case reflect.String:
		return jsondoc.Str(v.String())
	case reflect.Bool:
		return jsondoc.NewBool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return jsondoc.Int(int(v.Int()))
	case reflect.Float64:
		return jsondoc.Num(v.Float())
	}
	return jsondoc.NewNull()
}

// memberName returns the name of a field in JSON: "ID" is "id", "ScanDepth" is
// "scanDepth".
func memberName(field string) string {
	if field == "ID" {
		return "id"
	}
	return strings.ToLower(field[:1]) + field[1:]
}

func nativeFields(t *jsondoc.Tree, v reflect.Value) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		switch {
		case f.Name == "Origin" || !f.IsExported():
		case f.Anonymous:
			nativeFields(t, v.Field(i))
		case f.Name == "Ext":
			if ext := withoutWeft(v.Field(i).Interface().(map[string]json.RawMessage)); len(ext) > 0 {
				t.Set("ext", nativeTree(reflect.ValueOf(ext)))
			}
		case !v.Field(i).IsZero():
			t.Set(memberName(f.Name), nativeTree(v.Field(i)))
		}
	}
}
