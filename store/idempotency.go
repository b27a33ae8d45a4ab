package store

import "encoding/json"

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
func (tx *Tx) Response(scope, key, request string) (Response, error) {
	r := Response{Scope: scope, Key: key}
	var header []byte
	found, err := tx.row("SELECT request, world, conversation, status, header, body, time FROM responses WHERE scope = $1 AND name = $2", []any{scope, key},
		&r.Request, &r.World, &r.Conversation, &r.Status, &header, &r.Body, &r.Time)
	switch {
	case err != nil:
		return Response{}, err
	case !found:
		return Response{}, Errorf(NotFound, "no request had the key %q", clip(key))
	case r.Request != request:
		return Response{}, Errorf(Conflict, "the key %q was used for another request: a key belongs to one request", clip(key))
	}
	return r, json.Unmarshal(header, &r.Header)
}

// PutResponse keeps an answer. A key that is taken is Exists: another request
// was quicker. Roll back then and read its answer.
func (tx *Tx) PutResponse(r Response) error {
	header, err := json.Marshal(r.Header)
	if err != nil {
		return err
	}
	if r.Body == nil {
		r.Body = []byte{}
	}
	n, err := tx.exec("INSERT INTO responses (scope, name, request, world, conversation, status, header, body, time) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING",
		r.Scope, r.Key, r.Request, r.World, r.Conversation, r.Status, header, r.Body, tx.now)
	if err == nil && n == 0 {
		err = Errorf(Exists, "another request with the key %q was answered meanwhile", clip(r.Key))
	}
	return err
}
