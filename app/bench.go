package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/weft-memory/weft/internal/bench/retrieval"
	"github.com/weft-memory/weft/internal/bench/semantic"
	"github.com/weft-memory/weft/search"
	"github.com/weft-memory/weft/search/embed"
	"github.com/weft-memory/weft/search/embed/openai"
	"github.com/weft-memory/weft/search/embed/words"
)

// benchCmd measures the search.
type benchCmd struct {
	Retrieval benchRetrievalCmd `cmd:"" help:"Answer the questions of a folder and say how many answers were found."`
	Semantic  benchSemanticCmd  `cmd:"" help:"Say how well entries activate by what a scene is about."`
}

// vectorFlags choose where vectors come from.
type vectorFlags struct {
	Endpoint  string `placeholder:"URL" help:"Take vectors from this OpenAI-compatible server, such as http://127.0.0.1:11434/v1, and not from the table that is built in. A key is read from WEFT_EMBED_KEY."`
	Model     string `placeholder:"NAME" help:"The model at the endpoint."`
	NoVectors bool   `name:"no-vectors" help:"Use no vectors."`
}

// embedder returns what makes vectors; nil for none.
func (f vectorFlags) embedder(e *env) (embed.Embedder, error) {
	switch {
	case f.NoVectors && f.Endpoint != "":
		return nil, fail(ExitUsage, "", "--no-vectors and --endpoint exclude each other")
	case f.NoVectors:
		return nil, nil
	case f.Endpoint == "" && f.Model != "":
		return nil, fail(ExitUsage, "name the server with --endpoint", "--model needs an endpoint")
	case f.Endpoint == "":
		return words.Table{}, nil
	}
	c, err := openai.New(f.Endpoint, f.Model, openai.Options{Key: e.opts.Getenv("WEFT_EMBED_KEY")})
	if err != nil {
		return nil, fail(ExitUsage, "", "%w", err)
	}
	return askedOnce{c, map[string]embed.Vector{}}, nil
}

// askedOnce asks for each text once.
type askedOnce struct {
	embed.Embedder
	known map[string]embed.Vector
}

// Embed returns the vectors of texts.
func (r askedOnce) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	var missing []string
	for _, t := range texts {
		if _, ok := r.known[t]; !ok {
			r.known[t] = nil
			missing = append(missing, t)
		}
	}
	if len(missing) > 0 {
		vectors, err := r.Embedder.Embed(ctx, missing)
		if err != nil {
			for _, t := range missing {
				delete(r.known, t)
			}
			return nil, err
		}
		for i, t := range missing {
			r.known[t] = vectors[i]
		}
	}
	out := make([]embed.Vector, len(texts))
	for i, t := range texts {
		out[i] = r.known[t]
	}
	return out, nil
}

type benchRetrievalCmd struct {
	Dir         string `arg:"" help:"A folder of files in the formats retrieval-bench-1 and scene-bench-1, or one such file."`
	Out         string `placeholder:"FILE" help:"Write the answers as JSON lines: {\"id\": …, \"ids\": […]}."`
	JSON        bool   `name:"json" help:"Print JSON. docs/search.md describes it."`
	vectorFlags `embed:""`
}

// Help is shown by --help.
func (benchRetrievalCmd) Help() string {
	return `Searches with the defaults of the product and asks no model. The table of the README.md beside a file is printed with the row of this run below it.

Examples:

    weft bench retrieval ./bench/locomo
    weft bench retrieval ./bench --json | jq '."R@10"'
    weft bench retrieval ./bench/crd3 --out run.jsonl`
}

// benchReport is the output of `weft bench retrieval --json`. Its own figures
// are those of all questions, and of all scenes, of the files together.
type benchReport struct {
	Version int         `json:"version"`
	R5      *float64    `json:"R@5,omitempty"`
	R10     *float64    `json:"R@10,omitempty"`
	R20     *float64    `json:"R@20,omitempty"`
	MRR     *float64    `json:"MRR,omitempty"`
	Hit10   *float64    `json:"hit@10,omitempty"`
	Files   []benchFile `json:"files"`
}

type benchFile struct {
	Path    string `json:"path"`
	Dataset string `json:"dataset"`
	Format  string `json:"format"`
	Model   string `json:"model,omitempty"`
	retrieval.Figures
	Categories map[string]retrieval.Figures `json:"categories,omitempty"`
	// Microseconds are the times of queries, vectors included.
	Microseconds struct {
		P50 int64 `json:"p50"`
		P99 int64 `json:"p99"`
	} `json:"microseconds"`
	IndexBytes int `json:"index_bytes"`
	ModelCalls int `json:"model_calls"`
}

// Run measures.
func (c benchRetrievalCmd) Run(e *env) error {
	files, err := retrieval.Load(c.Dir)
	if err != nil {
		return fail(ExitInput, "", "%w", err)
	}
	embedder, err := c.embedder(e)
	if err != nil {
		return err
	}
	var reports []*retrieval.Report
	for _, f := range files {
		r, err := retrieval.Run(e.ctx, f, retrieval.Options{Config: search.DefaultConfig(), Embedder: embedder})
		if err != nil {
			return fail(ExitInput, "", "%s: %w", f.Path, err)
		}
		reports = append(reports, r)
	}
	if c.Out != "" {
		if err := writeAnswers(c.Out, reports); err != nil {
			return err
		}
	}
	if c.JSON {
		return e.printJSON(summarize(reports, embedder))
	}
	var b strings.Builder
	for i, r := range reports {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.out.paint(heading, r.File.Dataset) + "\n")
		b.WriteString(r.Table() + "\n")
		fmt.Fprintf(&b, "%d questions, half of them in %s and 99 %% in %s; the index takes %.1f MB.\n", r.Total().Questions,
			r.Took(0.5).Round(10*time.Microsecond), r.Took(0.99).Round(10*time.Microsecond), float64(r.Bytes)/1e6)
	}
	return e.print(b.String())
}

