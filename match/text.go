package match

// TrimJS cuts JavaScript white space from both ends, as String.prototype.trim.
func TrimJS(s string) string { panic("not yet") }

// IsSpaceJS reports whether r is JavaScript white space: Unicode space
// separators, tab, line ends, vertical tab, form feed, BOM; not U+0085.
func IsSpaceJS(r rune) bool { panic("not yet") }

// ToLowerJS lower-cases as String.prototype.toLowerCase: the full mapping
// independent of locale, with the final sigma and İ as i and U+0307.
func ToLowerJS(s string) string { panic("not yet") }

// LenUTF16 returns the length in UTF-16 code units.
func LenUTF16(s string) int { panic("not yet") }
