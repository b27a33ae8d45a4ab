package stdlib_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/weft-memory/weft/weaver"
)

// FuzzCall calls every command and processor with any arguments: a JSON array
// of them, by position. Nothing may panic, and an error must be of a kind.
func FuzzCall(f *testing.F) {
	seeds := []string{
		`[]`, `["a"]`, `["état:x", 1]`, `["state:a.b", [1]]`, `[[3, "x", null, true, {"a": [1]}], "a", true]`,
		`["a,b", ",", 3]`, `[1e308, -1e308]`, `[{"a": {"b": 1}}, {"c": 2}]`, `["[1, {\"a\": null}]", 2]`, `[["a", "b"], [1, 0]]`,
		`["abc", 1e18]`, `[-9e18, 9e18]`,
	}
	signatures := registry.Signatures()
	for i := range max(len(signatures), len(seeds)) {
		f.Add(uint8(i), seeds[i%len(seeds)])
	}
	limits := weaver.Limits{ValueBytes: 1 << 20, Steps: 1 << 20}
	f.Fuzz(func(t *testing.T, which uint8, list string) {
		var args weaver.Value
		if len(list) > 1<<14 || args.UnmarshalJSON([]byte(list)) != nil {
			t.Skip("no arguments")
		}
		items, _ := args.AsArray()
		sig := signatures[int(which)%len(signatures)]
		items = items[:min(len(items), len(sig.Params))]
		names := make([]string, len(items))
		host := newHost()
		for i, v := range items {
			name := string(rune('a' + i))
			names[i] = "{{arg:" + name + "}}"
			if err := host.MapHost.Set("arg", name, v); err != nil {
				t.Fatal(err)
			}
		}
		call := "@[" + sig.Name + "(" + strings.Join(names, ", ") + ")]"
		if sig.Kind == weaver.CommandKind {
			call = "$" + call[1:]
		}
		expr, diagnostics := weaver.ParseExpr("call", call)
		if err := diagnostics.Err(); err != nil {
			t.Fatal(err)
		}
		v, err := expr.Eval(t.Context(), host, weaver.Options{Registry: registry, Limits: limits, Seed: 1})
		var e *weaver.Error
		if err != nil && (!errors.As(err, &e) || !slices.Contains([]weaver.ErrorKind{weaver.TypeError, weaver.HostError, weaver.ResourceLimit}, e.Kind)) {
			t.Errorf("%s with %s: error %v of an unexpected kind", call, list, err)
		}
		if err == nil && v.Size() > 2<<20 {
			t.Errorf("%s with %s: a value of %d bytes, though the limit is %d", call, list, v.Size(), limits.ValueBytes)
		}
	})
}
