package store

import "encoding/json"

// orEmpty returns JSON as it is stored: {} for nil. What is no JSON is Invalid.
func orEmpty(what string, raw json.RawMessage) ([]byte, error) {
	if len(raw) == 0 {
		return []byte("{}"), nil
	}
	if !json.Valid(raw) {
		return nil, Errorf(Invalid, "the %s are no JSON", what)
	}
	return raw, nil
}

// orNull returns a pointer for a column that may be null: nil for "".
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func (c If) check(what string, version int64) error {
	if c != 0 && int64(c) != version {
		return Errorf(Conflict, "%s was changed since: it has version %d, not %d", what, version, int64(c))
	}
	return nil
}
