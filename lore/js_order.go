package lore

import (
	"cmp"
	"slices"
	"strconv"
)

// JSKeyOrder returns the keys of a JSON object in the order in which JavaScript
// visits them: whole numbers first, ascending, then the others as they stand.
// SillyTavern takes the entries of a world file in this order.
func JSKeyOrder(keys []string) []string {
	out := slices.Clone(keys)
	slices.SortStableFunc(out, func(a, b string) int {
		x, xok := JSArrayIndex(a)
		y, yok := JSArrayIndex(b)
		switch {
		case xok && yok:
			return cmp.Compare(x, y)
		case xok:
			return -1
		case yok:
			return 1
		}
		return 0
	})
	return out
}

// JSArrayIndex reads a key that JavaScript takes for an array index: a whole
// number below 2^32 - 1, written without anything around it.
func JSArrayIndex(s string) (uint64, bool) {
	n, err := strconv.ParseUint(s, 10, 32)
	return n, err == nil && n < 1<<32-1 && strconv.FormatUint(n, 10) == s
}
