package api

// Problem is an error of the API, as RFC 9457 describes them. It is an error of
// Go too.
type Problem struct {
	// Title is the name of the status, the same for all problems with it.
	Title string `json:"title" doc:"The name of the status."`
	// Status is the HTTP status.
	Status int `json:"status" doc:"The HTTP status."`
	// Detail says what is wrong, and what to do about it.
	Detail string `json:"detail" doc:"What is wrong, and what to do about it."`
	// Kind is what a program can act on, see the constants.
	Kind string `json:"kind" doc:"What a program can act on: not_found, exists, conflict, invalid, quota, forbidden, unauthorized, busy, unreadable, failed, too_large, too_many, locked, full, read_only, corrupt, unavailable, internal."`
	// Errors are the single faults of a request that is not as it should be.
	Errors []Fault `json:"errors,omitempty" doc:"The single faults of the request."`
}

// Fault is one thing that is wrong with a request.
type Fault struct {
	// Location is where: body.messages[0].role, query.limit, path.world.
	Location string `json:"location,omitempty" doc:"Where: body.messages[0].role, query.limit, path.world."`
	Message  string `json:"message" doc:"What is wrong there."`
}

// The kinds of problem.
const (
	NotFound     = "not_found"
	Exists       = "exists"
	Conflict     = "conflict" // it was changed since: read it again
	Invalid      = "invalid"
	Quota        = "quota"
	Forbidden    = "forbidden"
	Unauthorized = "unauthorized"
	Busy         = "busy" // try again
	Unreadable   = "unreadable"
	Failed       = "failed" // a plugin ended an assembly
	TooLarge     = "too_large"
	TooMany      = "too_many" // wait, as Retry-After says
	Locked       = "locked"
	TooNew       = "too_new"
	Full         = "full"
	ReadOnly     = "read_only"
	Corrupt      = "corrupt"
	Unavailable  = "unavailable"
	Internal     = "internal" // a fault of the server: its log says more
)

// Error returns what is wrong in one line.
func (p *Problem) Error() string {
	text := p.Detail
	for _, f := range p.Errors {
		text += "; "
		if f.Location != "" {
			text += f.Location + ": "
		}
		text += f.Message
	}
	return text
}

// GetStatus returns the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType returns the media type of a problem.
func (p *Problem) ContentType(string) string { return "application/problem+json" }