func writeAnswers(path string, reports []*retrieval.Report) error {
	f, err := os.Create(path)
	if err != nil {
		return fail(ExitOutput, "", "%w", err)
	}
	enc := json.NewEncoder(f)
	enc.SetEscapeHTML(false)
	for _, r := range reports {
		for _, a := range r.Answers {
			if err := enc.Encode(a); err != nil {
				f.Close()
				return fail(ExitOutput, "", "%s: %w", path, err)
			}
		}
	}
	if err := f.Close(); err != nil {
		return fail(ExitOutput, "", "%s: %w", path, err)
	}
	return nil
}

func summarize(reports []*retrieval.Report, embedder embed.Embedder) benchReport {
	out := benchReport{Version: 1, Files: []benchFile{}}
	var asked, scenes retrieval.Figures
	for _, r := range reports {
		f := benchFile{Path: r.File.Path, Dataset: r.File.Dataset, Format: r.File.Format, Figures: r.Total(), IndexBytes: r.Bytes}
		if embedder != nil {
			f.Model = embedder.Model()
		}
		f.Microseconds.P50, f.Microseconds.P99 = r.Took(0.5).Microseconds(), r.Took(0.99).Microseconds()
		for _, name := range r.Categories() {
			if f.Categories == nil {
				f.Categories = map[string]retrieval.Figures{}
			}
			f.Categories[name] = r.Category(name)
		}
		out.Files = append(out.Files, f)
		if r.File.Format == retrieval.FormatScenes {
			scenes = scenes.And(f.Figures)
		} else {
			asked = asked.And(f.Figures)
		}
	}
	if asked.Questions > 0 {
		out.R5, out.R10, out.R20, out.MRR = &asked.R5, &asked.R10, &asked.R20, &asked.MRR
	}
	if scenes.Questions > 0 {
		out.Hit10 = &scenes.Hit10
		if out.MRR == nil {
			out.MRR = &scenes.MRR
		}
	}
	return out
}

type benchSemanticCmd struct {
	File        string `arg:"" optional:"" help:"Pairs as JSON lines; those that come with the program without it."`
	Book        bool   `help:"Put the entries of all worlds into one book."`
	Turns       int    `placeholder:"N" help:"Use only the first N messages of each scene."`
	JSON        bool   `name:"json" help:"Print JSON. docs/search.md describes it."`
	vectorFlags `embed:""`
}

// Help is shown by --help.
func (benchSemanticCmd) Help() string {
	return `Each pair is an entry, a scene that speaks of it in other words, and a decoy: a scene that has words of it and is about nothing in the book. Precision is the share of activated entries that were right, recall the share of scenes whose entry activated. The line of a threshold says what it would give; set the threshold of your books by it if you use a model of your own.

Examples:

    weft bench semantic
    weft bench semantic --endpoint http://127.0.0.1:11434/v1 --model nomic-embed-text`
}

// Run measures.
func (c benchSemanticCmd) Run(e *env) error {
	pairs := semantic.Pairs()
	if c.File != "" {
		data, err := os.ReadFile(c.File)
		if err != nil {
			return fail(ExitInput, "", "%w", err)
		}
		if pairs, err = semantic.Read(data); err != nil {
			return fail(ExitInput, "", "%s: %w", c.File, err)
		}
	}
	embedder, err := c.embedder(e)
	if err != nil {
		return err
	}
	r, err := semantic.Run(e.ctx, pairs, semantic.Options{Embedder: embedder, Turns: c.Turns, Book: c.Book})
	if err != nil {
		return fail(ExitInput, "", "%w", err)
	}
	if c.JSON {
		return e.printJSON(r)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d pairs, vectors of %s\n\n", r.Pairs, orNone(r.Model))
	t := newTable(e.out, "threshold", "precision", "recall", "right", "wrong").alignRight(0).alignRight(1).alignRight(2).alignRight(3).alignRight(4)
	line := func(p semantic.Point) {
		var cells []cell
		for _, s := range []string{fmt.Sprintf("%.2f", p.Threshold), fmt.Sprintf("%.3f", p.Precision), fmt.Sprintf("%.3f", p.Recall), fmt.Sprint(p.Right), fmt.Sprint(p.Wrong)} {
			cells = append(cells, cell{s, plain})
		}
		t.row(cells...)
	}
	for _, p := range r.Curve {
		if p.Right+p.Wrong > 0 {
			line(p)
		}
	}
	t.print(&b)
	fmt.Fprintf(&b, "\nAs it comes (threshold %.2f, at most %d entries): precision %.3f at recall %.3f.\n", r.Default.Threshold, search.DefaultTopK, r.Default.Precision, r.Default.Recall)
	fmt.Fprintf(&b, "Precision stays at 0.9 or more from threshold %.2f on: recall %.3f.\n", r.Best.Threshold, r.Best.Recall)
	fmt.Fprintf(&b, "The right entry has the best score in %.1f %% of the scenes.\n", 100*r.First)
	return e.print(b.String())
}

func orNone(model string) string {
	if model == "" {
		return "no model"
	}
	return model
}
