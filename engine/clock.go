package engine

import (
	"strconv"
	"strings"
	"time"

	"github.com/weft-memory/weft/weaver"
)

// clock answers for what the host says of time: chat:time and the like, for
// templates and macros. A variable of the host goes before it.
type clock struct {
	now  time.Time
	last time.Time // when the user wrote last; zero if it is not known
}

// value returns a variable of the namespace chat.
func (c *clock) value(name string) (weaver.Value, bool) {
	if c.now.IsZero() {
		return weaver.None, false
	}
	switch name {
	case "time":
		return weaver.String(c.format("LT")), true
	case "date":
		return weaver.String(c.format("LL")), true
	case "weekday":
		return weaver.String(c.now.Weekday().String()), true
	case "isotime":
		return weaver.String(c.format("HH:mm")), true
	case "isodate":
		return weaver.String(c.format("YYYY-MM-DD")), true
	case "hour":
		return weaver.Number(float64(c.now.Hour())), true
	case "minute":
		return weaver.Number(float64(c.now.Minute())), true
	case "day":
		return weaver.Number(float64(c.now.Day())), true
	case "month":
		return weaver.Number(float64(c.now.Month())), true
	case "year":
		return weaver.Number(float64(c.now.Year())), true
	case "unixtime":
		return weaver.Number(float64(c.now.Unix())), true
	case "idle_duration", "message_idle_duration":
		if c.last.IsZero() {
			return weaver.String("just now"), true
		}
		return weaver.String(humanDuration(c.now.Sub(c.last))), true
	}
	return weaver.None, false
}

// format writes the time in a format of Moment.js, the language of dates in
// SillyTavern's macros: YYYY, MMMM, Do, dddd, HH, mm, A, LL and so on. Text in
// [brackets] stands for itself, as does every other letter.
// See https://momentjs.com/docs/#/displaying/format/.
func (c *clock) format(layout string) string {
	var b strings.Builder
	for layout != "" {
		if rest, ok := strings.CutPrefix(layout, "["); ok {
			if text, after, ok := strings.Cut(rest, "]"); ok {
				b.WriteString(text)
				layout = after
				continue
			}
		}
		token := dateToken(layout)
		if token == "" {
			b.WriteByte(layout[0])
			layout = layout[1:]
			continue
		}
		b.WriteString(dateTokens[token](c.now))
		layout = layout[len(token):]
	}
	return b.String()
}

// dateToken returns the longest token that a format begins with.
func dateToken(layout string) string {
	for n := min(len(layout), 4); n > 0; n-- {
		if _, ok := dateTokens[layout[:n]]; ok {
			return layout[:n]
		}
	}
	return ""
}

// dateTokens are the tokens of formats, with what each writes.
var dateTokens = map[string]func(time.Time) string{
	"YYYY": goFormat("2006"), "YY": goFormat("06"), "Y": goFormat("2006"),
	"MMMM": goFormat("January"), "MMM": goFormat("Jan"), "MM": goFormat("01"), "M": goFormat("1"),
	"Mo": func(t time.Time) string { return ordinal(int(t.Month())) },
	"DD": goFormat("02"), "D": goFormat("2"), "Do": func(t time.Time) string { return ordinal(t.Day()) },
	"DDDD": goFormat("002"), "DDD": func(t time.Time) string { return strconv.Itoa(t.YearDay()) },
	"dddd": goFormat("Monday"), "ddd": goFormat("Mon"), "dd": func(t time.Time) string { return t.Weekday().String()[:2] },
	"d":  func(t time.Time) string { return strconv.Itoa(int(t.Weekday())) },
	"Q":  func(t time.Time) string { return strconv.Itoa((int(t.Month()) + 2) / 3) },
	"W":  func(t time.Time) string { _, w := t.ISOWeek(); return strconv.Itoa(w) },
	"HH": goFormat("15"), "H": func(t time.Time) string { return strconv.Itoa(t.Hour()) },
	"hh": goFormat("03"), "h": goFormat("3"), "mm": goFormat("04"), "m": goFormat("4"), "ss": goFormat("05"), "s": goFormat("5"),
	"SSS": func(t time.Time) string { return t.Format(".000")[1:] },
	"A":   goFormat("PM"), "a": goFormat("pm"), "Z": goFormat("-07:00"), "ZZ": goFormat("-0700"),
	"X": func(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }, "x": func(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) },
	"LT": goFormat("3:04 PM"), "LTS": goFormat("3:04:05 PM"), "L": goFormat("01/02/2006"), "LL": goFormat("January 2, 2006"),
	"LLL": goFormat("January 2, 2006 3:04 PM"), "LLLL": goFormat("Monday, January 2, 2006 3:04 PM"),
	"l": goFormat("1/2/2006"), "ll": goFormat("Jan 2, 2006"), "lll": goFormat("Jan 2, 2006 3:04 PM"), "llll": goFormat("Mon, Jan 2, 2006 3:04 PM"),
}

