package storetest

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"io"
	"strings"
)

// holds reports whether a value of a row, as a backup writes it, holds a text,
// also if it is compressed: then it begins with a byte 1.
func holds(value any, text string) bool {
	switch v := value.(type) {
	case string:
		return strings.Contains(v, text)
	case map[string]any:
		encoded, _ := v["b"].(string)
		raw, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(raw) == 0 {
			return false
		}
		if bytes.Contains(raw, []byte(text)) {
			return true
		}
		if raw[0] != 1 {
			return false
		}
		plain, err := io.ReadAll(flate.NewReader(bytes.NewReader(raw[1:])))
		return err == nil && bytes.Contains(plain, []byte(text))
	}
	return false
}
