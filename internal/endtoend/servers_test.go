//go:build unix

package endtoend

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/internal/pgtest"
)

// pair are two servers on one database, either of which may die and come back.
type pair struct {
	t  testing.TB
	db string
	at [2]atomic.Pointer[weft]
}

func newPair(t testing.TB) *pair {
	p := &pair{t: t, db: pgtest.Database(t)}
	for i := range p.at {
		p.at[i].Store(start(t, p.db))
	}
	return p
}

// any sends a request until it is answered, now to this server, now to the
// other. Every so often the answer is not waited for: then nobody knows whether
// the request happened, and it is sent again with its key.
func (p *pair) any(r *rand.Rand, method, path, body, key string) ([]byte, error) {
	for try, i := 0, r.IntN(2); ; try, i = try+1, i+1 {
		w := p.at[i%2].Load()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		if r.IntN(8) == 0 {
			cancel()
			ctx, cancel = context.WithTimeout(context.Background(), time.Duration(r.IntN(6000))*time.Microsecond)
		}
		a, err := w.ask(ctx, method, path, body, "Idempotency-Key: "+key)
		cancel()
		switch {
		case err == nil && a.status < 300:
			return a.body, nil
		case err == nil && a.status != http.StatusServiceUnavailable:
			return nil, fmt.Errorf("%s %s: status %d: %s", method, path, a.status, a.body)
		case try > 2000:
			return nil, fmt.Errorf("%s %s: no answer in %d tries: %v %s", method, path, try, err, a.body)
		case err != nil && try%2 == 1:
			time.Sleep(time.Millisecond) // a server is away
		}
	}
}

const northmark = "/api/v1/worlds/north"