func goFormat(layout string) func(time.Time) string {
	return func(t time.Time) string { return t.Format(layout) }
}

// ordinal writes 1st, 2nd, 3rd, 11th.
func ordinal(n int) string {
	end := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			end = "st"
		case 2:
			end = "nd"
		case 3:
			end = "rd"
		}
	}
	return strconv.Itoa(n) + end
}

// humanDuration says a span as people do: "a few seconds", "an hour", "5 days".
// The steps are those of Moment.js's humanize.
func humanDuration(d time.Duration) string {
	s := d.Abs().Seconds()
	round := func(unit float64) int { return int(s/unit + 0.5) }
	const minute, hour, day, year = 60.0, 3600.0, 86400.0, 365.2425 * 86400
	const month = year / 12
	for _, step := range [...]struct {
		unit     float64
		below    int
		one, all string
	}{
		{minute, 45, "a minute", " minutes"},
		{hour, 22, "an hour", " hours"},
		{day, 26, "a day", " days"},
		{month, 11, "a month", " months"},
		{year, 1 << 30, "a year", " years"},
	} {
		switch n := round(step.unit); {
		case step.unit == minute && round(1) < 45:
			return "a few seconds"
		case n <= 1:
			return step.one
		case n < step.below:
			return strconv.Itoa(n) + step.all
		}
	}
	return "" // the last step takes all
}

// dateTimeMacro is {{datetimeformat ...}}.
func dateTimeMacro(x *expander, m *macroCall) (string, verdict) {
	if len(m.args) == 0 {
		return x.hostValue("chat", "datetime")
	}
	if x.in.Now.IsZero() {
		return "", macroNoValue
	}
	return x.vars.clock.format(strings.Join(m.args, "::")), macroDone
}

// timeDiffMacro is {{timediff::a::b}}: how long before or after b the time a is.
func timeDiffMacro(x *expander, m *macroCall) (string, verdict) {
	if len(m.args) != 2 {
		return x.hostValue("chat", "time_diff")
	}
	a, ok := parseDate(m.args[0])
	b, also := parseDate(m.args[1])
	if !ok || !also {
		return "", macroUnknown
	}
	text := humanDuration(a.Sub(b))
	if a.Before(b) {
		return text + " ago", macroDone
	}
	return "in " + text, macroDone
}

// utcMacro is {{time_UTC+2}}, as {{time::UTC+2}} and in its older form.
func utcMacro(x *expander, m *macroCall) (string, verdict) {
	if len(m.args) == 0 {
		return x.hostValue("chat", "time")
	}
	zone, ok := strings.CutPrefix(strings.ToUpper(strings.TrimSpace(m.args[0])), "UTC")
	hours, err := strconv.ParseFloat(strings.TrimSpace(zone), 64)
	if zone == "" {
		hours, err = 0, nil
	}
	if !ok || err != nil || hours < -15 || hours > 15 || len(m.args) > 1 {
		return "", macroUnknown
	}
	if x.in.Now.IsZero() {
		return "", macroNoValue
	}
	c := clock{now: x.in.Now.In(time.FixedZone("", int(hours*3600)))}
	return c.format("LT"), macroDone
}

// dateLayouts are the ways to write a date that {{timediff}} reads.
var dateLayouts = [...]string{
	time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02",
	"January 2, 2006 3:04 PM", "January 2, 2006", "Jan 2, 2006",
}

func parseDate(s string) (time.Time, bool) {
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, strings.TrimSpace(s)); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
