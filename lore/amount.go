package lore

// Unit says what an [Amount] counts.
type Unit string

// The units of an amount.
const (
	UnitTokens   Unit = "tokens"
	UnitChars    Unit = "chars"   // characters (code points)
	UnitPercent  Unit = "percent" // of the context window
	UnitMessages Unit = "messages"
	UnitTurns    Unit = "turns"
)

// Amount is a number with its unit, such as a budget of 25 percent of the
// context or a scan range of 1,000 characters.
type Amount struct {
	N    float64 `json:"n" yaml:"n"`
	Unit Unit    `json:"unit" yaml:"unit"`
}

// Tokens returns an amount of n tokens.
func Tokens(n int) *Amount { return &Amount{N: float64(n), Unit: UnitTokens} }

// Chars returns an amount of n characters.
func Chars(n int) *Amount { return &Amount{N: float64(n), Unit: UnitChars} }

// Percent returns an amount of p percent of the context.
func Percent(p float64) *Amount { return &Amount{N: p, Unit: UnitPercent} }

// Messages returns an amount of n messages.
func Messages(n int) *Amount { return &Amount{N: float64(n), Unit: UnitMessages} }
