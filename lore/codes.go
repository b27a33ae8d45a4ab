package lore

import (
	"strings"

	"github.com/weft-memory/weft/weaver/diag"
)

// The codes of findings about books. Those of templates are package weaver's.
const (
	codeSyntax   = "meta-syntax"    // front matter, YAML or JSON that cannot be read
	codeTwice    = "meta-twice"     // a field given twice in one mapping
	codeType     = "meta-type"      // a field of the wrong type
	codeValue    = "meta-value"     // a field whose value is out of its range
	codeMissing  = "meta-missing"   // a required field that is absent
	codeUnknown  = "meta-unknown"   // a field name that looks mistyped
	codeEmpty    = "meta-empty"     // a field without a value
	codeClash    = "meta-clash"     // two settings that contradict each other
	codeSlot     = "meta-slot"      // a slot that nothing declares
	codeIDTwice  = "meta-id-twice"  // two entries with one id
	codeVersion  = "meta-version"   // a newer format than this program knows
	codeEncoding = "text-encoding"  // text that is not UTF-8
	codeMore     = "more"           // how many findings were left out
	codeIO       = "io-read"        // a file that cannot be read
	codeLimit    = "io-limit"       // a file or folder beyond the limits
	codeBundle   = "bundle-damaged" // a bundle or image that is not whole
	codeChat     = "chat-format"    // a chat that cannot be read as it stands
)

// Kinds of load problem, as LoadKind returns them.
const (
	KindMeta     = "meta_parse"
	KindTemplate = "template_parse"
	KindIO       = "io"
)

// LoadKind returns the class of a finding of a loader: [KindMeta] (front
// matter, YAML, JSON, configuration), [KindTemplate] (a body or a condition) or
// [KindIO] (files and bundles).
func LoadKind(d diag.Diagnostic) string {
	switch {
	case strings.HasPrefix(d.Code, "meta-"), strings.HasPrefix(d.Code, "text-"), strings.HasPrefix(d.Code, "chat-"):
		return KindMeta
	case strings.HasPrefix(d.Code, "io-"), strings.HasPrefix(d.Code, "bundle-"):
		return KindIO
	}
	return KindTemplate
}
