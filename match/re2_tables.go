package match

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// notWordBody is \W for use inside of brackets.
var notWordBody = sync.OnceValue(func() string {
	var b strings.Builder
	for _, r := range complement(tableRanges(wordTables)) {
		fmt.Fprintf(&b, `\x{%X}-\x{%X}`, r.lo, r.hi)
	}
	return b.String()
})

// derivedProperties are the properties made of others that Unicode defines
// and patterns use.
var derivedProperties = map[string][]*unicode.RangeTable{
	"alphabetic": {unicode.L, unicode.Nl, unicode.Other_Alphabetic},
	"uppercase":  {unicode.Lu, unicode.Other_Uppercase},
	"lowercase":  {unicode.Ll, unicode.Other_Lowercase},
	"upper":      {unicode.Lu, unicode.Other_Uppercase},
	"lower":      {unicode.Ll, unicode.Other_Lowercase},
	"alpha":      {unicode.L, unicode.Nl, unicode.Other_Alphabetic},
	"space":      {unicode.White_Space},
	"any":        {{R32: []unicode.Range32{{Lo: 0, Hi: unicode.MaxRune, Stride: 1}}}},
	"ascii":      {{R16: []unicode.Range16{{Lo: 0, Hi: 0x7f, Stride: 1}}}},
	"cased":      {unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase},
}

// propertyTables finds a general category, script or property by name, without
// regard to case, spaces, hyphens and underscores.
func propertyTables(name string) ([]*unicode.RangeTable, bool) {
	plain := plainName(name)
	if plain == "" {
		return nil, false
	}
	if t, ok := propertyNames()[plain]; ok {
		return t, true
	}
	return nil, false
}

// nativeProperty reports whether package regexp knows the name as it stands,
// for which it has tables of cases ready.
func nativeProperty(name string) bool {
	if strings.Contains(name, "_") {
		return false
	}
	return unicode.Categories[name] != nil || unicode.Scripts[name] != nil
}

func plainName(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", " ", "", "-", "").Replace(s))
}

var propertyNames = sync.OnceValue(func() map[string][]*unicode.RangeTable {
	names := map[string][]*unicode.RangeTable{}
	for _, tables := range []map[string]*unicode.RangeTable{unicode.Properties, unicode.Scripts, unicode.Categories} {
		for name, t := range tables {
			names[plainName(name)] = []*unicode.RangeTable{t}
		}
	}
	for alias, name := range unicode.CategoryAliases {
		names[plainName(alias)] = []*unicode.RangeTable{unicode.Categories[name]}
	}
	for name, t := range derivedProperties {
		names[name] = t
	}
	return names
})

// tableRanges returns the ranges of the tables together, sorted and merged,
// without surrogates, which no text holds.
func tableRanges(tables []*unicode.RangeTable) []jsRange {
	var all []jsRange
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			all = append(all, jsRange{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			all = append(all, jsRange{r, r})
		}
	}
	for _, t := range tables {
		for _, r := range t.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	slices.SortFunc(all, func(a, b jsRange) int { return cmp.Compare(a.lo, b.lo) })
	merged := all[:0]
	for _, r := range all {
		if n := len(merged); n > 0 && r.lo <= merged[n-1].hi+1 {
			merged[n-1].hi = max(merged[n-1].hi, r.hi)
		} else {
			merged = append(merged, r)
		}
	}
	return merged
}
