package llm

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// Bounds of bodies.
const (
	maxAnswer    = 64 << 20
	maxErrorBody = 64 << 10
)

// job is one thing to ask for, with whatever attempts it takes.
type job struct {
	what, model string
	build       func() (*Wire, error)
	read        func(io.Reader) error
	usage       func() Usage
	// begun reports whether something was delivered, after which nothing is
	// repeated. Nil means never.
	begun func() bool
	// shrink makes the request shorter.
	shrink func(TooLong) bool
	// again reports whether a good answer is to be asked for once more.
	again func() bool

	attempts int
}

// run asks until there is an answer, the failures are too many, or the time is
// over.
func (c *Client) run(ctx context.Context, j *job) error {
	total := time.Duration(c.profile.Timeouts.Total)
	ctx, cancel := context.WithTimeoutCause(ctx, total, errTotal)
	defer cancel()
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return c.ended(ctx, j)
	}
	failures, unlearned, shrunk := 0, 0, false
	var last *Error
	for {
		err := c.attempt(ctx, j)
		if err == nil {
			if j.again != nil && j.again() {
				continue
			}
			return nil
		}
		if ctx.Err() != nil {
			return c.ended(ctx, j)
		}
		e := c.complete(err, j)
		if e.Kind == KindBreaker && last != nil {
			return last // why it opened says more
		}
		last = e
		switch {
		case j.begun != nil && j.begun():
			return e
		case e.Kind == KindUnsupported && e.Status != 0 && unlearned < 6 && c.learn(j.model, func(caps *Capabilities) bool { return caps.unlearn(e.Param, e.Message) }):
			unlearned++
			c.opts.Logger.Info("a parameter is refused and will be left out", "profile", c.profile.Name, "model", j.model, "param", e.Param)
			continue
		case e.Kind == KindTooLong && !shrunk && j.shrink != nil:
			shrunk = true
			if e.TooLong.Limit > 0 && e.TooLong.Asked > 0 {
				c.learn(j.model, func(caps *Capabilities) bool {
					caps.ContextSize = e.TooLong.Limit
					caps.lesson("the context is smaller than the request", e.Message)
					return true
				})
			}
			if j.shrink(e.TooLong) {
				continue
			}
			return e
		case !e.retryable():
			return e
		}
		failures++
		if failures >= c.profile.Retry.Attempts {
			return e
		}
		wait := c.backoff(failures, e.RetryAfter)
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
			e.Hint = "there was no time left to try again"
			return e
		}
		c.opts.Logger.Info("a request failed and will be made again", "profile", c.profile.Name, "what", j.what, "kind", string(e.Kind), "status", e.Status, "wait", wait)
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return c.ended(ctx, j)
		}
	}
}

// backoff is the wait after the n-th failure.
func (c *Client) backoff(n int, asked time.Duration) time.Duration {
	most := time.Duration(c.profile.Retry.Max)
	wait := time.Duration(c.profile.Retry.Base) << min(n-1, 16)
	wait = min(wait, most)
	wait -= time.Duration(c.opts.Random() * float64(wait) / 2)
	return max(wait, min(asked, most))
}

// ended is the error for a context that is over.
func (c *Client) ended(ctx context.Context, j *job) error {
	e := timeoutOf(ctx)
	if e == nil {
		e = Wrapped(KindCanceled, "the request was given up", ctx.Err())
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			e.Kind, e.Timeout = KindTimeout, "total"
		}
	}
	return c.complete(e, j)
}

