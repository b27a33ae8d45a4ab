package engine

import (
	"math"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
)

// risuMacros are the macros (CBS) of V3 cards and of RisuAI as far as they
// appear in lore. Names are without the signs _ and -, which do not count.
var risuMacros = map[string]macro{
	"char": charMacro, "bot": charMacro, "user": userMacro,
	"description": sourceMacro(lore.SourceDescription, "description"), "chardesc": sourceMacro(lore.SourceDescription, "description"),
	"personality": sourceMacro(lore.SourcePersonality, "personality"), "charpersona": sourceMacro(lore.SourcePersonality, "personality"),
	"scenario": sourceMacro(lore.SourceScenario, "scenario"),
	"persona":  sourceMacro(lore.SourcePersona, "persona"), "userpersona": sourceMacro(lore.SourcePersona, "persona"),
	"authornote":      sourceMacro(lore.SourceAuthorsNote, "authors_note"),
	"exampledialogue": hostMacro("char", "examples"), "examplemessage": hostMacro("char", "examples"),
	"mainprompt": hostMacro("char", "system_prompt"), "systemprompt": hostMacro("char", "system_prompt"),
	"globalnote": hostMacro("char", "post_history_instructions"), "ujb": hostMacro("char", "post_history_instructions"),
	"model": hostMacro("chat", "model"), "time": hostMacro("chat", "time"), "date": hostMacro("chat", "date"),
	"isotime": hostMacro("chat", "isotime"), "isodate": hostMacro("chat", "isodate"), "unixtime": hostMacro("chat", "unixtime"),
	"idleduration": hostMacro("chat", "idle_duration"), "messageidleduration": hostMacro("chat", "message_idle_duration"),

	"lastmessage": messageMacro(""), "lastusermessage": messageMacro(lore.RoleUser), "previoususerchat": messageMacro(lore.RoleUser),
	"lastcharmessage": messageMacro(lore.RoleAssistant), "previouscharchat": messageMacro(lore.RoleAssistant),
	"lastmessageid":    func(x *expander, _ *macroCall) (string, verdict) { return itoa(len(x.messages) - 1), macroDone },
	"lastmessageindex": func(x *expander, _ *macroCall) (string, verdict) { return itoa(len(x.messages) - 1), macroDone },
	"chatindex":        func(x *expander, _ *macroCall) (string, verdict) { return itoa(len(x.messages) - 1), macroDone },
	"firstmsgindex":    func(x *expander, _ *macroCall) (string, verdict) { return itoa(x.in.Greeting - 1), macroDone },
	"maxcontext":       tavernContext,

	"none": constant(""), "blank": constant(""), "comment": constant(""), "br": constant("\n"), "newline": constant("\n"),
	"bo": constant("{{"), "bc": constant("}}"), "decbo": constant("{"), "decbc": constant("}"),
	"hiddenkey": func(x *expander, m *macroCall) (string, verdict) {
		x.hidden = append(x.hidden, strings.Join(m.args, "::"))
		return "", macroDone
	},

	"random": random, "pick": pick,
	"roll": risuRoll(func(x *expander, _ *macroCall) func() float64 { return x.number }),
	"rollp": risuRoll(func(x *expander, m *macroCall) func() float64 {
		s := newStream(x.in.ChatSeed, x.bookID(), x.entryID(), "pick "+itoa(m.at))
		return s.Float64
	}),

	"getvar": needs(1, func(x *expander, m *macroCall) (string, verdict) { return x.variable(false, m.args[0]), macroDone }),
	"getglobalvar": needs(1, func(x *expander, m *macroCall) (string, verdict) {
		return x.variable(true, m.args[0]), macroDone
	}),
	"setvar": needs(2, func(x *expander, m *macroCall) (string, verdict) {
		x.setVariable(false, m.args[0], m.args[1])
		return "", macroDone
	}),
	"setdefaultvar": needs(2, func(x *expander, m *macroCall) (string, verdict) {
		if x.variable(false, m.args[0]) == "" {
			x.setVariable(false, m.args[0], m.args[1])
		}
		return "", macroDone
	}),
	"addvar": needs(2, func(x *expander, m *macroCall) (string, verdict) {
		sum := jsNumber(x.variable(false, m.args[0])) + jsNumber(m.args[1])
		x.setVariable(false, m.args[0], numberText(sum))
		return "", macroDone
	}),
	"settempvar": needs(2, func(x *expander, m *macroCall) (string, verdict) {
		x.set("temp", m.args[0], weaver.String(m.args[1]))
		return "", macroDone
	}),
	"gettempvar": needs(1, tempVariable), "tempvar": needs(1, tempVariable),

	"calc": needs(1, calculation), "?": needs(1, calculation),
	"equal":        comparing(func(a, b string) bool { return a == b }),
	"notequal":     comparing(func(a, b string) bool { return a != b }),
	"greater":      comparing(func(a, b string) bool { return jsNumber(a) > jsNumber(b) }),
	"less":         comparing(func(a, b string) bool { return jsNumber(a) < jsNumber(b) }),
	"greaterequal": comparing(func(a, b string) bool { return jsNumber(a) >= jsNumber(b) }),
	"lessequal":    comparing(func(a, b string) bool { return jsNumber(a) <= jsNumber(b) }),
	"and":          comparing(func(a, b string) bool { return risuTrue(a) && risuTrue(b) }),
	"or":           comparing(func(a, b string) bool { return risuTrue(a) || risuTrue(b) }),
	"contains":     comparing(strings.Contains),
	"startswith":   comparing(strings.HasPrefix),
	"endswith":     comparing(strings.HasSuffix),
	"not":          needs(1, func(_ *expander, m *macroCall) (string, verdict) { return truth(!risuTrue(m.args[0])), macroDone }),

	"reverse":    texting(reverse),
	"upper":      texting(strings.ToUpper),
	"lower":      texting(strings.ToLower),
	"trim":       texting(strings.TrimSpace),
	"capitalize": texting(capitalize),
	"length":     texting(func(s string) string { return itoa(utf16Len(s)) }),
	"replace": needs(3, func(_ *expander, m *macroCall) (string, verdict) {
		if m.args[1] == "" || strings.Count(m.args[0], m.args[1])*len(m.args[2]) > maxMacroText {
			return "", macroUnknown
		}
		return strings.ReplaceAll(m.args[0], m.args[1], m.args[2]), macroDone
	}),
	"round": counting(func(f float64) float64 { return math.Floor(f + 0.5) }),
	"floor": counting(math.Floor), "ceil": counting(math.Ceil), "abs": counting(math.Abs),
	"remaind": needs(2, func(_ *expander, m *macroCall) (string, verdict) {
		return numberText(math.Mod(jsNumber(m.args[0]), jsNumber(m.args[1]))), macroDone
	}),
	"pow": needs(2, func(_ *expander, m *macroCall) (string, verdict) {
		return numberText(math.Pow(jsNumber(m.args[0]), jsNumber(m.args[1]))), macroDone
	}),
	"min": needs(1, func(_ *expander, m *macroCall) (string, verdict) {
		return numberText(fold(m.args, math.Min)), macroDone
	}),
	"max": needs(1, func(_ *expander, m *macroCall) (string, verdict) {
		return numberText(fold(m.args, math.Max)), macroDone
	}),
}

