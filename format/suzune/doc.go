// Package suzune reads and writes Suzune's lorebooks: JSON files of one entry
// or a list of them, and the folder that holds a world.
//
// The folder has books in lorebooks/characters, worlds, shared and dynamics, and
// a YAML file for each character that names its books by their bare file names.
// A bare name is looked up in the whole tree below lorebooks/; two files of one
// name are reported, and nothing outside the folder can be reached. The shared
// timeline is an ordinary book.
//
//	table, err := format.NewTable(suzune.Codecs()...)
//	if err != nil {
//		return err
//	}
//	doc, report, err := format.Read(ctx, table, format.Dir("valley"))
//	if err != nil {
//		return err
//	}
//	for _, b := range doc.Bindings {
//		fmt.Println(b.Name, b.Books)
//	}
//
// Suzune's priority is one ladder for two things, and smaller is more
// important. It is turned round at the door, where it becomes the canonical
// priority, and back on the way out; as it stands it is the insertion order.
package suzune
