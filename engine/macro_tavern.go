package engine

import (
	"strings"

	"github.com/weft-memory/weft/lore"
)

// tavernMacros are SillyTavern's macros as far as they appear in lore. Values
// that depend on the program come from the host's variables, those of time from
// the input's Now where the host has none.
var tavernMacros map[string]macro

func init() { // the table refers to itself through conditions
	tavernMacros = map[string]macro{
		"char": charMacro, "user": userMacro, "charifnotgroup": charMacro,
		"group":         orChar(hostMacro("chat", "group")),
		"groupnotmuted": orChar(hostMacro("chat", "group_not_muted")),
		"notchar":       hostMacro("chat", "not_char"),

		"description": sourceMacro(lore.SourceDescription, "description"), "chardescription": sourceMacro(lore.SourceDescription, "description"),
		"personality": sourceMacro(lore.SourcePersonality, "personality"), "charpersonality": sourceMacro(lore.SourcePersonality, "personality"),
		"scenario": sourceMacro(lore.SourceScenario, "scenario"), "charscenario": sourceMacro(lore.SourceScenario, "scenario"),
		"persona":      sourceMacro(lore.SourcePersona, "persona"),
		"authorsnote":  sourceMacro(lore.SourceAuthorsNote, "authors_note"),
		"creatornotes": sourceMacro(lore.SourceCreatorNotes, "creator_notes"), "charcreatornotes": sourceMacro(lore.SourceCreatorNotes, "creator_notes"),
		"chardepthprompt": sourceMacro(lore.SourceDepthPrompt, "depth_prompt"),
		"mesexamples":     hostMacro("char", "examples"), "mesexamplesraw": hostMacro("char", "examples"),
		"charprompt":      hostMacro("char", "system_prompt"),
		"charinstruction": hostMacro("char", "post_history_instructions"), "charjailbreak": hostMacro("char", "post_history_instructions"),
		"charversion": hostMacro("char", "version"), "char_version": hostMacro("char", "version"),
		"charfirstmessage": hostMacro("char", "first_message"), "firstmessage": hostMacro("char", "first_message"),

		"time": utcMacro, "date": hostMacro("chat", "date"), "weekday": hostMacro("chat", "weekday"),
		"isotime": hostMacro("chat", "isotime"), "isodate": hostMacro("chat", "isodate"),
		"idle_duration": hostMacro("chat", "idle_duration"), "idleduration": hostMacro("chat", "idle_duration"),
		"datetimeformat": dateTimeMacro, "timediff": timeDiffMacro,
		"model": hostMacro("chat", "model"), "input": hostMacro("chat", "input"), "summary": hostMacro("chat", "summary"),
		"original": hostMacro("chat", "original"), "ismobile": hostMacro("chat", "is_mobile"),
		"lastswipeid": hostMacro("chat", "last_swipe_id"), "currentswipeid": hostMacro("chat", "current_swipe_id"),
		"firstincludedmessageid": hostMacro("chat", "first_included_message_id"),

		"lastmessage": messageMacro(""), "lastusermessage": messageMacro(lore.RoleUser), "lastcharmessage": messageMacro(lore.RoleAssistant),
		"lastmessageid": func(x *expander, _ *macroCall) (string, verdict) {
			if len(x.messages) == 0 {
				return "", macroDone
			}
			return itoa(len(x.messages) - 1), macroDone
		},
		"lastgenerationtype": func(x *expander, _ *macroCall) (string, verdict) { return string(x.kind()), macroDone },
		"maxprompt": func(x *expander, _ *macroCall) (string, verdict) {
			if x.in.Context <= 0 {
				return itoa(DefaultContext), macroDone
			}
			return itoa(x.in.Context), macroDone
		},

		"newline": func(x *expander, m *macroCall) (string, verdict) { return x.repeated("\n", m.arg(0)), macroDone },
		"space":   func(x *expander, m *macroCall) (string, verdict) { return x.repeated(" ", m.arg(0)), macroDone },
		"noop":    constant(""), "comment": constant(""), "banned": constant(""),
		"reverse": needs(1, func(_ *expander, m *macroCall) (string, verdict) {
			return reverse(strings.Join(m.args, "::")), macroDone
		}),

		"random": random, "pick": pick, "roll": needs(1, roll),
		".": shorthand(false), "$": shorthand(true),
	}
	for _, global := range [...]bool{false, true} {
		word := map[bool]string{false: "var", true: "globalvar"}[global]
		tavernMacros["get"+word] = needs(1, func(x *expander, m *macroCall) (string, verdict) {
			return x.variable(global, m.args[0]), macroDone
		})
		tavernMacros["set"+word] = needs(2, func(x *expander, m *macroCall) (string, verdict) {
			x.setVariable(global, m.args[0], strings.Join(m.args[1:], "::"))
			return "", macroDone
		})
		tavernMacros["add"+word] = needs(2, func(x *expander, m *macroCall) (string, verdict) {
			x.addVariable(global, m.args[0], strings.Join(m.args[1:], "::"))
			return "", macroDone
		})
		tavernMacros["inc"+word] = needs(1, func(x *expander, m *macroCall) (string, verdict) {
			return x.addVariable(global, m.args[0], "1"), macroDone
		})
		tavernMacros["dec"+word] = needs(1, func(x *expander, m *macroCall) (string, verdict) {
			return x.addVariable(global, m.args[0], "-1"), macroDone
		})
	}
}

// orChar gives the character's name where the host has no value.
func orChar(f macro) macro {
	return func(x *expander, m *macroCall) (string, verdict) {
		if s, v := f(x, m); v == macroDone {
			return s, v
		}
		return x.charName(), macroDone
	}
}

// shorthand is {{.name}} and {{$name}} with the operators =, +=, ++ and --.
func shorthand(global bool) macro {
	return needs(1, func(x *expander, m *macroCall) (string, verdict) {
		s := strings.Join(m.args, "::")
		end := 0
		for end < len(s) && isMacroName(s[end], end == 0) {
			end++
		}
		name := strings.TrimRight(s[:end], "-")
		op := strings.TrimSpace(s[len(name):])
		switch {
		case name == "":
			return "", macroUnknown
		case op == "":
			return x.variable(global, name), macroDone
		case op == "++":
			return x.addVariable(global, name, "1"), macroDone
		case op == "--":
			return x.addVariable(global, name, "-1"), macroDone
		case strings.HasPrefix(op, "+="):
			x.addVariable(global, name, strings.TrimSpace(op[2:]))
			return "", macroDone
		case strings.HasPrefix(op, "=") && !strings.HasPrefix(op, "=="):
			x.setVariable(global, name, strings.TrimSpace(op[1:]))
			return "", macroDone
		}
		return "", macroUnknown
	})
}
