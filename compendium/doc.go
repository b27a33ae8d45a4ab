// Package compendium is typed knowledge of a world: characters, locations,
// organizations, events, plots, threats, items, powers, rules and cultures as
// data with fields, instead of blobs of text.
//
// A model that watches a story calls a tool with what is new. [Coerce] makes a
// [Patch] of whatever it sent, [Merge] puts that into the [Entry], and a [World]
// of entries answers questions:
//
//	p, err := compendium.Coerce(compendium.Character, args) // what the model sent
//	if err != nil {
//		return err.Error() // one sentence for the model
//	}
//	e, res := compendium.Merge(known, p, compendium.Context{
//		Source: compendium.Source{By: compendium.BySidecar, Node: "m12", Turn: 12},
//		Resolver: world,
//	})
//	world = world.With(e)
//	fmt.Println(res.Sentence(e))          // ok: updated character Valen (location, mood)
//	fmt.Println(world.WhereIsEveryone())  // and so on
//	fmt.Println((&compendium.Renderer{World: world}).Render(e, compendium.Brief))
//
// Everything here is a function of values: no model, no clock, no database, no
// randomness. Equal arguments give equal bytes.
//
// # One definition
//
// The tables of [Field] in schema_types.go define the types. Coercion, merging,
// JSON Schema ([JSONSchema]), tools ([RecordTools]), rendering, the graph and
// the knowledge scopes are read off them, so a new field is one line. Values are
// held in [Object]s. A reference is a [Ref], a time a [Moment]; both are stored
// as one string. The rows of a list are stored by their key, in normal form:
// "Brothers in Arms" and "Brothers-in-Arms" are one row. Paths name values:
// current_state.location, relationships[sera|romance].status.
//
// # It is a lorebook entry
//
// [Entry.ToLore] gives an ordinary entry of a lorebook, with keys from its name
// and aliases and its description for content; the typed data stands in its
// field [FieldName]. [FromLore] reads it back, without loss. [Present] gives the
// entry as a prompt gets it: rendered, for a viewer. [Convert] makes a typed
// entry of a plain one as far as rules can.
//
// # It lives in a log
//
// A [Result] holds the change as fields of that lorebook entry, down to the
// single value and nothing beside it ([PatchOf]), which is what operations of
// package memory are made of: swiping a reply away, deleting a message or
// editing by hand touches what it is about and leaves the rest alone.
//
// # Who knows what
//
// An entry, an alias, a row or a value has a [Scope]. [World.For] returns the
// world as a [Viewer] knows it; whatever is made of that world cannot tell what
// they do not know.
package compendium
