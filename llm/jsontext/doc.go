// Package jsontext reads the JSON that language models write: inside prose and
// fences, with the faults of people and of broken-off answers, and with values
// that almost fit their schema.
//
// Three things can be done with it, each reported, none of them inventing a
// value:
//
//   - [Repair] turns one text into JSON. It changes syntax only: quotes, commas,
//     comments, brackets, escapes. It says what it did, and whether the text was
//     cut off; of a text that was cut off it keeps what is complete.
//   - [Schema.Coerce] brings values into the form that a schema asks for: "3"
//     becomes 3, one string becomes a list of one, letters of an enumeration get
//     their case.
//   - [Extract] finds the one value that is meant in a longer text: the last
//     complete one that fits the schema.
//
// A program that asks for an object with the field name:
//
//	schema, err := jsontext.Compile([]byte(`{"type":"object","required":["name"],
//		"properties":{"name":{"type":"string"}}}`))
//	…
//	found, err := jsontext.Extract("Sure! ```json\n{name: 'Isolde',}\n```", jsontext.Options{Schema: schema})
//	// found.JSON is {"name":"Isolde"}, found.Repairs says how it came to be.
//
// Text that is valid already keeps its value, and its bytes but for white space.
package jsontext
