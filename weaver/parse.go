package weaver

import "github.com/weft-memory/weft/weaver/diag"

type parser struct{ facts *facts }

func newParser(name, src string, opts []ParseOption) *parser { return &parser{} }
func (p *parser) run(single bool)                            {}
func (p *program) parse(name, src string, single bool, opts []ParseOption) diag.List {
	p.name, p.src = name, src
	return nil
}
