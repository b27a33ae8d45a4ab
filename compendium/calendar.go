package compendium

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/resolve"
)

// Calendar counts the days of a world. The zero Calendar is [Days]: numbered
// days of 24 hours. Its moments are in minutes since the first minute of day 1
// of year 1.
type Calendar struct {
	// Name is for people.
	Name string `json:"name,omitempty"`
	// Months in their order; none means that days are merely numbered.
	Months []Month `json:"months,omitempty"`
	// Weekdays in their order, the first one on day 1.
	Weekdays []string `json:"weekdays,omitempty"`
	// Hours is how many a day has, Minutes how many an hour has. They default
	// to 24 and 60.
	Hours   int `json:"hours,omitempty"`
	Minutes int `json:"minutes,omitempty"`
	// Times of the day by name, as hours: "dawn": 6. They come beside the
	// common English ones.
	Times map[string]int `json:"times,omitempty"`
}

// Month is a month of a calendar.
type Month struct {
	Name string `json:"name"`
	Days int    `json:"days"`
}

// Days is the calendar of numbered days.
var Days = Calendar{}

func (c Calendar) hours() int64 {
	if c.Hours <= 0 {
		return 24
	}
	return int64(c.Hours)
}

func (c Calendar) minutes() int64 {
	if c.Minutes <= 0 {
		return 60
	}
	return int64(c.Minutes)
}

// Day returns how many minutes a day has.
func (c Calendar) Day() int64 { return c.hours() * c.minutes() }

func (c Calendar) year() int64 {
	n := int64(0)
	for _, m := range c.Months {
		n += int64(max(m.Days, 1))
	}
	if n == 0 {
		return 365
	}
	return n
}

// maxNumber bounds numbers in dates, so that no sum overflows.
const maxNumber = 10_000_000

// timesOfDay are common words, as parts of a day of 24.
var timesOfDay = map[string]int{
	"midnight": 0, "small hours": 3, "before dawn": 5, "dawn": 6, "daybreak": 6, "sunrise": 6, "early morning": 7, "morning": 9, "forenoon": 10, "noon": 12,
	"midday": 12, "afternoon": 15, "dusk": 19, "sunset": 19, "evening": 20, "night": 22, "late night": 23,
}

// Parse reads a date that a story tells: "Day 12", "day 3, evening", "14
// Frostfall 1203", "Frostfall 14th", "Day 9, 17:30". Words it does not know are
// passed over, but there has to be a day. ok is false for what is no date; the
// label is kept by whoever asks.
func (c Calendar) Parse(text string) (sort int64, ok bool) {
	return c.parse(text, Moment{})
}

// parse is Parse with the story's time, which fills in a year that is not said.
func (c Calendar) parse(text string, now Moment) (sort int64, ok bool) {
	if len(text) > 200 {
		return 0, false
	}
	minute, clocked := c.timeOfDay(text)
	day, ok := c.day(text, now)
	if !ok {
		return 0, false
	}
	if !clocked {
		minute = 0
	}
	return day*c.Day() + minute, true
}

// day returns the number of the day that a text names, from 0.
func (c Calendar) day(text string, now Moment) (int64, bool) {
	words := strings.Fields(resolve.Normal(strings.NewReplacer(",", " ", ":", "h").Replace(text)))
	month, monthAt := -1, -1
	for i, w := range words {
		for j, m := range c.Months {
			if w == resolve.Normal(m.Name) {
				month, monthAt = j, i
			}
		}
	}
	if month < 0 {
		for i, w := range words {
			if (w == "day" || w == "tag" || w == "день") && i+1 < len(words) {
				if n, ok := ordinal(words[i+1]); ok && n > 0 {
					return n - 1, true
				}
			}
		}
		return 0, false
	}
	dayNumber, year, dayAt := int64(1), int64(0), -1
	most := int64(max(c.Months[month].Days, 1))
	for _, i := range []int{monthAt - 1, monthAt - 2, monthAt + 1} { // 14 Thaw, the 14th of Thaw, Thaw 14
		if i < 0 || i >= len(words) || i == monthAt-2 && words[monthAt-1] != "of" {
			continue
		}
		if n, ok := ordinal(words[i]); ok && n >= 1 && n <= most {
			dayNumber, dayAt = n, i
			break
		}
	}
	for i, w := range words {
		if n, ok := ordinal(w); ok && n > 0 && i != dayAt && i != monthAt {
			year = n
		}
	}
	if year == 0 {
		year = 1
		if now.Dated {
			year = now.Sort/c.Day()/c.year() + 1
		}
	}
	days := (year - 1) * c.year()
	for _, m := range c.Months[:month] {
		days += int64(max(m.Days, 1))
	}
	return days + dayNumber - 1, true
}

