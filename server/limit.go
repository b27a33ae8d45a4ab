package server

import (
	"math"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// limiter bounds attempts by somebody: a few at once, then one now and then.
type limiter struct {
	burst int
	every time.Duration
	now   func() time.Time

	mu   sync.Mutex
	owes map[string]debt
}

// debt is how many attempts somebody has made lately. It goes down with time.
type debt struct {
	attempts float64
	at       time.Time
}

// maxDebtors bounds the memory of a limiter. Beyond it everybody new shares one
// bound.
const maxDebtors = 10_000

func newLimiter(burst int, every time.Duration) *limiter {
	return &limiter{burst: burst, every: every, now: time.Now, owes: map[string]debt{}}
}

// take counts an attempt; if there were too many it returns how long to wait.
func (l *limiter) take(who string) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if _, known := l.owes[who]; !known && len(l.owes) >= maxDebtors {
		for name, d := range l.owes {
			if l.left(d, now) == 0 {
				delete(l.owes, name)
			}
		}
		if len(l.owes) >= maxDebtors {
			who = ""
		}
	}
	owed := l.left(l.owes[who], now)
	if owed+1 > float64(l.burst) {
		return time.Duration((owed + 1 - float64(l.burst)) * float64(l.every))
	}
	l.owes[who] = debt{owed + 1, now}
	return 0
}

// give takes an attempt back: it was a good one.
func (l *limiter) give(who string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if d, ok := l.owes[who]; ok {
		d.attempts = max(0, d.attempts-1)
		l.owes[who] = d
	}
}

// left is what is left of a debt. A clock that was set back takes nothing away.
func (l *limiter) left(d debt, now time.Time) float64 {
	return max(0, d.attempts-max(0, now.Sub(d.at).Seconds())/l.every.Seconds())
}

// seconds is a time as Retry-After tells it.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

// addressOf is where a request comes from. Of a proxy on this machine it is
// where the proxy says; of IPv6 it is the network, which one person has.
func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	at, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if forwarded := r.Header.Values("X-Forwarded-For"); at.IsLoopback() && len(forwarded) > 0 {
		list := strings.Split(forwarded[len(forwarded)-1], ",")
		if told, err := netip.ParseAddr(strings.TrimSpace(list[len(list)-1])); err == nil {
			at = told
		}
	}
	at = at.Unmap().WithZone("")
	if at.Is6() {
		network, _ := at.Prefix(64)
		return network.String()
	}
	return at.String()
}
