package compendium

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// compile compiles a schema as strict validators do.
func compile(t testing.TB, name string, raw json.RawMessage) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("urn:test:"+name, doc); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	s, err := c.Compile("urn:test:" + name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

func validate(t testing.TB, s *jsonschema.Schema, raw []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

func TestSchemasHoldTheEntries(t *testing.T) {
	t.Parallel()
	w := saltmere(t)
	schemas := map[Type]*jsonschema.Schema{}
	for _, typ := range append(Types(), Note) {
		schemas[typ] = compile(t, string(typ), JSONSchema(typ))
	}
	for _, e := range w.Entries() {
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, schemas[e.Type], raw); err != nil {
			t.Errorf("%s: %v\n%s", e.ID, err, raw)
		}
	}
	for name, bad := range map[string]string{
		"no name":     `{"type":"character"}`,
		"other type":  `{"type":"item","name":"x"}`,
		"bad status":  `{"type":"character","name":"x","status":"sleepy"}`,
		"bad number":  `{"type":"character","name":"x","importance":9}`,
		"no main":     `{"type":"character","name":"x","goals":[{"horizon":"now"}]}`,
		"bad stanza":  `{"type":"character","name":"x","current_state":"fine"}`,
		"bad newness": `{"type":"character","name":"x","schema":99}`,
	} {
		if err := validate(t, schemas[Character], []byte(bad)); err == nil {
			t.Errorf("%s: %s is taken", name, bad)
		}
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	total := 0
	for _, tool := range append(append(RecordTools(), SharedTools()...), SingleRecordTool()) {
		s := compile(t, tool.Name, tool.Parameters)
		raw, _ := json.Marshal(tool)
		tokens := EstimateTokens(string(raw))
		t.Logf("%s: %d tokens", tool.Name, tokens)
		_, record := TypeOfTool(tool.Name)
		if record {
			total += tokens
			if tokens > 520 {
				t.Errorf("%s: %d tokens", tool.Name, tokens)
			}
			if err := validate(t, s, []byte(`{"name":"x","statement":"y"}`)); err != nil {
				t.Errorf("%s refuses a name alone: %v", tool.Name, err)
			}
			if err := validate(t, s, []byte(`{}`)); err == nil {
				t.Errorf("%s takes a call without a name", tool.Name)
			}
		}
		for _, word := range []string{"$schema", "$ref", "oneOf", "anyOf", "format", "pattern", "minItems", "additionalProperties"} {
			if strings.Contains(string(tool.Parameters), `"`+word+`"`) {
				t.Errorf("%s: its schema uses %s", tool.Name, word)
			}
		}
		if n := len(strings.Fields(tool.Description)); n > 60 || !strings.Contains(tool.Description, "Not ") && tool.Name != "search_lorebook" {
			t.Errorf("%s: a description of %d words, or without what it is not for", tool.Name, n)
		}
		if d := depth(tool.Parameters); d > 9 {
			t.Errorf("%s: nested %d deep", tool.Name, d)
		}
	}
	t.Logf("ten tools: %d tokens", total)
	if total > 3100 {
		t.Errorf("the ten tools are %d tokens", total)
	}
}

// What a model sends by the schema of a tool is taken without a word.
func TestToolArgumentsAreFields(t *testing.T) {
	t.Parallel()
	for _, typ := range Types() {
		args := map[string]any{}
		for i := range Fields(typ) {
			f := &Fields(typ)[i]
			if f.Tool {
				args[f.Name] = sampleOf(f, f.ToolRow)
			}
		}
		raw, _ := json.Marshal(args)
		if err := validate(t, compile(t, "args-"+string(typ), RecordTool(typ).Parameters), raw); err != nil {
			t.Errorf("%s: %v", typ, err)
		}
		p, err := Coerce(typ, raw)
		if err != nil || len(p.Notes)+len(p.Rejected) > 0 {
			t.Errorf("%s: %v, notes %v, rejected %v", typ, err, p.Notes, p.Rejected)
		}
		e, r := Merge(nil, p, Context{ID: "x", Source: Source{By: BySidecar, Turn: 1}})
		if len(r.Rejected) > 0 {
			t.Errorf("%s: rejected %v", typ, r.Rejected)
		}
		out, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, compile(t, "entry-"+string(typ), JSONSchema(typ)), out); err != nil {
			t.Errorf("%s: %v", typ, err)
		}
	}
}

// sampleOf returns a value of a field as a model would send it.
func sampleOf(f *Field, members []string) any {
	switch f.Kind {
	case Number:
		return f.High
	case Flag:
		return true
	case Enum, State:
		return f.Values[0]
	case Set, References:
		return []string{"Sample of " + f.Name}
	case Rows:
		if len(members) == 0 {
			return []string{"Sample of " + f.Name}
		}
		return []any{sampleRow(f, members)}
	case Group:
		row := sampleRow(f, members)
		if row["holder"] != nil {
			delete(row, "location")
		}
		return row
	}
	return "Sample of " + f.Name
}

func sampleRow(f *Field, members []string) map[string]any {
	row := map[string]any{}
	for _, name := range members {
		row[name] = sampleOf(member(f.Fields, name), nil)
	}
	return row
}
