package sidecar

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/weft-memory/weft/llm"
)

// The tools for plain books.
const (
	ToolSearch     = "search_lorebook"
	ToolRemember   = "remember_lore"
	ToolUpdate     = "update_lore"
	ToolForget     = "forget_lore"
	ToolSummary    = "create_summary"
	ToolReorganize = "reorganize_lore"
	ToolMergeSplit = "merge_split_lore"
	// ToolLore is the one tool of [FormOneTool].
	ToolLore = "lore"
)

// EntryTypes are the types that a tool may give an entry: those of the
// Compendium, and note for what fits none.
var EntryTypes = []string{
	"character", "location", "organization", "event", "plot", "threat", "item", "power", "rule", "culture", "note",
}

// param is one parameter of a tool. Schemas stay flat: texts, numbers, lists of
// texts, since weak models lose their way in anything deeper.
type param struct {
	name, kind, text string
	enum             []string
	required         bool
}

const (
	kindText = "string"
	kindList = "list"
	kindInt  = "integer"
)

type toolSpec struct {
	name, action, text string
	destructive        bool
	params             []param
}

var reasonParam = param{name: "reason", kind: kindText, text: "Why, in a few words."}

var quoteParam = param{name: "quote", kind: kindText, text: "The words of the story that say so, copied exactly, at most one sentence."}

// toolSpecs are the tools in the order in which they are offered.
var toolSpecs = []toolSpec{
	{ToolRemember, "remember", "Save something new that is true in the story from now on: a person, a place, a thing, a rule, what happened. Also adds to an entry that exists.", false, []param{
		{name: "name", kind: kindText, text: "The full name as the story gives it, without a title in brackets.", required: true},
		{name: "content", kind: kindText, text: "The facts, one or more short sentences in the third person. No guesses.", required: true},
		{name: "type", kind: kindText, text: "What it is.", enum: EntryTypes},
		{name: "aliases", kind: kindList, text: "Other names of the same thing."},
		{name: "keys", kind: kindList, text: "Words in the chat that should bring it to mind."},
		{name: "category", kind: kindText, text: "Where it belongs in the overview, such as Characters/Harbour."},
		quoteParam, reasonParam,
	}},
	{ToolUpdate, "update", "Change an entry that exists: how it stands now, one fact in place of another, a new name.", false, []param{
		{name: "entry", kind: kindText, text: "Its id or its name, as listed.", required: true},
		{name: "add", kind: kindText, text: "A new fact, as a sentence."},
		{name: "old", kind: kindText, text: "The sentence that is no longer true, copied from the entry."},
		{name: "new", kind: kindText, text: "What is true instead. Without it the old sentence goes."},
		{name: "status", kind: kindText, text: "How it stands now, in a few words, such as: wounded, hiding at the mill. Replaces the last status."},
		{name: "name", kind: kindText, text: "What it is called from now on. The old name stays as an alias."},
		{name: "aliases", kind: kindList, text: "Further names."},
		{name: "keys", kind: kindList, text: "Further words that should bring it to mind."},
		quoteParam, reasonParam,
	}},
	{ToolForget, "forget", "Take out an entry that was wrong from the start or will never matter again. What is dead or destroyed is updated, not forgotten.", true, []param{
		{name: "entry", kind: kindText, text: "Its id or its name, as listed.", required: true},
		{name: "reason", kind: kindText, text: "Why, in a few words.", required: true},
	}},
	{ToolSummary, "summarize", "Tell over what happened, for later.", false, []param{
		{name: "title", kind: kindText, text: "A short title.", required: true},
		{name: "content", kind: kindText, text: "What happened, in the order in which it did, with the names.", required: true},
		{name: "level", kind: kindText, text: "scene for a stretch of the chat, arc for a thread of the plot, story for the whole.", enum: []string{"scene", "arc", "story"}},
		{name: "arc", kind: kindText, text: "The thread of the plot that it belongs to, as listed or new."},
		{name: "replaces", kind: kindList, text: "Titles of earlier summaries that this one makes needless."},
		reasonParam,
	}},
	{ToolReorganize, "reorganize", "Put an entry into another category of the overview, or say in a sentence what a category holds.", false, []param{
		{name: "entry", kind: kindText, text: "The entry's id or name. Leave it out to describe a category."},
		{name: "category", kind: kindText, text: "The category, such as Characters/Harbour. It is made if there is none.", required: true},
		{name: "summary", kind: kindText, text: "What the category holds."},
		reasonParam,
	}},
	{ToolMergeSplit, "merge_split", "Make one entry of two that are the same thing, or take a part out of an entry that holds two things.", true, []param{
		{name: "action", kind: kindText, text: "merge or split.", enum: []string{"merge", "split"}, required: true},
		{name: "entry", kind: kindText, text: "The entry that stays.", required: true},
		{name: "other", kind: kindText, text: "To merge: the entry that becomes part of it."},
		{name: "new_name", kind: kindText, text: "To split: the name of the new entry."},
		{name: "new_content", kind: kindText, text: "To split: the sentences that move to it, copied from the entry."},
		{name: "reason", kind: kindText, text: "Why they are the same, or are not.", required: true},
	}},
}

