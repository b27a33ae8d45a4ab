package memory

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weft-memory/weft/lore"
)

// Entries with few fields, as sidecars make them, are read and taken apart here:
// it takes a tenth of the time. Package lore knows all others.

// readEntry reads an entry of Weft's own JSON.
func readEntry(raw json.RawMessage) (*lore.Entry, error) {
	if e, ok := readPlainEntry(raw); ok {
		return e, nil
	}
	return lore.UnmarshalEntry(raw)
}

var errNotPlain = errors.New("not plain")

func readPlainEntry(raw json.RawMessage) (*lore.Entry, bool) {
	e := lore.NewEntry("", "")
	seen := 0
	err := members(raw, func(name string, raw json.RawMessage) (err error) {
		bit := 0
		var to *string
		switch name {
		case "id":
			bit, to = 1, &e.ID
		case "name":
			bit, to = 2, &e.Name
		case "content":
			bit, to = 4, &e.Content
		case "folder":
			bit, to = 8, &e.Folder
		case "comment":
			bit, to = 16, &e.Comment
		case "type":
			bit, to = 32, &e.Type
		case "tags":
			bit = 64
		case "keywords", fieldKeys:
			bit = 128
		}
		if bit == 0 || seen&bit != 0 || raw[0] != '"' && raw[0] != '[' {
			return errNotPlain
		}
		seen |= bit
		if to != nil {
			if raw[0] != '"' {
				return errNotPlain
			}
			*to, err = text(raw)
			return err
		}
		var words []string
		err = list(raw, func(item json.RawMessage) error {
			if item[0] != '"' {
				return errNotPlain
			}
			s, err := text(item)
			words = append(words, s)
			return err
		})
		if err != nil || len(words) == 0 {
			return errNotPlain
		}
		if name == "tags" {
			e.Tags = words
		} else {
			e.Keys = lore.LiteralKeys(words...)
		}
		return nil
	})
	return e, err == nil && strings.TrimSpace(e.ID) != ""
}

var nothingElse = lore.NewEntry("", "")

// plainFields returns the fields of an entry as [fieldsOfEntry] does, if it has
// few.
func plainFields(e *lore.Entry) ([]field, bool) {
	rest := *e
	rest.ID, rest.Name, rest.Comment, rest.Type, rest.Folder, rest.Content, rest.Tags, rest.Keys = "", "", "", "", "", "", nil, nil
	rest.Origin = lore.Origin{}
	if !reflect.DeepEqual(&rest, nothingElse) {
		return nil, false
	}
	keys := make([]string, len(e.Keys))
	for i, k := range e.Keys {
		if k != (lore.Key{Text: k.Text, Kind: lore.KeyLiteral}) {
			return nil, false
		}
		keys[i] = k.Text
	}
	out := make([]field, 0, 6)
	for _, f := range []struct{ name, text string }{{"name", e.Name}, {"comment", e.Comment}, {"type", e.Type}, {fieldFolder, e.Folder}} {
		if !utf8.ValidString(f.text) {
			return nil, false // package lore refuses it
		}
		if f.text != "" {
			out = append(out, field{f.name, quoted(f.text)})
		}
	}
	for _, f := range []struct {
		name  string
		texts []string
	}{{"tags", e.Tags}, {fieldKeys, keys}} {
		if slices.ContainsFunc(f.texts, func(s string) bool { return !utf8.ValidString(s) }) {
			return nil, false
		}
		if len(f.texts) > 0 {
			out = append(out, field{f.name, encodeJSON(f.texts)})
		}
	}
	return out, true
}
