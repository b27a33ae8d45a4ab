package engine

import (
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/match"
)

// rule names how a key is compared, for the trace.
func (k *key) rule() string {
	switch {
	case k.re != nil && k.kind == lore.KeyJS:
		return "js"
	case k.re != nil:
		return "re2"
	}
	return ruleNames[keyRule{k.lit.Fold(), k.lit.Words()}]
}

// ruleNames are the names of all rules for literal keys.
var ruleNames = func() map[keyRule]string {
	words := map[match.Words]string{
		match.Substring:        "substring",
		match.WholeWordUnicode: "whole words",
		match.WholeWordPhrase:  "whole words and phrases",
		match.WholeWordASCII:   "whole words (ASCII)",
		match.WholeWordSpaces:  "between spaces",
		match.WholeWordNovelAI: "word borders at letters",
		match.GlobAgnai:        "glob",
	}
	out := make(map[keyRule]string)
	for _, fold := range []match.Fold{match.FoldNone, match.FoldLower, match.FoldNFKC, match.FoldNFKCNoAccents} {
		for w, name := range words {
			out[keyRule{fold, w}] = fold.String() + ", " + name
			spaceless := fold | match.FoldNoSpaces
			out[keyRule{spaceless, w}] = spaceless.String() + ", " + name
		}
	}
	return out
}()
