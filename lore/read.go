package lore

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/weft-memory/weft/internal/suggest"
	"github.com/weft-memory/weft/weaver/diag"
)

// reader turns nodes into field values and reports what does not fit, by the
// name of the field, with what was expected.
type reader struct {
	*problems
	doc *document
	// where stands before each message: "entry \"mill\": " in a file that
	// holds many entries.
	where string
}

func (r *reader) report(n *yaml.Node, sev diag.Severity, code, message, hint string) {
	if len(r.list) >= maxProblems {
		r.skipped++ // finding the place costs time
		return
	}
	r.at(sev, code, r.doc.span(n), r.where+message, hint)
}

func (r *reader) fail(n *yaml.Node, code, hint, format string, args ...any) {
	r.report(n, diag.Error, code, fmt.Sprintf(format, args...), hint)
}

func (r *reader) warn(n *yaml.Node, code, hint, format string, args ...any) {
	r.report(n, diag.Warning, code, fmt.Sprintf(format, args...), hint)
}

// expected reports a value of the wrong type.
func (r *reader) expected(n *yaml.Node, field, want, hint string) {
	r.fail(n, codeType, hint, "%s: expected %s, got %s", field, want, kindName(resolve(n)))
}

// text reads a scalar as it is written: a number or a truth value is text too.
func (r *reader) text(n *yaml.Node, field string) (string, bool) {
	v := resolve(n)
	if v.Kind != yaml.ScalarNode {
		r.expected(n, field, "a text", "")
		return "", false
	}
	return v.Value, true
}

func (r *reader) word(n *yaml.Node, field string, words ...string) (string, bool) {
	s, ok := r.text(n, field)
	if !ok {
		return "", false
	}
	if !slices.Contains(words, s) {
		r.fail(n, codeValue, didYouMean(s, words), "%s: %q is none of %s", field, shorten(s), strings.Join(words, ", "))
		return "", false
	}
	return s, true
}

func (r *reader) boolean(n *yaml.Node, field string) (value, ok bool) {
	v := resolve(n)
	if v.Kind == yaml.ScalarNode && v.Tag == "!!bool" {
		return strings.EqualFold(v.Value, "true"), true
	}
	hint := ""
	switch strings.ToLower(v.Value) {
	case "yes", "on", "y", "true", "1":
		hint = "write true, without quotes"
	case "no", "off", "n", "false", "0":
		hint = "write false, without quotes"
	}
	r.expected(n, field, "true or false", hint)
	return false, false
}

func (r *reader) integer(n *yaml.Node, field string, lo, hi int) (int, bool) {
	v := resolve(n)
	i, err := 0, error(nil)
	switch {
	case v.Kind != yaml.ScalarNode || v.Tag != "!!int":
		hint := ""
		if _, err := strconv.Atoi(v.Value); err == nil {
			hint = "remove the quotes"
		}
		r.expected(n, field, "a whole number", hint)
		return 0, false
	case len(v.Value) < 10 && (v.Value[0] != '0' || v.Value == "0"):
		if i, err = strconv.Atoi(v.Value); err == nil {
			break
		}
		fallthrough
	default:
		if err = v.Decode(&i); err != nil {
			r.fail(n, codeValue, "", "%s: %s is too large", field, v.Value)
			return 0, false
		}
	}
	if i < lo || i > hi {
		r.outOfRange(n, field, v.Value, lo, hi)
		return 0, false
	}
	return i, true
}

func (r *reader) outOfRange(n *yaml.Node, field, value string, lo, hi int) {
	switch {
	case hi < maxCount:
		r.fail(n, codeValue, "", "%s: %s is outside %d to %d", field, value, lo, hi)
	case lo == 0:
		r.fail(n, codeValue, "", "%s: %s must not be negative or above %d", field, value, hi)
	default:
		r.fail(n, codeValue, "", "%s: %s is outside %d to %d", field, value, lo, hi)
	}
}

