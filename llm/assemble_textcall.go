package llm

import (
	"encoding/json"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/weft-memory/weft/llm/jsontext"
)

// writtenCall is a call that a model wrote as text.
type writtenCall struct {
	name, args string
}

// textCalls finds the calls of offered tools in a text, whatever the dialect,
// and returns what else stands in it. If there are none, that is all of it.
func textCalls(text string, tools *Toolbox) (calls []writtenCall, rest string) {
	if len(tools.Names()) == 0 {
		return nil, text
	}
	if len(text) > maxHeld*2 {
		return nil, text
	}
	for _, read := range []func(string, *Toolbox) ([]writtenCall, string){xmlCalls, jsonCalls, pythonCalls, lineCalls} {
		if calls, rest = read(text, tools); len(calls) > 0 {
			return calls, strings.TrimSpace(noise.ReplaceAllString(rest, ""))
		}
	}
	return nil, text
}

// The marks around calls, which are left when the calls are taken out.
var noise = regexp.MustCompile("(?i)" + `</?(tool_calls?|tool_use|toolcall|function_calls?|functioncall|functions|invoke)>|\[/?tool_calls?\]|<\|?/?tool_call\|?>|<\|python_tag\|>|<\|(call|end|im_end|eom_id|eot_id)\|>|<[|｜]tool▁[a-z▁]+[|｜]>|` + "```[a-z_]*[ \t]*\n?")

// callsOf reads the calls that a JSON value describes.
func callsOf(raw json.RawMessage, tools *Toolbox) []writtenCall {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		var calls []writtenCall
		for _, e := range list {
			c := callsOf(e, tools)
			if len(c) == 0 {
				return nil
			}
			calls = append(calls, c...)
		}
		return calls
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	for _, key := range []string{"tool_calls", "calls", "tools", "function_calls"} {
		if inner, ok := m[key]; ok {
			if calls := callsOf(inner, tools); len(calls) > 0 {
				return calls
			}
		}
	}
	if inner, ok := m["function"]; ok && strings.HasPrefix(string(inner), "{") {
		return callsOf(inner, tools)
	}
	for _, key := range []string{"name", "tool", "tool_name", "function", "function_name", "action"} {
		var name string
		if json.Unmarshal(m[key], &name) != nil || name == "" {
			continue
		}
		if _, ok := tools.find(name); !ok {
			continue
		}
		for _, args := range []string{"arguments", "parameters", "args", "input", "params", "action_input"} {
			if a, ok := m[args]; ok {
				return []writtenCall{{name, string(a)}}
			}
		}
		// The arguments may stand beside the name.
		delete(m, key)
		delete(m, "id")
		delete(m, "type")
		flat, err := json.Marshal(m)
		if err != nil {
			return nil
		}
		return []writtenCall{{name, string(flat)}}
	}
	if len(m) == 1 { // {"tool": {…}}
		for name, args := range m {
			if t, ok := tools.find(name); ok && strings.HasPrefix(string(args), "{") {
				return []writtenCall{{t.Name, string(args)}}
			}
		}
	}
	return nil
}

// namedBefore finds the name of a tool that stands before its arguments: of
// [TOOL_CALLS]name{…}, name[ARGS]{…}, to=functions.name … {…}, function<sep>name
// and <function=name>{…}.
var namedBefore = regexp.MustCompile(`(?:function\s*<[|｜]tool▁sep[|｜]>|<\|channel\|>commentary to=)?([A-Za-z_][\w.:-]{0,127})>?\s*(\[ARGS\]|<\|constrain\|>json)?\s*(<\|message\|>)?\s*(<arg[s]?>)?\s*` + "(```json)?" + `\s*$`)

// jsonCalls reads calls that are JSON, alone, in fences or between marks.
func jsonCalls(text string, tools *Toolbox) (calls []writtenCall, rest string) {
	var kept strings.Builder
	last := 0
	for _, found := range jsontext.Candidates(text, 0) {
		list := callsOf(found.JSON, tools)
		start := found.Start
		if len(list) == 0 {
			before := text[last:found.Start]
			m := namedBefore.FindStringSubmatchIndex(before)
			if m == nil || !strings.HasPrefix(string(found.JSON), "{") {
				continue
			}
			name := before[m[2]:m[3]]
			t, ok := tools.find(name)
			if !ok {
				continue
			}
			start = last + m[0]
			if i := strings.LastIndex(before[:m[2]], "<function="); i >= 0 && last+i+10 == last+m[2] {
				start = last + i
			}
			list = []writtenCall{{t.Name, text[found.Start:found.End]}}
		} else if found.Truncated && len(list) > 0 {
			// The text as it stands, so that the call knows it was cut off.
			if i := strings.LastIndex(text[found.Start:found.End], "{"); i > 0 && len(list) == 1 {
				list[0].args = text[found.Start+i : found.End]
			}
		}
		kept.WriteString(text[last:start])
		last = found.End
		calls = append(calls, list...)
	}
	kept.WriteString(text[last:])
	out := kept.String()
	if len(calls) > 0 {
		out = strings.ReplaceAll(strings.ReplaceAll(out, "</function>", ""), "[ARGS]", "")
	}
	return calls, out
}

