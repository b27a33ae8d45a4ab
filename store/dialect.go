package store

// dialect holds what differs between the databases.
type dialect struct {
	postgres bool
}