// maxCount bounds counts: turns, messages, tokens.
const maxCount = math.MaxInt32

func (r *reader) count(n *yaml.Node, field string) (int, bool) {
	return r.integer(n, field, 0, maxCount)
}

func (r *reader) number(n *yaml.Node, field string, lo, hi float64) (float64, bool) {
	v := resolve(n)
	var f float64
	if v.Kind != yaml.ScalarNode || (v.Tag != "!!int" && v.Tag != "!!float") || v.Decode(&f) != nil {
		hint := ""
		if strings.HasSuffix(v.Value, "%") {
			hint = "write the number without %"
		} else if _, err := strconv.ParseFloat(v.Value, 64); err == nil {
			hint = "remove the quotes"
		}
		r.expected(n, field, "a number", hint)
		return 0, false
	}
	if !(f >= lo && f <= hi) { // also catches NaN
		r.fail(n, codeValue, "", "%s: %s is outside %g to %g", field, v.Value, lo, hi)
		return 0, false
	}
	return f, true
}

// items reads a list.
func (r *reader) items(n *yaml.Node, field, of string) ([]*yaml.Node, bool) {
	v := resolve(n)
	if v.Kind != yaml.SequenceNode {
		hint := ""
		if v.Kind == yaml.ScalarNode {
			hint = fmt.Sprintf("write %s: [%s]", field, shorten(v.Value))
		}
		r.expected(n, field, "a list of "+of, hint)
		return nil, false
	}
	return v.Content, true
}

func (r *reader) texts(n *yaml.Node, field string) []string {
	items, _ := r.items(n, field, "texts")
	list := make([]string, 0, len(items))
	for i, item := range items {
		if s, ok := r.text(item, fmt.Sprintf("%s[%d]", field, i)); ok {
			list = append(list, s)
		}
	}
	return list
}

// mapping calls read for each pair; read returns false for a name that it does
// not know, which is reported.
func (r *reader) mapping(n *yaml.Node, field string, names []string, read func(name, field string, v *yaml.Node)) bool {
	v := resolve(n)
	if v.Kind != yaml.MappingNode {
		r.expected(n, field, "a mapping with "+strings.Join(names, ", "), "")
		return false
	}
	for i := 0; i+1 < len(v.Content); i += 2 {
		name := resolve(v.Content[i]).Value
		if !slices.Contains(names, name) {
			r.fail(v.Content[i], codeUnknown, didYouMean(name, names),
				"%s has no field %q, only %s", field, shorten(name), strings.Join(names, ", "))
			continue
		}
		if value := v.Content[i+1]; !isNull(resolve(value)) {
			read(name, field+"."+name, value)
		}
	}
	return true
}

// slot reads a slot: a word, at_depth(N), {at_depth: N} or !at_depth N.
func (r *reader) slot(n *yaml.Node, field string) (Slot, bool) {
	v := resolve(n)
	switch {
	case v.Kind == yaml.ScalarNode && v.Tag == "!at_depth":
		depth, err := strconv.Atoi(strings.TrimSpace(v.Value))
		if err != nil || depth < 0 || depth > maxCount {
			r.fail(n, codeValue, "as in !at_depth 4", "%s: the depth must be a whole number from 0, got %q", field, shorten(v.Value))
			return "", false
		}
		return AtDepth(depth), true
	case v.Kind == yaml.MappingNode && len(v.Content) == 2 && resolve(v.Content[0]).Value == "at_depth":
		depth, ok := r.count(v.Content[1], field+".at_depth")
		return AtDepth(depth), ok
	case v.Kind != yaml.ScalarNode:
		r.expected(n, field, "a slot", "a slot is a word such as backdrop, or !at_depth 4")
		return "", false
	case strings.HasPrefix(v.Tag, "!") && !strings.HasPrefix(v.Tag, "!!"):
		r.fail(n, codeValue, didYouMean(v.Tag, []string{"!at_depth"}), "%s: unknown tag %s", field, v.Tag)
		return "", false
	}
	s, err := ParseSlot(v.Value)
	if err != nil {
		r.fail(n, codeValue, "", "%s: %s", field, strings.TrimPrefix(err.Error(), "slot "))
		return "", false
	}
	return s, true
}