var (
	xmlFunction  = regexp.MustCompile(`(?s)<function=\s*"?([\w.:-]+)"?\s*>(.*?)(?:</function>|$)`)
	xmlInvoke    = regexp.MustCompile(`(?s)<invoke\s+name="([^"]+)"\s*>(.*?)(?:</invoke>|$)`)
	xmlCall      = regexp.MustCompile(`(?s)<tool_call>\s*([\w.:-]+)\s*(<arg_key>.*?)(?:</tool_call>|$)`)
	xmlParameter = regexp.MustCompile(`(?s)<parameter(?:=\s*"?([\w.:-]+)"?|\s+name="([^"]+)"[^>]*)\s*>\n?(.*?)\n?</parameter>`)
	xmlArg       = regexp.MustCompile(`(?s)<arg_key>\s*(.*?)\s*</arg_key>\s*<arg_value>\s*(.*?)\s*</arg_value>`)
	xmlChild     = regexp.MustCompile(`(?s)<([A-Za-z_][\w-]*)>\s*(.*?)\s*</([A-Za-z_][\w-]*)>`)
)

// xmlCalls reads calls whose arguments are elements.
func xmlCalls(text string, tools *Toolbox) (calls []writtenCall, rest string) {
	rest = text
	take := func(re *regexp.Regexp, args func(string) (map[string]string, bool)) {
		rest = re.ReplaceAllStringFunc(rest, func(whole string) string {
			m := re.FindStringSubmatch(whole)
			t, ok := tools.find(m[1])
			if !ok {
				return whole
			}
			fields, ok := args(m[2])
			if !ok {
				return whole
			}
			raw, err := json.Marshal(fields)
			if err != nil {
				return whole
			}
			calls = append(calls, writtenCall{t.Name, string(raw)})
			return ""
		})
	}
	parameters := func(body string) (map[string]string, bool) {
		fields := map[string]string{}
		for _, p := range xmlParameter.FindAllStringSubmatch(body, 64) {
			fields[p[1]+p[2]] = p[3]
		}
		if len(fields) == 0 && strings.TrimSpace(body) != "" {
			return nil, false // JSON between the marks, which comes later
		}
		// An open parameter means that the call was cut off.
		return fields, strings.Count(body, "<parameter") == len(fields)
	}
	take(xmlFunction, parameters)
	take(xmlInvoke, parameters)
	take(xmlCall, func(body string) (map[string]string, bool) {
		fields := map[string]string{}
		for _, p := range xmlArg.FindAllStringSubmatch(body, 64) {
			fields[p[1]] = p[2]
		}
		return fields, len(fields) > 0 && strings.Count(body, "<arg_key>") == len(fields)
	})
	for _, t := range tools.tools {
		re, err := regexp.Compile(`(?is)<(` + regexp.QuoteMeta(t.Name) + `)>(.*?)</` + regexp.QuoteMeta(t.Name) + `>`)
		if err != nil {
			continue
		}
		take(re, func(body string) (map[string]string, bool) {
			fields := map[string]string{}
			for _, p := range xmlChild.FindAllStringSubmatch(body, 64) {
				if p[1] == p[3] {
					fields[p[1]] = p[2]
				}
			}
			return fields, len(fields) > 0
		})
	}
	return calls, rest
}

// pythonCalls reads calls as a program would write them: f(x=1, y="a").
func pythonCalls(text string, tools *Toolbox) (calls []writtenCall, rest string) {
	var kept strings.Builder
	last := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '(' {
			continue
		}
		start := i
		for start > last && (isNameByte(text[start-1]) || text[start-1] == '.') {
			start--
		}
		t, ok := tools.find(text[start:i])
		if !ok || start == i {
			continue
		}
		args, end, ok := pythonArguments(text, i+1)
		if !ok {
			continue
		}
		kept.WriteString(text[last:start])
		last, i = end, end-1
		calls = append(calls, writtenCall{t.Name, args})
	}
	kept.WriteString(text[last:])
	rest = kept.String()
	if len(calls) > 0 {
		rest = emptied.ReplaceAllString(rest, "")
	}
	return calls, rest
}

