package weaver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// FromGo turns a Go value into a Value: nil, booleans, all integers and
// floats, strings, slices, arrays, maps with string keys, pointers to such, a
// Value itself, and anything that implements json.Marshaler. Integers beyond
// 2^53 are rounded, as all numbers are floats. Other types, and data nested
// more than 1,000 deep, are an error that names the place.
func FromGo(x any) (Value, error) { return fromGo(x, 0) }

// maxGoDepth bounds the nesting of data from outside.
const maxGoDepth = 1000

func fromGo(x any, depth int) (Value, error) {
	if depth > maxGoDepth {
		return None, fmt.Errorf("data is nested more than %d deep", maxGoDepth)
	}
	switch x := x.(type) {
	case nil:
		return None, nil
	case Value:
		return x, nil
	case bool:
		return Bool(x), nil
	case string:
		return String(x), nil
	case float64:
		return Number(x), nil
	case int:
		return Number(float64(x)), nil
	case json.Number:
		f, err := x.Float64()
		if err != nil && !math.IsInf(f, 0) {
			return None, fmt.Errorf("number %q: %w", string(x), err)
		}
		return Number(f), nil
	case []any:
		items := make([]Value, len(x))
		for i, e := range x {
			v, err := fromGo(e, depth+1)
			if err != nil {
				return None, at(strconv.Itoa(i), err)
			}
			items[i] = v
		}
		return Array(items), nil
	case map[string]any:
		m := make(map[string]Value, len(x))
		for k, e := range x {
			v, err := fromGo(e, depth+1)
			if err != nil {
				return None, at(k, err)
			}
			m[k] = v
		}
		return Object(m), nil
	case []Value:
		return Array(append([]Value(nil), x...)), nil
	case map[string]Value:
		return Object(x), nil
	case json.Marshaler:
		b, err := x.MarshalJSON()
		if err != nil {
			return None, err
		}
		var v Value
		err = v.UnmarshalJSON(b)
		return v, err
	}
	return fromReflect(reflect.ValueOf(x), depth)
}

func fromReflect(r reflect.Value, depth int) (Value, error) {
	switch r.Kind() {
	case reflect.Bool:
		return Bool(r.Bool()), nil
	case reflect.String:
		return String(r.String()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return Number(float64(r.Int())), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return Number(float64(r.Uint())), nil
	case reflect.Float32, reflect.Float64:
		return Number(r.Float()), nil
	case reflect.Pointer, reflect.Interface:
		if r.IsNil() {
			return None, nil
		}
		return fromGo(r.Elem().Interface(), depth+1)
	case reflect.Slice, reflect.Array:
		items := make([]Value, r.Len())
		for i := range items {
			v, err := fromGo(r.Index(i).Interface(), depth+1)
			if err != nil {
				return None, at(strconv.Itoa(i), err)
			}
			items[i] = v
		}
		return Array(items), nil
	case reflect.Map:
		if r.Type().Key().Kind() != reflect.String {
			break
		}
		m := make(map[string]Value, r.Len())
		for it := r.MapRange(); it.Next(); {
			v, err := fromGo(it.Value().Interface(), depth+1)
			if err != nil {
				return None, at(it.Key().String(), err)
			}
			m[it.Key().String()] = v
		}
		return Object(m), nil
	}
	return None, fmt.Errorf("a Go value of type %s has no counterpart in the language", r.Type())
}

// at puts a step of a path in front of an error about a nested place.
func at(step string, err error) error { return fmt.Errorf("%s: %w", step, err) }

// Go returns the value as plain Go data: nil, bool, float64, string, []any or
// map[string]any.
func (v Value) Go() any {
	switch v.kind {
	case KindBool:
		return v.bits != 0
	case KindNumber:
		return v.num()
	case KindString:
		return strings.Clone(v.str())
	case KindArray:
		out := make([]any, v.Len())
		for i, e := range v.items() {
			out[i] = e.Go()
		}
		return out
	case KindObject:
		out := make(map[string]any, v.Len())
		for k, e := range v.Entries {
			out[k] = e.Go()
		}
		return out
	}
	return nil
}

// MarshalJSON writes the value so that UnmarshalJSON reads back the same one.
// JSON has no infinities and no NaN; a value that holds one is an error.
func (v Value) MarshalJSON() ([]byte, error) {
	if err := v.finite(); err != nil {
		return nil, err
	}
	return v.AppendJSON(nil), nil
}

func (v Value) finite() error {
	switch v.kind {
	case KindNumber:
		if f := v.num(); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("the number %s cannot be written as JSON", v.Text())
		}
	case KindArray:
		for i, e := range v.items() {
			if err := e.finite(); err != nil {
				return at(strconv.Itoa(i), err)
			}
		}
	case KindObject:
		for k, e := range v.Entries {
			if err := e.finite(); err != nil {
				return at(k, err)
			}
		}
	}
	return nil
}

// UnmarshalJSON reads any JSON value. A key written twice takes its last
// value, as encoding/json has it.
func (v *Value) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var x any
	if err := d.Decode(&x); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("text after the JSON value")
	}
	w, err := fromGo(x, 0)
	if err != nil {
		return err
	}
	*v = w
	return nil
}
