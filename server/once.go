package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

// request is what handlers need of a request beside its arguments.
type request struct {
	ifMatch, ifNoneMatch string
	// key is the idempotency key, scope whose it is, digest what was asked.
	key, scope, digest string
	// address is where the request comes from.
	address string
}

type requestKey struct{}

func requestOf(ctx context.Context) *request {
	r, ok := ctx.Value(requestKey{}).(*request)
	if !ok {
		return &request{}
	}
	return r
}

// maxKey bounds an idempotency key.
const maxKey = 255

// requests bounds bodies and notes the headers that concern every handler.
func (s *Server) requests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := &request{ifMatch: r.Header.Get("If-Match"), ifNoneMatch: r.Header.Get("If-None-Match"), address: addressOf(r)}
		r.Body = http.MaxBytesReader(w, r.Body, s.opts.MaxFile)
		if key := r.Header.Get("Idempotency-Key"); key != "" && r.Method != http.MethodGet && r.Method != http.MethodHead {
			if len(key) > maxKey {
				writeProblem(w, problem(http.StatusUnprocessableEntity, api.Invalid, "the Idempotency-Key is longer than "+strconv.Itoa(maxKey)+" bytes"))
				return
			}
			body, err := s.read(w, r)
			if err != nil {
				writeProblem(w, err)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			if strings.HasPrefix(r.URL.Path, prefix+"/users") || r.URL.Path == prefix+"/session" {
				body = withoutPassword(body)
			}
			h := sha256.New()
			for _, part := range []string{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, q.ifMatch, q.ifNoneMatch} {
				io.WriteString(h, strconv.Itoa(len(part))+":"+part)
			}
			h.Write(body)
			q.key, q.digest = key, hex.EncodeToString(h.Sum(nil))
			if c, asked := world.CallerOf(r.Context()); asked {
				q.scope = c.User
			}
		}
		r = r.WithContext(context.WithValue(r.Context(), requestKey{}, q))
		next.ServeHTTP(w, r)
	})
}

// withoutPassword takes the password out of a body, so that no hash of it is
// kept beside the idempotency key.
func withoutPassword(body []byte) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return nil
	}
	delete(fields, "password")
	body, _ = json.Marshal(fields)
	return body
}

func (s *Server) read(w http.ResponseWriter, r *http.Request) ([]byte, *api.Problem) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(5 * time.Minute))
	body, err := io.ReadAll(r.Body)
	switch {
	case err == nil:
		return body, nil
	case strings.Contains(err.Error(), "too large"):
		return nil, tooLarge(s.opts.MaxFile)
	}
	return nil, problem(http.StatusBadRequest, api.Invalid, "the body of the request ended early")
}

// reply is an answer with a body.
type reply[B any] struct {
	Status int
	ETag   string `header:"ETag"`
	Body   B
}

// none is an answer without one.
type none = struct{}

// rendered is a body with its ETag.
type rendered[B any] struct {
	body B
	etag string
}

// write calls a method that writes. With an idempotency key its answer is kept
// in the transaction of the write, and a repeated request gets that.
func write[R, B any](ctx context.Context, status int, call func(ctx context.Context) (R, error), render func(R) (rendered[B], error)) (*reply[B], error) {
	ctx = once(ctx, func(result any) (store.Response, error) {
		r, _ := result.(R)
		out, err := render(r)
		if err != nil {
			return store.Response{}, err
		}
		body, err := encode(out.body)
		answer := store.Response{Status: status, Header: map[string][]string{}, Body: body}
		if out.etag != "" {
			answer.Header["ETag"] = []string{out.etag}
		}
		return answer, err
	})
	r, err := call(ctx)
	if err != nil {
		return nil, err
	}
	out, err := render(r)
	if err != nil {
		return nil, err
	}
	return &reply[B]{Status: status, ETag: out.etag, Body: out.body}, nil
}

// writeNone is write for a method that returns nothing: 204.
func writeNone(ctx context.Context, call func(ctx context.Context) error) (*none, error) {
	ctx = once(ctx, func(any) (store.Response, error) { return store.Response{Status: http.StatusNoContent}, nil })
	return nil, call(ctx)
}

func once(ctx context.Context, render func(any) (store.Response, error)) context.Context {
	q := requestOf(ctx)
	if q.key == "" {
		return ctx
	}
	return world.WithOnce(ctx, world.Once{Scope: q.scope, Key: q.key, Request: q.digest, Render: render})
}

// encode writes JSON as the framework does.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// answered is the answer to a request that was sent again. It travels as an
// error, which may have any status.
type answered struct{ r store.Response }

