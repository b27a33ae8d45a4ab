package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/weft-memory/weft/client/api"
)

// Options configure a Client. The zero value is fit for a server on loopback.
type Options struct {
	// Token signs in. A server that is not on loopback wants one.
	Token string
	// HTTP sends the requests. Defaults to a client of its own without a time
	// limit, since streams of events last: bound requests by their context.
	HTTP *http.Client
	// Tries is how often a request is sent at most. Defaults to 3.
	Tries int
	// Wait is how long to wait before a request is sent again, and twice as
	// long each further time. Defaults to 200 ms.
	Wait time.Duration
}

// Client speaks to one server. It is safe for concurrent use.
type Client struct {
	base string
	opts Options
}

// New returns a client of the server at an address, such as
// http://127.0.0.1:8720.
func New(address string, opts Options) *Client {
	if opts.HTTP == nil {
		opts.HTTP = &http.Client{}
	}
	if opts.Tries <= 0 {
		opts.Tries = 3
	}
	if opts.Wait <= 0 {
		opts.Wait = 200 * time.Millisecond
	}
	return &Client{base: strings.TrimRight(address, "/"), opts: opts}
}

// Close closes connections that are idle.
func (c *Client) Close() { c.opts.HTTP.CloseIdleConnections() }

// An Option changes one request.
type Option func(*call)

// IfMatch makes an edit fail with a problem of the kind conflict (status 412)
// unless the thing has this version.
func IfMatch(version int64) Option {
	return func(c *call) { c.ifMatch = `"` + strconv.FormatInt(version, 10) + `"` }
}

// IfEntry is IfMatch for an entry, with [api.Entry].Version.
func IfEntry(version string) Option { return func(c *call) { c.ifMatch = `"` + version + `"` } }

// WithKey gives the idempotency key of a request: one that has it already is
// not done again, and gives the answer of the first. By default each call has a
// key of its own.
func WithKey(key string) Option { return func(c *call) { c.key = key } }

// call is a request.
type call struct {
	method, path string
	query        url.Values
	body         []byte
	contentType  string
	ifMatch, key string
}

