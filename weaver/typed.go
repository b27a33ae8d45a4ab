package weaver

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unsafe"
)

// Optional is a field type for argument structs that tells a missing argument
// from a given one.
type Optional[T any] struct {
	Value T
	// Given reports whether the argument was there (and, unless types are
	// checked strictly, had the right type).
	Given bool
}

func (Optional[T]) weaverOptional() {}

// CallOption changes how NewCommand and NewProcessor check arguments.
type CallOption func(*callConfig)

type callConfig struct {
	strict    bool
	override  bool
	owner     string
	returns   string
	hasReturn bool
}

// Strict makes an argument of the wrong type a TypeError. Without it, such an
// argument counts as missing.
func Strict() CallOption { return func(c *callConfig) { c.strict = true } }

// Override lets the callable take the place of a registered one of the same
// name.
func Override() CallOption { return func(c *callConfig) { c.override = true } }

// Owner sets the name of the plugin that provides the callable.
func Owner(name string) CallOption { return func(c *callConfig) { c.owner = name } }

// Returns sets the type of the result in the signature. Without it, the type
// derives from the Go function.
func Returns(typ string) CallOption {
	return func(c *callConfig) { c.returns, c.hasReturn = typ, true }
}

// NewProcessor makes a processor of a Go function. The exported fields of the
// struct A are its parameters, in positional order:
//
//	type rollArgs struct {
//		Sides int    `weaver:"sides" default:"6" doc:"how many sides the die has"`
//		Label string `weaver:"label,required"`
//	}
//
// The tag weaver gives the name (else the field's name in snake_case), and
// after a comma "required" (a missing argument is a TypeError) and "strict"
// (a wrong type is one); "-" leaves a field out. Field types are string,
// float64, int, bool, []Value, Value, and Optional of these. Numbers reach an
// int field truncated toward zero. The result may be a Value or anything that
// FromGo takes.
//
// A struct that does not fit is reported by RegisterProcessor.
func NewProcessor[A, R any](name, doc string, fn func(*Context, A) (R, error), opts ...CallOption) Processor {
	sig, run, cfg, err := derive(name, doc, fn, opts)
	sig.Kind = ProcessorKind
	return Processor{Signature: sig, Run: run, Override: cfg.override, err: err}
}

// NewCommand makes a command of a Go function, by the rules of NewProcessor.
// A command without a result returns Value and None.
func NewCommand[A, R any](name, doc string, fn func(*Context, A) (R, error), opts ...CallOption) Command {
	sig, run, cfg, err := derive(name, doc, fn, opts)
	sig.Kind = CommandKind
	return Command{Signature: sig, Run: run, Override: cfg.override, err: err}
}

func derive[A, R any](name, doc string, fn func(*Context, A) (R, error), opts []CallOption) (Signature, Func, callConfig, error) {
	var cfg callConfig
	for _, o := range opts {
		o(&cfg)
	}
	fields, err := argFields(reflect.TypeFor[A](), cfg.strict)
	result := resultOf(reflect.TypeFor[R]())
	sig := Signature{Name: name, Doc: doc, Owner: cfg.owner, Returns: result.String()}
	if cfg.hasReturn {
		sig.Returns = cfg.returns
	}
	for i := range fields {
		sig.Params = append(sig.Params, fields[i].param)
	}
	run := func(ctx *Context, args Args) (Value, error) {
		var a A
		base := unsafe.Pointer(&a)
		for i := range fields {
			f := &fields[i]
			if i < len(args.vals) && args.given&(1<<i) != 0 {
				if v := &args.vals[i]; f.typ.accepts(v.kind) {
					f.store(base, v, true)
					continue
				}
			}
			if err := f.missing(base, i, args); err != nil {
				return None, err
			}
		}
		r, err := fn(ctx, a)
		if err != nil {
			return None, err
		}
		if result != resultAny {
			return result.value(unsafe.Pointer(&r)), nil
		}
		return FromGo(r)
	}
	return sig, run, cfg, err
}

// argType is the type of a field of an argument struct.
type argType uint8

const (
	argAny argType = iota
	argString
	argFloat
	argInt
	argBool
	argArray
)

var argTypeNames = [...]string{"any", "string", "number", "number", "bool", "array"}

func (t argType) String() string { return argTypeNames[t] }

// argField is one field of an argument struct: where it is and how to fill it.
type argField struct {
	typ    argType
	strict bool
	offset uintptr
	given  uintptr // offset of Optional.Given plus one; 0 if not optional
	def    Value   // of the field's type, or None for its zero
	param  Param
}

func argFields(t reflect.Type, strict bool) ([]argField, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("the arguments must be a struct, not %s", t)
	}
	var fields []argField
	for i := range t.NumField() {
		sf := t.Field(i)
		name, rest, _ := strings.Cut(sf.Tag.Get("weaver"), ",")
		if !sf.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = snakeCase(sf.Name)
		}
		f := argField{
			param:  Param{Name: name, Doc: sf.Tag.Get("doc")},
			offset: sf.Offset,
			strict: strict,
		}
		for opt := range strings.SplitSeq(rest, ",") {
			switch opt {
			case "":
			case "required":
				f.param.Required = true
			case "strict":
				f.strict = true
			default:
				return nil, fmt.Errorf("field %s: unknown option %q in its tag; there are required and strict", sf.Name, opt)
			}
		}
		ft := sf.Type
		if _, ok := reflect.Zero(ft).Interface().(interface{ weaverOptional() }); ok && ft.Kind() == reflect.Struct {
			f.given = sf.Offset + ft.Field(1).Offset + 1
			ft = ft.Field(0).Type
		}
		var ok bool
		if f.typ, ok = argTypeOf(ft); !ok {
			return nil, fmt.Errorf("field %s: type %s is not one of string, float64, int, bool, []weaver.Value, weaver.Value", sf.Name, ft)
		}
		f.param.Type = f.typ.String()
		if def, ok := sf.Tag.Lookup("default"); ok {
			var err error
			if f.def, err = parseDefault(f.typ, def); err != nil {
				return nil, fmt.Errorf("field %s: default %q: %w", sf.Name, def, err)
			}
			f.param.Default = f.def
		} else if f.given == 0 && !f.param.Required {
			f.param.Default = f.typ.zero()
		}
		fields = append(fields, f)
	}
	return fields, nil
}

