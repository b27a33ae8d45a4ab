package server

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/server/internal/params"
	"github.com/weft-memory/weft/store"
)

// part answers with a part of a list that is made as a whole. Its cursor is a
// place in the list: what changes in front of it between two pages moves it.
func part[T, B any](list []T, p params.Paging, err error, each func(T) (B, error)) (*reply[api.Page[B]], error) {
	if err != nil {
		return nil, err
	}
	from, err := placeOf(p.Cursor)
	if err != nil {
		return nil, err
	}
	list = list[min(from, len(list)):]
	next := ""
	if len(list) > p.Limit {
		list, next = list[:p.Limit], cursorAt(from+p.Limit)
	}
	return pageOf(list, next, nil, each)
}

const placePrefix = "place:"

func cursorAt(place int) string {
	return base64.RawURLEncoding.EncodeToString([]byte(placePrefix + strconv.Itoa(place)))
}

func placeOf(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if number, ok := strings.CutPrefix(string(text), placePrefix); ok && err == nil {
		if n, err := strconv.Atoi(number); err == nil && n >= 0 {
			return n, nil
		}
	}
	return 0, store.Errorf(store.Invalid, "the cursor is none of this list: take what a page returned as next")
}
