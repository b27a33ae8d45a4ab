package match_test

import (
	"fmt"

	"github.com/weft-memory/weft/match"
)

func ExampleKey_Find() {
	key, err := match.CompileKey("straße", match.FoldNFKC, match.WholeWordUnicode)
	if err != nil {
		fmt.Println(err)
		return
	}
	text := "They met in the HAUPTSTRASSE, then in the STRASSE itself."
	hit, ok := key.Find(text)
	fmt.Println(ok, text[hit.Start:hit.End], hit.Start)
	// Output: true STRASSE 42
}

func ExampleAutomaton_Scan() {
	names := []string{"Mira", "Old Mill", "東京"}
	keys := make([]*match.Key, len(names))
	patterns := make([]string, len(names))
	for i, name := range names {
		key, err := match.CompileKey(name, match.FoldNFKC, match.WholeWordUnicode)
		if err != nil {
			fmt.Println(err)
			return
		}
		keys[i], patterns[i] = key, key.Literal()
	}
	automaton, err := match.NewAutomaton(patterns)
	if err != nil {
		fmt.Println(err)
		return
	}
	message := "MIRA left the old mill for 新東京駅. A miracle!"
	f := match.FoldNFKC.Fold(message)
	automaton.Scan(f.Text, func(i, start, end int) bool {
		if hit, ok := keys[i].Verify(&f, start, end); ok {
			fmt.Printf("%s: %q\n", keys[i], message[hit.Start:hit.End])
		}
		return true
	})
	// Output:
	// Mira: "MIRA"
	// Old Mill: "old mill"
	// 東京: "東京"
}

func ExampleAutomaton_ScanSeams() {
	automaton, err := match.NewAutomaton([]string{"iron gate"})
	if err != nil {
		fmt.Println(err)
		return
	}
	messages := []string{"he touched the iron", "gate and it fell"}
	automaton.ScanSeams(messages, " ", func(h match.SeamHit) bool {
		fmt.Println(messages[h.First][h.Start:], "|", messages[h.Last][:h.End])
		return true
	})
	// Output: iron | gate
}

func ExampleSplitJSKey() {
	for _, key := range []string{"/gr[ae]y barge/i", "30 km/h", "/km/h/"} {
		pattern, flags, ok := match.SplitJSKey(key)
		if !ok {
			fmt.Println(key, "is plain text")
			continue
		}
		re, err := match.CompileJS(pattern, flags, match.RegexOptions{})
		if err != nil {
			fmt.Println(err)
			return
		}
		_, found, err := re.Match("A Gray Barge came in.", match.NewBudget(0))
		fmt.Println(key, found, err, re.Literals())
	}
	// Output:
	// /gr[ae]y barge/i true <nil> [gray barge grey barge]
	// 30 km/h is plain text
	// /km/h/ is plain text
}

func ExampleCompileRE2() {
	_, err := match.CompileRE2(`iron(?! gate)`, match.RegexOptions{})
	fmt.Println(err)
	// Output:
	// regex "iron(?! gate)", at 5: lookahead (?!…) is not supported; write it as a JavaScript expression, /pattern/flags, which can
}

func ExampleFold_Fold() {
	f := match.FoldNFKC.Fold("die Große Straße")
	start, end := f.Original(11, 17)
	fmt.Println(f.Text, "|", f.Text[11:17], "|", f.Source[start:end])
	// Output: die grosse strasse | strass | Straß
}