func (a *answered) Error() string             { return "this request was answered before" }
func (a *answered) GetStatus() int            { return a.r.Status }
func (a *answered) ContentType(string) string { return "application/json" }

// MarshalJSON returns the body as it was.
func (a *answered) MarshalJSON() ([]byte, error) {
	if len(a.r.Body) == 0 {
		return []byte("null"), nil
	}
	return a.r.Body, nil
}

// GetHeaders returns the headers as they were.
func (a *answered) GetHeaders() http.Header {
	h := http.Header{"Idempotent-Replayed": {"true"}}
	for name, values := range a.r.Header {
		h[http.CanonicalHeaderKey(name)] = values
	}
	return h
}

// etag is the ETag of a number.
func etag(version int64) string { return quoted(strconv.FormatInt(version, 10)) }

// quoted is the ETag of a text.
func quoted(version string) string { return `"` + version + `"` }

// ifMatch returns the version that the caller saw; "" if there is no condition.
func ifMatch(ctx context.Context) (string, error) {
	text := strings.TrimSpace(requestOf(ctx).ifMatch)
	if text == "" || text == "*" {
		return "", nil
	}
	text = strings.TrimPrefix(text, "W/")
	if len(text) < 3 || text[0] != '"' || text[len(text)-1] != '"' || strings.Contains(text, `",`) {
		return "", store.Errorf(store.Invalid, "If-Match: want one ETag in quotes, or *")
	}
	return text[1 : len(text)-1], nil
}

// ifVersion is ifMatch for versions that are numbers.
func ifVersion(ctx context.Context) (store.If, error) {
	text, err := ifMatch(ctx)
	if err != nil || text == "" {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 {
		return -1, nil // no version is like this: a conflict
	}
	return store.If(n), nil
}

// seen returns a context in which a method writes only if a thing still is as
// the If-Match of the request says, see [world.WithSeen].
func seen(ctx context.Context, of world.Seen) (context.Context, error) {
	version, err := ifMatch(ctx)
	if err != nil || version == "" {
		return ctx, err
	}
	of.Version = version
	return world.WithSeen(ctx, of), nil
}

// writeSeen is write for a thing that has to be as it was seen.
func writeSeen[R, B any](ctx context.Context, of world.Seen, status int, call func(ctx context.Context) (R, error), render func(R) (rendered[B], error)) (*reply[B], error) {
	ctx, err := seen(ctx, of)
	if err != nil {
		return nil, err
	}
	return write(ctx, status, call, render)
}

// writeNoneSeen is writeSeen for a method that returns nothing.
func writeNoneSeen(ctx context.Context, of world.Seen, call func(ctx context.Context) error) (*none, error) {
	ctx, err := seen(ctx, of)
	if err != nil {
		return nil, err
	}
	return writeNone(ctx, call)
}

// get answers a read: 304 if the caller has it.
func get[B any](ctx context.Context, body B, tag string) *reply[B] {
	for _, t := range strings.Split(requestOf(ctx).ifNoneMatch, ",") {
		if t = strings.TrimPrefix(strings.TrimSpace(t), "W/"); tag != "" && t == tag {
			return &reply[B]{Status: http.StatusNotModified, ETag: tag}
		}
	}
	return &reply[B]{Status: http.StatusOK, ETag: tag, Body: body}
}

// pageOf answers with a page.
func pageOf[T, B any](list []T, next string, err error, each func(T) (B, error)) (*reply[api.Page[B]], error) {
	if err != nil {
		return nil, err
	}
	items, err := eachOf(list, each)
	if err != nil {
		return nil, err
	}
	return &reply[api.Page[B]]{Status: http.StatusOK, Body: api.Page[B]{Items: items, Next: next}}, nil
}

func eachOf[T, B any](list []T, each func(T) (B, error)) ([]B, error) {
	out := make([]B, 0, len(list))
	for _, v := range list {
		b, err := each(v)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// sure makes a conversion that cannot fail one that may.
func sure[T, B any](fn func(T) B) func(T) (B, error) {
	return func(v T) (B, error) { return fn(v), nil }
}

// raw writes a value as JSON; an empty list, and null, as nothing.
func raw(v any) (json.RawMessage, error) {
	text, err := json.Marshal(v)
	if s := string(text); s == "null" || s == "[]" {
		return nil, err
	}
	return text, err
}

// size writes a number of bytes for people.
func size(n int64) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return strconv.FormatInt(n>>20, 10) + " MiB"
	}
	return strconv.FormatInt(n, 10) + " bytes"
}

// stale reports whether a note of a time is more than a minute old.
func stale(micros int64) bool { return time.Since(time.UnixMicro(micros)) > time.Minute }
