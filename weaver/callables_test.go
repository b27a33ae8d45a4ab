package weaver_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/weft-memory/weft/weaver"
)

// The callables that the conformance cases and benchmarks expect.

type (
	textArgs struct {
		Text string
	}
	repeatArgs struct {
		Text  string
		Count float64 `default:"1"`
	}
	joinArgs struct {
		Items     []weaver.Value
		Separator string `default:", "`
	}
	pairArgs struct {
		A, B float64
	}
	divArgs struct {
		A float64
		B float64 `default:"1"`
	}
	rangeArgs struct {
		Start, End float64
	}
	itemsArgs struct {
		Items []weaver.Value
	}
	valueArgs struct {
		Value weaver.Value
	}
	messageArgs struct {
		Message string
	}
	noArgs   struct{}
	varsArgs struct {
		Key   weaver.Value
		Value weaver.Value
	}
	incArgs struct {
		Key    weaver.Value
		Amount float64 `default:"1"`
	}
	trioArgs struct {
		First, Second, Third weaver.Value
	}
	kindArgs struct {
		Value weaver.Optional[weaver.Value]
	}
)

var upper = cases.Upper(language.Und)

func upperText(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return upper.String(s)
		}
	}
	return strings.ToUpper(s)
}

func splitKey(key weaver.Value) (scope, name string, err error) {
	s, ok := key.AsString()
	if !ok {
		return "", "", weaver.Errorf(weaver.TypeError, "expected string, got %s", key.Kind())
	}
	scope, name, ok = strings.Cut(s, ":")
	if !ok {
		return "", "", fmt.Errorf("bad key %q: want scope:name", s)
	}
	return scope, name, nil
}

// testRegistry returns the registry of the conformance README.
func testRegistry(tb testing.TB) *weaver.Registry {
	tb.Helper()
	r := weaver.NewRegistry()
	check := func(err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
	}
	for _, p := range []weaver.Processor{
		weaver.NewProcessor("text.upper", "", func(_ *weaver.Context, a textArgs) (string, error) {
			return upperText(a.Text), nil
		}),
		weaver.NewProcessor("text.repeat", "", func(c *weaver.Context, a repeatArgs) (string, error) {
			n := max(0, min(a.Count, 1e15))
			if err := c.Charge(int(min(n*float64(len(a.Text)), 1e15))); err != nil {
				return "", err
			}
			return strings.Repeat(a.Text, int(n)), nil
		}),
		weaver.NewProcessor("text.length", "", func(_ *weaver.Context, a textArgs) (int, error) {
			return utf8.RuneCountInString(a.Text), nil
		}),
		weaver.NewProcessor("text.join", "", func(_ *weaver.Context, a joinArgs) (string, error) {
			parts := make([]string, len(a.Items))
			for i, v := range a.Items {
				parts[i] = v.Text()
			}
			return strings.Join(parts, a.Separator), nil
		}),
		weaver.NewProcessor("math.add", "", func(_ *weaver.Context, a pairArgs) (float64, error) { return a.A + a.B, nil }),
		weaver.NewProcessor("math.div", "", func(_ *weaver.Context, a divArgs) (float64, error) { return a.A / a.B, nil }),
		weaver.NewProcessor("array.range", "", func(c *weaver.Context, a rangeArgs) ([]weaver.Value, error) {
			if err := c.Charge(int(max(0, min(a.End-a.Start, 1e12))) * 24); err != nil {
				return nil, err
			}
			var out []weaver.Value
			for x := a.Start; x < a.End; x++ {
				out = append(out, weaver.Number(x))
			}
			return out, nil
		}),
		weaver.NewProcessor("array.length", "", func(_ *weaver.Context, a itemsArgs) (int, error) { return len(a.Items), nil }),
		weaver.NewProcessor("test.deep.ns.same", "", func(_ *weaver.Context, a valueArgs) (weaver.Value, error) { return a.Value, nil }),
		weaver.NewProcessor("bare", "", func(_ *weaver.Context, a valueArgs) (weaver.Value, error) { return a.Value, nil }),
		weaver.NewProcessor("test.fail", "", func(_ *weaver.Context, a messageArgs) (string, error) { return "", errors.New(a.Message) }),
		weaver.NewProcessor("test.json", "", func(_ *weaver.Context, a valueArgs) (string, error) { return string(a.Value.AppendJSON(nil)), nil }),
		{
			Signature: weaver.Signature{Name: "test.given"},
			Run: func(_ *weaver.Context, args weaver.Args) (weaver.Value, error) {
				var parts []string
				for name, v := range args.Each {
					parts = append(parts, name+"="+v.Text())
				}
				slices.Sort(parts)
				return weaver.String(strings.Join(parts, ";")), nil
			},
		},
	} {
		check(r.RegisterProcessor(p))
	}
	for _, c := range []weaver.Command{
		weaver.NewCommand("set_var", "", func(c *weaver.Context, a varsArgs) (weaver.Value, error) {
			scope, name, err := splitKey(a.Key)
			if err == nil {
				err = c.Host().Set(scope, name, a.Value)
			}
			return weaver.None, err
		}),
		weaver.NewCommand("get_var", "", func(c *weaver.Context, a struct{ Key weaver.Value }) (weaver.Value, error) {
			scope, name, err := splitKey(a.Key)
			if err != nil {
				return weaver.None, err
			}
			v, _, err := c.Host().Get(scope, name)
			return v, err
		}),
		weaver.NewCommand("inc_var", "", func(c *weaver.Context, a incArgs) (weaver.Value, error) {
			scope, name, err := splitKey(a.Key)
			if err != nil {
				return weaver.None, err
			}
			v, ok, err := c.Host().Get(scope, name)
			if err != nil {
				return weaver.None, err
			}
			n, isNumber := v.AsNumber()
			if ok && !isNumber {
				return weaver.None, weaver.Errorf(weaver.TypeError, "expected number, got %s", v.Kind())
			}
			return weaver.None, c.Host().Set(scope, name, weaver.Number(n+a.Amount))
		}),
		weaver.NewCommand("echo", "", func(_ *weaver.Context, a valueArgs) (weaver.Value, error) { return a.Value, nil }),
		weaver.NewCommand("quiet", "", func(*weaver.Context, noArgs) (weaver.Value, error) { return weaver.None, nil }),
		weaver.NewCommand("fail", "", func(_ *weaver.Context, a messageArgs) (weaver.Value, error) {
			return weaver.None, errors.New(a.Message)
		}),
		weaver.NewCommand("trio", "", func(_ *weaver.Context, a trioArgs) (string, error) {
			return a.First.Text() + "/" + a.Second.Text() + "/" + a.Third.Text(), nil
		}),
		weaver.NewCommand("kind_of", "", func(_ *weaver.Context, a kindArgs) (string, error) {
			if !a.Value.Given {
				return "absent", nil
			}
			return a.Value.Value.Kind().String(), nil
		}),
		{
			Signature: weaver.Signature{Name: "argc"},
			Run: func(_ *weaver.Context, args weaver.Args) (weaver.Value, error) {
				return weaver.Number(float64(args.Len())), nil
			},
		},
	} {
		check(r.RegisterCommand(c))
	}
	return r
}
