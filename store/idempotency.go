package store

// Response is the answer to a request that carried an idempotency key.
type Response struct {
	// Scope separates the keys of different users; Key is what the client sent.
	Scope, Key string
	// Request identifies the request (a hash of method, path and body): the
	// same key with another request is a Conflict.
	Request string
	// World and Conversation are those that the answer speaks of; it is erased
	// with them.
	World, Conversation string
	Status              int
	// Header and Body are the answer as it was given.
	Header map[string][]string
	Body   []byte
	Time   int64
}

// Response returns the answer that was given to a request with this key. It is
// NotFound if there was none; do the work then and keep its answer with
// [Tx.PutResponse] in the same transaction.
func (tx *Tx) Response(scope, key, request string) (Response, error) { return Response{}, errPending }

// PutResponse keeps an answer. A key that is taken is Exists: another request
// was quicker.
func (tx *Tx) PutResponse(r Response) error { return errPending }
