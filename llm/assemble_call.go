package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-memory/weft/internal/suggest"
	"github.com/weft-memory/weft/llm/jsontext"
)

// CallPiece is a piece of a call as a server sends it.
type CallPiece struct {
	// Index is the server's number of the call; -1 if it gives none.
	Index int
	// ID and Name may come once, in each piece, or never.
	ID, Name string
	// Arguments is the next piece of the arguments' text.
	Arguments string
	// Object are whole arguments, where a server sends them as JSON.
	Object json.RawMessage
}

// building is a call of which more may come.
type building struct {
	index   int
	id      string
	name    string
	args    []byte
	tooLong bool
	textual bool
}

func (b *building) complete() bool { return json.Valid(b.args) }

// Call adds a piece of a call.
func (a *Assembler) Call(p CallPiece) {
	args := p.Arguments
	if len(p.Object) > 0 {
		args = string(p.Object)
		if args == "null" {
			args = ""
		}
	}
	if !a.room(len(args) + len(p.Name) + 1) {
		return
	}
	b := a.find(p)
	if b == nil {
		if len(a.calls) >= maxCalls {
			a.note("too many calls")
			return
		}
		b = &building{index: p.Index, id: p.ID, name: p.Name}
		a.calls = append(a.calls, b)
	} else {
		if b.id == "" {
			b.id = p.ID
		}
		b.name = a.joinName(b, p.Name)
	}
	if len(b.args)+len(args) > maxArguments {
		b.tooLong = true
		return
	}
	if len(p.Object) > 0 && string(b.args) == args {
		return // the same object once more
	}
	b.args = append(b.args, args...)
}

// find returns the call that a piece belongs to; nil if it begins another.
func (a *Assembler) find(p CallPiece) *building {
	if len(a.calls) == 0 {
		return nil
	}
	var b *building
	if p.Index >= 0 {
		for i := len(a.calls) - 1; i >= 0 && b == nil; i-- {
			if a.calls[i].index == p.Index {
				b = a.calls[i]
			}
		}
		if b == nil {
			return nil
		}
	} else {
		b = a.calls[len(a.calls)-1]
		if p.ID != "" && p.ID != b.id {
			for _, c := range a.calls {
				if c.id == p.ID && !c.complete() {
					return c
				}
			}
		}
	}
	if a.begins(b, p) {
		return nil
	}
	return b
}

// begins reports whether a piece begins a new call rather than going on with b,
// whose index it has. Servers that count wrong, or not at all, leave only the
// name, the id and the state of the arguments to go by.
func (a *Assembler) begins(b *building, p CallPiece) bool {
	if p.Name == "" {
		// Ids that change with each piece mean nothing; a new id after whole
		// arguments does, if more arguments come with it.
		return p.ID != "" && b.id != "" && p.ID != b.id && len(b.args) > 0 && b.complete() && (p.Arguments != "" || len(p.Object) > 0)
	}
	if len(b.args) > 0 {
		return b.complete() // a name in the middle of arguments is a repetition
	}
	if p.Name == b.name || b.name == "" {
		// A repetition, unless the first call has no arguments at all: then a
		// new id tells it.
		return p.ID != "" && b.id != "" && p.ID != b.id && p.Index < 0
	}
	_, first := a.known(b.name)
	_, second := a.known(p.Name)
	return first && second && !strings.HasPrefix(p.Name, b.name) || p.ID != "" && b.id != "" && p.ID != b.id && first
}

// joinName adds a piece of a name.
func (a *Assembler) joinName(b *building, piece string) string {
	switch {
	case piece == "" || piece == b.name:
		return b.name
	case b.name == "" || strings.HasPrefix(piece, b.name):
		return piece // names that grow
	case len(b.args) > 0:
		return b.name
	}
	if _, ok := a.known(b.name); ok && strings.HasSuffix(b.name, piece) {
		return b.name
	}
	return clipText(b.name+piece, 256)
}

// known returns the offered tool that a name means.
func (a *Assembler) known(name string) (Tool, bool) {
	return a.tools.find(name)
}

// find returns the tool that a name means: without regard to case, to hyphens
// and to prefixes such as functions. and default_api:.
func (b *Toolbox) find(name string) (Tool, bool) {
	if t, ok := b.tool(name); ok || b == nil {
		return t, ok
	}
	want := foldName(name)
	if want == "" {
		return Tool{}, false
	}
	for _, t := range b.tools {
		if foldName(t.Name) == want {
			return t, true
		}
	}
	if i := strings.LastIndexAny(name, ".:/"); i >= 0 && i+1 < len(name) {
		return b.find(name[i+1:])
	}
	if i := strings.LastIndex(name, "__"); i > 0 {
		return b.find(name[i+2:])
	}
	return Tool{}, false
}

// foldName is a name without case and without what is no letter or digit.
func foldName(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r == '_' || r == '-' || r == ' ' || r == '`' || r == '"' || r == '\'' || r == '\n' || r == '\t' || r == '*':
			return -1
		}
		return r
	}, s)
}