// send sends a request, again where that may help, and decodes the answer into
// out, if that is not nil.
func (c *Client) send(ctx context.Context, r call, out any, opts []Option) error {
	if r.method != http.MethodGet {
		r.key = rand.Text()
	}
	for _, o := range opts {
		o(&r)
	}
	wait := c.opts.Wait
	for try := 1; ; try++ {
		err := c.once(ctx, r, out)
		if err == nil || try >= c.opts.Tries || !again(err) {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
		wait *= 2
	}
}

// again reports whether a request may succeed when it is sent again.
func again(err error) bool {
	var p *api.Problem
	if errors.As(err, &p) {
		return p.Status == http.StatusServiceUnavailable || p.Status == http.StatusBadGateway || p.Status == http.StatusGatewayTimeout
	}
	return !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

func (c *Client) once(ctx context.Context, r call, out any) error {
	resp, err := c.request(ctx, r, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNoContent {
		return nil
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", r.method, r.path, err)
	}
	switch v := out.(type) {
	case nil:
		return nil
	case *[]byte:
		*v = text
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return &api.Problem{
			Title: "Bad answer", Status: resp.StatusCode, Kind: api.Internal,
			Detail: fmt.Sprintf("%s %s: the answer cannot be read: %v", r.method, r.path, err),
		}
	}
	return nil
}

// request sends a request once and makes a problem of an answer that is none.
func (c *Client) request(ctx context.Context, r call, header http.Header) (*http.Response, error) {
	address := c.base + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	if header != nil {
		req.Header = header
	}
	if r.body != nil {
		if r.contentType == "" {
			r.contentType = "application/json"
		}
		req.Header.Set("Content-Type", r.contentType)
	}
	for name, value := range map[string]string{"If-Match": r.ifMatch, "Idempotency-Key": r.key} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	if c.opts.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.opts.Token)
	}
	resp, err := c.opts.HTTP.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < 300 {
		return resp, nil
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	p := &api.Problem{}
	if json.Unmarshal(text, p) != nil || p.Kind == "" {
		*p = api.Problem{Kind: api.Internal, Detail: fmt.Sprintf("%s %s: the server answers %s", r.method, r.path, resp.Status)}
	}
	p.Status = resp.StatusCode
	return nil, p
}

// do sends a request with a body of JSON and returns the answer.
func do[T any](ctx context.Context, c *Client, method, path string, query url.Values, body any, opts []Option) (out T, err error) {
	r := call{method: method, path: path, query: query}
	switch b := body.(type) {
	case nil:
	case json.RawMessage:
		r.body = b
	default:
		if r.body, err = json.Marshal(body); err != nil {
			return out, err
		}
	}
	err = c.send(ctx, r, &out, opts)
	return out, err
}

// bare sends a request whose answer is of no interest.
func (c *Client) bare(ctx context.Context, method, path string, query url.Values, body any, opts []Option) error {
	_, err := do[json.RawMessage](ctx, c, method, path, query, body, opts)
	return err
}

// Page asks for a part of a list. The zero value asks for its first 100.
type Page struct {
	// Cursor is what the previous page returned as next.
	Cursor string
	// Limit is 1 to 1,000. Defaults to 100.
	Limit int
}

func (p Page) query() url.Values {
	q := url.Values{}
	if p.Cursor != "" {
		q.Set("cursor", p.Cursor)
	}
	if p.Limit > 0 {
		q.Set("limit", strconv.Itoa(p.Limit))
	}
	return q
}

// All returns all items of a list: it asks for page after page.
//
//	worlds, err := client.All(func(p client.Page) (api.Page[api.World], error) { return weft.Worlds(ctx, p) })
func All[T any](list func(Page) (api.Page[T], error)) ([]T, error) {
	var out []T
	for p := (Page{Limit: 1000}); ; {
		page, err := list(p)
		out = append(out, page.Items...)
		if p.Cursor = page.Next; err != nil || p.Cursor == "" {
			return out, err
		}
	}
}

const prefix = "/api/v1"

// Version returns what the server is.
func (c *Client) Version(ctx context.Context) (api.Version, error) {
	return do[api.Version](ctx, c, "GET", "/version", nil, nil, nil)
}

// Ready is nil if the server can serve.
func (c *Client) Ready(ctx context.Context) error {
	return c.bare(ctx, "GET", "/readyz", nil, nil, nil)
}

// SignIn returns a token for a name and a password; give its Key to Options.
func (c *Client) SignIn(ctx context.Context, s api.SignIn) (api.Token, error) {
	return do[api.Token](ctx, c, "POST", prefix+"/session", nil, s, nil)
}

// Worlds lists worlds.
func (c *Client) Worlds(ctx context.Context, p Page) (api.Page[api.World], error) {
	return do[api.Page[api.World]](ctx, c, "GET", prefix+"/worlds", p.query(), nil, nil)
}

// CreateWorld makes a world.
func (c *Client) CreateWorld(ctx context.Context, n api.NewWorld, opts ...Option) (api.World, error) {
	return do[api.World](ctx, c, "POST", prefix+"/worlds", nil, n, opts)
}

// Users lists users; for admins.
func (c *Client) Users(ctx context.Context, p Page) (api.Page[api.User], error) {
	return do[api.Page[api.User]](ctx, c, "GET", prefix+"/users", p.query(), nil, nil)
}

// CreateUser makes a user; for admins.
func (c *Client) CreateUser(ctx context.Context, n api.NewUser) (api.User, error) {
	return do[api.User](ctx, c, "POST", prefix+"/users", nil, n, nil)
}

// UpdateUser changes a user.
func (c *Client) UpdateUser(ctx context.Context, user string, p api.UserPatch, opts ...Option) (api.User, error) {
	return do[api.User](ctx, c, "PATCH", prefix+"/users/"+url.PathEscape(user), nil, p, opts)
}

// CreateToken makes a token of a user.
func (c *Client) CreateToken(ctx context.Context, user string, n api.NewToken) (api.Token, error) {
	return do[api.Token](ctx, c, "POST", prefix+"/users/"+url.PathEscape(user)+"/tokens", nil, n, nil)
}

// Formats returns the formats that can be imported and exported.
func (c *Client) Formats(ctx context.Context) ([]api.Format, error) {
	p, err := do[api.Page[api.Format]](ctx, c, "GET", prefix+"/formats", nil, nil, nil)
	return p.Items, err
}
