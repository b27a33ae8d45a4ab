package store

import (
	"encoding/base64"
	"encoding/json"
)

// Page asks for a part of a list. The zero value asks for its first 100.
type Page struct {
	// Cursor is what the previous page returned; "" is the beginning.
	Cursor string
	// Limit is how many to return at most: 1 to 1,000. Defaults to 100.
	Limit int
}

// MaxPage is the largest [Page].Limit.
const MaxPage = 1000

// limit returns how many rows to return.
func (p Page) limit() int {
	switch {
	case p.Limit <= 0:
		return 100
	case p.Limit > MaxPage:
		return MaxPage
	}
	return p.Limit
}

// after reads the sort key of the last row of the previous page into keys,
// which are pointers; without a cursor they keep what they hold.
func (p Page) after(keys ...any) error {
	if p.Cursor == "" {
		return nil
	}
	text, err := base64.RawURLEncoding.DecodeString(p.Cursor)
	if err == nil {
		var raw []json.RawMessage
		if err = json.Unmarshal(text, &raw); err == nil && len(raw) == len(keys) {
			for i := range keys {
				if e := json.Unmarshal(raw[i], keys[i]); e != nil {
					err = e
				}
			}
			if err == nil {
				return nil
			}
		}
	}
	return Errorf(Invalid, "the cursor %q is none that this list gave", clip(p.Cursor))
}

// cut returns the rows of a page from a list that was read with one row more,
// and the cursor of the next.
func cut[T any](p Page, list []T, keys func(T) []any) ([]T, string) {
	n := p.limit()
	if len(list) <= n {
		return list, ""
	}
	list = list[:n]
	text, err := json.Marshal(keys(list[n-1]))
	if err != nil {
		return list, ""
	}
	return list, base64.RawURLEncoding.EncodeToString(text)
}
