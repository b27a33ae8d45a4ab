package weaver

// token is a piece of a construct as the formatter sees it.
type token struct {
	kind       tokenKind
	start, end int
}

type tokenKind uint8

const (
	tokOpen    tokenKind = iota // {{ {# $[ @[ [[ <trigger, with marker
	tokClose                    // }} #} ] ]] >, with marker
	tokKeyword                  // of a tag; in; id
	tokOperand                  // literal, name, reference
	tokGlued                    // .key
	tokUnary                    // ! -
	tokBinary                   // + && …
	tokLParen                   // of a group
	tokLCall                    // of a call or variant
	tokRParen
	tokLBracket // of an array
	tokLSub     // of a subscript
	tokRBracket
	tokLBrace
	tokRBrace
	tokComma
	tokColon // of a named argument or entry
	tokEq    // of a trigger
)

// log records a token, if anyone wants it.
func (p *parser) log(kind tokenKind, start, end int) {
	if p.tokens != nil {
		*p.tokens = append(*p.tokens, token{kind, start, end})
	}
}
