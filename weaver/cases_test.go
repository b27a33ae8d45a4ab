package weaver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// caseWorld is what the cases of testdata/cases find unless they bring their
// own.
const caseWorld = `{
	"vars": {
		"w": {
			"x": 1, "s": "str", "n": null, "t": true, "f": false, "braces": "{{w:x}}",
			"a": [1, 2, [3]], "o": {"k": {"z": 5}, "b c": 2, "l": [7]}
		},
		"local": {"q": "LQ"}
	},
	"documents": {"d": "{{w:x}}", "old": "o"},
	"document_templates": {
		"num": "{# return 5 #}", "obj": "{# return {a: w:x} #}", "stp": "x{# stop #}y",
		"loop": "[[loop]]", "bad": "{{ 1 + }}", "q": "{{q}}", "er": "{{nope:x}}",
		"set": "$[set_var(\"w:x\", 2)]",
		"brk": "{# foreach i in [1,2] #}{{i}}{# break #}{# endforeach #}"
	},
	"triggers": {"t": "T!", "e": ""}
}`

// TestCases runs the cases of testdata/cases: one JSON object a line, in the
// form of the conformance cases, one file a topic. Adding one needs no Go.
func TestCases(t *testing.T) {
	t.Parallel()
	reg := testRegistry(t)
	files, err := filepath.Glob(filepath.Join("testdata", "cases", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases (%v)", err)
	}
	for _, file := range files {
		topic := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
			var c conformanceCase
			if err := json.Unmarshal([]byte(caseWorld), &c); err != nil {
				t.Fatal(err)
			}
			own := map[string]json.RawMessage{}
			if err := json.Unmarshal(line, &own); err != nil {
				t.Fatalf("%s:%d: %v", file, i+1, err)
			}
			for name, field := range map[string]func(){ // what a case brings replaces the world's
				"vars": func() { c.Vars = nil }, "documents": func() { c.Documents = nil },
				"document_templates": func() { c.DocumentTemplates = nil }, "triggers": func() { c.Triggers = nil },
			} {
				if _, ok := own[name]; ok {
					field()
				}
			}
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatalf("%s:%d: %v", file, i+1, err)
			}
			t.Run(fmt.Sprintf("%s/%d", topic, i+1), func(t *testing.T) {
				t.Parallel()
				for _, msg := range checkCase(&c, reg) {
					t.Errorf("%s:%d: %q\n%s", file, i+1, c.Template, msg)
				}
			})
		}
	}
}