// buildCalls turns what was gathered into calls.
func (a *Assembler) buildCalls(cut bool) []Call {
	var calls []Call
	for i, b := range a.calls {
		// Of the last call of an answer that broke off, arguments may be missing
		// that nobody can tell from their absence.
		broken := i == len(a.calls)-1 && (cut || a.response.Finish == FinishLength) && !b.complete()
		for _, one := range a.unjoin(b) {
			c := a.build(one)
			if broken {
				c.Truncated = true
				c.Problem = "the arguments were cut off"
			}
			calls = append(calls, c)
		}
	}
	return calls
}

// unjoin takes apart arguments that were sent twice, or those of several calls
// that were sent as one.
func (a *Assembler) unjoin(b *building) []*building {
	text := strings.TrimSpace(string(b.args))
	if json.Valid([]byte(text)) || !strings.HasPrefix(text, "{") {
		return []*building{b}
	}
	dec := json.NewDecoder(strings.NewReader(text))
	var parts []json.RawMessage
	for {
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			break
		}
		parts = append(parts, raw)
	}
	if len(parts) < 2 || int(dec.InputOffset()) != len(text) {
		return []*building{b}
	}
	var list []*building
	for _, p := range parts {
		if bytes.HasPrefix(p, []byte("{")) && !slices.ContainsFunc(list, func(o *building) bool { return jsontext.Equal(o.args, p) }) {
			list = append(list, &building{index: b.index, name: b.name, args: p})
		}
	}
	if len(list) == 0 {
		return []*building{b}
	}
	list[0].id = b.id
	a.note("arguments of calls run together")
	return list
}

// build makes a call fit for use of what a server sent.
func (a *Assembler) build(b *building) Call {
	c := Call{ID: clipText(b.id, 128), Name: b.name, Raw: string(b.args)}
	repaired := func(kind string) {
		c.Repairs = append(c.Repairs, kind)
		a.note(kind)
	}
	text := c.Raw
	tool, known := a.known(c.Name)
	if !known {
		// name{"a":1} and name(a=1) in the place of the name.
		if i := strings.IndexAny(c.Name, "{("); i > 0 {
			if t, ok := a.known(c.Name[:i]); ok {
				glued := c.Name[i:]
				tool, known = t, true
				if strings.TrimSpace(text) == "" || strings.TrimSpace(text) == "{}" {
					text = glued
				}
				if list, _ := textCalls(c.Name, a.tools); len(list) == 1 && glued[0] == '(' {
					text = list[0].args
				}
				c.Name = t.Name
				repaired("arguments in the name")
			}
		}
	}
	if known && c.Name != tool.Name {
		repaired("name of the tool")
		c.Name = tool.Name
	}
	if b.tooLong {
		c.Raw = clipText(c.Raw, 2000)
		c.Arguments = json.RawMessage(`{}`)
		c.Problem = fmt.Sprintf("the arguments are longer than %d bytes", maxArguments)
		return c
	}
	if known {
		c.Destructive = tool.Destructive
	}
	value, problem := readArguments(text, repaired)
	c.Arguments, c.Truncated = value.JSON, value.Truncated
	if problem != "" {
		c.Problem = problem
		return c
	}
	if !known {
		c.Name = clipText(strings.TrimSpace(c.Name), 128)
		c.Problem = unknownTool(c.Name, a.tools)
		return a.rawOnlyIfChanged(c)
	}
	schema := a.tools.schemas[tool.Name]
	if inner, ok := unwrap(c.Arguments, tool.Name, schema); ok {
		repaired("wrapped arguments")
		c.Arguments = inner
	}
	fixed, notes := schema.Coerce(c.Arguments)
	c.Arguments = fixed
	if len(notes) > 0 {
		c.Repairs = append(c.Repairs, notes...)
		a.note("coerced arguments")
	}
	if problems := schema.Validate(c.Arguments); len(problems) > 0 {
		var list []string
		for _, p := range problems {
			list = append(list, p.String())
		}
		c.Problem = "the arguments do not fit: " + strings.Join(list, "; ")
	}
	if c.Truncated {
		c.Problem = "the arguments were cut off"
	}
	return a.rawOnlyIfChanged(c)
}

func (a *Assembler) rawOnlyIfChanged(c Call) Call {
	var compact bytes.Buffer
	if json.Compact(&compact, c.Arguments) == nil {
		c.Arguments = compact.Bytes()
	}
	var raw bytes.Buffer
	if json.Compact(&raw, []byte(c.Raw)) == nil && bytes.Equal(raw.Bytes(), c.Arguments) {
		c.Raw = ""
	}
	c.Raw = clipText(c.Raw, 16<<10)
	return c
}

