package app

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/weft-memory/weft/weaver"
)

type signaturesCmd struct {
	Names []string `arg:"" optional:"" help:"Only those whose name begins so, such as text or set_var."`
	JSON  bool     `name:"json" help:"Print JSON for editors and other programs."`
}

// Help is shown by --help.
func (signaturesCmd) Help() string {
	return "A command is called as $[name(…)], a processor as @[name(…)].\n\nExamples:\n\n    weft signatures text math\n    weft signatures --json"
}

// Run lists the signatures.
func (c signaturesCmd) Run(e *env) error {
	r, err := e.registry()
	if err != nil {
		return err
	}
	list := make([]weaver.Signature, 0)
	for _, s := range r.Signatures() {
		if c.wants(s.Name) {
			list = append(list, s)
		}
	}
	if len(list) == 0 && len(c.Names) > 0 {
		return fail(ExitInput, e.opts.Name+" signatures without names lists all", "no command or processor begins with %s", strings.Join(c.Names, " or "))
	}
	if c.JSON {
		return e.printJSON(list)
	}
	var b strings.Builder
	kind := weaver.CallableKind("")
	for _, s := range list {
		if s.Kind != kind {
			if kind != "" {
				b.WriteByte('\n')
			}
			kind = s.Kind
			b.WriteString(e.out.paint(heading, map[weaver.CallableKind]string{weaver.CommandKind: "Commands", weaver.ProcessorKind: "Processors"}[kind]) + "\n")
		}
		call := callForm(s)
		for i, line := range wrap(call, e.out.width-4) {
			if i == 0 {
				b.WriteString("  " + e.out.paint(strong, line) + "\n")
			} else {
				b.WriteString("      " + e.out.paint(strong, line) + "\n")
			}
		}
		doc := s.Doc
		if s.Returns != "" && s.Returns != "none" {
			doc = strings.TrimSuffix(doc, ".") + fmt.Sprintf(" → %s", s.Returns)
		}
		if s.Owner != "" && s.Owner != "stdlib" {
			doc += fmt.Sprintf(" (plugin %s)", s.Owner)
		}
		b.WriteString(indentLines(wrap(doc, e.out.prose()-6), "      "))
	}
	return e.print(b.String())
}

func (c signaturesCmd) wants(name string) bool {
	for _, prefix := range c.Names {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return len(c.Names) == 0
}

// callForm writes a signature as a call: $[set_var(key: string, value: any)].
func callForm(s weaver.Signature) string {
	params := make([]string, len(s.Params))
	for i, p := range s.Params {
		params[i] = p.Name + ": " + p.Type
		if !p.Default.IsNone() {
			def, err := json.Marshal(p.Default)
			if err == nil {
				params[i] += " = " + string(def)
			}
		}
	}
	open := "$["
	if s.Kind == weaver.ProcessorKind {
		open = "@["
	}
	return open + s.Name + "(" + strings.Join(params, ", ") + ")]"
}
