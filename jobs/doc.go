// Package jobs does work that outlives the request that caused it: what a
// sidecar writes after a reply, recaps, imports of long stories. A piece of work
// is a row, written in the transaction of its cause; so it is there exactly if
// the cause is. It is done by a handler, again after an error, and after the end
// of the process, however that comes.
//
//	q, err := jobs.Open(db, jobs.Options{})
//	…
//	err = q.Register(jobs.Kind{
//		Name: "count", Attempts: 5, Timeout: time.Minute,
//		Handle: func(ctx context.Context, j *jobs.Job) error {
//			var p struct{ Text string }
//			if err := j.Decode(&p); err != nil {
//				return jobs.Permanent(err)
//			}
//			n := len(strings.Fields(p.Text)) // what takes long, outside of a transaction
//			return j.Finish(ctx, func(tx *store.Tx) error {
//				return tx.SetSetting("world:"+j.World, "words", json.RawMessage(strconv.Itoa(n)))
//			})
//		},
//	})
//	q.Start()
//	defer q.Close(ctx)
//	err = db.UpdateWorld(ctx, world, func(tx *store.Tx) error {
//		_, _, err := q.Enqueue(tx, jobs.Spec{Kind: "count", World: world, Payload: payload})
//		return err
//	})
//
// Three types matter. A [Queue] does the work of one process. A [Kind] says how
// work of a name is done. A [Job] is one piece of it in a handler's hands.
//
// # Order
//
// Work of one conversation is done one at a time, in the order in which its
// causes were committed. Work that failed and waits for its next attempt holds
// up what stands behind it; when it has failed for good, that goes on. Work
// without a conversation is done as hands are free, by priority.
//
// # Once
//
// A handler may run more than once for a piece of work: the process may end
// before the handler does. What it writes within [Job.Finish] is committed
// together with the end of the work, so that happens once; and not at all if the
// work was cancelled, erased, or taken over by another process meanwhile. What a
// handler does elsewhere may happen again.
//
// # Several servers
//
// Any number of queues may work on one database. Whoever does a piece of work
// lets its beat rise every few seconds; if that stands still for
// [Options].Lease, another queue takes the work back. The wait is measured by
// the watcher's own monotonic clock: no two clocks are compared, and none may
// confuse it by a jump.
package jobs