var searchSpec = toolSpec{ToolSearch, "search", "Look something up in what is known of the story before you write about it.", false, []param{
	{name: "query", kind: kindText, text: "What you want to know, as names and words."},
	{name: "node_id", kind: kindText, text: "A category of the overview, to list what it holds."},
	{name: "entry_ids", kind: kindList, text: "Ids of entries, to read them whole."},
}}

// schema returns the JSON Schema of the parameters. The order of properties is
// that of the list, so that a prompt is the same each time.
func schema(params []param) json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	var required []string
	for i, p := range params {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoted(p.name) + ":{")
		if p.kind == kindList {
			b.WriteString(`"type":"array","items":{"type":"string"}`)
		} else {
			b.WriteString(`"type":` + quoted(p.kind))
		}
		if p.enum != nil {
			b.WriteString(`,"enum":` + jsonOf(p.enum))
		}
		b.WriteString(`,"description":` + quoted(p.text) + "}")
		if p.required {
			required = append(required, p.name)
		}
	}
	b.WriteString("}")
	if required != nil {
		b.WriteString(`,"required":` + jsonOf(required))
	}
	b.WriteString("}")
	return json.RawMessage(b.String())
}

func quoted(s string) string { return jsonOf(s) }

func jsonOf(v any) string {
	raw, err := json.Marshal(v)
	if err != nil { // texts and lists of texts always encode
		return "null"
	}
	return string(raw)
}

func (t *toolSpec) tool() llm.Tool {
	return llm.Tool{Name: t.name, Description: t.text, Schema: schema(t.params), Destructive: t.destructive}
}

// Tools returns the tools of a form, of those named; none named means those
// that write.
func Tools(form Form, names ...string) []llm.Tool {
	specs := pickSpecs(names)
	if form == FormJSON {
		return nil
	}
	if form == FormOneTool {
		return []llm.Tool{{Name: ToolLore, Description: oneToolText(specs), Schema: schema(oneToolParams(specs)), Destructive: false}}
	}
	list := make([]llm.Tool, len(specs))
	for i := range specs {
		list[i] = specs[i].tool()
	}
	return list
}

func pickSpecs(names []string) []toolSpec {
	if len(names) == 0 {
		return toolSpecs
	}
	var list []toolSpec
	for _, t := range append(slices.Clone(toolSpecs), searchSpec) {
		if slices.Contains(names, t.name) {
			list = append(list, t)
		}
	}
	return list
}

// SearchTool returns the tool that the narrator gets.
func SearchTool() llm.Tool { return searchSpec.tool() }

// oneToolParams are the parameters of all actions in one list.
func oneToolParams(specs []toolSpec) []param {
	action := param{name: "do", kind: kindText, text: "What to do.", required: true}
	list := []param{action}
	for _, t := range specs {
		list[0].enum = append(list[0].enum, t.action)
		for _, p := range t.params {
			if !slices.ContainsFunc(list, func(q param) bool { return q.name == p.name }) {
				p.required = false
				list = append(list, p)
			}
		}
	}
	return list
}

func oneToolText(specs []toolSpec) string {
	var b strings.Builder
	b.WriteString("Keep the lore. Call it once for each thing to do.")
	for _, t := range specs {
		b.WriteString(" " + t.action + ": " + t.text + " Needs")
		n := 0
		for _, p := range t.params {
			if p.required {
				if n > 0 {
					b.WriteByte(',')
				}
				b.WriteString(" " + p.name)
				n++
			}
		}
		b.WriteByte('.')
	}
	return b.String()
}

// ActionsSchema is the JSON Schema of the one object of [FormJSON].
func ActionsSchema(names ...string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"actions":{"type":"array","items":` +
		string(schema(oneToolParams(pickSpecs(names)))) + `}},"required":["actions"]}`)
}

// Normalize returns the calls of any form as calls of the tools themselves.
func Normalize(calls []llm.Call) []llm.Call {
	out := make([]llm.Call, 0, len(calls))
	for _, c := range calls {
		if c.Name != ToolLore {
			out = append(out, c)
			continue
		}
		var args struct {
			Do string `json:"do"`
		}
		_ = json.Unmarshal(c.Arguments, &args) // what cannot be read names no action
		for _, t := range toolSpecs {
			if t.action == args.Do || t.name == args.Do {
				c.Name, c.Destructive = t.name, t.destructive
			}
		}
		out = append(out, c)
	}
	return out
}

// Actions returns the calls that an object of [FormJSON] asks for. cut says that
// the object was not whole.
func Actions(object json.RawMessage, cut bool) []llm.Call {
	var list struct {
		Actions []json.RawMessage `json:"actions"`
	}
	if json.Unmarshal(object, &list) != nil {
		return nil
	}
	calls := make([]llm.Call, len(list.Actions))
	for i, a := range list.Actions {
		calls[i] = llm.Call{ID: "action-" + itoa(i+1), Name: ToolLore, Arguments: a, Truncated: cut && i == len(list.Actions)-1}
	}
	return Normalize(calls)
}
