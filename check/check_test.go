package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weft-memory/weft/check"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/diag"
	"github.com/weft-memory/weft/weaver/stdlib"
)

// read makes a book of the sources of .weaver files. The first fence is
// added: "keywords: [x]\n---\nbody" is enough, and so is the id.
func read(t *testing.T, sources ...string) *lore.Book {
	t.Helper()
	book := &lore.Book{ID: "harbour", Policy: lore.PolicyWeaver()}
	for i, src := range sources {
		src = "---\n" + src
		if !strings.Contains(src, "\nid:") {
			src = strings.Replace(src, "---\n", fmt.Sprintf("---\nid: e%d\n", i+1), 1)
		}
		f, list := lore.ParseEntry(fmt.Sprintf("e%d.weaver", i+1), []byte(src))
		if err := list.Err(); err != nil {
			t.Fatalf("source %d: %v", i+1, err)
		}
		book.Entries = append(book.Entries, f.Entry())
	}
	return book
}

func options(t *testing.T) check.Options {
	t.Helper()
	return check.Options{Registry: stdlib.NewRegistry()}
}

// show writes findings one a line: place, code, message, hint.
func show(list diag.List) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "%s %s: %s", d.Pos(), d.Code, d.Message)
		if d.Hint != "" {
			fmt.Fprintf(&b, " (%s)", d.Hint)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func has(list diag.List, code string) bool {
	for _, d := range list {
		if d.Code == code {
			return true
		}
	}
	return false
}

// long is about 300 tokens of prose about nothing in particular.
var long = strings.Repeat("The gulls cry over the roofs, and nobody minds them any more. ", 24)

// Each rule has books on which it fires and books on which it must be silent.
// Fired lists a piece of the message or hint that the finding must hold.
var ruleCases = []struct {
	code   string
	name   string
	books  [][]string
	opts   func(*check.Options)
	fires  string // part of "message (hint)"; empty: silent
	at     string // place, where it matters
	change func(*lore.Book)
}{
	{code: "key-short", name: "two letters", books: one("keywords: [ox]\n---\nOxen."), fires: `"ox"`, at: "e1.weaver:3:12"},
	{code: "key-short", name: "one Chinese character", books: one("keywords: [\"城\"]\n---\n城堡。"), fires: `"城"`},
	{code: "key-short", name: "a Chinese name of two characters", books: one("keywords: [\"東京\"]\n---\n東京。")},
	{code: "key-short", name: "a Korean name", books: one("keywords: [\"미라\"]\n---\n미라.")},
	{code: "key-short", name: "three letters", books: one("keywords: [\"fjord\", \"Zyx\"]\n---\nZyx.")},
	{code: "key-short", name: "an emoji", books: one("keywords: [\"🐉\"]\n---\nA dragon.")},
	{code: "key-short", name: "a secondary key may be short", books: one("keywords: [Starfall]\nsecondary_keys: [ox]\nselective: true\n---\nStarfall.")},

	{code: "key-in-words", name: "ring", books: one("keywords: [ring]\nname: The Ring of Starfall\n---\nThe ring."), fires: `"bring"`, at: "e1.weaver:3:12"},
	{code: "key-in-words", name: "ring names its forms", books: one("keywords: [ring]\n---\nThe ring."), fires: `"ringing"`},
	{code: "key-in-words", name: "ring names a phrase", books: one("keywords: [ring]\n---\nThe ring."), fires: `boxing ring`},
	{code: "key-in-words", name: "the name is the longer key", books: one("keywords: [ring]\nname: Ring of Starfall\n---\nThe ring."), fires: `"Ring of Starfall"`},
	{code: "key-in-words", name: "upper case is no help", books: one("keywords: [ELF]\n---\nThe elf."), fires: `"myself"`},
	{code: "key-in-words", name: "whole words help", books: one("keywords: [elf]\nwhole_words: true\n---\nThe elf.")},
	{code: "key-in-words", name: "a second set of keys helps", books: one("keywords: [elf]\nsecondary_keys: [forest]\nselective: true\n---\nThe elf.")},
	{code: "key-in-words", name: "its own plural is fine", books: one("keywords: [lighthouse, castle, sword]\n---\nThe castle.")},
	{code: "key-in-words", name: "a phrase is fine", books: one("keywords: [\"ring of starfall\"]\n---\nThe ring.")},

	{code: "key-common-word", name: "a name that is a verb", books: one("keywords: [Will]\n---\nWill keeps the gate."), fires: `"Will"`},
	{code: "key-common-word", name: "even as a whole word", books: one("keywords: [may]\nwhole_words: true\n---\nMay sings."), fires: `"may"`},
	{code: "key-common-word", name: "with case it is a name", books: one("keywords: [Will]\ncase_sensitive: true\nwhole_words: true\n---\nWill keeps the gate.")},

	{code: "key-two-meanings", name: "temple", books: one("keywords: [temple]\n---\nThe temple."), fires: "pulse"},
	{code: "key-two-meanings", name: "a phrase", books: one("keywords: [\"temple of salt\"]\n---\nThe temple.")},

	{code: "key-twice", name: "in another case", books: one("keywords: [Fjord, fjord]\n---\nThe fjord."), fires: `"fjord"`, at: "e1.weaver:3:19"},
	{code: "key-twice", name: "in full width", books: one("keywords: [Fjord, Ｆｊｏｒｄ]\n---\nThe fjord."), fires: "same to the matcher"},
	{code: "key-twice", name: "different", books: one("keywords: [fjord, fjords of salt]\n---\nThe fjord.")},

	{code: "regex-unsupported", name: "not closed", books: one("regex: ['lan(tern']\n---\nA lantern."), fires: `lan(tern`},
	{code: "regex-unsupported", name: "fine", books: one("regex: ['lan?tern\\b']\n---\nA lantern.")},

	{code: "name-literal", name: "in the text", books: one("constant: true\n---\nA song that Mira hums."), opts: chars("Mira"), fires: "{{char}}", at: "e1.weaver:5:13"},
	{code: "name-literal", name: "in a construct", books: one("constant: true\n---\n{# if {{char:name}} == \"Mira\" #}A song.{# endif #}"), opts: chars("Mira")},
	{code: "name-literal", name: "inside a word", books: one("constant: true\n---\nThe Miracle of Miraval."), opts: chars("Mira")},
	{code: "name-literal", name: "a possessive", books: one("constant: true\n---\nMira's song."), opts: chars("Mira"), fires: "Mira"},
	{code: "name-literal", name: "in Japanese", books: one("constant: true\n---\n昨日ミラは歌った。"), opts: chars("ミラ"), fires: "ミラ"},
	{code: "name-literal", name: "from the variables", books: one("constant: true\n---\nMira hums."), opts: withVars("char", "name", "Mira"), fires: "Mira"},
	{code: "name-literal", name: "the user's", books: one("constant: true\n---\nToma hums."), opts: withVars("user", "name", "Toma"), fires: "{{user}}"},
	{code: "name-literal", name: "nobody is known", books: one("constant: true\n---\nMira hums.")},

	{code: "reference-missing", name: "a document", books: one("constant: true\n---\nSee [[lighthouze]].", "id: lighthouse\nkeywords: [lighthouse]\n---\nTall."), fires: `did you mean "lighthouse"`, at: "e1.weaver:5:5"},
	{code: "reference-missing", name: "a trigger", books: one("constant: true\n---\n<trigger id=\"storm\">"), fires: `"storm"`},
	{code: "reference-missing", name: "is_active", books: one("constant: true\n---\n{# if $[is_active(\"storm\")] #}Rain.{# endif #}"), fires: `"storm"`},
	{code: "reference-missing", name: "in a condition", books: one("keywords: [gull]\ncondition: '$[is_active(\"storm\")]'\n---\nGulls."), fires: `"storm"`, at: "e1.weaver:4:13"},
	{code: "reference-missing", name: "there", books: one("constant: true\n---\n[[e2]]<trigger id=\"e2\">{# if $[is_active(\"e2\")] #}x{# endif #}", "---\nTall.")},
	{code: "reference-missing", name: "computed", books: one("constant: true\n---\n[[{{state:id}}]]$[default_var(\"state:id\", \"e1\")]")},
	{code: "reference-missing", name: "in the other book", books: two("constant: true\n---\n[[tower]]", "id: tower\nkeywords: [watchtower]\n---\nTall.")},

	{code: "reference-other-book", name: "a document", books: two("constant: true\n---\n[[tower]]", "id: tower\nkeywords: [watchtower]\n---\nTall."), fires: `"tides"`},
	{code: "reference-other-book", name: "local first", books: [][]string{{"constant: true\n---\n[[tower]]", "id: tower\n---\nTall."}, {"id: tower\nconstant: true\n---\nTall."}}},

	{code: "trigger-disabled", name: "disabled", books: one("constant: true\n---\n<trigger id=\"e2\">", "enabled: false\n---\nStorm."), fires: `"e2"`},
	{code: "trigger-disabled", name: "a document may be disabled", books: one("constant: true\n---\n[[e2]]", "enabled: false\n---\nStorm.")},

	{code: "trigger-too-deep", name: "four in a row", books: one("constant: true\n---\n<trigger id=\"e2\">", "---\na<trigger id=\"e3\">", "---\nb<trigger id=\"e4\">", "---\nc<trigger id=\"e5\">", "---\nd"), fires: "4 triggers", at: "e5.weaver:2:5"},
	{code: "trigger-too-deep", name: "three in a row", books: one("constant: true\n---\n<trigger id=\"e2\">", "---\na<trigger id=\"e3\">", "---\nb<trigger id=\"e4\">", "---\nc")},

	{code: "document-cycle", name: "two", books: one("constant: true\n---\n[[e2]]", "---\n[[e1]]"), fires: "[[e1]] → [[e2]] → [[e1]]"},
	{code: "document-cycle", name: "itself", books: one("constant: true\n---\n[[e1]]"), fires: "[[e1]] → [[e1]]"},
	{code: "document-cycle", name: "a diamond", books: one("constant: true\n---\n[[e2]][[e3]]", "---\n[[e4]]", "---\n[[e4]]", "---\nx")},
	{code: "trigger-cycle", name: "two", books: one("constant: true\n---\n<trigger id=\"e2\">", "---\n<trigger id=\"e1\">"), fires: "e1 → e2 → e1"},
	{code: "trigger-cycle", name: "a chain", books: one("constant: true\n---\n<trigger id=\"e2\">", "---\nx")},

	{code: "entry-unreachable", name: "no keys", books: one("name: Alone\n---\nx"), fires: "no keywords", at: "e1.weaver:2:5"},
	{code: "entry-unreachable", name: "a condition alone", books: one("condition: '1 == 1'\n---\nx"), fires: "constant: true"},
	{code: "entry-unreachable", name: "from an unreachable one", books: one("---\n<trigger id=\"e2\">", "---\nx"), fires: `only "e1" leads to it`},
	{code: "entry-unreachable", name: "from a disabled one", books: one("enabled: false\nkeywords: [fjord]\n---\n[[e2]]", "---\nx"), fires: "disabled"},
	{code: "entry-unreachable", name: "a circle", books: one("---\n<trigger id=\"e2\">", "---\n<trigger id=\"e1\">"), fires: "nothing can activate"},
	{code: "entry-unreachable", name: "triggered", books: one("constant: true\n---\n<trigger id=\"e2\">", "---\nx")},
	{code: "entry-unreachable", name: "included by an included one", books: one("keywords: [fjord]\n---\n[[e2]]", "---\n[[e3]]", "---\nx")},
	{code: "entry-unreachable", name: "by similarity", books: one("similarity: {threshold: 0.4}\n---\nx")},
	{code: "entry-unreachable", name: "regex", books: one("regex: ['fjord']\n---\nx")},
	{code: "entry-unreachable", name: "disabled", books: one("enabled: false\n---\nx")},
	{code: "entry-unreachable", name: "by a computed id", books: one("constant: true\n---\n<trigger id={{state:next}}>$[default_var(\"state:next\", \"e2\")]", "---\nx")},
	{code: "entry-unreachable", name: "from another book", books: two("constant: true\n---\n[[tower]]", "id: tower\n---\nTall.")},

	{code: "entry-never", name: "probability 0", books: one("keywords: [fjord]\nprobability: 0\n---\nx"), fires: "probability"},
	{code: "entry-never", name: "scan depth 0", books: one("keywords: [fjord]\nscan_depth: 0\n---\nx"), fires: "scan depth"},
	{code: "entry-never", name: "a condition that is never true", books: one("keywords: [fjord]\ncondition: '1 == 2'\n---\nx"), fires: "condition", at: "e1.weaver:4:12"},
	{code: "entry-never", name: "a condition that fails", books: one("keywords: [fjord]\ncondition: '\"a\" < 2'\n---\nx"), fires: "condition"},
	{code: "entry-never", name: "a condition that is always true", books: one("keywords: [fjord]\ncondition: 'true'\n---\nx")},
	{code: "entry-never", name: "constant with scan depth 0", books: one("constant: true\nscan_depth: 0\n---\nx")},
	{code: "entry-never", name: "probability 1", books: one("keywords: [fjord]\nprobability: 1\n---\nx")},

	{code: "entry-empty", name: "no text", books: one("keywords: [fjord]\n---\n  \n"), fires: "no content"},
	{code: "entry-empty", name: "a command", books: one("keywords: [fjord]\n---\n$[set_var(\"state:x\", 1)]")},

	{code: "entry-long", name: "says it late", books: one("keywords: [harbour]\nname: The harbour\n---\n" + long + "The harbour."), fires: "first third", at: "e1.weaver:6:1"},
	{code: "entry-long", name: "says it at once", books: one("keywords: [harbour]\n---\nThe Harbour. " + long)},
	{code: "entry-long", name: "a word of its name", books: one("keywords: [quay]\nname: Old Harbour\n---\nThe harbour. " + long)},
	{code: "entry-long", name: "its own limit", books: one("keywords: [harbour]\nmax_tokens: 20\n---\nThe gulls cry over the roofs, and nobody minds them any more, and the nets dry in the harbour where the boats lie."), fires: "limit is 20"},
	{code: "entry-long", name: "room enough", books: one("keywords: [harbour]\nmax_tokens: 2000\n---\n" + long)},
	{code: "entry-long", name: "a rule without name and keys", books: one("constant: true\n---\n" + long)},
	{code: "entry-long", name: "by its regex", books: one("regex: ['gulls?']\n---\n" + long)},

	{code: "variable-unset", name: "a condition", books: one("keywords: [fjord]\ncondition: '{{state:location}} == \"quay\"'\n---\nx"), fires: "state:location", at: "e1.weaver:4:15"},
	{code: "variable-unset", name: "lists what is provided", books: one("keywords: [fjord]\ncondition: 'state:location == \"quay\"'\n---\nx"), fires: "char, chat, user (read-only), local, state, temp (writable)"},
	{code: "variable-unset", name: "did you mean", books: one("keywords: [fjord]\ncondition: '{{state:locaton}} == \"quay\"'\n---\n$[set_var(\"state:location\", \"quay\")]"), fires: "did you mean state:location"},
	{code: "variable-unset", name: "set in another entry", books: one("keywords: [fjord]\ncondition: '{{state:location}} == \"quay\"'\n---\nx", "constant: true\n---\n$[set_var(key: \"state:location\", value: \"quay\")]")},
	{code: "variable-unset", name: "set by the host", books: one("keywords: [fjord]\ncondition: '{{state:location}} == \"quay\"'\n---\nx"), opts: withVars("state", "location", "quay")},
	{code: "variable-unset", name: "set by a computed name", books: one("keywords: [fjord]\ncondition: '{{state:location}} == \"quay\"'\n---\n$[set_var(\"state:\" + {{char:name}}, 1)]")},
	{code: "variable-unset", name: "the host's own namespace", books: one("keywords: [fjord]\ncondition: '{{chat:mood}} == \"calm\" && {{char:class}} == \"mage\"'\n---\nx")},
	{code: "variable-unset", name: "known to be absent", books: one("keywords: [fjord]\ncondition: '{{char:clas}} == \"mage\"'\n---\nx"), opts: withVars("char", "class", "mage"), fires: "did you mean char:class"},
	{code: "variable-unset", name: "in the content", books: one("keywords: [fjord]\n---\nGold: {{state:gold}}"), fires: "state:gold", at: "e1.weaver:5:9"},
	{code: "variable-unset", name: "asked for first", books: one("keywords: [fjord]\n---\n{# if $[var_exists(\"state:gold\")] #}Gold: {{state:gold}}{# endif #}")},
	{code: "variable-unset", name: "a bare name", books: one("keywords: [fjord]\n---\nGold: {{gold}}"), fires: "{{state:gold}}"},
	{code: "variable-unset", name: "a loop", books: one("keywords: [fjord]\n---\n{# foreach g in [1, 2] #}{{g}}{# endforeach #}")},
	{code: "variable-unset", name: "a step into an object", books: one("keywords: [fjord]\ncondition: '{{state:hero.hp}} > 3'\n---\n$[set_var(\"state:hero\", {hp: 5})]")},

	{code: "namespace-unknown", name: "read", books: one("keywords: [fjord]\ncondition: '{{wether:rain}}'\n---\nx"), fires: "wether"},
	{code: "namespace-unknown", name: "written", books: one("keywords: [fjord]\n---\n$[set_var(\"weather:rain\", true)]x"), fires: "weather"},
	{code: "namespace-unknown", name: "did you mean", books: one("keywords: [fjord]\n---\n$[set_var(\"sate:rain\", true)]x"), fires: "did you mean state:"},
	{code: "namespace-unknown", name: "declared", books: one("keywords: [fjord]\n---\n$[set_var(\"weather:rain\", true)]{{weather:rain}}"), change: func(b *lore.Book) {
		b.Namespaces = map[string]lore.Namespace{"weather": {Access: lore.ReadWrite}}
	}},

	{code: "write-readonly", name: "char", books: one("keywords: [fjord]\n---\n$[set_var(\"char:mood\", \"calm\")]x"), fires: "char:mood", at: "e1.weaver:5:11"},
	{code: "write-readonly", name: "state", books: one("keywords: [fjord]\n---\n$[set_var(\"state:mood\", \"calm\")]x")},

	{code: "slot-absent", name: "not in this prompt", books: one("keywords: [fjord]\nslot: coda\n---\nx"), opts: slots("backdrop", "foreground"), fires: "coda", at: "e1.weaver:4:7"},
	{code: "slot-absent", name: "its twin is", books: one("keywords: [fjord]\nslot: immediate\n---\nx"), opts: slots("backdrop", "foreground")},
	{code: "slot-absent", name: "a fallback is", books: one("keywords: [fjord]\nslot: coda\nfallback: [backdrop]\n---\nx"), opts: slots("backdrop", "foreground")},
	{code: "slot-absent", name: "depth always is", books: one("keywords: [fjord]\nslot: at_depth(3)\n---\nx"), opts: slots("backdrop")},
	{code: "slot-absent", name: "a word that is none, in code", books: one("keywords: [fjord]\n---\nx"), change: func(b *lore.Book) {
		b.Entries[0].Slot, b.Entries[0].Origin = "backdorp", lore.Origin{}
	}, fires: "did you mean backdrop"},

	{code: "cooldown-one", name: "1", books: one("keywords: [fjord]\ncooldown: 1\n---\nx"), fires: "blocks nothing", at: "e1.weaver:4:11"},
	{code: "cooldown-one", name: "2", books: one("keywords: [fjord]\ncooldown: 2\n---\nx")},
	{code: "cooldown-one", name: "another dialect", books: one("keywords: [fjord]\ncooldown: 1\n---\nx"), change: func(b *lore.Book) { b.Policy = lore.PolicySuzune() }},
	{code: "cooldown-hidden", name: "inside sticky", books: one("keywords: [fjord]\nsticky_turns: 4\ncooldown: 3\n---\nx"), fires: "never away"},
	{code: "cooldown-hidden", name: "beyond sticky", books: one("keywords: [fjord]\nsticky_turns: 4\ncooldown: 6\n---\nx")},

	{code: "group-no-budget", name: "none", books: one("keywords: [fjord]\ngroup: weather\n---\nx"), fires: "weather"},
	{code: "group-no-budget", name: "one", books: one("keywords: [fjord]\ngroup: weather\n---\nx"), change: func(b *lore.Book) { b.GroupBudgets = map[string]int{"weather": 100} }},

	{code: "group-unused", name: "none", books: one("keywords: [fjord]\ngroup: weather\n---\nx"), change: func(b *lore.Book) { b.GroupBudgets = map[string]int{"weather": 10, "wether": 10} }, fires: "did you mean \"weather\""},
	{code: "group-unused", name: "used", books: one("keywords: [fjord]\ngroup: weather\n---\nx"), change: func(b *lore.Book) { b.GroupBudgets = map[string]int{"weather": 10} }},
	{code: "namespace-reserved", name: "state", books: one("keywords: [fjord]\n---\nx"), change: func(b *lore.Book) {
		c, list := lore.ParseConfig("lorebook.yaml", []byte("name: x\nnamespaces:\n  state: {access: readonly}\n"))
		if list.HasErrors() {
			panic(list)
		}
		b.Namespaces, b.Origin = c.Book().Namespaces, lore.Origin{Path: "lorebook.yaml", Raw: c.Bytes()}
	}, fires: "writable", at: "lorebook.yaml:3:3"},
	{code: "namespace-reserved", name: "its own", books: one("keywords: [fjord]\n---\nx"), change: func(b *lore.Book) {
		b.Namespaces = map[string]lore.Namespace{"weather": {Access: lore.ReadOnly}}
	}},

	{code: "call-unknown", name: "a processor", books: one("keywords: [fjord]\n---\n@[text.uper(\"x\")]"), fires: "did you mean text.upper", at: "e1.weaver:5:1"},
	{code: "call-unknown", name: "a command", books: one("keywords: [fjord]\n---\n$[setvar(\"state:x\", 1)]"), fires: "did you mean set_var"},
	{code: "call-unknown", name: "the wrong kind", books: one("keywords: [fjord]\n---\n@[set_var(\"state:x\", 1)]"), fires: "$["},
	{code: "call-unknown", name: "in a condition", books: one("keywords: [fjord]\ncondition: '@[array.has(items: [1], value: 1)]'\n---\nx"), fires: "array.has"},
	{code: "call-unknown", name: "the wrong family", books: one("keywords: [fjord]\n---\n@[string.upper(\"x\")]"), fires: "text.upper"},
	{code: "call-unknown", name: "known", books: one("keywords: [fjord]\n---\n@[text.upper(\"x\")]$[set_var(\"state:x\", 1)]")},

	{code: "call-arguments", name: "a wrong name", books: one("keywords: [fjord]\n---\n@[text.upper(txt: \"x\")]"), fires: "did you mean text"},
	{code: "call-arguments", name: "too many", books: one("keywords: [fjord]\n---\n@[text.upper(\"x\", \"y\")]"), fires: "1 argument"},
	{code: "call-arguments", name: "a wrong type", books: one("keywords: [fjord]\n---\n@[math.abs(\"x\")]"), fires: "number"},
	{code: "call-arguments", name: "a variable taken for a name", books: one("keywords: [fjord]\n---\n@[math.floor(state:gold / 2)]$[set_var(\"state:gold\", 4)]"), fires: "(state:…)"},
	{code: "call-arguments", name: "fine", books: one("keywords: [fjord]\n---\n@[text.replace(\"x\", from: \"x\", to: \"y\")]@[math.clamp(3, 1, 2)]")},

	{code: "template-error", name: "made in code", books: one("keywords: [fjord]\n---\nx"), change: func(b *lore.Book) {
		b.Entries[0] = lore.NewEntry("broken", "{{ 1 + }}")
		b.Entries[0].Constant = true
	}, fires: `"broken"`},
	{code: "template-error", name: "read from a file", books: one("keywords: [fjord]\n---\nx")},
}

func one(entries ...string) [][]string { return [][]string{entries} }

func two(first, second string) [][]string { return [][]string{{first}, {second}} }

func chars(names ...string) func(*check.Options) {
	return func(o *check.Options) { o.Characters = names }
}

func slots(names ...lore.Slot) func(*check.Options) {
	return func(o *check.Options) { o.Slots = names }
}

func withVars(namespace, name, value string) func(*check.Options) {
	return func(o *check.Options) {
		o.Vars = map[string]map[string]weaver.Value{namespace: {name: weaver.String(value)}}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	fired, silent := map[string]bool{}, map[string]bool{}
	for _, tc := range ruleCases {
		if tc.fires != "" {
			fired[tc.code] = true
		} else {
			silent[tc.code] = true
		}
		t.Run(tc.code+"/"+tc.name, func(t *testing.T) {
			t.Parallel()
			var books []*lore.Book
			for i, sources := range tc.books {
				b := read(t, sources...)
				if i > 0 {
					b.ID = "tides"
				}
				if tc.change != nil {
					tc.change(b)
				}
				books = append(books, b)
			}
			opts := options(t)
			if tc.opts != nil {
				tc.opts(&opts)
			}
			list := check.Books(books, opts)
			if tc.fires == "" {
				if has(list, tc.code) {
					t.Errorf("want silence about %s, got\n%s", tc.code, show(list))
				}
				return
			}
			for _, d := range list {
				if d.Code == tc.code && strings.Contains(d.Message+" ("+d.Hint+")", tc.fires) {
					if tc.at != "" && d.Pos() != tc.at {
						t.Errorf("place is %s, want %s", d.Pos(), tc.at)
					}
					return
				}
			}
			t.Errorf("want %s with %q, got\n%s", tc.code, tc.fires, show(list))
		})
	}
	for _, r := range check.Rules() {
		if !fired[r.Code] || !silent[r.Code] {
			t.Errorf("rule %s: cases that fire: %v, cases that are silent: %v; want both", r.Code, fired[r.Code], silent[r.Code])
		}
	}
}

// The severity of a finding is the one that its rule names, save where the
// rule says otherwise.
func TestSeverities(t *testing.T) {
	t.Parallel()
	want := map[string]diag.Severity{}
	for _, r := range check.Rules() {
		if _, twice := want[r.Code]; twice {
			t.Errorf("rule %s stands twice", r.Code)
		}
		want[r.Code] = r.Severity
		for field, s := range map[string]string{"What": r.What, "Why": r.Why, "Do": r.Do} {
			if !strings.HasSuffix(s, ".") {
				t.Errorf("rule %s: %s should be a sentence: %q", r.Code, field, s)
			}
		}
	}
	list := check.Book(read(t, "keywords: [ox, temple]\nregex: ['(']\n---\n[[nowhere]]"), options(t))
	for _, d := range list {
		if d.Severity != want[d.Code] {
			t.Errorf("%s has severity %s, want %s", d.Code, d.Severity, want[d.Code])
		}
	}
	if len(list) < 4 {
		t.Errorf("want four findings, got\n%s", show(list))
	}
}
