package llm

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Kind says what kind of failure an [Error] is: what a caller can do about it.
type Kind string

// The kinds of failures.
const (
	KindNetwork     Kind = "network"     // no connection, or it broke
	KindTimeout     Kind = "timeout"     // see Error.Timeout for which
	KindAuth        Kind = "auth"        // 401, 403: the key is missing, wrong or not allowed
	KindPayment     Kind = "payment"     // 402: no credit
	KindNotFound    Kind = "not found"   // 404: no such model, or a wrong address
	KindRate        Kind = "rate limit"  // 429
	KindServer      Kind = "server"      // 5xx, 408, 409, 425, 529: may pass
	KindTooLong     Kind = "too long"    // the messages do not fit the context; 413
	KindUnsupported Kind = "unsupported" // a parameter that this server does not take
	KindRefused     Kind = "bad request" // any other 4xx
	KindFilter      Kind = "filter"      // the server will not answer this
	KindAnswer      Kind = "answer"      // the answer cannot be read
	KindBreaker     Kind = "breaker"     // not asked: it has failed too often just now
	KindUnsafe      Kind = "unsafe"      // not asked: the address may not be called
	KindConfig      Kind = "config"      // the profile is not usable
	KindCanceled    Kind = "canceled"    // the caller gave it up
)

// Error is a failure to get an answer. It never holds a key.
type Error struct {
	Kind Kind
	// Profile and Endpoint say who was asked; Endpoint is a host.
	Profile, Endpoint string
	// Status is the HTTP status, 0 if there was none.
	Status int
	// Message is what the server says, or what happened.
	Message string
	// Hint says what to do.
	Hint string
	// Timeout names the timeout: connect, first byte, idle or total.
	Timeout string
	// Param is the parameter that is not supported.
	Param string
	// RetryAfter is how long the server wants to be left alone; 0 if it does not
	// say.
	RetryAfter time.Duration
	// TooLong says by how much a request is too long.
	TooLong TooLong
	// Partial is what came before the failure; nil if nothing did.
	Partial *Response
	// Attempts is how many requests were made.
	Attempts int

	cause error
}

func (e *Error) Error() string {
	s := ""
	if e.Profile != "" {
		s = e.Profile + ": "
	}
	if e.Endpoint != "" {
		s += e.Endpoint + ": "
	}
	s += string(e.Kind)
	if e.Timeout != "" {
		s += " (" + e.Timeout + ")"
	}
	if e.Status != 0 {
		s += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Message != "" {
		s += ": " + e.Message
	}
	if e.Attempts > 1 {
		s += fmt.Sprintf(" (%d attempts)", e.Attempts)
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// Unwrap returns the cause, such as [context.Canceled].
func (e *Error) Unwrap() error { return e.cause }

// KindOf returns the kind of an error; "" if it is none of this package.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// Wrapped returns an error with a cause, for protocols.
func Wrapped(kind Kind, message string, cause error) *Error {
	return &Error{Kind: kind, Message: message, cause: cause}
}

// retryable reports whether asking again may help.
func (e *Error) retryable() bool {
	switch e.Kind {
	case KindNetwork, KindRate, KindServer, KindAnswer:
		return true
	case KindTimeout:
		return e.Timeout != "total"
	}
	return false
}

// counts reports whether a failure says that the endpoint is ill.
func (e *Error) counts() bool {
	switch e.Kind {
	case KindNetwork, KindTimeout, KindRate, KindServer:
		return true
	}
	return false
}

// Causes of ends of requests that were ours.
var (
	errFirstByte = errors.New("no first byte in time")
	errIdle      = errors.New("no further byte in time")
	errTotal     = errors.New("no complete answer in time")
)

// timeoutOf returns the error for a context that a timeout of ours ended, or nil.
func timeoutOf(ctx context.Context) *Error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errFirstByte):
		return &Error{Kind: KindTimeout, Timeout: "first byte", Message: cause.Error(), cause: context.DeadlineExceeded}
	case errors.Is(cause, errIdle):
		return &Error{Kind: KindTimeout, Timeout: "idle", Message: cause.Error(), cause: context.DeadlineExceeded}
	case errors.Is(cause, errTotal):
		return &Error{Kind: KindTimeout, Timeout: "total", Message: cause.Error(), cause: context.DeadlineExceeded}
	}
	return nil
}
