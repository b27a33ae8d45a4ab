package lore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Policies returns all policies that have a name, the weaver dialect first.
func Policies() []Policy {
	return []Policy{
		PolicyWeaver(), PolicySuzune(), PolicySillyTavern(), PolicySillyTavern119(), PolicyCharaCardV3(),
		PolicyRisu(), PolicyNovelAI(), PolicyAgnai(), PolicyKobold(), PolicyAIDungeon(),
		PolicyChub(), PolicyJanitor(), PolicyBackyard(),
	}
}

// PolicyByName returns the policy with this name, such as "suzune".
func PolicyByName(name string) (Policy, bool) {
	for _, p := range Policies() {
		if p.Name == name {
			return p, true
		}
	}
	return Policy{}, false
}

func policyNames() []string {
	list := Policies()
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.Name
	}
	return names
}

// changePolicy sets the choices that a JSON object names.
func changePolicy(p *Policy, raw json.RawMessage) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	err := dec.Decode(p)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		return fmt.Errorf("%s: expected %s, got %s", wrong.Field, wrong.Type, wrong.Value)
	case err != nil && strings.HasPrefix(err.Error(), "json: unknown field "):
		name := strings.Trim(strings.TrimPrefix(err.Error(), "json: unknown field "), `"`)
		hint := nearest(name, sortedKeys(policyChoices(Policy{})))
		if hint != "" {
			hint = ", did you mean " + hint + "?"
		}
		return fmt.Errorf("there is no choice %q%s", name, hint)
	case err != nil:
		return err
	}
	return p.valid()
}

// valid returns an error if a choice is a word that nothing knows.
func (p *Policy) valid() error {
	for _, c := range []struct {
		name, value string
		words       []string
	}{
		{"language", string(p.Language), names(LangWeaver, LangBasic, LangTavern, LangRisu, LangPlain)},
		{"constants", string(p.Constants), names(ConstantsByPriority, ConstantsFirst, ConstantsAtEnd, ConstantsNoRule)},
		{"fold", string(p.Fold), names(FoldLower, FoldNFKC)},
		{"words", string(p.Words), names(WordsSubstring, WordsUnicode, WordsASCII, WordsRisu, WordsAgnai, WordsNovelAI)},
		{"timers", string(p.Timers), names(TimersTurns, TimersAfterSticky, TimersMessages)},
		{"strategy", string(p.Strategy), names("", StrategyEvenly, StrategyCharacterFirst, StrategyGlobalFirst)},
		{"decorators", string(p.Decorators), names(DecoratorsNone, DecoratorsTavern, DecoratorsV3, DecoratorsRisu)},
		{"scan_depth.unit", string(p.ScanDepth.Unit), names(UnitMessages, UnitChars, UnitTokens)},
		{"budget.unit", string(p.Budget.Unit), names("", UnitTokens, UnitChars, UnitPercent)},
	} {
		if !slices.Contains(c.words, c.value) {
			return fmt.Errorf("%s: %q is none of %s", c.name, c.value, strings.Join(c.words, ", "))
		}
	}
	return nil
}

func names[S ~string](list ...S) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}

// policyChoices returns the choices of a policy as JSON, by name.
func policyChoices(p Policy) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if raw, err := json.Marshal(p); err == nil {
		_ = json.Unmarshal(raw, &m)
	}
	return m
}

// policyChanges returns the choices in which p differs from base.
func policyChanges(base, p Policy) map[string]json.RawMessage {
	if base == p {
		return nil
	}
	m := policyChoices(p)
	for name, raw := range policyChoices(base) {
		if bytes.Equal(m[name], raw) {
			delete(m, name)
		}
	}
	return m
}
