package engine

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
)

// variable returns a variable of a dialect: chat variables live in the
// namespace state, global ones in the namespace global if the host has one,
// else in the object state:global.
func (x *expander) variable(global bool, name string) string {
	scope, name := x.scope(global, name)
	v, ok := x.vars.lookup(scope, name)
	x.noteRead(scope, name, v, ok)
	return v.Text()
}

func (x *expander) scope(global bool, name string) (string, string) {
	if !global {
		return "state", name
	}
	if _, ok := x.engine.namespaces["global"]; ok {
		return "global", name
	}
	return "state", "global." + name
}

// setVariable stores a text, as a number if it is one.
func (x *expander) setVariable(global bool, name, text string) {
	scope, name := x.scope(global, name)
	v := weaver.String(text)
	if f, ok := macroNumber(text); ok {
		v = weaver.Number(f)
	}
	x.set(scope, name, v)
}

func (x *expander) set(scope, name string, v weaver.Value) {
	if access := x.engine.namespaces[scope].Access; access != lore.ReadWrite {
		x.reportMacro("set "+scope, "the namespace "+scope+" is read-only: "+scope+":"+name+" is not set")
		return
	}
	if err := x.vars.set(scope, name, v); err != nil {
		x.reportMacro("set "+scope+":"+name, "a macro cannot set "+scope+":"+shorten(name)+": "+err.Error())
		return
	}
	x.noteWrite(scope, name, v)
}

// addVariable adds to a variable: numbers are summed up, texts put together.
func (x *expander) addVariable(global bool, name, text string) string {
	old := x.variable(global, name)
	f, isNumber := macroNumber(old)
	g, adds := macroNumber(text)
	sum := old + text
	if (isNumber || strings.TrimSpace(old) == "") && adds {
		sum = weaver.Number(f + g).Text()
	}
	x.setVariable(global, name, sum)
	return sum
}

// macroNumber reads a text as a number, as JavaScript does with decimals.
func macroNumber(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if s == "" || strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// jsNumber is macroNumber with JavaScript's answers for other texts.
func jsNumber(s string) float64 {
	if strings.TrimSpace(s) == "" {
		return 0
	}
	f, ok := macroNumber(s)
	if !ok {
		return math.NaN()
	}
	return f
}

// numberText writes a number as JavaScript does, but without exponents.
func numberText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return weaver.Number(f).Text()
}

