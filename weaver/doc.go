// Package weaver is the template language of Weft: text with references,
// conditions, loops and calls, evaluated against a host.
//
// Three types matter. A [Template] is a compiled source; it is immutable and
// serves any number of goroutines. A [Host] is the world it reads and
// changes: variables, documents, triggers. A [Registry] holds the commands and
// processors that it may call.
//
//	tmpl, problems := weaver.Parse("gate.weaver",
//		"The gate of {{world:town}} is {# if world:open #}open{# else #}shut{# endif #}.")
//	if err := problems.Err(); err != nil {
//		log.Fatal(err) // every mistake of the source at once
//	}
//	host := &weaver.MapHost{Vars: map[string]map[string]weaver.Value{
//		"world": {"town": weaver.String("Vell"), "open": weaver.Bool(true)},
//	}}
//	result, err := tmpl.Render(ctx, host, weaver.Options{})
//	if err != nil {
//		log.Fatal(err) // a *weaver.Error with kind and place
//	}
//	fmt.Println(result.Text) // The gate of Vell is open.
//
// Values are of type [Value]: none, booleans, numbers, strings, arrays and
// objects. [ParseExpr] compiles a single expression, such as the condition of
// an entry, to an [Expr]. [NewCommand] and [NewProcessor] make callables of
// plain Go functions. [Format] brings a source into its usual form.
//
// Every evaluation is bounded: see [Limits]. Nothing that a template, a host
// or a callable does makes it panic or run away; it ends in an [Error] that
// says what, where and often what was meant.
//
// The language itself is described in docs/weaver.md.
package weaver
