package sillytavern

import "github.com/weft-memory/weft/format/jsondoc"

// Field is a field of an entry of a world file.
type Field struct {
	// Name is the name in a world file, Ext the name inside the extensions of a
	// character book's entry; "" for fields that stand elsewhere there.
	Name, Ext string
	// Default is what the editor gives a new entry.
	Default *jsondoc.Tree
}

// Fields returns the fields of a new entry in the order of SillyTavern's
// template, without uid.
func Fields() []Field { return template }

var (
	no, yes = jsondoc.NewBool(false), jsondoc.NewBool(true)
	null    = jsondoc.NewNull()
	empty   = jsondoc.Str("")
)

var template = []Field{
	{"key", "", jsondoc.List()},
	{"keysecondary", "", jsondoc.List()},
	{"comment", "", empty},
	{"content", "", empty},
	{"constant", "", no},
	{"vectorized", "vectorized", no},
	{"selective", "", yes},
	{"selectiveLogic", "selectiveLogic", jsondoc.Int(0)},
	{"addMemo", "", no},
	{"order", "", jsondoc.Int(100)},
	{"position", "position", jsondoc.Int(0)},
	{"disable", "", no},
	{"ignoreBudget", "ignore_budget", no},
	{"excludeRecursion", "exclude_recursion", no},
	{"preventRecursion", "prevent_recursion", no},
	{"matchPersonaDescription", "match_persona_description", no},
	{"matchCharacterDescription", "match_character_description", no},
	{"matchCharacterPersonality", "match_character_personality", no},
	{"matchCharacterDepthPrompt", "match_character_depth_prompt", no},
	{"matchScenario", "match_scenario", no},
	{"matchCreatorNotes", "match_creator_notes", no},
	{"delayUntilRecursion", "delay_until_recursion", jsondoc.Int(0)},
	{"probability", "probability", jsondoc.Int(100)},
	{"useProbability", "useProbability", yes},
	{"depth", "depth", jsondoc.Int(4)},
	{"outletName", "outlet_name", empty},
	{"group", "group", empty},
	{"groupOverride", "group_override", no},
	{"groupWeight", "group_weight", jsondoc.Int(100)},
	{"scanDepth", "scan_depth", null},
	{"caseSensitive", "case_sensitive", null},
	{"matchWholeWords", "match_whole_words", null},
	{"useGroupScoring", "use_group_scoring", null},
	{"automationId", "automation_id", empty},
	{"role", "role", jsondoc.Int(0)},
	{"sticky", "sticky", null},
	{"cooldown", "cooldown", null},
	{"delay", "delay", null},
	{"triggers", "triggers", jsondoc.List()},
}

// extNames are the names inside the extensions of a character book's entry, in
// the order in which SillyTavern writes them.
var extNames = []string{
	"position", "exclude_recursion", "display_index", "probability", "useProbability", "depth",
	"selectiveLogic", "outlet_name", "group", "group_override", "group_weight", "prevent_recursion",
	"delay_until_recursion", "scan_depth", "match_whole_words", "use_group_scoring", "case_sensitive",
	"automation_id", "role", "vectorized", "sticky", "cooldown", "delay", "match_persona_description",
	"match_character_description", "match_character_personality", "match_character_depth_prompt",
	"match_scenario", "match_creator_notes", "triggers", "ignore_budget",
}

// ExtNames returns the names inside the extensions of a character book's entry
// that SillyTavern knows, in its order.
func ExtNames() []string { return extNames }

var (
	byExt  = map[string]*Field{}
	byName = map[string]*Field{}
	// defaults are the fields of a new entry.
	defaults = Values{}
)

func init() {
	for i := range template {
		f := &template[i]
		byName[f.Name], defaults[f.Name] = f, f.Default
		if f.Ext != "" {
			byExt[f.Ext] = f
		}
	}
	byExt["display_index"] = &Field{Name: "displayIndex", Ext: "display_index"}
}

// WorldName returns the name that a field has in a world file, given its name
// in the extensions of a character book's entry; "" if SillyTavern knows none.
func WorldName(ext string) string {
	if f := byExt[ext]; f != nil {
		return f.Name
	}
	return ""
}

var sources = []struct {
	field  string
	source string
}{
	{"matchPersonaDescription", "persona"},
	{"matchCharacterDescription", "description"},
	{"matchCharacterPersonality", "personality"},
	{"matchCharacterDepthPrompt", "depth_prompt"},
	{"matchScenario", "scenario"},
	{"matchCreatorNotes", "creator_notes"},
}
