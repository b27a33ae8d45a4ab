package all_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/stdlib"
)

// TestRunLikeHome reads small books of each dialect and runs them: what gets in,
// in which order.
func TestRunLikeHome(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, format, book string
		chat               []string
		budget             int // tokens; 0 is the dialect's own
		want               string
	}{
		{
			"suzune: smaller is earlier, constants last", "suzune",
			`[{"keys":["mill"],"content":"flavour","priority":80},{"keys":["MILL"],"content":"scene","priority":5},
			{"keys":[],"content":"rule","constant":true,"priority":1},
			{"keys":["mill"],"secondary_keys":["night"],"selective":true,"content":"night"},
			{"keys":["mill"],"secondary_keys":[],"selective":true,"content":"never"},
			{"keys":[""],"content":"empty"},{"keys":["mill"],"content":"late","delay":9},{"keys":["mill"],"content":"off","enabled":false}]`,
			[]string{"the windmill"},
			0, "scene flavour rule",
		},
		{
			"novelai: range, borders, regex case, categories, cascade", "novelai",
			`{"lorebookVersion":4,"categories":[{"id":"off","name":"Off","enabled":false}],"settings":{"orderByKeyLocations":false},"entries":[
			{"text":"near","keys":["mill"],"searchRange":20,"contextConfig":{"prefix":"","suffix":"","budgetPriority":400,"insertionPosition":-1}},
			{"text":"far","keys":["goat"],"searchRange":20,"contextConfig":{"prefix":"","suffix":"","budgetPriority":400,"insertionPosition":-1}},
			{"text":"inside","keys":["ill"],"contextConfig":{"prefix":"","suffix":"","insertionPosition":-1}},
			{"text":"regex","keys":["/THE/"],"contextConfig":{"prefix":"","suffix":"","insertionPosition":-1}},
			{"text":"cat","keys":["mill"],"category":"off","contextConfig":{"prefix":"","suffix":"","insertionPosition":-1}},
			{"text":"important near thing","keys":["mill"],"contextConfig":{"prefix":"","suffix":"","budgetPriority":500,"insertionPosition":-1}},
			{"text":"cascade","keys":["important"],"nonStoryActivatable":true,"contextConfig":{"prefix":"","suffix":"","budgetPriority":300,"insertionPosition":-1}},
			{"text":"no cascade","keys":["important"],"contextConfig":{"prefix":"","suffix":"","budgetPriority":300,"insertionPosition":-1}},
			{"text":"always","keys":[],"forceActivation":true,"contextConfig":{"prefix":"","suffix":"","budgetPriority":450,"insertionPosition":-1}}]}`,
			[]string{"a goat stands there, and it stands for a long while", "at the mill"},
			0,
			"important near thing, always, near, cascade",
		},
		{
			"kobold: list order, anti-keys, constants", "kobold",
			`{"prompt":"","actions":[],"worldinfo":[{"key":"mill","content":"first"},{"key":"mill","keyanti":"toy","content":"anti"},
			{"key":"mill","keysecondary":"weir","selective":true,"content":"second"},{"key":"x","content":"always","constant":true},
			{"key":"mill","content":"off","widisabled":true},{"key":"windm","content":"last"}]}`,
			[]string{"a toy windmill by the weir"},
			0, "first second always last",
		},
		{
			"agnai: globs and whole words, weight is lower down", "agnai",
			`{"kind":"memory","name":"b","entries":[{"name":"a","entry":"bottom","keywords":["m?ll"],"priority":1,"weight":9,"enabled":true},
			{"name":"b","entry":"top","keywords":["wind*"],"priority":2,"weight":1,"enabled":true},
			{"name":"c","entry":"inside","keywords":["ill"],"priority":2,"weight":1,"enabled":true},
			{"name":"d","entry":"constant","keywords":["zzz"],"constant":true,"priority":2,"weight":1,"enabled":true}]}`,
			[]string{"a windmill, a mill"},
			0, "top bottom",
		},
		{
			"aidungeon: substring, spaces count", "aidungeon",
			`[{"keys":"mill","value":"mill"},{"keys":" ray,zzz","value":"ray"},{"keys":"windmill, goat","value":"goat"}]`,
			[]string{"the windmill array"},
			0, "mill goat",
		},
		{
			"risu: spaces do not count, decorators do", "risu",
			`{"type":"risu","ver":1,"data":[{"key":"wind mill","secondkey":"","insertorder":20,"comment":"a","content":"@@role user\nspaces","mode":"normal","alwaysActive":false,"selective":false},
			{"key":"ill","secondkey":"","insertorder":10,"comment":"b","content":"@@match_full_word\nword","mode":"normal","alwaysActive":false,"selective":false},
			{"key":"mill","secondkey":"","insertorder":10,"comment":"c","content":"@@dont_activate\noff","mode":"normal","alwaysActive":false,"selective":false},
			{"key":"","secondkey":"","insertorder":5,"comment":"d","content":"always","mode":"normal","alwaysActive":true,"selective":false},
			{"key":"/WINDMILL/i","secondkey":"","insertorder":7,"comment":"e","content":"regex","mode":"normal","alwaysActive":false,"selective":false,"useRegex":true}]}`,
			[]string{"a windmill"},
			0, "always regex spaces",
		},
		{
			"janitor: whole words, groups of keys, minimum of messages", "janitor",
			`[{"id":"1","key":["mill"],"keysRaw":"mill","content":"word","insertion_order":10,"matchWholeWords":true},
			{"id":"2","key":["ill"],"keysRaw":"ill","content":"inside","insertion_order":20,"matchWholeWords":true},
			{"id":"3","key":["ill"],"keysRaw":"ill","content":"part","insertion_order":5,"matchWholeWords":false},
			{"id":"4","key":["mill"],"keysRaw":"mill","keysecondary":["toy"],"selectiveLogic":2,"content":"no toy","insertion_order":30},
			{"id":"5","key":["mill"],"keysRaw":"mill","content":"late","minMessages":5}]`,
			[]string{"the mill"},
			0, "part word no toy",
		},
		{
			"backyard: placeholders and list order", "backyard",
			`{"character":{"aiName":"Pim","aiPersona":"","loreItems":[{"key":"goat, mill","value":"{character} knows it."},{"key":"mill","value":"It stands."}]},"version":4}`,
			[]string{"the MILL"},
			0, "Pim knows it. It stands.",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc, _, err := format.Read(t.Context(), all.Table(), format.Bytes("book.json", []byte(tt.book)))
			if err != nil {
				t.Fatal(err)
			}
			if doc.Format != tt.format {
				t.Fatalf("read as %s", doc.Format)
			}
			segment, _ := engine.Build(doc.Books[0], engine.BuildOptions{})
			eng, err := engine.New(engine.Options{Registry: stdlib.NewRegistry()})
			if err != nil {
				t.Fatal(err)
			}
			in := engine.Input{Character: engine.Character{Name: "Pim"}}
			for _, text := range tt.chat {
				in.Messages = append(in.Messages, lore.UserMessage(text))
			}
			res, err := eng.Assemble(t.Context(), engine.NewIndex(segment), in)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, b := range res.Blocks {
				got = append(got, b.Content)
			}
			sep := " "
			if strings.Contains(tt.want, ", ") {
				sep = ", "
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, sep)); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
		})
	}
}