func tavernContext(x *expander, m *macroCall) (string, verdict) {
	return tavernMacros["maxprompt"](x, m)
}

func tempVariable(x *expander, m *macroCall) (string, verdict) {
	v, ok := x.vars.lookup("temp", m.args[0])
	x.noteRead("temp", m.args[0], v, ok)
	return v.Text(), macroDone
}

// risuRoll rolls {{roll:6}}, {{roll:d6}} and {{roll::2d6}}.
func risuRoll(draw func(*expander, *macroCall) func() float64) macro {
	return func(x *expander, m *macroCall) (string, verdict) {
		formula := m.arg(0)
		if formula == "" {
			formula = "6"
		}
		s, ok := dice(formula, draw(x, m))
		if !ok {
			return "", macroUnknown
		}
		return s, macroDone
	}
}

func comparing(f func(a, b string) bool) macro {
	return needs(2, func(_ *expander, m *macroCall) (string, verdict) { return truth(f(m.args[0], m.args[1])), macroDone })
}

func texting(f func(string) string) macro {
	return needs(1, func(_ *expander, m *macroCall) (string, verdict) { return f(strings.Join(m.args, "::")), macroDone })
}

func counting(f func(float64) float64) macro {
	return needs(1, func(_ *expander, m *macroCall) (string, verdict) {
		return numberText(f(jsNumber(m.args[0]))), macroDone
	})
}

func fold(args []string, f func(a, b float64) float64) float64 {
	out := jsNumber(args[0])
	for _, s := range args[1:] {
		out = f(out, jsNumber(s))
	}
	return out
}

func capitalize(s string) string {
	head := firstBytes(s, 4)
	for i := range head {
		if i > 0 {
			head = head[:i]
			break
		}
	}
	return strings.ToUpper(head) + s[len(head):]
}

// utf16Len is the length that JavaScript gives.
func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		if n++; r > 0xffff {
			n++
		}
	}
	return n
}

func calculation(x *expander, m *macroCall) (string, verdict) {
	f, ok := calculate(strings.Join(m.args, "::"), func(global bool, name string) float64 {
		return jsNumber(x.variable(global, name))
	})
	if !ok {
		return "", macroUnknown
	}
	return numberText(f), macroDone
}
