package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// server answers with the vectors (length of the text, 1), last first, after
// so many failures.
func server(t *testing.T, status, failures int) (*httptest.Server, *int) {
	t.Helper()
	calls := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		if r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("%s, authorization %q", r.URL.Path, r.Header.Get("Authorization"))
		}
		if calls <= failures {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
			fmt.Fprint(w, `{"error":{"message":"not now"}}`)
			return
		}
		var q struct {
			Model string
			Input []string
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || q.Model != "m" {
			t.Errorf("model %q, %v", q.Model, err)
		}
		var data []string
		for i := len(q.Input) - 1; i >= 0; i-- {
			data = append(data, fmt.Sprintf(`{"index":%d,"embedding":[%d,1]}`, i, len(q.Input[i])))
		}
		fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(data, ","))
	}))
	t.Cleanup(s.Close)
	return s, &calls
}

func TestBatchesAndRetries(t *testing.T) {
	t.Parallel()
	s, calls := server(t, http.StatusTooManyRequests, 2)
	var waits []time.Duration
	c, err := New(s.URL+"/v1/", "m", Options{Key: "secret", Batch: 2, Wait: func(_ context.Context, d time.Duration) error {
		waits = append(waits, d)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Embed(t.Context(), []string{"a", " ", "abc", "abcde"})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 4 || c.Dimensions() != 2 || got[1][0] != 0 || got[3][0] <= got[2][0] || got[2][0] <= got[0][0] {
		t.Errorf("got %v", got)
	}
	if *calls != 4 || len(waits) != 2 || waits[0] != 7*time.Second {
		t.Errorf("%d calls, waits %v, want 4 calls and two waits of 7s", *calls, waits)
	}
}

func TestFailuresThatLast(t *testing.T) {
	t.Parallel()
	s, calls := server(t, http.StatusUnauthorized, 10)
	c, err := New(s.URL+"/v1", "m", Options{Key: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Embed(t.Context(), []string{"a"})
	if err == nil || *calls != 1 || !strings.Contains(err.Error(), "not now") || strings.Contains(err.Error(), "secret") {
		t.Errorf("%d calls, error %v", *calls, err)
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	for _, body := range []string{``, `[]`, `{"data":[]}`, `{"data":[{"index":3,"embedding":[1]}]}`, `{"data":[{"embedding":[]}]}`, `{"data":[{"embedding":"AAAA"}]}`} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }))
		defer s.Close()
		c, err := New(s.URL, "m", Options{Attempts: 1})
		if err != nil {
			t.Fatal(err)
		}
		if v, err := c.Embed(t.Context(), []string{"a"}); err == nil {
			t.Errorf("%s gives %v and no error", body, v)
		}
	}
}

func TestNewWantsAnAddressAndAModel(t *testing.T) {
	t.Parallel()
	for _, a := range [][2]string{{"", "m"}, {"localhost:1", "m"}, {"ftp://x", "m"}, {"http://x", ""}} {
		if _, err := New(a[0], a[1], Options{}); err == nil {
			t.Errorf("New(%q, %q) gives no error", a[0], a[1])
		}
	}
}