// complete makes an error of ours of any error, without secrets.
func (c *Client) complete(err error, j *job) *Error {
	var e *Error
	if !errors.As(err, &e) {
		e = Wrapped(KindNetwork, plain(err), err)
	}
	e.Profile, e.Endpoint, e.Attempts = c.profile.Name, c.base.Host, j.attempts
	e.Message = scrub(e.Message, c.key)
	if e.Kind == KindAuth && c.key.value == "" {
		e.Hint = "this endpoint wants a key: give it by key.env or key.file"
	}
	if e.Kind == KindNotFound && e.Hint != "" && c.profile.Model != "" {
		e.Hint = fmt.Sprintf("check the model %q and the endpoint; the endpoint lists its models", j.model)
	}
	// The cause may hold an address with a key, or what the server said.
	if e.cause != nil && !errors.Is(e.cause, context.Canceled) && !errors.Is(e.cause, context.DeadlineExceeded) {
		e.cause = nil
	}
	return e
}

// plain takes the address, which may hold what is nobody's business, out of an
// error of net/http.
func plain(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	return err.Error()
}

// attempt makes one request.
func (c *Client) attempt(ctx context.Context, j *job) error {
	done, open := c.breaker.enter()
	if open != nil {
		return open
	}
	wire, err := j.build()
	if err != nil {
		done(abandoned)
		return err
	}
	j.attempts++
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	start := time.Now()
	var first atomic.Int64
	err = c.exchange(ctx, cancel, wire, j, func() { first.CompareAndSwap(0, int64(time.Since(start))) })
	if err != nil {
		if t := timeoutOf(ctx); t != nil {
			err = t
		} else if ctx.Err() != nil {
			err = ctx.Err()
		}
	}
	var e *Error
	switch {
	case err == nil:
		done(well)
	case errors.Is(err, context.Canceled):
		done(abandoned)
	case errors.As(err, &e) && !e.counts():
		if e.Kind == KindUnsafe || e.Kind == KindConfig {
			done(abandoned)
		} else {
			done(well) // it answered
		}
	default:
		done(ill)
	}
	if err != nil {
		if errors.Is(err, context.Canceled) && !errors.As(err, &e) {
			err = Wrapped(KindCanceled, "the request was given up", err)
		}
		err = c.complete(err, j) // whoever sees it sees no key
	}
	if c.opts.Observe != nil {
		c.opts.Observe(Attempt{
			Profile: c.profile.Name, Model: j.model, What: j.what, Number: j.attempts,
			Took: time.Since(start), FirstByte: time.Duration(first.Load()), Err: err, Usage: j.usage(),
		})
	}
	return err
}

func (c *Client) exchange(ctx context.Context, cancel context.CancelCauseFunc, wire *Wire, j *job, firstByte func()) error {
	req, err := http.NewRequestWithContext(ctx, wire.Method, c.base.String()+wire.Path, bytes.NewReader(wire.Body))
	if err != nil {
		return Wrapped(KindConfig, "the request cannot be made", err)
	}
	for k, v := range wire.Header {
		req.Header[k] = v
	}
	for k, v := range c.profile.Headers {
		req.Header.Set(k, v)
	}
	if len(wire.Body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("User-Agent", "weft")
	if c.key.value != "" {
		c.protocol.Authorize(req.Header, c.key.value)
	}
	life := newLife(cancel, time.Duration(c.profile.Timeouts.FirstByte), time.Duration(c.profile.Timeouts.Idle))
	defer life.stop()
	resp, err := c.http.Do(req)
	if err != nil {
		return networkError(ctx, err)
	}
	defer resp.Body.Close()
	body := &liveBody{in: resp.Body, life: life, left: maxAnswer, first: firstByte}
	var in io.Reader = body
	if c.opts.Tap != nil {
		kept := &bounded{left: maxTap}
		in = io.TeeReader(body, kept)
		defer func() {
			c.opts.Tap(Exchange{
				Profile: c.profile.Name, Model: j.model, What: j.what, Path: wire.Path, Status: resp.StatusCode,
				Request: c.shown(wire.Body), Response: c.shown(kept.buf.Bytes()),
			})
		}()
	}
	if strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") { // sent without having been asked for
		zip, err := gzip.NewReader(in)
		if err != nil {
			return Wrapped(KindAnswer, "the answer says that it is compressed, and is not", err)
		}
		in = &boundReader{in: zip, left: maxAnswer}
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		raw, _ := io.ReadAll(io.LimitReader(in, maxErrorBody))
		if resp.StatusCode >= 300 && resp.StatusCode < 400 {
			return &Error{Kind: KindUnsafe, Status: resp.StatusCode, Message: "it answers with a redirect, which is not followed", Hint: "make the new address the endpoint"}
		}
		return errorOf(resp.StatusCode, resp.Header, raw, time.Now())
	}
	if resp.StatusCode == http.StatusNoContent {
		return Wrapped(KindAnswer, "the answer is empty", nil)
	}
	err = j.read(in)
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) || errors.Is(err, context.Canceled) {
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return Wrapped(KindAnswer, "the answer ended before it began", err)
	}
	return networkError(ctx, err)
}

