package match

import (
	"sync/atomic"
	"time"
)

// DefaultBudget is the time that all backtracking expressions of one scan
// have together.
const DefaultBudget = 250 * time.Millisecond

// Budget is an amount of time that all expressions of one scan share, so that
// many slow ones cannot add up. Only time spent in backtracking expressions is
// taken from it. The last expression may overdraw it by its own Timeout. A nil
// Budget has no end. A Budget may be used by several goroutines.
type Budget struct{ left atomic.Int64 }

// NewBudget returns a budget of d, or of DefaultBudget if d is 0.
func NewBudget(d time.Duration) *Budget {
	if d == 0 {
		d = DefaultBudget
	}
	b := &Budget{}
	b.left.Store(int64(d))
	return b
}

// Left returns what is left, at least 0.
func (b *Budget) Left() time.Duration { return max(0, time.Duration(b.left.Load())) }

// spend takes d from the budget.
func (b *Budget) spend(d time.Duration) {
	if b != nil {
		b.left.Add(-int64(d))
	}
}
