package jobs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/weft-memory/weft/jobs"
	"github.com/weft-memory/weft/store"
)

// Work is added in the transaction that causes it, and ends in the one that
// writes what came of it.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "weft")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	db, err := store.Open(ctx, filepath.Join(dir, "weft.db"), store.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	q, err := jobs.Open(db, jobs.Options{})
	if err != nil {
		log.Fatal(err)
	}
	counted := make(chan int, 1)
	err = q.Register(jobs.Kind{
		Name: "count", Attempts: 5, Timeout: time.Minute,
		Handle: func(ctx context.Context, j *jobs.Job) error {
			var p struct{ Text string }
			if err := j.Decode(&p); err != nil {
				return jobs.Permanent(err)
			}
			n := len(strings.Fields(p.Text)) // what takes long, outside of a transaction
			err := j.Finish(ctx, func(tx *store.Tx) error {
				return tx.SetSetting("world:"+j.World, "words", json.RawMessage(strconv.Itoa(n)))
			})
			if err == nil {
				counted <- n
			}
			return err
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	q.Start()
	err = db.Update(ctx, func(tx *store.Tx) error {
		w, err := tx.CreateWorld(store.World{Name: "Northmark"})
		if err != nil {
			return err
		}
		_, _, err = q.Enqueue(tx, jobs.Spec{Kind: "count", World: w.ID, Payload: map[string]string{"Text": "Nobody rebuilt the mill."}})
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(<-counted, "words")
	if err := q.Close(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: 4 words
}