// What is left of a list or a print when its calls are taken out.
var emptied = regexp.MustCompile(`^\s*\[[\s,]*\]|print\(\s*\)`)

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// pythonArguments reads x=1, y="a") and returns it as JSON, and where it ends.
func pythonArguments(text string, i int) (args string, end int, ok bool) {
	var b strings.Builder
	b.WriteByte('{')
	for n := 0; n < 64; n++ {
		i = skipSpace(text, i)
		if i < len(text) && text[i] == ')' {
			b.WriteByte('}')
			return b.String(), i + 1, true
		}
		start := i
		for i < len(text) && isNameByte(text[i]) {
			i++
		}
		name := text[start:i]
		i = skipSpace(text, i)
		if name == "" || i >= len(text) || text[i] != '=' && text[i] != ':' {
			return "", 0, false
		}
		i = skipSpace(text, i+1)
		start = i
		var quote byte
		depth := 0
	value:
		for ; i < len(text); i++ {
			switch c := text[i]; {
			case quote != 0:
				if c == '\\' {
					i++
				} else if c == quote {
					quote = 0
				}
			case c == '"' || c == '\'':
				quote = c
			case c == '[' || c == '{' || c == '(':
				depth++
			case depth > 0 && (c == ']' || c == '}' || c == ')'):
				depth--
			case depth == 0 && (c == ',' || c == ')'):
				break value
			}
		}
		if i >= len(text) {
			return "", 0, false
		}
		v, err := jsontext.Repair([]byte(text[start:i]))
		if err != nil || v.Truncated {
			return "", 0, false
		}
		if n > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + name + `":`)
		b.Write(v.JSON)
		if text[i] == ',' {
			i++
		}
	}
	return "", 0, false
}

func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\r' || s[i] == '\t') {
		i++
	}
	return i
}

// lineCalls reads calls of the form of YAML: a name and arguments, or a tool with
// its arguments indented below.
func lineCalls(text string, tools *Toolbox) ([]writtenCall, string) {
	src := noise.ReplaceAllString(text, "")
	if len(src) > 64<<10 {
		return nil, text
	}
	var tree map[string]any
	if yaml.Unmarshal([]byte(src), &tree) != nil || len(tree) == 0 {
		return nil, text
	}
	lower := map[string]any{}
	for k, v := range tree {
		k = strings.ReplaceAll(strings.ToLower(k), " ", "_")
		if s, ok := v.(string); ok && strings.HasPrefix(strings.TrimSpace(s), "{") {
			if fixed, err := jsontext.Repair([]byte(s)); err == nil && !fixed.Truncated {
				v = json.RawMessage(fixed.JSON)
			}
		}
		if t, ok := tools.find(k); ok && len(tree) == 1 {
			k = t.Name
		}
		lower[k] = v
	}
	raw, err := json.Marshal(lower)
	if err != nil {
		return nil, text
	}
	if calls := callsOf(raw, tools); len(calls) > 0 {
		return calls, ""
	}
	return nil, text
}

// withoutEcho takes out of a text what repeats calls that were made properly.
func withoutEcho(text string, calls []Call, tools *Toolbox) string {
	if written, rest := textCalls(text, tools); len(written) > 0 {
		all := true
		for _, w := range written {
			found := false
			value, problem := readArguments(w.args, func(string) {})
			for _, c := range calls {
				t, ok := tools.find(w.name)
				found = found || ok && t.Name == c.Name && problem == "" && sameArguments(value.JSON, c, tools)
			}
			all = all && found
		}
		if all {
			return rest
		}
	}
	var kept strings.Builder
	last := 0
	for _, found := range jsontext.Candidates(text, 0) {
		for _, c := range calls {
			if sameArguments(found.JSON, c, tools) && string(c.Arguments) != "{}" {
				kept.WriteString(text[last:found.Start])
				last = found.End
				break
			}
		}
	}
	if last == 0 {
		return text
	}
	kept.WriteString(text[last:])
	return strings.TrimSpace(noise.ReplaceAllString(kept.String(), ""))
}

// sameArguments reports whether a value is the arguments of a call.
func sameArguments(raw json.RawMessage, c Call, tools *Toolbox) bool {
	if jsontext.Equal(raw, c.Arguments) {
		return true
	}
	s, ok := tools.schemas[c.Name]
	if !ok {
		return false
	}
	fixed, _ := s.Coerce(raw)
	return jsontext.Equal(fixed, c.Arguments)
}
