package store

import "errors"

var errPending = errors.New("store: not there yet")
