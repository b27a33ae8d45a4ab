package stdlib

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/weft-memory/weft/weaver"
)

type jsonPrintArgs struct {
	Value  weaver.Value `weaver:"value" doc:"any value"`
	Indent int          `weaver:"indent" doc:"spaces for each level, at most 8; 0: all on one line"`
}

// parsedBytes is how much room a byte of JSON may take as a value: "[0,0,0]"
// has two bytes an item, which takes an interface and a value while it is
// read.
const parsedBytes = 24

func jsonProcessors() []weaver.Processor {
	return []weaver.Processor{
		fallible("json.parse", "Returns the value that a JSON text describes. Fails with host_error if it is not JSON.",
			func(ctx *weaver.Context, a textArgs) (weaver.Value, error) {
				if err := charge(ctx, len(a.Text), parsedBytes); err != nil {
					return none, err
				}
				var v weaver.Value
				if err := v.UnmarshalJSON([]byte(a.Text)); err != nil {
					return none, weaver.Errorf(weaver.HostError, "json.parse: %w", err)
				}
				return v, nil
			}),
		fallible("json.print", "Returns a value as JSON, with the keys of objects sorted. JSON has no infinite numbers: they become null.",
			func(ctx *weaver.Context, a jsonPrintArgs) (string, error) {
				indent := min(max(a.Indent, 0), 8)
				// A value of one byte takes a line of its own when indented.
				if err := charge(ctx, a.Value.Size(), 1+indent*a.Value.Depth()/8); err != nil {
					return "", err
				}
				compact := a.Value.AppendJSON(nil)
				if indent == 0 {
					return string(compact), nil
				}
				var out bytes.Buffer
				if err := json.Indent(&out, compact, "", strings.Repeat(" ", indent)); err != nil {
					return "", weaver.Errorf(weaver.HostError, "json.print: %w", err)
				}
				return out.String(), nil
			}),
	}
}