func argTypeOf(t reflect.Type) (argType, bool) {
	switch {
	case t == reflect.TypeFor[Value]():
		return argAny, true
	case t == reflect.TypeFor[[]Value]():
		return argArray, true
	case t.Kind() == reflect.String:
		return argString, true
	case t.Kind() == reflect.Float64:
		return argFloat, true
	case t.Kind() == reflect.Int:
		return argInt, true
	case t.Kind() == reflect.Bool:
		return argBool, true
	}
	return argAny, false
}

func (t argType) zero() Value {
	switch t {
	case argString:
		return String("")
	case argFloat, argInt:
		return Number(0)
	case argBool:
		return Bool(false)
	case argArray:
		return Array(nil)
	}
	return None
}

func parseDefault(t argType, s string) (Value, error) {
	switch t {
	case argString:
		return String(s), nil
	case argFloat, argInt:
		f, err := strconv.ParseFloat(s, 64)
		return Number(f), err
	case argBool:
		b, err := strconv.ParseBool(s)
		return Bool(b), err
	}
	var v Value
	err := v.UnmarshalJSON([]byte(s))
	if err == nil && t == argArray && v.kind != KindArray {
		err = fmt.Errorf("is no array")
	}
	return v, err
}

// argKinds are the kinds of value that the types of field take.
var argKinds = [...]Kind{KindNone, KindString, KindNumber, KindNumber, KindBool, KindArray}

// accepts reports whether a value has the type of the field.
func (t argType) accepts(k Kind) bool { return t == argAny || argKinds[t] == k }

// missing fills the field for slot i of the arguments if that was not given
// or has the wrong type.
func (f *argField) missing(base unsafe.Pointer, i int, args Args) error {
	if v, given := args.At(i); given && f.strict {
		return Errorf(TypeError, "%s: %s must be of type %s, got %s",
			args.plan.fn.label(), f.param.Name, f.typ, v.kind)
	}
	if f.param.Required {
		return Errorf(TypeError, "%s needs %s", args.plan.fn.label(), f.param.Name)
	}
	if f.def.kind != KindNone {
		f.store(base, &f.def, false)
	}
	return nil
}

// store fills the field of the struct at base with a value of its type.
func (f *argField) store(base unsafe.Pointer, v *Value, given bool) {
	at := unsafe.Add(base, f.offset)
	switch f.typ {
	case argAny:
		*(*Value)(at) = *v
	case argString:
		*(*string)(at) = v.str()
	case argFloat:
		*(*float64)(at) = v.num()
	case argInt:
		*(*int)(at) = truncate(v.num())
	case argBool:
		*(*bool)(at) = v.bits != 0
	case argArray:
		*(*[]Value)(at) = v.items()
	}
	if f.given != 0 {
		*(*bool)(unsafe.Add(base, f.given-1)) = given
	}
}

// truncate turns a number into an int, toward zero; NaN is 0 and numbers out
// of range are the nearest int.
func truncate(f float64) int {
	switch {
	case f != f:
		return 0
	case f >= math.MaxInt:
		return math.MaxInt
	case f <= math.MinInt:
		return math.MinInt
	}
	return int(f)
}

// resultType is the Go type of a callable's result.
type resultType uint8

const (
	resultAny resultType = iota
	resultValue
	resultString
	resultFloat
	resultInt
	resultBool
	resultArray
)

var resultTypeNames = [...]string{"any", "any", "string", "number", "number", "bool", "array"}

func (t resultType) String() string { return resultTypeNames[t] }

func resultOf(t reflect.Type) resultType {
	switch {
	case t == reflect.TypeFor[Value]():
		return resultValue
	case t == reflect.TypeFor[[]Value]():
		return resultArray
	case t == reflect.TypeFor[string]():
		return resultString
	case t == reflect.TypeFor[float64]():
		return resultFloat
	case t == reflect.TypeFor[int]():
		return resultInt
	case t == reflect.TypeFor[bool]():
		return resultBool
	}
	return resultAny
}

func (t resultType) value(p unsafe.Pointer) Value {
	switch t {
	case resultValue:
		return *(*Value)(p)
	case resultString:
		return String(*(*string)(p))
	case resultFloat:
		return Number(*(*float64)(p))
	case resultInt:
		return Number(float64(*(*int)(p)))
	case resultBool:
		return Bool(*(*bool)(p))
	}
	return Array(*(*[]Value)(p))
}

// snakeCase turns a Go field name into a parameter name: MaxCount becomes
// max_count, HTTPPort http_port.
func snakeCase(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < 'A' || c > 'Z' {
			b.WriteByte(c)
			continue
		}
		lowerBefore := i > 0 && (s[i-1] < 'A' || s[i-1] > 'Z')
		lowerAfter := i+1 < len(s) && s[i+1] >= 'a' && s[i+1] <= 'z'
		if i > 0 && (lowerBefore || lowerAfter) {
			b.WriteByte('_')
		}
		b.WriteByte(c + 'a' - 'A')
	}
	return b.String()
}
