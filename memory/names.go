package memory

import "encoding/json"

// encodeNames and decodeNames turn lists of names into JSON and back; an empty
// list is absent.
func encodeNames(names []string) json.RawMessage {
	if len(names) == 0 {
		return nil
	}
	return encodeJSON(names)
}

func decodeNames(raw json.RawMessage) []string {
	var names []string
	if json.Unmarshal(raw, &names) != nil {
		return nil
	}
	return names
}
