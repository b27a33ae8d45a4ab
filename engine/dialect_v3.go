package engine

import (
	"encoding/json"
	"slices"

	"github.com/weft-memory/weft/lore"
)

// disabledPrompts lists the host's prompts that active entries of V3 cards
// switch off, each once; see Result.DisabledPrompts.
func (a *assembly) disabledPrompts() []string {
	var out []string
	for _, x := range a.list {
		if len(x.use.Ext) == 0 {
			continue
		}
		raw := x.use.Ext[lore.ExtDisablePrompt]
		switch x.fired.Outcome {
		case OutcomeBlock, OutcomeEmpty, OutcomeInjected: // an entry may consist of decorators alone
		default:
			continue
		}
		var name string
		if raw != nil && json.Unmarshal(raw, &name) == nil && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
