package check

import (
	"fmt"
	"strings"

	"github.com/weft-memory/weft/internal/suggest"
)

// didYouMean returns the name that was meant, or "".
func didYouMean(s string, names []string) string { return suggest.Nearest(s, names) }

// quoted joins names for a sentence, at most n of them.
func quoted(names []string, n int) string {
	var b strings.Builder
	for i, name := range names {
		if i == n {
			fmt.Fprintf(&b, " and %d more", len(names)-n)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("\"" + name + "\"")
	}
	return b.String()
}