func unknownTool(name string, tools *Toolbox) string {
	names := tools.Names()
	if len(names) == 0 {
		return fmt.Sprintf("there is no tool %q: none was offered", name)
	}
	s := fmt.Sprintf("there is no tool %q; the tools are %s", name, strings.Join(names, ", "))
	if near := suggest.Nearest(name, names); near != "" {
		s += fmt.Sprintf(" (did you mean %s?)", near)
	}
	return s
}

// readArguments reads arguments of any form as an object.
func readArguments(text string, repaired func(string)) (jsontext.Value, string) {
	empty := jsontext.Value{JSON: json.RawMessage(`{}`)}
	for depth := 0; ; depth++ {
		text = strings.TrimSpace(text)
		switch text {
		case "", "null", "None", `""`:
			if text != "" {
				repaired("arguments without a value")
			}
			return empty, ""
		}
		v, err := jsontext.Repair([]byte(text))
		if err != nil {
			found, ferr := jsontext.Extract(text, jsontext.Options{})
			if ferr != nil {
				return empty, "the arguments are not JSON: " + clipText(err.Error(), 200)
			}
			repaired("text around the arguments")
			v = found.Value
		}
		for kind := range v.Repairs {
			if kind != jsontext.RepairTruncated {
				repaired("JSON: " + kind)
			}
		}
		switch v.JSON[0] {
		case '{':
			v.JSON = withoutNUL(v.JSON, repaired)
			return v, ""
		case '"': // JSON in a string, maybe twice
			var inner string
			if json.Unmarshal(v.JSON, &inner) != nil || depth > 2 {
				return empty, "the arguments are a string, not an object"
			}
			if !strings.HasPrefix(strings.TrimSpace(inner), "{") && strings.TrimSpace(inner) != "" && !strings.HasPrefix(inner, `"`) {
				return empty, "the arguments are a string, not an object"
			}
			repaired("JSON in a string")
			text = inner
		case '[':
			var list []json.RawMessage
			if json.Unmarshal(v.JSON, &list) == nil && len(list) == 1 && bytes.HasPrefix(list[0], []byte("{")) {
				repaired("arguments in a list")
				return jsontext.Value{JSON: list[0], Truncated: v.Truncated}, ""
			}
			if len(list) == 0 {
				repaired("arguments without a value")
				return empty, ""
			}
			return empty, "the arguments are a list, not an object"
		default:
			return empty, "the arguments are no object"
		}
	}
}

// withoutNUL takes out the one character that databases refuse.
func withoutNUL(raw json.RawMessage, repaired func(string)) json.RawMessage {
	if !bytes.Contains(raw, []byte(`\u0000`)) {
		return raw
	}
	var out []byte
	n := 0
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' && i+1 < len(raw) {
			if bytes.HasPrefix(raw[i:], []byte(`\u0000`)) {
				i += 5
				n++
				continue
			}
			out = append(out, raw[i], raw[i+1])
			i++
			continue
		}
		out = append(out, raw[i])
	}
	if n > 0 {
		repaired("JSON: " + jsontext.RepairNul)
	}
	return out
}

// unwrap takes arguments out of a call that was put into them: {"name": tool,
// "arguments": {…}}. What the tool's own schema asks for is left alone.
func unwrap(args json.RawMessage, tool string, schema *jsontext.Schema) (json.RawMessage, bool) {
	var m map[string]json.RawMessage
	if json.Unmarshal(args, &m) != nil || len(m) == 0 || len(m) > 4 {
		return nil, false
	}
	inner := json.RawMessage(nil)
	for k, v := range m {
		switch k {
		case "arguments", "parameters", "args", "input", "params", tool:
			if inner != nil || schema.Has(k) {
				return nil, false
			}
			inner = v
		case "name", "tool", "function", "tool_name":
			var s string
			if json.Unmarshal(v, &s) != nil || foldName(s) != foldName(tool) {
				return nil, false
			}
		case "type", "id":
		default:
			return nil, false
		}
	}
	if inner == nil {
		return nil, false
	}
	v, problem := readArguments(string(inner), func(string) {})
	if problem != "" || v.Truncated || len(bytes.TrimSpace(inner)) == 0 || inner[0] == '[' {
		return nil, false
	}
	return v.JSON, true
}

// unique drops calls that came twice and gives each an id of its own.
func (a *Assembler) unique(calls []Call) []Call {
	var out []Call
	ids := map[string]bool{}
	for _, c := range calls {
		twice := slices.ContainsFunc(out, func(o Call) bool {
			return o.Name == c.Name && o.Truncated == c.Truncated && jsontext.Equal(o.Arguments, c.Arguments) && o.Problem == c.Problem
		})
		if twice {
			a.note("call sent twice")
			continue
		}
		if c.ID == "" || ids[c.ID] {
			a.note("id of a call")
			for c.ID == "" || ids[c.ID] {
				c.ID = a.newID()
			}
		}
		ids[c.ID] = true
		out = append(out, c)
	}
	return out
}
