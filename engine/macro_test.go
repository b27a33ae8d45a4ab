package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
)

// rendered is what became of a constant entry's content.
type rendered struct {
	text     string
	state    map[string]string
	problems []string
}

// render assembles a book of one constant entry.
func render(t testing.TB, p lore.Policy, content string, in engine.Input) rendered {
	t.Helper()
	e := lore.NewEntry("e", content)
	e.Constant = true
	ix := engine.NewIndex(mustBuild(t, &lore.Book{ID: "b", Policy: p, Entries: []*lore.Entry{e}}))
	r := assemble(t, newEngine(t, engine.Options{}), ix, in)
	out := rendered{state: map[string]string{}}
	for _, b := range r.Blocks {
		out.text += b.Content
	}
	for name, v := range r.State.Vars["state"] {
		out.state[name] = v.Text()
	}
	for _, problem := range r.Problems {
		out.problems = append(out.problems, problem.Code)
	}
	return out
}

// macroInput is what the host of the macro tests gives.
func macroInput() engine.Input {
	return engine.Input{
		Messages: []lore.Message{
			lore.UserMessage("Is the ferry late?"), lore.AssistantMessage("It is always late."), lore.UserMessage("Then I wait."),
		},
		Character: engine.Character{Name: "Mio"}, User: "Ren",
		Sources: map[lore.Source]string{lore.SourcePersona: "A courier.", lore.SourceScenario: "A quay at dusk."},
		Vars: map[string]map[string]weaver.Value{
			"state": {"mood": weaver.String("wary"), "coins": weaver.Number(3)},
			"chat":  {"time": weaver.String("9:40 PM")},
			"char":  {"examples": weaver.String("<START>")},
		},
	}
}

func TestTavernMacros(t *testing.T) {
	t.Parallel()
	p := lore.PolicySillyTavern()
	for _, c := range []struct{ content, want string }{
		{"{{char}} and {{USER}}, <BOT> and <user>", "Mio and Ren, Mio and Ren"},
		{"a <b> < c", "a <b> < c"},
		{"{{ char }} waits", "Mio waits"},
		{"{{{char}}} {{char}", "{Mio} {{char}"},
		{"{{persona}} {{scenario}}|{{description}}|", "A courier. A quay at dusk.||"},
		{"{{lastMessage}} / {{lastUserMessage}} / {{lastCharMessage}} / {{lastMessageId}}", "Then I wait. / Then I wait. / It is always late. / 2"},
		{"{{time}}, {{lastGenerationType}}, {{maxPrompt}}, {{mesExamples}}", "9:40 PM, normal, 8192, <START>"},
		{"one\n\n{{trim}}\n\ntwo{{newline}}three{{newline::2}}four", "onetwo\nthree\n\nfour"},
		{"a{{noop}}b{{// a note with {{char}} in it}}c{{comment: no}}d", "abcd"},
		{"{{reverse:{{char}}}} {{reverse::né}}", "oiM én"},
		{"{{getvar::mood}} {{getvar::coins}} [{{getvar::none}}]", "wary 3 []"},
		{"{{setvar::place::the {{getvar::mood}} quay}}{{getvar::place}}", "the wary quay"},
		{"{{incvar::coins}} {{decvar::coins}} {{addvar::coins::2.5}}{{getvar::coins}}", "4 3 5.5"},
		{"{{addvar::mood:: and tired}}{{getvar::mood}}", "waryand tired"},
		{"{{setglobalvar::age::007}}{{getglobalvar::age}} {{incglobalvar::age}}", "7 8"},
		{"{{.mood}} {{.coins++}} {{.coins -= 1}}", "wary 4 {{.coins -= 1}}"},
		{"{{.town = Old Harbour}}{{.town}} {{$x += 4}}{{$x}}", "Old Harbour 4"},
		{"{{setvar::a::{{char}}}}{{setvar::b::{{getvar::a}} {{ {{getvar::a}}", "{{setvar::b::Mio {{ Mio"},
		{"{{if {{getvar::coins}}}}\n  rich\n{{else}}\n  poor\n{{/if}}", "rich"},
		{"{{if !persona}}none{{else}}{{if .missing}}a{{else}}b{{/if}}{{/if}}", "b"},
		{"{{if::off::yes::no}} {{if::on::yes}}", "no yes"},
		{"{{setvar deed}}\n  She left\n  the quay.\n{{/setvar}}{{getvar deed}}", "She left\nthe quay."},
		{`\{\{char\}\} and {{char}}`, "{{char}} and Mio"},
		{"{{roll:d1}} {{roll 3d1+2}} {{roll:x}}", "1 5 {{roll:x}}"},
		{"{{random:}}|{{pick}}", "|"},
		{"{{random::same::same}} {{random:one\\, two}}", "same one, two"},
		{"{{outlet::x}} {{unknown::{{char}}}}", "{{outlet::x}} {{unknown::Mio}}"},
		{"}} {{ {{", "}} {{ {{"},
		{"{{weekday}} and {{original}}", "{{weekday}} and {{original}}"},
	} {
		if got := render(t, p, c.content, macroInput()); got.text != c.want {
			t.Errorf("%s\n got %q\nwant %q\n%v", c.content, got.text, c.want, got.problems)
		}
	}
}

