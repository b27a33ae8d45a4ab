package engine_test

import (
	"testing"
	"time"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
)

func TestMacrosOfTime(t *testing.T) {
	t.Parallel()
	in := macroInput()
	delete(in.Vars, "chat")
	in.Now = time.Date(2026, 3, 1, 21, 4, 9, 0, time.FixedZone("", 3600))
	in.LastUser = in.Now.Add(-2 * time.Hour)
	for _, c := range []struct{ content, want string }{
		{"{{time}}, {{date}}, {{weekday}}", "9:04 PM, March 1, 2026, Sunday"},
		{"{{isotime}} {{isodate}} {{idle_duration}}", "21:04 2026-03-01 2 hours"},
		{"{{time_UTC+2}} {{time::UTC-5}} {{time_UTC}} {{time_here}}", "10:04 PM 3:04 PM 8:04 PM {{time_here}}"},
		{"{{datetimeformat DD.MM.YYYY HH:mm}}", "01.03.2026 21:04"},
		{"{{datetimeformat::dddd, MMMM Do [at] h a Z}}", "Sunday, March 1st at 9 pm +01:00"},
		{"{{timediff::2026-03-01 10:00::2026-03-01 08:00}} {{timediff::2026-01-01::2026-03-01}}", "in 2 hours 2 months ago"},
		{"{{timediff::soon::later}}", "{{timediff::soon::later}}"},
	} {
		if got := render(t, lore.PolicySillyTavern(), c.content, in); got.text != c.want {
			t.Errorf("%s\n got %q\nwant %q\n%v", c.content, got.text, c.want, got.problems)
		}
	}
	in.Now = time.Time{}
	if got := render(t, lore.PolicySillyTavern(), "{{time}} {{datetimeformat HH}} {{time_UTC+2}}", in); got.text != "{{time}} {{datetimeformat HH}} {{time_UTC+2}}" {
		t.Errorf("without a clock: %q", got.text)
	}
}

// A host that knows better goes before the clock, and templates see the same
// values, numbers among them.
func TestTemplatesOfTime(t *testing.T) {
	t.Parallel()
	ix := readIndex(t, "id: a\nconstant: true\ncondition: chat:hour >= 21\n---\n{{chat:time}} {{chat:weekday}} {{chat:hour + 1}} {{chat:idle_duration}}")
	in := engine.Input{Now: time.Date(2026, 3, 1, 21, 4, 9, 0, time.UTC)}
	r := assemble(t, newEngine(t, engine.Options{}), ix, in)
	if len(r.Blocks) != 1 || r.Blocks[0].Content != "9:04 PM Sunday 22 just now" {
		t.Errorf("the blocks are %+v, the problems %v", r.Blocks, r.Problems)
	}
	in.Now = in.Now.Add(-time.Hour)
	if r := assemble(t, newEngine(t, engine.Options{}), ix, in); len(r.Blocks) != 0 {
		t.Errorf("an hour earlier the blocks are %+v", r.Blocks)
	}
}

func TestHumanDuration(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for d, want := range map[time.Duration]string{
		0: "a few seconds", 44 * time.Second: "a few seconds", 45 * time.Second: "a minute", 89 * time.Second: "a minute",
		90 * time.Second: "2 minutes", 44 * time.Minute: "44 minutes", 45 * time.Minute: "an hour", 2 * time.Hour: "2 hours",
		21 * time.Hour: "21 hours", 22 * time.Hour: "a day", 3 * day: "3 days", 25 * day: "25 days", 30 * day: "a month",
		100 * day: "3 months", 330 * day: "a year", 800 * day: "2 years", -2 * time.Hour: "2 hours",
	} {
		if got := engine.HumanDuration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
