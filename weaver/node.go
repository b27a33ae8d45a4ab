package weaver

import "sync/atomic"

// This file holds the compiled form of a template. A body is a flat slice of
// nodes; the expressions in them are small trees of one type per operation.
// Long chains of operators and steps are slices, so that the depth of a tree,
// and with it the depth of evaluation, is bounded by the depth of nesting
// that the parser allows. Loop bindings are numbered slots.

type nodeKind uint8

const (
	nodeText nodeKind = iota
	nodeExpr
	nodeVar // an expression that is a plain variable, the usual case
	nodeCommand
	nodeIf
	nodeFor
	nodeBreak
	nodeContinue
	nodeStop
	nodeReturn
)

// node is one piece of a body.
type node struct {
	kind nodeKind
	// mayOwn says that the node owns its line if nothing but spaces stands
	// before it: it is not alone in its body, and a line break follows or
	// nothing does.
	mayOwn bool
	last   bool  // nothing follows in this body
	eol    uint8 // length of the line break that the next text begins with
	slot   int32 // loop binding
	text   string
	ref    *varExpr // of a nodeVar; expr is the same
	expr   expr     // expression, loop source, value returned
	body   []node   // of a loop
	arms   []branch // of an if
}

// branch is one arm of an if; cond is nil for else.
type branch struct {
	cond expr
	body []node
}

// expr is a compiled expression.
type expr interface {
	eval(ctx *Context) (Value, *Error)
	span() Span
	setSpan(Span)
}

// place is the span of an expression, in little space.
type place struct{ start, end int32 }

func placeOf(start, end int) place { return place{int32(start), int32(end)} }
func (p *place) span() Span        { return Span{Start: int(p.start), End: int(p.end)} }
func (p *place) setSpan(s Span)    { *p = placeOf(s.Start, s.End) }

type (
	constExpr struct {
		place
		val Value
	}
	// varExpr reads a variable of the host and walks into it.
	varExpr struct {
		place
		scope, name string
		scopeID     int32 // position of scope in program.scopes
		bare        bool  // written {{char}} or {{user}}, without its scope
		steps       []step
	}
	// loopExpr reads a loop binding and walks into it.
	loopExpr struct {
		place
		slot  int
		name  string
		local bool // written local:name
		steps []step
	}
	// unboundExpr is a bare name that no loop binds.
	unboundExpr struct {
		place
		name  string
		steps []step
		hint  string
	}
	// indexExpr walks into any other value.
	indexExpr struct {
		place
		x     expr
		steps []step
	}
	notExpr struct {
		place
		x     expr
		twice bool // !!x
	}
	negExpr struct {
		place
		x expr
	}
	// binaryExpr has its right side in y or, if that is a literal, in k. ref
	// is the left side if that is a plain variable, the usual case.
	binaryExpr struct {
		place
		op   operator
		ref  *varExpr
		x, y expr
		k    Value
	}
	// chainExpr is a run of operators of one precedence, left to right.
	chainExpr struct {
		place
		first expr
		rest  []link
	}
	link struct {
		op operator
		y  expr
	}
	// logicExpr is a run of && or of ||.
	logicExpr struct {
		place
		or    bool
		terms []expr
	}
	arrayExpr struct {
		place
		items []item
	}
	objectExpr struct {
		place
		items []item
	}
	// callExpr is a command or processor. args and argNames go together;
	// argNames is nil if all are positional.
	callExpr struct {
		place
		kind     CallableKind
		name     string
		args     []expr
		argNames []string
		cached   atomic.Pointer[callPlan]
	}
	triggerExpr struct {
		place
		id expr
	}
	documentExpr struct {
		place
		id expr
	}
)

// names returns the name of each argument.
func (c *callExpr) names() []string {
	if c.argNames == nil {
		return make([]string, len(c.args))
	}
	return c.argNames
}

// step is one step into an array or object.
type step struct {
	key   string  // of a field
	index float64 // constant position
	kind  stepKind
	expr  expr // computed or odd subscript
}

type stepKind uint8

const (
	stepKey      stepKind = iota // .key or ["key"]
	stepIndex                    // [3]
	stepComputed                 // [expr]
)

// item is an element of an array literal, an entry of an object literal, or a
// loop or condition that yields such.
type item struct {
	kind  itemKind
	key   string // of an entry
	place place  // of the key
	slot  int32
	expr  expr // element, value, loop source
	body  []item
	arms  []itemBranch
}

type itemBranch struct {
	cond expr
	body []item
}

type itemKind uint8

const (
	itemValue itemKind = iota
	itemIf
	itemFor
)

type operator uint8

const (
	opAdd operator = iota
	opSub
	opMul
	opDiv
	opMod
	opLess
	opGreater
	opLessEq
	opGreaterEq
	opEq
	opNotEq
	opAnd
	opOr
)

var operatorText = [...]string{"+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=", "&&", "||"}

// Precedence of the binary operators; higher binds tighter.
var precedence = [...]int{
	opAdd: 5, opSub: 5, opMul: 6, opDiv: 6, opMod: 6,
	opLess: 4, opGreater: 4, opLessEq: 4, opGreaterEq: 4,
	opEq: 3, opNotEq: 3, opAnd: 2, opOr: 1,
}

const (
	lowestPrecedence  = 1
	highestPrecedence = 6
)