// ordinal reads 3, 3rd, 14th.
func ordinal(s string) (int64, bool) {
	s = strings.TrimRight(s, "stndrh.")
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n >= 0 && n <= maxNumber
}

// timeOfDay returns the minute of the day that a text names.
func (c Calendar) timeOfDay(text string) (int64, bool) {
	for _, w := range strings.Fields(text) {
		h, m, ok := strings.Cut(strings.Trim(w, ".,;()"), ":")
		if !ok {
			continue
		}
		hour, err1 := strconv.Atoi(h)
		minute, err2 := strconv.Atoi(m)
		if err1 == nil && err2 == nil && hour >= 0 && int64(hour) < c.hours() && minute >= 0 && int64(minute) < c.minutes() {
			return int64(hour)*c.minutes() + int64(minute), true
		}
	}
	norm := " " + resolve.Normal(text) + " "
	best, hour := "", 0.0
	for name, h := range c.Times {
		if n := resolve.Normal(name); strings.Contains(norm, " "+n+" ") && (len(n) > len(best) || len(n) == len(best) && n < best) {
			best, hour = n, float64(h)
		}
	}
	for name, h := range timesOfDay {
		if strings.Contains(norm, " "+name+" ") && len(name) > len(best) {
			best, hour = name, float64(h)*float64(c.hours())/24
		}
	}
	return int64(hour * float64(c.minutes())), best != ""
}

// Format writes a moment's number as a date of the calendar: "Day 12", or "14
// Frostfall 1203".
func (c Calendar) Format(sort int64) string {
	day := floorDiv(sort, c.Day())
	if len(c.Months) == 0 {
		return fmt.Sprintf("Day %d", day+1)
	}
	year := floorDiv(day, c.year())
	rest := day - year*c.year()
	for _, m := range c.Months {
		if n := int64(max(m.Days, 1)); rest >= n {
			rest -= n
			continue
		}
		return fmt.Sprintf("%d %s %d", rest+1, m.Name, year+1)
	}
	return fmt.Sprintf("Day %d", day+1)
}

