package app

import (
	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/weaver/diag"
)

// assembleReport is the output of `weft assemble --json`. Fields are added,
// never removed or given another meaning, as long as Version stays.
type assembleReport struct {
	Version  int               `json:"version"`
	Turn     int               `json:"turn"`
	Books    []bookInfo        `json:"books"`
	Messages int               `json:"messages"`
	Names    map[string]string `json:"names"`
	Seed     uint64            `json:"seed"`
	// Tokens is the size of all blocks, Tokenizer how it was counted.
	Tokens    int    `json:"tokens"`
	Tokenizer string `json:"tokenizer"`
	// Context is the context window that percentages were taken of.
	Context int `json:"context"`
	// Blocks are the texts for the prompt, in order.
	Blocks []engine.Block `json:"blocks"`
	// Problems are what went wrong in the assembly, Findings what the readers
	// of the books and of the chat reported.
	Problems []engine.Problem `json:"problems"`
	Findings diag.List        `json:"findings"`
	// Budgets are the bounds that applied.
	Budgets []engine.BudgetUse `json:"budgets"`
	// Trace is there with --trace; Why with --why.
	Trace *engine.Trace `json:"trace,omitempty"`
	Why   []whyReport   `json:"why,omitempty"`
}

// whyReport is the answer to one --why.
type whyReport struct {
	Book    string `json:"book,omitempty"`
	Entry   string `json:"entry"`
	Present bool   `json:"present"`
	// Text is the explanation in words.
	Text string `json:"text"`
	// Fired is there if the entry was active, Absent if it is not in the prompt.
	Fired  *engine.Fired   `json:"fired,omitempty"`
	Absent *engine.Absence `json:"absent,omitempty"`
}

func (a *assembly) report() assembleReport {
	r := assembleReport{
		Version: 1, Turn: a.result.State.Turn, Messages: len(a.messages), Seed: a.input.Seed,
		Names:     map[string]string{"char": a.input.Character.Name, "user": a.input.User},
		Tokenizer: a.counter, Context: a.input.Context,
		Blocks:   append([]engine.Block{}, a.result.Blocks...),
		Problems: append([]engine.Problem{}, a.result.Problems...),
		Findings: append(diag.List{}, a.findings...),
		Budgets:  []engine.BudgetUse{},
	}
	for _, b := range a.books {
		r.Books = append(r.Books, bookInfo{b.ID, b.Name, b.Policy.Name, len(b.Entries)})
	}
	for _, b := range a.result.Blocks {
		r.Tokens += b.Tokens
	}
	if t := a.result.Trace; t != nil {
		r.Budgets = append(r.Budgets, t.Budgets...)
		if a.cmd.Trace {
			r.Trace = t
		}
	}
	for _, ref := range a.input.Why {
		w := a.why(ref)
		r.Why = append(r.Why, whyReport{
			Book: w.book, Entry: ref.Entry, Present: w.present, Text: w.text, Fired: w.fired, Absent: w.absent,
		})
	}
	return r
}
