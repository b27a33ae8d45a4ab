package check

import "github.com/weft-memory/weft/weaver/diag"

// Rule describes a kind of finding.
type Rule struct {
	// Code is the finding's code.
	Code     string
	Severity diag.Severity
	// What is wrong, why it matters, and what to do, a sentence each.
	What, Why, Do string
}

// The codes of the findings. They do not change.
const (
	codeKeyShort       = "key-short"
	codeKeyInWords     = "key-in-words"
	codeKeyCommon      = "key-common-word"
	codeKeyMeanings    = "key-two-meanings"
	codeKeyTwice       = "key-twice"
	codeRegex          = "regex-unsupported"
	codeNameLiteral    = "name-literal"
	codeRefMissing     = "reference-missing"
	codeRefOther       = "reference-other-book"
	codeTriggerOff     = "trigger-disabled"
	codeTriggerDeep    = "trigger-too-deep"
	codeDocumentCycle  = "document-cycle"
	codeTriggerCycle   = "trigger-cycle"
	codeUnreachable    = "entry-unreachable"
	codeNever          = "entry-never"
	codeEmpty          = "entry-empty"
	codeLong           = "entry-long"
	codeUnset          = "variable-unset"
	codeNamespace      = "namespace-unknown"
	codeReadOnly       = "write-readonly"
	codeSlot           = "slot-absent"
	codeCooldownOne    = "cooldown-one"
	codeCooldownInner  = "cooldown-hidden"
	codeGroup          = "group-no-budget"
	codeGroupUnused    = "group-unused"
	codeNamespaceTaken = "namespace-reserved"
	codeCallUnknown    = "call-unknown"
	codeCallArgs       = "call-arguments"
	codeTemplate       = "template-error"
)

