package store

import "encoding/json"

// Setting returns a value that was kept under a name, as JSON; NotFound if
// there is none. Scope is "" for the server, else a word and an id, such as
// "user:" + id.
func (tx *Tx) Setting(scope, name string) (json.RawMessage, error) { return nil, errPending }

// SetSetting keeps a value; nil takes it away.
func (tx *Tx) SetSetting(scope, name string, value json.RawMessage) error { return errPending }

// Settings returns all values of a scope.
func (tx *Tx) Settings(scope string) (map[string]json.RawMessage, error) { return nil, errPending }
