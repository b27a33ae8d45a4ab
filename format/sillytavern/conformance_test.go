package sillytavern_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/format/sillytavern"
	"github.com/weft-memory/weft/internal/testenv"
	"github.com/weft-memory/weft/lore"
)

// convertKinds are the cases about SillyTavern's own conversions and texts.
var convertKinds = map[string]func(t *testing.T, c jsondoc.Value) *jsondoc.Tree{
	"book_to_world": func(_ *testing.T, c jsondoc.Value) *jsondoc.Tree {
		return withoutOriginal(sillytavern.BookToWorld(c.Get("input").Tree()))
	},
	"world_to_book": func(_ *testing.T, c jsondoc.Value) *jsondoc.Tree {
		return sillytavern.WorldToBook(c.Get("input").Tree(), c.Get("name").Text())
	},
	"roundtrip": func(_ *testing.T, c jsondoc.Value) *jsondoc.Tree {
		return withoutOriginal(sillytavern.BookToWorld(sillytavern.WorldToBook(c.Get("input").Tree(), c.Get("name").Text())))
	},
	"import_novel": func(_ *testing.T, c jsondoc.Value) *jsondoc.Tree {
		return withoutOriginal(sillytavern.ImportNovel(c.Get("input").Tree()))
	},
	"import_agnai": func(_ *testing.T, c jsondoc.Value) *jsondoc.Tree {
		return withoutOriginal(sillytavern.ImportAgnai(c.Get("input").Tree()))
	},
	"import_risu": func(_ *testing.T, c jsondoc.Value) *jsondoc.Tree {
		return withoutOriginal(sillytavern.ImportRisu(c.Get("input").Tree()))
	},
	"split_keys": each(func(_ *testing.T, v jsondoc.Value) *jsondoc.Tree {
		return jsondoc.StrList(sillytavern.SplitKeys(v.Text()))
	}),
	"is_regex": each(func(_ *testing.T, v jsondoc.Value) *jsondoc.Tree {
		return jsondoc.NewBool(sillytavern.IsRegex(v.Text()))
	}),
	"decorators": each(func(_ *testing.T, v jsondoc.Value) *jsondoc.Tree {
		list, body := lore.DecoratorsTavern.Split(v.Text())
		raw := jsondoc.List()
		for _, d := range list {
			raw.Items = append(raw.Items, jsondoc.Str(d.Raw))
		}
		return jsondoc.Obj(jsondoc.M("decorators", raw), jsondoc.M("content", jsondoc.Str(body)))
	}),
	"hash": each(func(t *testing.T, v jsondoc.Value) *jsondoc.Tree {
		h, err := lore.TavernHash([]byte(v.Get("entry").Raw()), v.Get("world").Text())
		if err != nil {
			t.Fatal(err)
		}
		return jsondoc.Int(int(h))
	}),
	"fill_defaults": each(func(_ *testing.T, v jsondoc.Value) *jsondoc.Tree { return sillytavern.FillDefaults(v.Tree()) }),
}

func each(f func(t *testing.T, v jsondoc.Value) *jsondoc.Tree) func(t *testing.T, c jsondoc.Value) *jsondoc.Tree {
	return func(t *testing.T, c jsondoc.Value) *jsondoc.Tree {
		list := jsondoc.List()
		for _, v := range c.Get("input").Items() {
			list.Items = append(list.Items, f(t, v))
		}
		return list
	}
}

func withoutOriginal(t *jsondoc.Tree) *jsondoc.Tree {
	t.Delete("originalData")
	return t
}

func TestConformanceSillyTavernConvert(t *testing.T) {
	t.Parallel()
	dir := testenv.Conformance(t, "sillytavern")
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsondoc.Parse(data, jsondoc.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, c := range doc.Root().Get("cases").Items() {
			convert := convertKinds[c.Get("kind").Text()]
			if convert == nil {
				continue
			}
			t.Run(c.Get("id").Text(), func(t *testing.T) {
				got, want := convert(t, c), c.Get("expect").Tree()
				if got.Same(want) {
					return
				}
				diff := cmp.Diff(pretty(want), pretty(got))
				if tags, _ := c.Get("tags").Strings(); slices.Contains(tags, "quirk") {
					t.Logf("%s (quirk) differs:\n%s", c.Get("title").Text(), diff)
					return
				}
				t.Errorf("%s (-want +got):\n%s", c.Get("title").Text(), diff)
			})
		}
	}
}

func pretty(t *jsondoc.Tree) any {
	var v any
	if err := json.Unmarshal([]byte(t.String()), &v); err != nil {
		return err.Error()
	}
	return v
}
