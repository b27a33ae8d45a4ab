package app

import "github.com/weft-memory/weft/weaver/diag"

// formatSource formats a template.
func formatSource(name, src string) (string, diag.List) {
	return src, nil
}