func TestRisuMacros(t *testing.T) {
	t.Parallel()
	p := lore.PolicyCharaCardV3()
	for _, c := range []struct{ content, want string }{
		{"{{Char}} {{bot}} <bot> {{user}} <USER>", "Mio Mio Mio Ren Ren"},
		{"a{{// not here}}b{{comment: nor here}}c{{hidden_key:storm}}d", "abcd"},
		{"{{reverse:abc}} {{random:a\\,b}} {{roll:1}} {{roll:d1}} {{roll::2d1}}", "cba a,b 1 1 2"},
		{"{{calc::1+9/2}} {{? (2+3)*4 - -1}} {{calc::$coins^2 > 8 && 1}} {{calc::1+}}", "5.5 21 1 {{calc::1+}}"},
		{"{{getvar::mood}}{{setvar::mood::glad}} {{getvar::mood}} {{addvar::coins::4}}{{getvar::coins}}", "wary glad 7"},
		{"{{setdefaultvar::mood::x}}{{setdefaultvar::new::y}}{{getvar::mood}}{{getvar::new}}", "waryy"},
		{"{{settempvar::t::5}}{{tempvar::t}}", "5"},
		{"{{equal::a::a}}{{not_equal::a::a}}{{greater::3::2}}{{less::3::2}}{{and::1::0}}{{or::1::0}}{{not::0}}", "1010011"},
		{"{{contains::quay::ua}}{{startswith::quay::q}}{{length::né}}{{upper::ab}}{{lower::AB}}{{capitalize::ém}}{{replace::aXb::X::-}}", "112ABabÉma-b"},
		{"{{round::2.5}} {{floor::-1.5}} {{ceil::1.2}} {{abs::-3}} {{remaind::7::4}} {{pow::2::5}} {{min::3::1}} {{max::3::1}}", "3 -2 2 3 3 32 1 3"},
		{"{{#if {{equal::{{getvar::mood}}::wary}}}}\n  She {{char}} waits.\n{{/if}}!", "She Mio waits.!"},
		{"{{#if 0}}{{setvar::mood::changed}}{{/if}}{{getvar::mood}}", "wary"},
		{"{{#if 1}}a{{#if 0}}b{{/if}}c{{/if}}", "ac"},
		{"{{#when::{{getvar::coins}}::>::2}}rich{{:else}}poor{{/when}} {{#when 0}}x{{:else}}y{{/}}", "rich y"},
		{"{{#when::mood::vis::wary}}yes{{/when}}", "yes"},
		{"{{#pure}}{{char}}{{/pure}}", "{{char}}"},
		{"{{#each [1] as x}}{{char}}{{/each}}", "{{#each [1] as x}}Mio{{/each}}"},
		{"a{{br}}b{{none}}c{{bo}}char{{bc}}", "a\nbc{{char}}"},
		{"{{lastmessage}}|{{previous_char_chat}}|{{chat_index}}|{{firstmsgindex}}", "Then I wait.|It is always late.|2|-1"},
	} {
		if got := render(t, p, c.content, macroInput()); got.text != c.want {
			t.Errorf("%s\n got %q\nwant %q\n%v", c.content, got.text, c.want, got.problems)
		}
	}
}

