package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

// statuses gives every kind of error its status.
var statuses = map[store.Kind]int{
	store.NotFound:    http.StatusNotFound,
	store.Exists:      http.StatusConflict,
	store.Conflict:    http.StatusConflict, // 412 where the request had If-Match
	store.Invalid:     http.StatusUnprocessableEntity,
	store.Quota:       http.StatusForbidden,
	store.Locked:      http.StatusServiceUnavailable,
	store.TooNew:      http.StatusServiceUnavailable,
	store.Full:        http.StatusInsufficientStorage,
	store.ReadOnly:    http.StatusServiceUnavailable,
	store.Corrupt:     http.StatusInternalServerError,
	store.Unavailable: http.StatusServiceUnavailable,
	world.Forbidden:   http.StatusForbidden,
	world.Busy:        http.StatusServiceUnavailable,
	world.Unreadable:  http.StatusUnprocessableEntity,
	world.Failed:      http.StatusInternalServerError,
}

// kinds gives the problems that the framework finds their kind.
var kinds = map[int]string{
	http.StatusUnauthorized:          api.Unauthorized,
	http.StatusForbidden:             api.Forbidden,
	http.StatusNotFound:              api.NotFound,
	http.StatusRequestEntityTooLarge: api.TooLarge,
	http.StatusTooManyRequests:       api.TooMany,
	http.StatusServiceUnavailable:    api.Unavailable,
}

// The framework makes its own errors by this function, which is one for the
// program.
func init() {
	huma.NewError = func(status int, detail string, errs ...error) huma.StatusError {
		for _, err := range errs {
			// The size is checked by a reader of ours, too, see requests.
			var large *http.MaxBytesError
			if errors.As(err, &large) {
				return tooLarge(large.Limit)
			}
		}
		p := problem(status, kinds[status], detail)
		if status >= 500 && len(errs) > 0 {
			errs = nil // faults of the program are for the log
		}
		for _, err := range errs {
			f := api.Fault{Message: err.Error()}
			if d, ok := err.(huma.ErrorDetailer); ok {
				detail := d.ErrorDetail()
				f = api.Fault{Location: detail.Location, Message: detail.Message}
			}
			p.Errors = append(p.Errors, f)
		}
		return p
	}
}

func problem(status int, kind, detail string) *api.Problem {
	if kind == "" {
		kind = api.Invalid
		if status >= 500 {
			kind = api.Internal
		}
	}
	return &api.Problem{Title: http.StatusText(status), Status: status, Kind: kind, Detail: detail}
}

func tooLarge(limit int64) *api.Problem {
	return problem(http.StatusRequestEntityTooLarge, api.TooLarge, "the request is larger than "+size(limit))
}

// fail returns the answer for an error: one that has a status already, that of
// its kind, or, if it is a fault of the program, one that says no more.
func (s *Server) fail(ctx context.Context, err error) error {
	var done huma.StatusError
	if errors.As(err, &done) {
		return err
	}
	var repeated *world.Repeated
	if errors.As(err, &repeated) {
		return &answered{repeated.Response}
	}
	kind := world.KindOf(err)
	status, known := statuses[kind]
	switch {
	case known:
	case ctx.Err() != nil:
		return problem(http.StatusServiceUnavailable, api.Unavailable, "the request was given up")
	default:
		s.opts.Log.ErrorContext(ctx, "a request failed", "error", err)
		return problem(http.StatusInternalServerError, api.Internal, "the server failed; its log says more")
	}
	if status >= 500 {
		s.opts.Log.ErrorContext(ctx, "a request failed", "kind", kind, "error", err, "cause", errors.Unwrap(err))
	}
	if kind == store.Conflict && requestOf(ctx).ifMatch != "" {
		status = http.StatusPreconditionFailed
	}
	p := problem(status, string(kind), err.Error())
	var list interface{ Unwrap() []error }
	switch field := (*memory.FieldError)(nil); {
	case errors.As(err, &list):
		for _, e := range list.Unwrap() {
			if errors.As(e, &field) {
				p.Errors = append(p.Errors, api.Fault{Location: field.Field, Message: field.Problem})
			}
		}
	case errors.As(err, &field):
		p.Errors = append(p.Errors, api.Fault{Location: field.Field, Message: field.Problem})
	}
	if len(p.Errors) > 0 {
		p.Detail = "the operations are not as they should be"
	}
	if status == http.StatusServiceUnavailable {
		return huma.ErrorWithHeaders(p, http.Header{"Retry-After": {"1"}})
	}
	return p
}

// writeProblem writes a problem outside of the framework.
func writeProblem(w http.ResponseWriter, p *api.Problem) {
	w.Header().Set("Content-Type", p.ContentType(""))
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p)
}

// noRoute answers paths that there are none of.
func (s *Server) noRoute(w http.ResponseWriter, r *http.Request) {
	writeProblem(w, problem(http.StatusNotFound, api.NotFound, "there is nothing at "+clip(r.URL.Path)+"; /openapi.json lists what there is"))
}

// withMethods makes problems of the answers that the mux itself gives to a
// method that a path does not have.
func withMethods(mux *http.ServeMux) http.Handler {
	methods := []string{"GET", "POST", "PUT", "PATCH", "DELETE"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern != "/" {
			noteRoute(r, pattern)
			mux.ServeHTTP(w, r)
			return
		}
		var allowed []string
		for _, m := range methods {
			probe := *r
			probe.Method = m
			if _, pattern := mux.Handler(&probe); pattern != "/" && pattern != "" {
				allowed = append(allowed, m)
			}
		}
		if len(allowed) == 0 {
			mux.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		writeProblem(w, problem(http.StatusMethodNotAllowed, api.Invalid, clip(r.URL.Path)+" has no "+clip(r.Method)+", but "+strings.Join(allowed, ", ")))
	})
}

// recovered answers requests whose handler fell over.
func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch v := recover(); v {
			case nil:
			case http.ErrAbortHandler:
				panic(v)
			default:
				s.opts.Log.Error("a handler fell over", "path", r.URL.Path, "panic", v, "stack", string(debug.Stack()))
				writeProblem(w, problem(http.StatusInternalServerError, api.Internal, "the server failed; its log says more"))
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// clip bounds what is repeated of a request.
func clip(s string) string {
	if len(s) > 120 {
		return strings.ToValidUTF8(s[:120], "") + "…"
	}
	return s
}