func truth(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// source returns a text beside the chat. A host that gives some of them has no
// more: the others are empty.
func (x *expander) source(s lore.Source, name string) (string, verdict) {
	if text, ok := x.in.Sources[s]; ok {
		return text, macroDone
	}
	if text, v := x.hostValue("char", name); v == macroDone {
		return text, v
	}
	if len(x.in.Sources) > 0 {
		return "", macroDone
	}
	return "", macroNoValue
}

// hostValue returns a variable of the host.
func (x *expander) hostValue(scope, name string) (string, verdict) {
	v, ok := x.vars.lookup(scope, name)
	x.noteRead(scope, name, v, ok)
	if !ok {
		return "", macroNoValue
	}
	return v.Text(), macroDone
}

// lastMessage returns the newest message of a role; any if it is empty.
func (x *expander) lastMessage(role lore.Role) string {
	for i := len(x.messages) - 1; i >= 0; i-- {
		m := &x.messages[i]
		is := m.Role
		if is == "" {
			is = lore.RoleUser
		}
		if !m.Hidden && (role == "" || is == role) {
			return m.Content
		}
	}
	return ""
}

// choices are the texts to choose from: divided by double colons, or a list
// with commas, in which \, is a comma.
func (m *macroCall) choices() []string {
	if len(m.args) != 1 {
		return m.args
	}
	var out []string
	for _, part := range strings.Split(strings.ReplaceAll(m.args[0], `\,`, "\x00"), ",") {
		out = append(out, strings.TrimSpace(strings.ReplaceAll(part, "\x00", ",")))
	}
	return out
}

// choose returns one of the choices for a number from 0 up to 1.
func choose(list []string, r float64) string {
	if len(list) == 0 {
		return ""
	}
	return list[min(int(r*float64(len(list))), len(list)-1)]
}

// random chooses anew in each assembly.
func random(x *expander, m *macroCall) (string, verdict) {
	list := m.choices()
	if len(list) == 0 {
		return "", macroDone
	}
	return choose(list, x.number()), macroDone
}

// pick chooses once for a chat and the place where the macro stands.
func pick(x *expander, m *macroCall) (string, verdict) {
	return choose(m.choices(), x.fixed(m)), macroDone
}

// fixed is the number that a macro at its place draws in the whole chat.
func (x *expander) fixed(m *macroCall) float64 {
	return newStream(x.in.ChatSeed, x.bookID(), x.entryID(), "pick "+itoa(m.at)).Float64()
}

const (
	maxDice  = 1000
	maxSides = 1 << 31
)

// dice rolls 2d6+1 and the like: 20 means 1d20, d6 means 1d6.
func dice(formula string, draw func() float64) (string, bool) {
	s := strings.ToLower(strings.ReplaceAll(formula, " ", ""))
	plus := 0
	if i := strings.LastIndexAny(s, "+-"); i > 0 {
		n, err := strconv.Atoi(s[i:])
		if err != nil || n > maxSides || n < -maxSides {
			return "", false
		}
		s, plus = s[:i], n
	}
	count, sides, found := strings.Cut(s, "d")
	if !found {
		count, sides = "1", s
	}
	if count == "" {
		count = "1"
	}
	n, err1 := strconv.Atoi(count)
	d, err2 := strconv.Atoi(sides)
	if err1 != nil || err2 != nil || n < 1 || d < 1 || n > maxDice || d > maxSides {
		return "", false
	}
	sum := plus
	for range n {
		sum += 1 + min(int(draw()*float64(d)), d-1)
	}
	return itoa(sum), true
}

func roll(x *expander, m *macroCall) (string, verdict) {
	s, ok := dice(m.arg(0), x.number)
	if !ok {
		return "", macroUnknown
	}
	return s, macroDone
}

// reverse turns the characters of a text round.
func reverse(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for len(s) > 0 {
		_, n := utf8.DecodeLastRuneInString(s)
		b.WriteString(s[len(s)-n:])
		s = s[:len(s)-n]
	}
	return b.String()
}

// repeated returns a text as often as an argument says, once if there is none.
func (x *expander) repeated(s, times string) string {
	n, err := strconv.Atoi(times)
	if times == "" || err != nil || n < 0 {
		n = 1
	}
	return strings.Repeat(s, min(n, 1000))
}

func constant(s string) macro {
	return func(*expander, *macroCall) (string, verdict) { return s, macroDone }
}

func charMacro(x *expander, _ *macroCall) (string, verdict) { return x.charName(), macroDone }
func userMacro(x *expander, _ *macroCall) (string, verdict) { return x.userName(), macroDone }

func sourceMacro(s lore.Source, name string) macro {
	return func(x *expander, _ *macroCall) (string, verdict) { return x.source(s, name) }
}

func hostMacro(scope, name string) macro {
	return func(x *expander, m *macroCall) (string, verdict) {
		if len(m.args) > 0 {
			return "", macroNoValue // a format that only a clock could give
		}
		return x.hostValue(scope, name)
	}
}

func messageMacro(role lore.Role) macro {
	return func(x *expander, _ *macroCall) (string, verdict) { return x.lastMessage(role), macroDone }
}

// needs makes a macro unknown without so many arguments.
func needs(n int, f macro) macro {
	return func(x *expander, m *macroCall) (string, verdict) {
		if len(m.args) < n {
			return "", macroUnknown
		}
		return f(x, m)
	}
}

// basicMacros are those of dialects that know names alone.
var basicMacros = map[string]macro{"char": charMacro, "user": userMacro}
