package weaver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/diag"
)

func Example() {
	tmpl, problems := weaver.Parse("gate.weaver",
		"The gate of {{world:town}} is {# if world:open #}open{# else #}shut{# endif #}.")
	if err := problems.Err(); err != nil {
		log.Fatal(err)
	}
	host := &weaver.MapHost{Vars: map[string]map[string]weaver.Value{
		"world": {"town": weaver.String("Vell"), "open": weaver.Bool(true)},
	}}
	result, err := tmpl.Render(context.Background(), host, weaver.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text)
	// Output: The gate of Vell is open.
}

// All mistakes of a source are reported at once, and can be drawn with the
// line that they are in.
func ExampleParse_errors() {
	src := "Hail, {{ user: name }}!\n{# if world:open = true #}Come in.{# endif #}"
	_, problems := weaver.Parse("gate.weaver", src)
	source := diag.NewSource("gate.weaver", src)
	for _, p := range problems {
		fmt.Print(diag.Renderer{}.Render(p, source))
	}
	// Output:
	// error: a reference has no space after its colon
	//   --> gate.weaver:1:10
	//    |
	//  1 | Hail, {{ user: name }}!
	//    |          ^^^^^^^^^^
	//    = hint: write user:name
	// error: expected an operator or #}, found `=`
	//   --> gate.weaver:2:18
	//    |
	//  2 | {# if world:open = true #}Come in.{# endif #}
	//    |                  ^
	//    = hint: compare with ==
}

// A condition is an expression; what it reads need not be there.
func ExampleParseExpr() {
	cond, problems := weaver.ParseExpr("condition", `state:level > 5 && !state:safe_zone`)
	if err := problems.Err(); err != nil {
		log.Fatal(err)
	}
	host := &weaver.MapHost{Vars: map[string]map[string]weaver.Value{"state": {"level": weaver.Number(7)}}}
	v, err := cond.Eval(context.Background(), host, weaver.Options{UndefinedAsNone: true})
	fmt.Println(v.Truthy(), err)
	// Output: true <nil>
}

// A processor is a Go function over a struct of named arguments. Signature,
// defaults and checks derive from the struct.
func ExampleNewProcessor() {
	type rollArgs struct {
		Dice  int `default:"1" doc:"how many dice"`
		Sides int `default:"6" doc:"how many sides each has"`
	}
	roll := weaver.NewProcessor("dice.roll", "rolls dice and adds them up",
		func(ctx *weaver.Context, a rollArgs) (int, error) {
			if a.Sides < 1 || a.Dice < 0 || a.Dice > 100 {
				return 0, fmt.Errorf("cannot roll %dd%d", a.Dice, a.Sides)
			}
			sum := 0
			for range a.Dice {
				sum += int(ctx.IntRange(1, int64(a.Sides)))
			}
			return sum, nil
		}, weaver.Owner("dice"))

	reg := weaver.NewRegistry()
	if err := reg.RegisterProcessor(roll); err != nil {
		log.Fatal(err)
	}
	tmpl := weaver.MustParse("roll", "{# if @[dice.roll(3, sides: 6)] >= 3 #}a roll{# endif #}")
	result, err := tmpl.Render(context.Background(), nil, weaver.Options{Registry: reg, Seed: 42})
	fmt.Println(result.Text, err)

	// Editors read the signatures as JSON.
	_ = json.NewEncoder(os.Stdout).Encode(reg.Signatures()[0].Params[1])
	// Output:
	// a roll <nil>
	// {"name":"sides","type":"number","default":6,"doc":"how many sides each has"}
}

// What a template returns may be a value of any type.
func ExampleTemplate_Render_value() {
	tmpl := weaver.MustParse("price", "{# return [12, 30, 7] #}")
	result, err := tmpl.Render(context.Background(), nil, weaver.Options{})
	if err != nil {
		log.Fatal(err)
	}
	prices, _ := result.Value.AsArray()
	fmt.Println(len(prices), "prices:", result.Text)
	// Output: 3 prices: 12, 30, 7
}

// Errors have a kind to act on, and draw themselves for people.
func ExampleError() {
	tmpl := weaver.MustParse("shop.weaver", "You have\n{{user:gold / 0}} coins.")
	host := &weaver.MapHost{Vars: map[string]map[string]weaver.Value{"user": {"gold": weaver.Number(3)}}}
	_, err := tmpl.Render(context.Background(), host, weaver.Options{})
	var e *weaver.Error
	if errors.As(err, &e) {
		fmt.Println(e.Kind)
		fmt.Print(e.Detail())
	}
	// Output:
	// arithmetic_error
	// error: division by zero
	//   --> shop.weaver:2:1
	//    |
	//  2 | {{user:gold / 0}} coins.
	//    | ^^^^^^^^^^^^^^^^^
}

func ExampleFormat() {
	out, _ := weaver.Format("x", "{#if world:open&&!state:safe#}{{ world:town }}{#endif#}")
	fmt.Println(out)
	// Output: {# if world:open && !state:safe #}{{world:town}}{# endif #}
}
