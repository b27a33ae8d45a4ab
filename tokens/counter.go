package tokens

import (
	"fmt"
	"math"
)

// Counter counts the tokens of a text. Implementations are safe for
// concurrent use and return 0 for the empty text.
type Counter interface {
	Count(text string) int
}

// ByBytes returns a counter that divides the length of the UTF-8 text by n and
// rounds up. It panics if n is less than 1, which is a programmer's mistake.
func ByBytes(n int) Counter {
	if n < 1 {
		panic(fmt.Sprintf("tokens: ByBytes(%d): the divisor must be at least 1", n))
	}
	return byBytes(n)
}

type byBytes int

func (n byBytes) Count(text string) int {
	return len(text)/int(n) + min(1, len(text)%int(n))
}

func (n byBytes) String() string { return fmt.Sprintf("bytes/%d", int(n)) }

// Scaled returns a counter that multiplies the count of c by factor and rounds
// up, so that a text is never taken for smaller than it is. Use it to correct
// a counter by what a server reports: factor = reported tokens / counted
// tokens, over a prompt long enough for the frame around the messages not to
// matter. A factor that is not a positive finite number counts as 1.
func Scaled(c Counter, factor float64) Counter {
	if !(factor > 0) || math.IsInf(factor, 0) {
		factor = 1
	}
	if factor == 1 {
		return c
	}
	return scaled{c, factor}
}

type scaled struct {
	counter Counter
	factor  float64
}

func (s scaled) Count(text string) int {
	n := float64(s.counter.Count(text)) * s.factor
	// A count a rounding error above a whole number is that number.
	n = math.Ceil(n - 1e-9*n)
	if n > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(n)
}

func (s scaled) String() string {
	return fmt.Sprintf("%s × %.3g", Describe(s.counter), s.factor)
}

// Describe names a counter for a trace or a settings page: "o200k_base",
// "estimate", "bytes/4", or the name of its Go type.
func Describe(c Counter) string {
	if s, ok := c.(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprintf("%T", c)
}
