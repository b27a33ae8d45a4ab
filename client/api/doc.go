// Package api holds what the native API of Weft speaks: the bodies of its
// requests and answers. The server and the client share it.
//
// Ids are text. Times are microseconds since 1970 UTC. Seeds are decimal
// digits in a string, since they are larger than numbers in JavaScript. Entries,
// changes and traces are in the form of Weft's own JSON and stay raw here, so
// that a program of its own needs nothing else of Weft:
//
//	var entry struct {
//		ID      string `json:"id"`
//		Content string `json:"content"`
//	}
//	err := json.Unmarshal(info.Entry, &entry)
//
// A list is a page: Items, and Next, the cursor of the page behind it. An error
// is a [Problem].
package api
