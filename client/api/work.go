package api

import "encoding/json"

// The states of work.
const (
	WorkQueued     = "queued"     // it waits for its time, its turn, or a free hand
	WorkRunning    = "running"    // it is being done
	WorkCancelling = "cancelling" // it was cancelled, and has not stopped yet; nothing that it does counts
	WorkDone       = "done"
	WorkFailed     = "failed"
	WorkCancelled  = "cancelled"
)

// Work is something that is done in the background: what a sidecar writes after
// a reply, recaps, imports. Work of one conversation is done one at a time, in
// the order of Seq.
type Work struct {
	ID           string          `json:"id"`
	Kind         string          `json:"kind"`
	State        string          `json:"state" enum:"queued,running,cancelling,done,failed,cancelled"`
	Conversation string          `json:"conversation,omitempty"`
	Node         string          `json:"node,omitempty" doc:"The message that it is done for; it is cancelled when the conversation no longer shows that."`
	Seq          int64           `json:"seq" doc:"Its place in the order of the world."`
	Priority     int             `json:"priority,omitempty"`
	Attempt      int             `json:"attempt" doc:"How often it was begun."`
	Attempts     int             `json:"attempts" doc:"How often that may be."`
	Lost         int             `json:"lost,omitempty" doc:"How often the process that did it ended meanwhile."`
	Due          int64           `json:"due,omitempty" doc:"When it may begin; absent: at once."`
	Done         int64           `json:"done,omitempty" doc:"How many parts are done, as far as it says."`
	Total        int64           `json:"total,omitempty" doc:"Of how many."`
	Message      string          `json:"message,omitempty" doc:"How far it is, for people."`
	Error        string          `json:"error,omitempty" doc:"Why the last attempt failed."`
	Payload      json.RawMessage `json:"payload,omitempty" doc:"What to do."`
	Result       json.RawMessage `json:"result,omitempty" doc:"What came of it."`
	Created      int64           `json:"created"`
	Started      int64           `json:"started,omitempty"`
	Finished     int64           `json:"finished,omitempty"`
}

// WorkHealth says how the work of a server does.
type WorkHealth struct {
	Status  string `json:"status" doc:"ok; late: something waits for more than a minute; stopped: this server does no work; failing: it cannot look for work."`
	Queued  int64  `json:"queued,omitempty" doc:"Of all worlds. Counts are told only where nobody needs to sign in; /metrics has them otherwise."`
	Running int64  `json:"running,omitempty" doc:"On all servers."`
	Failed  int64  `json:"failed,omitempty" doc:"For good, and still kept."`
	Oldest  int64  `json:"oldest,omitempty" doc:"How long the oldest waits that could begin, in microseconds."`
}