func TestBasicAndPlainMacros(t *testing.T) {
	t.Parallel()
	const content = "{{char}} {{User}} {{ char }} <BOT> {{time}}"
	for _, c := range []struct {
		policy lore.Policy
		want   string
	}{
		{lore.PolicySuzune(), "Mio Ren {{ char }} <BOT> {{time}}"},
		{lore.PolicyNovelAI(), content},
	} {
		if got := render(t, c.policy, content, macroInput()).text; got != c.want {
			t.Errorf("%s: got %q, want %q", c.policy.Name, got, c.want)
		}
	}
}

func TestMacrosAreReportedOnce(t *testing.T) {
	t.Parallel()
	got := render(t, lore.PolicySillyTavern(), "{{what}} {{what}} {{date}} {{date}} {{What::1}}", macroInput())
	if diff := cmp.Diff([]string{"macro", "macro"}, got.problems); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMacrosWriteTheState(t *testing.T) {
	t.Parallel()
	got := render(t, lore.PolicySillyTavern(), "{{setvar::a::1}}{{incvar::a}}{{setglobalvar::b::x}}", engine.Input{})
	if diff := cmp.Diff(map[string]string{"a": "2", "global": `{"b":"x"}`}, got.state); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// An entry that the budget refuses has changed nothing.
	p := lore.PolicySillyTavern()
	p.Budget = lore.Amount{N: 1, Unit: lore.UnitTokens}
	if got := render(t, p, "{{setvar::a::1}}a long text that does not fit", engine.Input{}); len(got.state) != 0 {
		t.Errorf("state = %v, want none", got.state)
	}
}

func TestMacroResultsAreNotExpandedAgain(t *testing.T) {
	t.Parallel()
	in := macroInput()
	in.Character.Name = "{{user}}"
	in.Vars["state"]["mood"] = weaver.String("{{setvar::x::1}}")
	for _, p := range []lore.Policy{lore.PolicySillyTavern(), lore.PolicyCharaCardV3(), lore.PolicySuzune()} {
		if got := render(t, p, "{{char}}", in).text; got != "{{user}}" {
			t.Errorf("%s: got %q", p.Name, got)
		}
	}
	if got := render(t, lore.PolicySillyTavern(), "{{getvar::mood}}", in).text; got != "{{setvar::x::1}}" {
		t.Errorf("got %q", got)
	}
}

func TestMacroDrawsAreTheEntrysOwn(t *testing.T) {
	t.Parallel()
	const content = "{{random::a::b::c::d::e::f::g::h}}{{random::a::b::c::d::e::f::g::h}}{{roll:1d1000}} {{pick::a::b::c::d::e::f}}{{pick::a::b::c::d::e::f}}{{pick::a::b::c::d::e::f}}"
	p := lore.PolicySillyTavern()
	seen, picks := map[string]bool{}, map[string]bool{}
	for seed := range uint64(20) {
		in := engine.Input{Seed: seed, ChatSeed: 7}
		got := render(t, p, content, in).text
		if again := render(t, p, content, in).text; again != got {
			t.Fatalf("seed %d: %q, then %q", seed, got, again)
		}
		random, pick, _ := strings.Cut(got, " ")
		seen[random], picks[pick] = true, true
	}
	if len(seen) < 10 || len(picks) != 1 {
		t.Errorf("%d of 20 seeds differ, %d picks", len(seen), len(picks))
	}
	for chat := range uint64(20) {
		_, pick, _ := strings.Cut(render(t, p, content, engine.Input{ChatSeed: chat}).text, " ")
		picks[pick] = true
	}
	if len(picks) < 5 {
		t.Errorf("20 chats have %d picks", len(picks))
	}
}

func TestMacrosAreBounded(t *testing.T) {
	t.Parallel()
	p := lore.PolicySillyTavern()
	for name, content := range map[string]string{
		"open braces": strings.Repeat("{{", 200_000), "closing braces": strings.Repeat("}}", 200_000),
		"nested":         strings.Repeat("{{reverse::", 100_000) + strings.Repeat("}}", 100_000),
		"ifs":            strings.Repeat("{{if 1}}", 50_000) + strings.Repeat("{{/if}}", 50_000),
		"dice":           "{{roll:999999999d9}}",
		"line breaks":    strings.Repeat("{{newline::999999999}}", 1000),
		"doubling":       "{{setvar::a::0123456789}}" + strings.Repeat("{{addvar::a::{{getvar::a}}x}}", 40) + strings.Repeat("{{getvar::a}}", 100),
		"angle brackets": strings.Repeat("<", 200_000),
	} {
		if got := render(t, p, content, engine.Input{}); len(got.text) > 2<<20 {
			t.Errorf("%s: %d bytes", name, len(got.text))
		}
	}
	p = lore.PolicyRisu()
	p.Budget = lore.Amount{}
	deep := strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000)
	if got := render(t, p, "{{calc::"+deep+"}}{{#if 1}}"+strings.Repeat("{{#if 1}}x", 3000)+"{{/if}}", engine.Input{}); got.text == "" {
		t.Error("nothing is left of deep blocks")
	}
}

