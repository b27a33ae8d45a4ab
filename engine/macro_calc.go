package engine

import (
	"math"
	"strconv"
	"strings"
)

// calculate evaluates a formula of RisuAI's {{calc}}: numbers, $name for a chat
// variable and @name for a global one, parentheses, and the operators below.
// Comparisons and logic give 1 or 0. ok is false for what is no formula.
func calculate(s string, variable func(global bool, name string) float64) (f float64, ok bool) {
	if len(s) > maxFormula {
		return 0, false
	}
	c := &calculator{s: s, variable: variable}
	f = c.binary(0)
	c.space()
	return f, !c.bad && c.i == len(c.s)
}

const (
	maxFormula      = 4096
	maxFormulaDepth = 64
)

type calculator struct {
	s        string
	i        int
	depth    int
	bad      bool
	variable func(global bool, name string) float64
}

// calcLevels are the operators from the weakest to the strongest; longer ones
// stand before those that they begin with.
var calcLevels = [][]string{
	{"||", "|"},
	{"&&", "&"},
	{"==", "!=", "=", "≠"},
	{"<=", ">=", "≤", "≥", "<", ">"},
	{"+", "-"},
	{"*", "/", "%"},
	{"^"},
}

func (c *calculator) space() {
	for c.i < len(c.s) && strings.IndexByte(" \t\r\n", c.s[c.i]) >= 0 {
		c.i++
	}
}

func (c *calculator) take(ops []string) string {
	c.space()
	for _, op := range ops {
		if strings.HasPrefix(c.s[c.i:], op) {
			c.i += len(op)
			return op
		}
	}
	return ""
}

func (c *calculator) binary(level int) float64 {
	if level == len(calcLevels) {
		return c.unary()
	}
	f := c.binary(level + 1)
	for !c.bad {
		op := c.take(calcLevels[level])
		if op == "" {
			return f
		}
		f = apply(op, f, c.binary(level+1))
	}
	return 0
}

func apply(op string, a, b float64) float64 {
	bit := func(x bool) float64 {
		if x {
			return 1
		}
		return 0
	}
	switch op {
	case "||", "|":
		return bit(a != 0 || b != 0)
	case "&&", "&":
		return bit(a != 0 && b != 0)
	case "==", "=":
		return bit(a == b)
	case "!=", "≠":
		return bit(a != b)
	case "<=", "≤":
		return bit(a <= b)
	case ">=", "≥":
		return bit(a >= b)
	case "<":
		return bit(a < b)
	case ">":
		return bit(a > b)
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/":
		return a / b
	case "%":
		return math.Mod(a, b)
	}
	return math.Pow(a, b)
}

func (c *calculator) unary() float64 {
	if c.depth++; c.depth > maxFormulaDepth {
		c.bad = true
		return 0
	}
	defer func() { c.depth-- }()
	switch c.take([]string{"-", "+", "!", "("}) {
	case "-":
		return -c.unary()
	case "+":
		return c.unary()
	case "!":
		if c.unary() == 0 {
			return 1
		}
		return 0
	case "(":
		f := c.binary(0)
		if c.take([]string{")"}) == "" {
			c.bad = true
		}
		return f
	}
	return c.operand()
}

func (c *calculator) operand() float64 {
	from := c.i
	if c.i < len(c.s) && (c.s[c.i] == '$' || c.s[c.i] == '@') {
		c.i++
		for c.i < len(c.s) && isMacroName(c.s[c.i], true) || c.i < len(c.s) && c.s[c.i] >= '0' && c.s[c.i] <= '9' {
			c.i++
		}
		if c.i == from+1 {
			c.bad = true
			return 0
		}
		return c.variable(c.s[from] == '@', c.s[from+1:c.i])
	}
	for c.i < len(c.s) && strings.IndexByte("0123456789.", c.s[c.i]) >= 0 {
		c.i++
	}
	f, err := strconv.ParseFloat(c.s[from:c.i], 64)
	if err != nil {
		c.bad = true
	}
	return f
}
