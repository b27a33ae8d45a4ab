package jobs

// SetHook has fn called at named steps. Set it before Start.
func (q *Queue) SetHook(fn func(step string)) { q.test = fn }

// Crash drops the queue as the end of the process would: nothing that it holds
// is given back or ended. It returns when its handlers have ended.
func (q *Queue) Crash() {
	q.crashed.Store(true)
	q.mu.Lock()
	first, started := !q.closed, q.started
	q.closed = true
	q.mu.Unlock()
	q.stop(ErrClosed)
	if !first || !started {
		return
	}
	close(q.closing)
	q.runner.Wait()
	q.hands.Wait()
	close(q.ended)
	q.keeper.Wait()
	q.sub.Close()
}