var rules = []Rule{
	{
		codeKeyShort, diag.Warning, "A key has fewer than three letters (for Chinese, Japanese and Korean: a single character).",
		"Two letters stand inside a great many words, so the entry fires when nobody thinks of it.",
		"Use a longer key, set `whole_words: true`, or write a regex with `\\b`.",
	},
	{
		codeKeyInWords, diag.Warning, "A key stands inside common English words: `ring` in `during`, `bring`, `ringing`.",
		"Keys match anywhere in the text unless whole words are asked for; every such word activates the entry.",
		"Use a longer key that is said only when the thing is meant, or set `whole_words: true`.",
	},
	{
		codeKeyCommon, diag.Warning, "A key is a word that nearly every message holds, such as `will` or `may`.",
		"The entry is active in almost every turn and takes room from others.",
		"Use the full name, add `secondary_keys`, or match case with a regex.",
	},
	{
		codeKeyMeanings, diag.Note, "A key is an everyday word with a second meaning: `ring` in `boxing ring`.",
		"Even as a whole word it will now and then fire by accident.",
		"Use a phrase such as `Ring of Starfall`, or add `secondary_keys`.",
	},
	{
		codeKeyTwice, diag.Warning, "An entry lists the same key twice, perhaps in another case.",
		"The second one does nothing; often a different word was meant.",
		"Remove it, or write the word that was meant.",
	},
	{
		codeRegex, diag.Error, "A regular expression is not valid, or uses something that Weft does not support.",
		"The expression never matches.",
		"Change the pattern as the message says.",
	},
	{
		codeNameLiteral, diag.Warning, "The name of the character or the user is written out where `{{char}}` or `{{user}}` would do.",
		"With another character, or when the user has another name, the entry speaks of a stranger.",
		"Write `{{char}}` or `{{user}}`.",
	},
	{
		codeRefMissing, diag.Error, "A `[[document]]`, a `<trigger>` or `is_active` names an entry that none of the checked books has.",
		"A missing document makes the whole entry fail; a missing trigger does nothing.",
		"Correct the id, or check the books together that are used together.",
	},
	{
		codeRefOther, diag.Warning, "A reference leads into another book.",
		"The entry fails in a conversation that does not use that book.",
		"Copy the entry into this book, or make sure that both books are always used together.",
	},
	{
		codeTriggerOff, diag.Warning, "A trigger names an entry that is disabled.",
		"A disabled entry is never triggered.",
		"Enable the entry, or remove the trigger.",
	},
	{
		codeTriggerDeep, diag.Warning, "An entry is reached only through more triggers in a row than passes are run.",
		"The last entries of the chain never enter the prompt.",
		"Trigger the entry from one that is nearer to the start of the chain, or give it keys.",
	},
	{
		codeDocumentCycle, diag.Warning, "Entries include each other in a circle.",
		"Unless a condition breaks the circle, each of them fails.",
		"Remove one of the inclusions.",
	},
	{
		codeTriggerCycle, diag.Note, "Entries trigger each other in a circle.",
		"It does no harm, since an entry that is active is not triggered again, but it is rarely meant.",
		"Remove one of the triggers if the circle is a mistake.",
	},
	{
		codeUnreachable, diag.Warning, "Nothing can activate the entry: no keys, not constant, no similarity, and no reachable entry triggers or includes it.",
		"The entry never enters a prompt. A `condition` alone activates nothing.",
		"Add `keywords`, set `constant: true`, or trigger or include it from another entry.",
	},
	{
		codeNever, diag.Warning, "A setting keeps the entry from ever activating, such as `probability: 0`, `scan_depth: 0`, or a condition that is never true.",
		"The rest of the entry looks as if it did something.",
		"Correct the number, or set `enabled: false` if the entry is to rest.",
	},
	{
		codeEmpty, diag.Warning, "An entry has no content.",
		"It activates and then adds nothing.",
		"Write the content, or remove the entry.",
	},
	{
		codeLong, diag.Warning, "An entry is longer than its `max_tokens` (200 if it has none), and its first third names neither the entry nor any key.",
		"The model meets a long text without learning what it is about, and a text that is cut loses the part that says so.",
		"Begin with the name, or split the entry.",
	},
	{
		codeUnset, diag.Warning, "A condition or a template reads a variable that no template sets and no host provides.",
		"The condition is never true, or the entry fails.",
		"Correct the name, set the variable (`$[default_var(…)]`), or pass the host's variables with `--vars`.",
	},
	{
		codeNamespace, diag.Error, "A template reads or writes a namespace that is neither provided by the host nor declared by its book.",
		"It reads as undefined, and writing it fails.",
		"Use a provided namespace, or declare the new one under `namespaces` in `lorebook.yaml`.",
	},
	{
		codeReadOnly, diag.Error, "A template writes a namespace that is read-only.",
		"The command fails, and the entry with it.",
		"Write to `state:` (kept) or `local:` (this turn only).",
	},
	{
		codeSlot, diag.Warning, "The prompt has neither the entry's slot, nor its twin, nor any of its fallbacks.",
		"The entry activates and is then left out.",
		"Correct the slot, add a `fallback`, or declare the slot in `lorebook.yaml`.",
	},
	{
		codeCooldownOne, diag.Warning, "A cooldown of 1 blocks nothing.",
		"The count includes the turn in which the entry was found, so it may return in the next turn.",
		"Use 2 to skip one turn, or remove the cooldown.",
	},
	{
		codeCooldownInner, diag.Warning, "A cooldown is over before the sticky turns of the same entry are.",
		"Both count from the turn in which the entry was found, so the entry is never away.",
		"Make `cooldown` larger than `sticky_turns` + 1, or remove it.",
	},
	{
		codeGroup, diag.Note, "An entry names a budget group for which its book has no budget.",
		"The group bounds nothing.",
		"Add it to `group_budgets` in `lorebook.yaml`, or remove `group`.",
	},
	{
		codeGroupUnused, diag.Note, "A book has a budget for a group that no entry belongs to.",
		"The budget bounds nothing; perhaps the name is mistyped.",
		"Correct the name, or remove the budget.",
	},
	{
		codeNamespaceTaken, diag.Warning, "A book declares a namespace that the host provides.",
		"The host's rights hold, whatever the book says.",
		"Choose another name, or remove the declaration.",
	},
	{
		codeCallUnknown, diag.Error, "A template calls a command or processor that is not there.",
		"The entry fails when the call is reached.",
		"Correct the name; `weft signatures` lists what there is.",
	},
	{
		codeCallArgs, diag.Error, "A call gives arguments that its command or processor does not take, or leaves out one that it needs.",
		"The call fails, or the argument is ignored (then the finding is a warning).",
		"Look the parameters up with `weft signatures`.",
	},
	{
		codeTemplate, diag.Error, "The content or the condition of an entry made in code does not parse.",
		"The entry never enters a prompt.",
		"Correct the template as the message says.",
	},
}

// Rules lists all kinds of finding, for documents and editors.
func Rules() []Rule { return append([]Rule(nil), rules...) }

func severityOf(code string) diag.Severity {
	for i := range rules {
		if rules[i].Code == code {
			return rules[i].Severity
		}
	}
	panic("check: no rule " + code)
}
