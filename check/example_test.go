package check_test

import (
	"fmt"

	"github.com/weft-memory/weft/check"
	"github.com/weft-memory/weft/lore"
)

func Example() {
	book, err := lore.NewBook("harbour").
		Entry("ring", "The Ring of Starfall glows when somebody lies.", lore.Titled("Ring of Starfall"), lore.Keywords("ring")).
		Entry("vault", "Below the inn lies a vault. [[dor]]", lore.When("{{state:key}}")).
		Entry("door", "Its door has no handle.").
		Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range check.Book(book, check.Options{}) {
		fmt.Println(d.Severity, d.Code)
		fmt.Println("  " + d.Message)
		fmt.Println("  " + d.Hint)
	}
	// Output:
	// warning entry-unreachable
	//   entry "door": nothing can activate the entry: it has no keywords and no regex, is not constant, and nothing triggers or includes it
	//   add keywords, set constant: true, or trigger it from another entry
	// warning key-in-words
	//   entry "ring": the key "ring" also stands inside common words: "during", "bring", "wring", "boring", "rings", "ringing", "a boxing ring, ring the bell"
	//   use a longer key, such as "Ring of Starfall", or set whole_words: true
	// warning entry-unreachable
	//   entry "vault": nothing can activate the entry: a condition alone does not, it only holds back
	//   set constant: true to activate it whenever the condition holds, or add keywords
	// warning variable-unset
	//   entry "vault": the condition reads state:key, which nothing sets
	//   set it in a template ($[default_var("state:key", …)]), or pass the host's variables with --vars; provided namespaces: char, chat, user (read-only), local, state, temp (writable)
	// error reference-missing
	//   entry "vault": [[dor]]: the book "harbour" has no entry with this id
	//   did you mean "door"?
}