// Two servers on one database, one of which is killed in between: under load
// nothing is lost and nothing happens twice, every conversation keeps its order,
// and readers of events who change servers miss nothing and get nothing twice.
func TestTwoServers(t *testing.T) {
	if testing.Short() {
		t.Skip("works two servers hard")
	}
	t.Parallel()
	p := newPair(t)
	a := p.at[0].Load()
	get[any](a, "POST", "/api/v1/worlds", `{"id":"north","name":"Northmark"}`)
	get[any](a, "PUT", northmark+"/books/vale", bookJSON)
	const chats, turns = 8, 12
	for i := range chats {
		get[any](a, "POST", northmark+"/conversations", fmt.Sprintf(`{"id":"c%d"}`, i))
	}

	stop, end := context.WithCancel(t.Context())
	defer end()
	var readers sync.WaitGroup
	seen := make([][]api.Event, 3)
	var until atomic.Int64 // the last event, once it is known
	until.Store(1 << 60)
	for i := range seen {
		readers.Go(func() {
			seen[i] = follow(stop, p, rand.New(rand.NewPCG(1, uint64(i))), &until)
		})
	}

	var writers sync.WaitGroup
	var said atomic.Int64
	wants := make([][]string, chats)
	for i := range chats {
		writers.Go(func() {
			r := rand.New(rand.NewPCG(2, uint64(i)))
			chat := fmt.Sprintf("%s/conversations/c%d", northmark, i)
			for k := range turns {
				key := fmt.Sprintf("%d-%d-", i, k)
				message := fmt.Sprintf("To the mill, %d of %d.", k, i)
				body, err := p.any(r, "POST", chat+"/turns", fmt.Sprintf(`{"messages":[{"content":%q}]}`, message), key+"turn")
				var turn api.Turn
				if err == nil {
					err = json.Unmarshal(body, &turn)
				}
				if err != nil || len(turn.Blocks) == 0 {
					t.Errorf("the turn: %v, %+v", err, turn)
					return
				}
				reply := fmt.Sprintf("Reply %d of %d.", k, i)
				if _, err := p.any(r, "POST", northmark+"/turns/"+turn.ID+"/reply", fmt.Sprintf(`{"content":%q}`, reply), key+"reply"); err != nil {
					t.Error(err)
					return
				}
				// All write to one entry of the world, and each to its own.
				op := fmt.Sprintf(`{"operations":[
					{"layer":"story","conversation":"c%d","node":"%s","kind":"create","book":"~story","entry":"fact-%d","author":{"kind":"sidecar"},"change":{"entry":{"id":"fact-%d","content":"Fact."}}}]}`, i, turn.ID, k, k)
				if _, err := p.any(r, "POST", northmark+"/operations", op, key+"op"); err != nil {
					t.Error(err)
					return
				}
				wants[i] = append(wants[i], message, reply)
				said.Add(1)
			}
		})
	}
	// In the middle of it the first server dies, and comes back elsewhere.
	for said.Load() < chats*turns/3 && !t.Failed() {
		time.Sleep(time.Millisecond)
	}
	p.at[0].Load().kill()
	p.at[0].Store(start(t, p.db))
	writers.Wait()
	if t.Failed() {
		return
	}

	b := p.at[1].Load()
	var all []api.Event
	for _, w := range []*weft{p.at[0].Load(), b} {
		for i := range chats {
			path := get[api.Page[api.Node]](w, "GET", fmt.Sprintf("%s/conversations/c%d/nodes?last=0", northmark, i), "")
			var got []string
			for _, n := range path.Items {
				got = append(got, n.Content)
			}
			if d := cmp.Diff(wants[i], got); d != "" {
				t.Errorf("the conversation %d (-said +kept)\n%s", i, d)
			}
			tree := get[api.Tree](w, "GET", fmt.Sprintf("%s/conversations/c%d/tree", northmark, i), "")
			if len(tree.Nodes) != 2*turns {
				t.Errorf("the conversation %d has %d messages, want %d", i, len(tree.Nodes), 2*turns)
			}
			ops := get[api.Page[json.RawMessage]](w, "GET", fmt.Sprintf("%s/operations?limit=1000&conversation=c%d", northmark, i), "")
			if len(ops.Items) != turns {
				t.Errorf("the conversation %d has %d operations, want %d", i, len(ops.Items), turns)
			}
		}
		all = nil
		for after := int64(0); ; {
			page := get[api.Page[api.Event]](w, "GET", fmt.Sprintf("%s/events/list?limit=1000&after=%d", northmark, after), "")
			all = append(all, page.Items...)
			if page.Next == "" {
				break
			}
			after, _ = strconv.ParseInt(page.Next, 10, 64)
		}
	}
	count := map[string]int{}
	for i, e := range all {
		count[e.Kind]++
		if e.ID != int64(i+1) {
			t.Fatalf("event %d has the id %d", i+1, e.ID)
		}
	}
	for kind, want := range map[string]int{"node.created": 2 * chats * turns, "turn.begun": chats * turns, "turn.finished": chats * turns, "operation.created": chats * turns} {
		if count[kind] != want {
			t.Errorf("%d events of the kind %s, want %d", count[kind], kind, want)
		}
	}
	until.Store(int64(len(all)))
	get[any](b, "PATCH", northmark, `{"name":"The end"}`) // so that readers look
	readers.Wait()
	for i, got := range seen {
		if len(got) > len(all) {
			got = got[:len(all)]
		}
		if d := cmp.Diff(all, got); d != "" {
			t.Errorf("reader %d (-all +seen)\n%s", i, d)
		}
	}
	p.at[0].Load().stop()
	b.stop()
	check(t, p.db, "load")
}

// follow reads the events of a world, a few from this server, a few from the
// other, each time behind the last one that it has.
func follow(ctx context.Context, p *pair, r *rand.Rand, until *atomic.Int64) (seen []api.Event) {
	last := int64(0)
	for i := r.IntN(2); ctx.Err() == nil && last < until.Load(); i++ {
		w := p.at[i%2].Load()
		left := 1 + r.IntN(40)
		err := stream(ctx, w, northmark+"/events", last, func(e api.Event) bool {
			seen, last = append(seen, e), e.ID
			left--
			return left > 0 && last < until.Load()
		})
		if err != nil {
			time.Sleep(2 * time.Millisecond) // the server is away
		}
	}
	return seen
}

// stream reads events behind an id until the function has had enough.
func stream(ctx context.Context, w *weft, path string, last int64, event func(api.Event) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", w.address+path, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Last-Event-ID", strconv.FormatInt(last, 10))
	if w.token != "" {
		r.Header.Set("Authorization", "Bearer "+w.token)
	}
	resp, err := (&http.Client{Transport: w.http.Transport}).Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	id := ""
	for lines.Scan() {
		if s, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			id = s
		}
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e api.Event
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return err
		}
		if id != strconv.FormatInt(e.ID, 10) {
			return fmt.Errorf("an event with the id %q: %s", id, data)
		}
		if !event(e) {
			return nil
		}
	}
	return lines.Err()
}