// Weekday returns the day of the week, "" if the calendar has no weeks.
func (c Calendar) Weekday(sort int64) string {
	n := int64(len(c.Weekdays))
	if n == 0 {
		return ""
	}
	day := floorDiv(sort, c.Day())
	return c.Weekdays[day-floorDiv(day, n)*n]
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// Clock is the story's clock: it reads what the story says of time, and never
// runs by itself.
type Clock struct {
	Calendar Calendar
	Now      Moment
}

// Read returns the clock after a text about time: a date of the calendar, a time
// of the day, or a span such as "three days later", "the next morning", "a week
// passes". ok is false if the text says nothing that the clock understands; then
// a clock with the text as a label is returned, undated unless it was dated.
// A time of day without a date is the next one that is not before now.
func (c Clock) Read(text string) (next Clock, ok bool) {
	next = c
	text = clip(cleanText(text), 80)
	if sort, ok := c.Calendar.parse(text, c.Now); ok {
		next.Now = At(text, sort)
		return next, true
	}
	day := c.Calendar.Day()
	minute, clocked := c.Calendar.timeOfDay(text)
	if span, ok := c.Calendar.Span(text); ok && c.Now.Dated {
		sort := c.Now.Sort + span
		if clocked && span%day == 0 {
			sort = floorDiv(sort, day)*day + minute
		}
		next.Now = At(c.Calendar.label(sort, text, clocked), sort)
		return next, true
	}
	if clocked && c.Now.Dated {
		sort := floorDiv(c.Now.Sort, day)*day + minute
		if sort < c.Now.Sort {
			sort += day
		}
		next.Now = At(c.Calendar.label(sort, text, true), sort)
		return next, true
	}
	if text != "" {
		next.Now = Moment{Label: text, Sort: c.Now.Sort, Dated: c.Now.Dated}
	}
	return next, false
}

func (c Calendar) label(sort int64, text string, clocked bool) string {
	s := c.Format(sort)
	if clocked {
		norm := " " + resolve.Normal(text) + " "
		best := ""
		for name := range timesOfDay {
			if strings.Contains(norm, " "+name+" ") && len(name) > len(best) {
				best = name
			}
		}
		if best != "" {
			s += ", " + best
		}
	}
	return s
}

// units are the words for spans, in minutes of a day of 1440.
var units = map[string]int64{
	"minute": 1, "minutes": 1, "hour": 60, "hours": 60, "day": 1440, "days": 1440, "week": 7 * 1440, "weeks": 7 * 1440, "fortnight": 14 * 1440,
	"month": 30 * 1440, "months": 30 * 1440, "year": 365 * 1440, "years": 365 * 1440,
	"stunde": 60, "stunden": 60, "tag": 1440, "tage": 1440, "tagen": 1440, "woche": 7 * 1440, "wochen": 7 * 1440, "monate": 30 * 1440, "jahr": 365 * 1440, "jahre": 365 * 1440,
}

var counts = map[string]int64{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12, "twenty": 20,
	"couple": 2, "few": 3, "several": 4, "next": 1, "following": 1, "ein": 1, "eine": 1, "einen": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7,
}

// Span reads a span of time: "three days later", "the next morning", "two weeks
// pass". The number is in minutes; ok is false if the text names none.
func (c Calendar) Span(text string) (minutes int64, ok bool) {
	if len(text) > 200 {
		return 0, false
	}
	low := strings.ToLower(text)
	if strings.Contains(low, " ago") || strings.Contains(low, "earlier") || strings.Contains(low, "before") {
		return 0, false // it tells of the past, and nothing moves on
	}
	n := int64(1)
	numbered := false
	for _, w := range strings.FieldsFunc(low, func(r rune) bool { return r == ' ' || r == ',' || r == '.' || r == '-' || r == '\n' }) {
		if k, err := strconv.ParseInt(w, 10, 64); err == nil && k >= 0 && k <= maxNumber {
			n, numbered = k, true
			continue
		}
		if k, known := counts[w]; known {
			n, numbered = k, true
			continue
		}
		if u, known := units[w]; known && numbered {
			return c.scale(n * u), true
		}
		if timesOfDay[w] > 0 && numbered && strings.Contains(low, "next "+w) {
			return c.Day(), true
		}
	}
	return 0, false
}

// scale turns minutes of a day of 1440 into the calendar's.
func (c Calendar) scale(minutes int64) int64 {
	if minutes%1440 == 0 {
		return minutes / 1440 * c.Day()
	}
	if minutes%60 == 0 {
		return minutes / 60 * c.minutes()
	}
	return minutes
}

// SpanText writes a span in the largest unit that it fills twice, or once.
func (c Calendar) SpanText(l *Language, minutes int64) string {
	day := c.Day()
	for _, u := range []struct {
		key  string
		size int64
		from int64
	}{{"years", c.year() * day, 2 * c.year() * day}, {"weeks", 7 * day, 14 * day}, {"days", day, day}, {"hours", c.minutes(), c.minutes()}} {
		if minutes >= u.from {
			return l.phrase(u.key, "n", strconv.FormatInt(minutes/u.size, 10))
		}
	}
	return l.phrase("minutes", "n", strconv.FormatInt(max(minutes, 0), 10))
}

// Stale is a value of current_state that a jump of the story's time made
// doubtful.
type Stale struct {
	Entry Named  `json:"entry"`
	Path  string `json:"path"`
	Value string `json:"value"`
	// Since is when it was said, Age how long ago that is in the story, in
	// minutes.
	Since Moment `json:"since"`
	Age   int64  `json:"age"`
}

// Stale returns what was last said of the present so long ago, in minutes of the
// story, that it needs another look: after "three weeks later" nobody is still
// out of breath. Values without a known time are left out.
func (w *World) Stale(after int64) []Stale {
	var out []Stale
	if !w.now.Dated {
		return nil
	}
	for _, id := range w.ids {
		e := w.entries[id]
		if e.Ended() {
			continue
		}
		for _, p := range sortedNames(e.Sources) {
			s := e.Sources[p]
			if !within(p, "current_state") || !s.Story.Dated || e.Value(p) == nil {
				continue
			}
			if age := w.now.Sort - s.Story.Sort; age >= after && after > 0 {
				out = append(out, Stale{nameOf(e), p, e.Text(p), s.Story, age})
			}
		}
	}
	return out
}
