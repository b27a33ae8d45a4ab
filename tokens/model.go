package tokens

import "strings"

// Encoding names a vocabulary of the OpenAI families.
type Encoding string

// The encodings with an exact counter.
const (
	O200kBase  Encoding = "o200k_base"  // GPT-4o, GPT-4.1, GPT-5, o-series, gpt-oss
	Cl100kBase Encoding = "cl100k_base" // GPT-4, GPT-3.5, text-embedding-3 and ada-002
	P50kBase   Encoding = "p50k_base"   // text-davinci-002 and -003, Codex
	R50kBase   Encoding = "r50k_base"   // GPT-2, the first GPT-3 models and what was built on their vocabulary
)

// modelPrefixes lists model families, the more special name before the more
// general one. The rest of a model's name (a date, "-mini", a quantisation)
// does not matter.
var modelPrefixes = []struct {
	prefix   string
	encoding Encoding
}{
	{"gpt-4o", O200kBase},
	{"gpt-4.1", O200kBase},
	{"gpt-4.5", O200kBase},
	{"chatgpt-4o", O200kBase},
	{"gpt-4", Cl100kBase},
	{"gpt-3.5", Cl100kBase},
	{"gpt-35", Cl100kBase},
	{"gpt-oss", O200kBase},
	{"gpt-2", R50kBase},
	{"gpt2", R50kBase},
	{"gpt-5", O200kBase},
	{"codex-mini", O200kBase},
	{"o1", O200kBase},
	{"o3", O200kBase},
	{"o4", O200kBase},
	{"text-embedding-3", Cl100kBase},
	{"text-embedding-ada-002", Cl100kBase},
	{"davinci-002", Cl100kBase},
	{"babbage-002", Cl100kBase},
	{"text-davinci-002", P50kBase},
	{"text-davinci-003", P50kBase},
	{"code-davinci", P50kBase},
	{"code-cushman", P50kBase},
	{"davinci", R50kBase},
	{"curie", R50kBase},
	{"babbage", R50kBase},
	{"ada", R50kBase},
}

// EncodingOf returns the encoding that the model of this name uses, and false
// if the package has none for it. Case does not matter; a provider in front
// ("openai/gpt-4o") and the mark of a fine-tuned model ("ft:gpt-4o:org::id")
// are skipped. A family name must end where a word ends, so "o10" is not "o1".
func EncodingOf(model string) (Encoding, bool) {
	name := strings.ToLower(strings.TrimSpace(model))
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	name = strings.TrimPrefix(name, "ft:")
	for _, family := range modelPrefixes {
		rest, ok := strings.CutPrefix(name, family.prefix)
		if ok && (rest == "" || !isWordByte(rest[0])) {
			return family.encoding, true
		}
	}
	return "", false
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_'
}

// ForModel returns the counter for a model: an exact one if its family is
// known, otherwise [Estimate]. It never returns nil and does not load anything
// until the first count. Ask [EncodingOf] whether the counts will be exact.
func ForModel(model string) Counter {
	encoding, ok := EncodingOf(model)
	if !ok {
		return Estimate()
	}
	counter, err := ForEncoding(encoding)
	if err != nil {
		return Estimate()
	}
	return counter
}
