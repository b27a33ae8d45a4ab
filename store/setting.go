package store

import (
	"database/sql"
	"encoding/json"
	"strings"
)

// Setting returns a value that was kept under a name, as JSON; NotFound if
// there is none. Scope is "" for the server, else a word and an id: "user:",
// "world:" or "conversation:" and the id of one. What is of one of these goes
// with it.
func (tx *Tx) Setting(scope, name string) (json.RawMessage, error) {
	var value []byte
	found, err := tx.row("SELECT value FROM settings WHERE scope = $1 AND name = $2", []any{scope, name}, &value)
	if err == nil && !found {
		err = Errorf(NotFound, "there is no setting %q", name)
	}
	return value, err
}

// SetSetting keeps a value; nil takes it away.
func (tx *Tx) SetSetting(scope, name string, value json.RawMessage) error {
	world := System
	switch kind, id, _ := strings.Cut(scope, ":"); kind {
	case "world":
		world = id
	case "conversation":
		c, err := tx.Conversation(id)
		if err != nil {
			return err
		}
		world = c.World
	}
	if _, err := tx.touch(world); err != nil {
		return err
	}
	if value == nil {
		_, err := tx.exec("DELETE FROM settings WHERE scope = $1 AND name = $2", scope, name)
		return err
	}
	if !json.Valid(value) {
		return Errorf(Invalid, "the value of the setting %q is no JSON", name)
	}
	_, err := tx.exec("INSERT INTO settings (scope, name, value) VALUES ($1, $2, $3) ON CONFLICT (scope, name) DO UPDATE SET value = excluded.value",
		scope, name, []byte(value))
	return err
}

// Settings returns all values of a scope.
func (tx *Tx) Settings(scope string) (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	err := tx.rows("SELECT name, value FROM settings WHERE scope = $1", []any{scope}, func(r *sql.Rows) error {
		var name string
		var value []byte
		err := r.Scan(&name, &value)
		out[name] = value
		return err
	})
	return out, err
}
