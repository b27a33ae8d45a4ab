package world

import "errors"

var errPending = errors.New("world: not there yet")