// One key, sent to both servers at the same moment, is one request.
func TestOneKeyOnTwoServers(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	a, b := p.at[0].Load(), p.at[1].Load()
	get[any](a, "POST", "/api/v1/worlds", `{"id":"north","name":"Northmark"}`)
	get[any](a, "POST", northmark+"/conversations", `{"id":"c"}`)
	for i := range 50 {
		key, body := fmt.Sprintf("Idempotency-Key: k%d", i), fmt.Sprintf(`{"messages":[{"content":"%d"}]}`, i)
		var wg sync.WaitGroup
		var answers [4]answer
		for k := range answers {
			w := []*weft{a, b}[k%2]
			wg.Go(func() { answers[k], _ = w.ask(t.Context(), "POST", northmark+"/conversations/c/nodes", body, key) })
		}
		wg.Wait()
		for _, r := range answers {
			if r.status != 201 || string(r.body) != string(answers[0].body) {
				t.Fatalf("round %d: %d %s, and %d %s", i, answers[0].status, answers[0].body, r.status, r.body)
			}
		}
	}
	if path := get[api.Page[api.Node]](b, "GET", northmark+"/conversations/c/nodes?last=0", ""); len(path.Items) != 50 {
		t.Errorf("there are %d messages, want 50", len(path.Items))
	}
	// The name of a world that both make at once belongs to one of them.
	for i := range 20 {
		var wg sync.WaitGroup
		var status [2]int
		for k, w := range []*weft{a, b} {
			wg.Go(func() {
				r, _ := w.ask(t.Context(), "POST", "/api/v1/worlds", fmt.Sprintf(`{"id":"w%d","name":"W"}`, i))
				status[k] = r.status
			})
		}
		wg.Wait()
		if status[0]+status[1] != 201+409 {
			t.Errorf("two requests for one world were answered with %v", status)
		}
	}
}

// What was written on one server is what the other one reads a moment later:
// messages, authored lore, what was remembered, and prompts made of them. Without
// WEFT_TEST_FULL a thousand times, with it ten thousand.
func TestFreshReads(t *testing.T) {
	if testing.Short() {
		t.Skip("asks two servers thousands of times")
	}
	t.Parallel()
	rounds := 1000
	if full() {
		rounds = 10_000
	}
	p := newPair(t)
	at := [2]*weft{p.at[0].Load(), p.at[1].Load()}
	get[any](at[0], "POST", "/api/v1/worlds", `{"id":"north","name":"Northmark"}`)
	get[any](at[0], "PUT", northmark+"/books/vale", bookJSON)
	entry := get[api.Entry](at[0], "POST", northmark+"/entries", `{"id":"oath","keys":["oath"],"content":"An oath."}`)
	chat := ""
	for i := range rounds {
		if i%500 == 0 { // paths stay short
			chat = northmark + "/conversations/c" + strconv.Itoa(i)
			get[any](at[0], "POST", northmark+"/conversations", fmt.Sprintf(`{"id":"c%d"}`, i))
		}
		write, read := at[i%2], at[(i+1)%2]
		if i%16 > 7 {
			write, read = read, write
		}
		want := fmt.Sprintf("Fact %d.", i)
		var got string
		switch i % 4 {
		case 0:
			get[any](write, "POST", chat+"/nodes", fmt.Sprintf(`{"messages":[{"content":"The mill. %s"}]}`, want))
			got = string(read.do("GET", chat+"/nodes?last=1", "").body)
		case 1:
			get[any](write, "PATCH", northmark+"/books/vale/entries/mill", fmt.Sprintf(`{"content":%q}`, want))
			got = string(read.do("GET", northmark+"/entries/vale/mill", "").body)
		case 2:
			get[any](write, "PATCH", northmark+"/entries/"+entry.Book+"/oath", fmt.Sprintf(`{"content":%q}`, want))
			got = string(read.do("GET", northmark+"/entries/"+entry.Book+"/oath", "").body)
		case 3:
			get[any](write, "PATCH", northmark+"/books/vale/entries/mill", fmt.Sprintf(`{"content":%q}`, want))
			got = string(read.do("POST", chat+"/assemble", `{}`).body)
		}
		if !strings.Contains(got, want) {
			t.Fatalf("round %d: the other server does not know %q: %s", i, want, got)
		}
	}
}