// amount reads a number with a unit: 12, "12%", {n: 12, unit: percent}.
func (r *reader) amount(n *yaml.Node, field string, unit Unit, units ...Unit) (*Amount, bool) {
	v := resolve(n)
	names := make([]string, len(units))
	for i, u := range units {
		names[i] = string(u)
	}
	switch {
	case v.Kind == yaml.ScalarNode && v.Tag == "!!int":
		i, ok := r.count(n, field)
		return &Amount{N: float64(i), Unit: unit}, ok
	case v.Kind == yaml.ScalarNode && v.Tag == "!!str":
		text, percent := strings.CutSuffix(strings.TrimSpace(v.Value), "%")
		if f, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil && percent && slices.Contains(units, UnitPercent) {
			if !(f >= 0 && f <= 100) {
				r.fail(n, codeValue, "", "%s: %s is outside 0%% to 100%%", field, v.Value)
				return nil, false
			}
			return Percent(f), true
		}
	case v.Kind == yaml.MappingNode:
		a := &Amount{Unit: unit}
		given, bad := false, len(r.list)+r.skipped
		r.mapping(n, field, []string{"n", "unit"}, func(name, field string, v *yaml.Node) {
			if name == "n" {
				a.N, given = r.number(v, field, 0, maxCount)
			} else if u, ok := r.word(v, field, names...); ok {
				a.Unit = Unit(u)
			}
		})
		if bad != len(r.list)+r.skipped {
			return nil, false
		}
		if !given {
			r.fail(n, codeMissing, "as in {n: 12, unit: "+names[0]+"}", "%s: n is missing", field)
			return nil, false
		}
		if a.Unit == UnitPercent && a.N > 100 {
			r.fail(n, codeValue, "", "%s: %g is outside 0 to 100 percent", field, a.N)
			return nil, false
		}
		return a, true
	}
	want := "a whole number"
	if slices.Contains(units, UnitPercent) {
		want += `, a percentage such as "12%"`
	}
	r.expected(n, field, want+" or {n, unit}", "")
	return nil, false
}

func amountNode(a *Amount, plain Unit) *yaml.Node {
	switch {
	case a == nil:
		return nil
	case a.Unit == plain && a.N == math.Trunc(a.N):
		return numberNode(a.N)
	case a.Unit == UnitPercent:
		return textNode(strconv.FormatFloat(a.N, 'f', -1, 64) + "%")
	}
	n := mapNode("n", numberNode(a.N), "unit", textNode(string(a.Unit)))
	n.Style = yaml.FlowStyle
	return n
}

func slotNode(s Slot) *yaml.Node {
	if s == "" {
		return nil
	}
	if n, ok := s.Depth(); ok {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!at_depth", Style: yaml.TaggedStyle, Value: strconv.Itoa(n)}
	}
	return textNode(string(s))
}

// didYouMean returns a hint with the nearest of the names, or "".
func didYouMean(got string, names []string) string {
	if best := nearest(got, names); best != "" {
		return fmt.Sprintf("did you mean %s?", best)
	}
	return ""
}

// nearest returns the name that got was probably meant to be, or "".
func nearest(got string, names []string) string {
	best, most := "", 3
	if len(got) < 6 {
		most = 2
	}
	if len(got) < 3 || len(got) > 40 {
		return ""
	}
	folded := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(got))
	for _, name := range names {
		if d := editDistance(folded, name, most); d < most {
			best, most = name, d
		}
	}
	return best
}

// editDistance is the distance in bytes, up to most.
func editDistance(a, b string, most int) int {
	if len(a)-len(b) >= most || len(b)-len(a) >= most {
		return most
	}
	return suggest.Distance([]byte(a), []byte(b))
}