// macroText draws texts that are rich in macros.
func macroText(t *rapid.T) string {
	part := rapid.SampledFrom([]string{
		"{{", "}}", "::", ":", "char", "user", "random", "pick", "setvar", "getvar", "if", "#if", "/if", "else", ":else", "#when",
		"roll", "1d6", "trim", "newline", "//", "calc", "?", ".a", "$a", "=", "++", "x", " ", "\n", "<user>", "\\{\\{", ",", "1", "hidden_key", "é", "\xff",
	})
	return strings.Join(rapid.SliceOfN(part, 0, 40).Draw(t, "parts"), "")
}

func TestMacrosOfAnyText(t *testing.T) {
	t.Parallel()
	eng := newEngine(t, engine.Options{})
	rapid.Check(t, func(rt *rapid.T) {
		p := rapid.SampledFrom([]lore.Policy{lore.PolicySillyTavern(), lore.PolicyRisu(), lore.PolicyAgnai()}).Draw(rt, "policy")
		e := lore.NewEntry("e", "x"+macroText(rt))
		e.Constant = true
		seg, _ := engine.Build(&lore.Book{ID: "b", Policy: p, Entries: []*lore.Entry{e}}, engine.BuildOptions{})
		in := engine.Input{Seed: rapid.Uint64().Draw(rt, "seed"), Messages: says("so")}
		var first string
		for i := range 2 {
			r, err := eng.Assemble(t.Context(), engine.NewIndex(seg), in)
			if err != nil {
				rt.Fatal(err)
			}
			vars, err := json.Marshal(r.State.Vars)
			if err != nil {
				rt.Fatal(err)
			}
			got := fmt.Sprint(summary(r), r.Problems, string(vars))
			if i == 1 && got != first {
				rt.Fatalf("%q differs from %q", got, first)
			}
			first = got
		}
	})
}

func FuzzMacros(f *testing.F) {
	f.Add("{{char}} {{random::a::b}} {{if 1}}x{{else}}y{{/if}}")
	f.Add("{{#if {{equal::a::b}}}}x{{/if}}{{calc::1+(2*3)}}<user>")
	f.Add("{{{{{char}}}}} {{setvar::a::{{getvar::a}}}}")
	eng := newEngine(f, engine.Options{})
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range []lore.Policy{lore.PolicySillyTavern(), lore.PolicyRisu()} {
			e := lore.NewEntry("e", text)
			e.Constant = true
			seg, _ := engine.Build(&lore.Book{ID: "b", Policy: p, Entries: []*lore.Entry{e}}, engine.BuildOptions{})
			r, err := eng.Assemble(t.Context(), engine.NewIndex(seg), engine.Input{Messages: says("so")})
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range r.Blocks {
				if len(b.Content) > len(text)+2<<20 {
					t.Fatalf("%d bytes became %d", len(text), len(b.Content))
				}
			}
		}
	})
}
