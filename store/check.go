package store

import "context"

// Problem is something that is wrong with a database.
type Problem struct {
	// Where is the table, or "file".
	Where   string
	Message string
}

// Check looks for damage: on SQLite in the file, on both in what the rows say
// of each other (heads, parents, states, numbers). A full check reads
// everything, a quick one does not compare indexes with their tables nor
// states with their chains.
func (db *DB) Check(ctx context.Context, full bool) ([]Problem, error) { return nil, errPending }
