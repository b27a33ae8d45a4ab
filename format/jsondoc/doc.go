// Package jsondoc reads JSON without losing a byte of it.
//
// A [Doc] keeps the text and lays a tree of [Value] handles over it. Nothing is
// converted on the way: numbers keep their spelling, members their order,
// strings their escapes, and a key that stands twice stands twice. Looking at
// a value decodes just that value.
//
// An [Editor] changes a document by splicing: what no edit touches stays as it
// is, byte for byte, white space included, and what is new is written in the
// document's own style (indentation, spacing, escapes). A [Tree] is JSON in
// memory, for values that are made and not read.
//
//	doc, err := jsondoc.Parse([]byte(`{"name": "Harbour", "depth": 4}`), jsondoc.Limits{})
//	if err != nil {
//		return err // with line and column
//	}
//	edit := doc.Edit()
//	edit.Set(doc.Root(), "depth", jsondoc.Int(6))
//	fmt.Println(edit.String()) // {"name": "Harbour", "depth": 6}
//
// The limits on size, depth and number of values make it safe to parse what
// strangers send.
package jsondoc
