package retrieval

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/weft-memory/weft/search"
	"github.com/weft-memory/weft/search/embed"
)

// Ranked is how many ids of an answer are kept.
const Ranked = 50

// Answer is what the search returned for one question: one line of a run.
type Answer struct {
	ID  string   `json:"id"`
	IDs []string `json:"ids"`
}

// Options say how to search.
type Options struct {
	Config search.Config
	// Embedder makes vectors; nil means none.
	Embedder embed.Embedder
}

// Run answers all questions of a file.
func Run(ctx context.Context, f *File, o Options) (*Report, error) {
	r := newReport(f)
	if f.Format == FormatScenes {
		return r, r.scenes(ctx, f, o)
	}
	for i := range f.Conversations {
		if err := r.conversation(ctx, &f.Conversations[i], o); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// put fills an index and gives all documents vectors.
func put(ctx context.Context, docs []search.Document, o Options) (*search.Index, error) {
	x := search.NewIndex()
	if err := x.Put(docs...); err != nil {
		return nil, err
	}
	if o.Embedder == nil || o.Config.Dense == 0 {
		return x, nil
	}
	const batch = 64
	for len(docs) > 0 {
		n := min(batch, len(docs))
		texts := make([]string, n)
		for i, d := range docs[:n] {
			texts[i] = d.Text
		}
		vectors, err := o.Embedder.Embed(ctx, texts)
		if err != nil {
			return nil, err
		}
		for i, v := range vectors {
			if err := x.SetVector(o.Embedder.Model(), docs[i].ID, v); err != nil {
				return nil, err
			}
		}
		docs = docs[n:]
	}
	return x, nil
}

// vector gives a query its vector.
func vector(ctx context.Context, q *search.Query, text string, o Options) error {
	if o.Embedder == nil || o.Config.Dense == 0 {
		return nil
	}
	vectors, err := o.Embedder.Embed(ctx, []string{text})
	if err != nil {
		return err
	}
	q.Vector, q.Model = vectors[0], o.Embedder.Model()
	if b, ok := o.Embedder.(embed.Bag); ok {
		q.Clear = b.Clear()
	}
	return nil
}

func (r *Report) conversation(ctx context.Context, c *Conversation, o Options) error {
	var docs []search.Document
	for _, s := range c.Sessions {
		group := s.Time
		var turns []string
		for _, t := range s.Turns {
			text := t.Text
			if t.Image != "" {
				text += " " + t.Image
			}
			docs = append(docs, search.Document{ID: t.ID, Kind: search.Message, Text: text, Author: t.Who, Date: s.Time, Group: group})
			turns = append(turns, t.ID)
		}
		for _, f := range s.Facts {
			docs = append(docs, search.Document{ID: "fact:" + f.Who + ":" + f.Text + strings.Join(f.From, ","), Kind: search.Entry, Text: f.Text, Author: f.Who, Date: s.Time, Sources: f.From})
		}
		if s.Summary != "" {
			docs = append(docs, search.Document{ID: "summary:" + s.Time, Kind: search.Summary, Text: s.Summary, Date: s.Time, Sources: turns})
		}
	}
	x, err := put(ctx, docs, o)
	if err != nil {
		return err
	}
	r.Bytes += x.Size()
	v := x.All()
	for _, q := range c.Questions {
		if len(q.Evidence) == 0 {
			continue
		}
		start := time.Now()
		query := search.Query{Text: q.Text, Kinds: []search.Kind{search.Message}, Limit: Ranked}
		if err := vector(ctx, &query, q.Text, o); err != nil {
			return err
		}
		hits := x.Search(v, query, o.Config).Hits
		r.took(time.Since(start))
		r.add(q.ID, q.Category, ids(hits), q.Evidence)
	}
	return nil
}

// scenes asks for the entries of all episodes with the messages so far.
func (r *Report) scenes(ctx context.Context, f *File, o Options) error {
	var docs []search.Document
	var entries, turns []string
	from := map[string]int{}
	for _, e := range f.Episodes {
		for _, n := range e.Entries {
			docs = append(docs, search.Document{ID: "entry:" + n.ID, Kind: search.Entry, Text: n.Text})
			entries = append(entries, "entry:"+n.ID)
		}
		from[e.ID] = len(turns)
		for i, t := range e.Turns {
			id := turnID(e.ID, i)
			docs = append(docs, search.Document{ID: id, Kind: search.Message, Author: t[0], Text: t[1], Group: e.ID})
			turns = append(turns, id)
		}
	}
	x, err := put(ctx, docs, o)
	if err != nil {
		return err
	}
	r.Bytes += x.Size()
	base := x.View(nil, entries)
	for _, q := range f.Queries {
		e := &f.Episodes[f.episode(q.Episode)]
		v := base.On(turns[:from[e.ID]+q.To+1])
		query := search.Query{Kinds: []search.Kind{search.Entry}, Limit: Ranked}
		var text strings.Builder
		for _, t := range e.Turns[q.From : q.To+1] {
			query.Scene = append(query.Scene, search.Turn{Author: t[0], Text: t[1]})
			text.WriteString(t[1])
			text.WriteByte('\n')
		}
		start := time.Now()
		if err := vector(ctx, &query, text.String(), o); err != nil {
			return err
		}
		hits := x.Search(v, query, o.Config).Hits
		r.took(time.Since(start))
		list := ids(hits)
		for i := range list {
			list[i] = strings.TrimPrefix(list[i], "entry:")
		}
		r.add(q.ID, "", list, q.Gold)
	}
	return nil
}

func turnID(episode string, i int) string {
	return episode + ":" + strconv.Itoa(i)
}

func ids(hits []search.Hit) []string {
	list := make([]string, len(hits))
	for i, h := range hits {
		list[i] = h.ID
	}
	return list
}
