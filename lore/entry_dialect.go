package lore

import (
	"go.yaml.in/yaml/v3"
)

// dialectNames are the fields of the mapping `dialect`: what only formats of
// other programs use, so that an imported entry loses nothing in a native file.
var dialectNames = []string{
	"force", "foreign_condition", "greeting", "user_icon", "after", "every", "keep", "once",
	"where", "from_start", "outlet", "drop_first", "cap", "reserve", "trim", "prefix", "suffix", "inject",
}

var wheres = []string{
	string(WhereBeforeChar), string(WhereAfterChar), string(WhereNoteTop), string(WhereNoteBottom),
	string(WhereExamplesTop), string(WhereExamplesBottom), string(WhereAtDepth), string(WhereOutlet),
	string(WherePersonality), string(WhereScenario), string(WherePromptEnd), string(WhereNowhere),
}

func readDialect(r *reader, n *yaml.Node, f string, e *Entry) {
	r.mapping(n, f, dialectNames, func(name, f string, v *yaml.Node) {
		switch name {
		case "force":
			if w, ok := r.word(v, f, "activate", "suppress"); ok {
				e.Force = map[string]Force{"activate": ForceActivate, "suppress": ForceSuppress}[w]
			}
		case "foreign_condition":
			c := &ForeignCondition{}
			if r.mapping(v, f, []string{"language", "source"}, func(name, f string, v *yaml.Node) {
				if name == "language" {
					setText(r, v, f, &c.Language)
				} else {
					setText(r, v, f, &c.Source)
				}
			}) {
				e.Foreign = c
			}
		case "greeting":
			if i, ok := r.count(v, f); ok {
				e.Greeting = &i
			}
		case "user_icon":
			setText(r, v, f, &e.UserIcon)
		case "after":
			e.After, _ = r.count(v, f)
		case "every":
			e.Every, _ = r.count(v, f)
		case "keep":
			e.Keep, _ = r.boolean(v, f)
		case "once":
			e.Once, _ = r.boolean(v, f)
		case "where":
			if w, ok := r.word(v, f, wheres...); ok {
				e.Where = Where(w)
			}
		case "from_start":
			e.FromStart, _ = r.boolean(v, f)
		case "outlet":
			setText(r, v, f, &e.Outlet)
		case "drop_first":
			e.DropFirst, _ = r.boolean(v, f)
		case "cap":
			if a, ok := r.amount(v, f, UnitTokens, UnitTokens, UnitChars, UnitPercent); ok {
				e.Cap = a
			}
		case "reserve":
			if a, ok := r.amount(v, f, UnitTokens, UnitTokens, UnitChars, UnitPercent); ok {
				e.Reserve = a
			}
		case "trim":
			r.mapping(v, f, []string{"direction", "unit"}, func(name, f string, v *yaml.Node) {
				if name == "direction" {
					e.Trim.Direction, _ = r.word(v, f, "bottom", "top", "none")
				} else {
					e.Trim.Unit, _ = r.word(v, f, "newline", "sentence", "token")
				}
			})
		case "prefix":
			setText(r, v, f, &e.Prefix)
		case "suffix":
			setText(r, v, f, &e.Suffix)
		case "inject":
			i := &Inject{}
			if r.mapping(v, f, []string{"target", "mode", "replace"}, func(name, f string, v *yaml.Node) {
				switch name {
				case "target":
					setText(r, v, f, &i.Target)
				case "mode":
					i.Mode, _ = r.word(v, f, "append", "prepend", "replace", InjectKey)
				case "replace":
					setText(r, v, f, &i.Replace)
				}
			}) {
				e.Inject = i
			}
		}
	})
}

func writeDialect(e *Entry) *yaml.Node {
	var force, foreign, greeting, inject *yaml.Node
	switch e.Force {
	case ForceActivate:
		force = textNode("activate")
	case ForceSuppress:
		force = textNode("suppress")
	}
	if e.Foreign != nil {
		foreign = emptyMap(mapNode("language", optionalText(e.Foreign.Language), "source", optionalText(e.Foreign.Source)))
	}
	if e.Greeting != nil {
		greeting = intNode(*e.Greeting)
	}
	if e.Inject != nil {
		inject = emptyMap(mapNode("target", optionalText(e.Inject.Target), "mode", optionalText(e.Inject.Mode),
			"replace", optionalText(e.Inject.Replace)))
	}
	return mapNode(
		"force", force, "foreign_condition", foreign, "greeting", greeting, "user_icon", optionalText(e.UserIcon),
		"after", positive(e.After), "every", positive(e.Every), "keep", trueNode(e.Keep), "once", trueNode(e.Once),
		"where", optionalText(string(e.Where)), "from_start", trueNode(e.FromStart), "outlet", optionalText(e.Outlet),
		"drop_first", trueNode(e.DropFirst), "cap", amountNode(e.Cap, UnitTokens), "reserve", amountNode(e.Reserve, UnitTokens),
		"trim", mapNode("direction", optionalText(e.Trim.Direction), "unit", optionalText(e.Trim.Unit)),
		"prefix", optionalText(e.Prefix), "suffix", optionalText(e.Suffix), "inject", inject,
	)
}
