package search

// Config holds the weights of a search. The score of a document is a sum;
// scores of words are scaled so that the best match of words has 1, and the
// other weights are in that unit.
//
// The defaults are round figures, each kept unless another was better on the
// conversations and scenes in internal/bench/retrieval/testdata by more than a
// question or two; docs/search.md tells what was tried.
type Config struct {
	// K1 says how fast further occurrences of a word lose value, B how much a
	// long text is held against it (0 not at all, 1 fully). Default to 1.2
	// and 0.75.
	K1, B float64
	// Fields are the weights of an entry's fields against its text.
	Fields FieldWeights
	// Previous and Next are the weights of the words of the message before and
	// after a message. Default to 0.5 and 0.3.
	Previous, Next float64
	// Author is for messages of a person whom the query names, times the share
	// of messages that are not hers. Defaults to 0.5.
	Author float64
	// Via passes on the score of an entry to the messages that it was made
	// from, Summary that of a summary. Default to 0.6 and 0.3.
	Via, Summary float64
	// Group is for messages whose scene has other good messages. Defaults to
	// 0.3.
	Group float64
	// Dense is the weight of likeness by vectors, from -1 to 1. Where the
	// model averages words, it falls with the length of the query. Defaults to
	// 0.4.
	Dense float64
	// Time is for texts that name a time, if the query asks for one. Defaults
	// to 0.15.
	Time float64
	// Recency is what the newest message has before the oldest, Usage what the
	// most used document has before an unused one. They only break near ties:
	// default to 0.01.
	Recency, Usage float64
	// Repeat says how fast a word loses value that a query repeats. Defaults
	// to 1.
	Repeat float64
}

// FieldWeights are the weights of the fields of an entry against its text.
type FieldWeights struct {
	Text, Name, Aliases, Keys, Extra float64
}

// DefaultConfig returns the default weights.
func DefaultConfig() Config {
	return Config{
		K1: 1.2, B: 0.75,
		Fields:   FieldWeights{Text: 1, Name: 2, Aliases: 1.5, Keys: 1, Extra: 0.5},
		Previous: 0.5, Next: 0.3,
		Author: 0.5, Via: 0.6, Summary: 0.3, Group: 0.3, Dense: 0.4, Time: 0.15,
		Recency: 0.01, Usage: 0.01, Repeat: 1,
	}
}

func (c *Config) fields() [fields]float32 {
	return [fields]float32{
		fieldText: float32(c.Fields.Text), fieldName: float32(c.Fields.Name), fieldAlias: float32(c.Fields.Aliases),
		fieldKey: float32(c.Fields.Keys), fieldExtra: float32(c.Fields.Extra),
	}
}
