package openai

import (
	"encoding/json"

	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/llm/jsontext"
)

// detailList gathers reasoning_details, in which hubs hand on signed or encrypted
// thoughts. The model wants them back with the results of its calls, unchanged.
type detailList struct {
	list   []map[string]json.RawMessage
	signed bool
}

// maxDetails bounds what is gathered.
const maxDetails = 256

// add takes the details of one piece. Pieces of a stream that have the number and
// the type of an earlier one go on with it.
func (d *detailList) add(raw json.RawMessage) {
	var pieces []map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &pieces) != nil {
		return
	}
	for _, p := range pieces {
		if str(p["signature"]) != "" || str(p["data"]) != "" {
			d.signed = true
		}
		if n := len(d.list); n > 0 && p["index"] != nil && string(d.list[n-1]["index"]) == string(p["index"]) && str(d.list[n-1]["type"]) == str(p["type"]) {
			last := d.list[n-1]
			for key, value := range p {
				switch key {
				case "text", "summary", "data":
					if joined, err := jsontext.Encode(str(last[key]) + str(value)); err == nil {
						last[key] = joined
					}
				default:
					if string(value) != "null" {
						last[key] = value
					}
				}
			}
			continue
		}
		if len(d.list) < maxDetails {
			d.list = append(d.list, p)
		}
	}
}

// keep keeps them with the answer, if anything in them is signed.
func (d *detailList) keep(a *llm.Assembler) {
	if !d.signed {
		return
	}
	if raw, err := jsontext.Encode(map[string]any{"reasoning_details": d.list}); err == nil {
		a.Keep("openai", raw)
	}
}
