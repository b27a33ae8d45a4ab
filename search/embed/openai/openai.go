// Package openai asks OpenAI-compatible servers for vectors of texts: Ollama,
// llama.cpp, LM Studio, OpenAI and many others.
package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/weft-memory/weft/search/embed"
)

// Options configure a [Client]. The zero Options are good.
type Options struct {
	// Key is sent as a bearer token if it is not empty. It is in no error.
	Key string
	// Batch is how many texts go into one request. Defaults to 64.
	Batch int
	// Attempts is how often a request is tried that fails for a passing reason:
	// no connection, 408, 429 or 5xx. Defaults to 4.
	Attempts int
	// Timeout bounds one attempt. Defaults to one minute.
	Timeout time.Duration
	// MaxText bounds each text in bytes; of a longer one the beginning is sent.
	// Defaults to 24,000, about 6,000 tokens.
	MaxText int
	// HTTP sends the requests. Defaults to a client of its own.
	HTTP *http.Client
	// Wait waits between attempts. Defaults to waiting on the clock.
	Wait func(context.Context, time.Duration) error
}

// Client asks one model of one server. It may be used by several goroutines.
type Client struct {
	url, model string
	o          Options
	dims       atomic.Int64
}

// maxAnswer bounds an answer in bytes.
const maxAnswer = 64 << 20

// New returns a client for the server at base, such as
// "http://127.0.0.1:11434/v1".
func New(base, model string, o Options) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("embeddings: %q is no address of a server: want one such as http://127.0.0.1:11434/v1", base)
	}
	if model == "" {
		return nil, errors.New("embeddings: no model is named")
	}
	if o.Batch <= 0 {
		o.Batch = 64
	}
	if o.Attempts <= 0 {
		o.Attempts = 4
	}
	if o.Timeout <= 0 {
		o.Timeout = time.Minute
	}
	if o.MaxText <= 0 {
		o.MaxText = 24_000
	}
	if o.HTTP == nil {
		o.HTTP = &http.Client{}
	}
	if o.Wait == nil {
		o.Wait = wait
	}
	return &Client{url: strings.TrimSuffix(u.String(), "/") + "/embeddings", model: model, o: o}, nil
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Model returns the name of the model.
func (c *Client) Model() string { return c.model }

// Dimensions returns the dimensions of the vectors; 0 before the first answer.
func (c *Client) Dimensions() int { return int(c.dims.Load()) }

// Embed returns the vector of each text, of length 1. A text without any
// character but spaces gets a vector of zeros and is not sent. Texts are sent
// in batches, one after the other; the first batch that fails for good ends it.
func (c *Client) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	out := make([]embed.Vector, len(texts))
	var at []int
	var batch []string
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		vectors, err := c.ask(ctx, batch)
		if err != nil {
			return err
		}
		for i, v := range vectors {
			out[at[i]] = v
		}
		at, batch = at[:0], batch[:0]
		return nil
	}
	for i, s := range texts {
		if strings.TrimSpace(s) == "" {
			continue
		}
		at, batch = append(at, i), append(batch, c.cut(s))
		if len(batch) == c.o.Batch {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	for i := range out {
		if out[i] == nil && c.Dimensions() == 0 {
			// Nothing was asked yet, so nobody knows how long a vector is.
			if _, err := c.ask(ctx, []string{"."}); err != nil {
				return nil, err
			}
		}
		if out[i] == nil {
			out[i] = make(embed.Vector, c.Dimensions())
		}
	}
	return out, nil
}

// cut shortens a text that is too long.
func (c *Client) cut(s string) string {
	if len(s) > c.o.MaxText {
		n := c.o.MaxText
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// passing is a failure that may be over the next time.
type passing struct {
	error
	after time.Duration
}

func (p passing) Unwrap() error { return p.error }

// ask asks for one batch, as often as it takes.
func (c *Client) ask(ctx context.Context, batch []string) ([]embed.Vector, error) {
	body, err := json.Marshal(map[string]any{"model": c.model, "input": batch, "encoding_format": "float"})
	if err != nil {
		return nil, fmt.Errorf("embeddings: %w", err)
	}
	pause := 500 * time.Millisecond
	for attempt := 1; ; attempt++ {
		vectors, err := c.try(ctx, body, len(batch))
		var p passing
		if err == nil || !errors.As(err, &p) || attempt == c.o.Attempts || ctx.Err() != nil {
			return vectors, err
		}
		if err := c.o.Wait(ctx, min(max(pause, p.after), 30*time.Second)); err != nil {
			return nil, err
		}
		pause *= 2
	}
}

func (c *Client) try(ctx context.Context, body []byte, n int) ([]embed.Vector, error) {
	ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("embeddings: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if c.o.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.o.Key)
	}
	resp, err := c.o.HTTP.Do(req)
	if err != nil {
		return nil, passing{error: fmt.Errorf("embeddings: %w", err)}
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, passing{error: fmt.Errorf("embeddings: %s: the answer broke off: %w", c.url, err)}
	case len(data) > maxAnswer:
		return nil, fmt.Errorf("embeddings: %s: the answer is larger than %d bytes", c.url, maxAnswer)
	case resp.StatusCode != http.StatusOK:
		err := fmt.Errorf("embeddings: %s: %s: %s", c.url, resp.Status, message(data))
		switch code := resp.StatusCode; {
		case code == http.StatusRequestTimeout, code == http.StatusTooManyRequests, code >= 500:
			seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
			return nil, passing{err, time.Duration(seconds) * time.Second}
		}
		return nil, err
	}
	return c.read(data, n)
}

// message returns what a server says in an answer that is none.
func message(data []byte) string {
	var a struct {
		Error json.RawMessage `json:"error"`
	}
	var inner struct {
		Message string `json:"message"`
	}
	text := string(data)
	if json.Unmarshal(data, &a) == nil && len(a.Error) > 0 {
		var s string
		switch {
		case json.Unmarshal(a.Error, &inner) == nil && inner.Message != "":
			text = inner.Message
		case json.Unmarshal(a.Error, &s) == nil:
			text = s
		}
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:300], "") + "…"
	}
	return text
}

func (c *Client) read(data []byte, n int) ([]embed.Vector, error) {
	var a struct {
		Data []struct {
			Index     *int      `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, fmt.Errorf("embeddings: %s: the answer is not what an embeddings server answers: %w", c.url, err)
	}
	if len(a.Data) != n {
		return nil, fmt.Errorf("embeddings: %s: %d vectors for %d texts", c.url, len(a.Data), n)
	}
	out := make([]embed.Vector, n)
	for i, d := range a.Data {
		if d.Index != nil {
			i = *d.Index
		}
		switch {
		case i < 0 || i >= n || out[i] != nil:
			return nil, fmt.Errorf("embeddings: %s: the vectors are not numbered from 0 to %d", c.url, n-1)
		case len(d.Embedding) == 0:
			return nil, fmt.Errorf("embeddings: %s: vector %d is empty", c.url, i)
		}
		dims := int64(len(d.Embedding))
		if !c.dims.CompareAndSwap(0, dims) && c.dims.Load() != dims {
			return nil, fmt.Errorf("embeddings: %s: a vector of %d numbers, want %d as before", c.url, dims, c.dims.Load())
		}
		out[i] = d.Embedding
		out[i].Normalize()
	}
	return out, nil
}

var _ embed.Embedder = (*Client)(nil)
