package compendium

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/weft-memory/weft/lore"
)

// TestDocs checks what docs/compendium.md shows, and that its table of fields is
// the schema's.
func TestDocs(t *testing.T) {
	t.Parallel()
	const path = "../docs/compendium.md"
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(src)
	head, rest, ok1 := strings.Cut(page, "<!-- fields -->\n")
	_, tail, ok2 := strings.Cut(rest, "<!-- /fields -->")
	if !ok1 || !ok2 {
		t.Fatal("the page has no place for the fields")
	}
	want := head + "<!-- fields -->\n" + fieldTables() + "<!-- /fields -->" + tail
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != page {
		t.Error("the table of fields is out of date: go test ./compendium -run Docs -update")
	}
	for _, typ := range types {
		var others []string
		for i, s := range lifecycles[typ] {
			switch {
			case i == 0:
			case s.Terminal:
				others = append(others, "**"+s.Name+"**")
			default:
				others = append(others, s.Name)
			}
		}
		if row := fmt.Sprintf("| %s | %s |", DefaultStatus(typ), strings.Join(others, ", ")); !strings.Contains(page, row) || !strings.Contains(page, "| "+string(typ)+" |") {
			t.Errorf("the page lacks the lifecycle of %s: %s", typ, row)
		}
	}
	_, block, _ := strings.Cut(page, "```json\n")
	block, _, _ = strings.Cut(block, "```")
	e, err := lore.UnmarshalEntry([]byte(block))
	if err != nil {
		t.Fatal(err)
	}
	v, ok, err := FromLore(e)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if got := (&Renderer{}).Render(v, OneLine); got != "Valen (Deuteragonist): injured, hiding; at Northern Wastes." {
		t.Errorf("the example reads %q", got)
	}
	if r := v.Rows("relationships"); len(r) != 2 || v.Sources["role"].Turn != 3 {
		t.Errorf("the example: %v %v", r, v.Sources)
	}
}

// fieldTables writes the fields of all types.
func fieldTables() string {
	var b bytes.Buffer
	shared := map[string]bool{}
	for _, f := range envelope(Note) {
		shared[f.Name] = true
	}
	fmt.Fprintf(&b, "All types: %s\n\n", fieldList(envelope(Character)))
	for _, t := range types {
		var own []Field
		for _, f := range Fields(t) {
			if !shared[f.Name] {
				own = append(own, f)
			}
		}
		fmt.Fprintf(&b, "**%s**: %s\n\n", t, fieldList(own))
	}
	return b.String()
}

func fieldList(fields []Field) string {
	var parts []string
	for i := range fields {
		parts = append(parts, fieldText(&fields[i]))
	}
	return strings.Join(parts, "; ")
}

func fieldText(f *Field) string {
	s := "`" + f.Name + "`"
	if f.Tool {
		s += "*"
	}
	switch f.Kind {
	case Number:
		s += fmt.Sprintf(" %d–%d", f.Low, f.High)
	case Enum:
		s += " " + strings.Join(f.Values, "/")
	case Rows, Group:
		var members []string
		for i := range f.Fields {
			m := &f.Fields[i]
			if f.Kind == Rows && (m.Name == "knowledge" || m.Name == "valid_from" || m.Name == "valid_to") {
				continue
			}
			name := m.Name
			if slices.Contains(f.Key, m.Name) {
				name += " key"
			}
			if m.Edge != "" {
				name += edgeSign(m)
			}
			members = append(members, name)
		}
		s += " [" + strings.Join(members, ", ") + "]"
	}
	if f.Edge != "" {
		s += edgeSign(f)
	}
	return s
}

func edgeSign(f *Field) string {
	if f.Inverse {
		return " ←" + f.Edge
	}
	return " →" + f.Edge
}

// TestLanguages reads the files of all languages as strangers' files are read,
// and checks that each phrase that the code asks for is there in English.
func TestLanguages(t *testing.T) {
	t.Parallel()
	if len(Languages()) < 2 {
		t.Errorf("languages: %v", Languages())
	}
	for _, code := range Languages() {
		src, err := langFiles.ReadFile("lang/" + code + ".json")
		if err != nil {
			t.Fatal(err)
		}
		l, err := ParseLanguage(src)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"de-AT", "EN_us"} {
			if strings.HasPrefix(strings.ToLower(name), code) && LanguageFor(name).Code != l.Code {
				t.Errorf("LanguageFor(%q) is %s", name, LanguageFor(name).Code)
			}
		}
		for _, typ := range types {
			for _, s := range lifecycles[typ] {
				if l.word(typ, s.Name) == "" || strings.Contains(l.word(typ, s.Name), "_") || code != "en" && l.word(typ, s.Name) == s.Name && s.Name != "latent" {
					t.Errorf("%s: %s.%s is %q", code, typ, s.Name, l.word(typ, s.Name))
				}
			}
		}
	}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	en := LanguageFor("en")
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		src, _ := os.ReadFile(f.Name())
		for _, part := range strings.Split(string(src), `phrase("`)[1:] {
			key, _, _ := strings.Cut(part, `"`)
			if _, ok := en.Phrases[key]; !ok && key != "snap_" {
				t.Errorf("%s: no phrase %q", f.Name(), key)
			}
		}
	}
	for _, bad := range []string{`{`, `{"phrases":{}}`, `{"code":"xx","phrases":{"nothing":"x"}}`, `{"code":"xx","phrases":{"former":"{y}"}}`} {
		if _, err := ParseLanguage([]byte(bad)); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
	if l, err := ParseLanguage([]byte(`{"code":"xx","phrases":{"former":"olim {x}"}}`)); err != nil || l.phrase("former", "x", "{who}") != "olim {who}" || l.phrase("now") != "Now" {
		t.Errorf("a language of one phrase: %v", err)
	}
}

func TestMigration(t *testing.T) {
	t.Parallel()
	e, err := lore.UnmarshalEntry([]byte(`{"id":"a","name":"A","type":"character","content":"x","compendium":{"state":{"mood":"calm"},"mine":{"tea":[1,2]},"role":7}}`))
	if err != nil {
		t.Fatal(err)
	}
	v, _, err := FromLore(e)
	if err != nil {
		t.Fatal(err)
	}
	if v.Text("current_state.mood") != "calm" || v.Schema != SchemaVersion {
		t.Errorf("not migrated: %s", dump(v))
	}
	// What nobody knows is kept, and so is a value of the wrong kind.
	back := v.ToLore()
	for _, want := range []string{`"mine":{"tea":[1,2]}`, `"role":7`, `"schema":1`} {
		if !strings.Contains(string(encode(back.Ext)), want) {
			t.Errorf("%s is lost: %s", want, encode(back.Ext))
		}
	}
	next, r := Merge(v, mustCoerce(t, Character, `{"name":"A","role":"smith"}`), Context{Source: Source{By: BySidecar, Turn: 1}})
	if next.Text("role") != "smith" || len(r.Past) != 1 || string(r.Past[0].Value) != "7" {
		t.Errorf("the odd value: %+v", r)
	}
	for _, bad := range []string{`{"schema":99}`, `[]`, `7`, `{"schema":"x"}`, `{"provenance":[]}`} {
		e.Ext = nil
		setStored(e, json.RawMessage(bad))
		if _, ok, err := FromLore(e); err == nil || !ok {
			t.Errorf("%s was taken", bad)
		}
	}
}