// maxTap bounds what a tap gets of a body.
const maxTap = 1 << 20

// bounded keeps the beginning of what is written.
type bounded struct {
	buf  bytes.Buffer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.left)
	b.left -= n
	b.buf.Write(p[:n])
	return len(p), nil
}

// shown is a body without the key.
func (c *Client) shown(body []byte) string {
	s := string(body[:min(len(body), maxTap)])
	if len(c.key.value) >= 4 {
		s = strings.ReplaceAll(s, c.key.value, hidden)
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// networkError says what happened to a connection.
func networkError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err // the caller knows the cause
	}
	var unsafe *unsafeError
	if errors.As(err, &unsafe) {
		return &Error{Kind: KindUnsafe, Message: unsafe.Error()}
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return &Error{Kind: KindNetwork, Message: "the name " + dns.Name + " is not known", Hint: "check the endpoint"}
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		if op.Timeout() {
			return &Error{Kind: KindTimeout, Timeout: "connect", Message: "no connection in time", cause: context.DeadlineExceeded}
		}
		return &Error{Kind: KindNetwork, Message: "no connection: " + op.Err.Error(), Hint: "is the model server running at this address?"}
	}
	return Wrapped(KindNetwork, plain(err), err)
}

// life ends a request that shows no sign of life in time.
type life struct {
	cancel context.CancelCauseFunc
	idle   time.Duration
	timer  *time.Timer
	begun  atomic.Bool
}

func newLife(cancel context.CancelCauseFunc, first, idle time.Duration) *life {
	l := &life{cancel: cancel, idle: idle}
	l.timer = time.AfterFunc(first, func() {
		if l.begun.Load() {
			l.cancel(errIdle)
		} else {
			l.cancel(errFirstByte)
		}
	})
	return l
}

// wait begins a wait for bytes; what the reader does between two of them is not
// the server's time.
func (l *life) wait() {
	if l.begun.Load() {
		l.timer.Reset(l.idle)
	}
}

// sign notes that bytes came.
func (l *life) sign() {
	l.begun.Store(true)
	l.timer.Stop()
}

func (l *life) stop() { l.timer.Stop() }

// liveBody is a body whose bytes are signs of life, and of which there are not
// too many.
type liveBody struct {
	in    io.Reader
	life  *life
	left  int
	first func()
}

func (b *liveBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, tooLarge()
	}
	b.life.wait()
	n, err := b.in.Read(p[:min(len(p), b.left)])
	if n > 0 {
		b.left -= n
		b.first()
		b.life.sign()
	}
	if err == io.ErrUnexpectedEOF {
		// Not to be taken for an answer that has no end of its own.
		err = &Error{Kind: KindNetwork, Message: "the connection ended before the answer"}
	}
	return n, err
}

func tooLarge() error {
	return &Error{Kind: KindAnswer, Message: fmt.Sprintf("the answer is larger than %d MiB", maxAnswer>>20)}
}

type boundReader struct {
	in   io.Reader
	left int
}

func (b *boundReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, tooLarge()
	}
	n, err := b.in.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
