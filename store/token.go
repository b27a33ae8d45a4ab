package store

import (
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
)

// Token is a key by which a program signs in as a user. The key itself is not
// kept, only its SHA-256.
type Token struct {
	ID, User, Name string
	Created        int64
	// Used is when it was last used, to the minute; 0 is never.
	Used int64
	// Expires is when it ends; 0 is never.
	Expires int64
}

const tokenColumns = "id, holder, name, created, used, expires"

func (t *Token) dest() []any {
	return []any{&t.ID, &t.User, &t.Name, &t.Created, &t.Used, &t.Expires}
}

// keyPrefix begins every key, so that a person, or a scanner of source code,
// sees what it is.
const keyPrefix = "weft_"

// CreateToken makes a token and returns its key, this once. Expires is 0 for
// never.
func (tx *Tx) CreateToken(user, name string, expires int64) (t Token, key string, err error) {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	key = keyPrefix + base64.RawURLEncoding.EncodeToString(secret)
	t, err = tx.CreateTokenWithKey(user, name, key, expires)
	return t, key, err
}

// CreateTokenWithKey makes a token of a key that somebody chose. A key that is
// in use is Exists, one of fewer than 16 bytes Invalid.
func (tx *Tx) CreateTokenWithKey(user, name, key string, expires int64) (Token, error) {
	if len(key) < 16 {
		return Token{}, Errorf(Invalid, "a key has 16 bytes at least")
	}
	if _, err := tx.touch(System); err != nil {
		return Token{}, err
	}
	if _, err := tx.User(user); err != nil {
		return Token{}, err
	}
	t := Token{ID: tx.NewID(), User: user, Name: name, Created: tx.now, Expires: expires}
	hash := sha256.Sum256([]byte(key))
	n, err := tx.exec("INSERT INTO tokens (id, holder, name, hash, created, used, expires) VALUES ($1, $2, $3, $4, $5, 0, $6) ON CONFLICT DO NOTHING",
		t.ID, user, name, hash[:], t.Created, expires)
	if err == nil && n == 0 {
		err = Errorf(Exists, "this key is in use already")
	}
	if err != nil {
		return Token{}, err
	}
	return t, nil
}

// UserByToken returns the user whom a key belongs to. An unknown or expired
// key, or a disabled user, is NotFound.
func (tx *Tx) UserByToken(key string) (User, Token, error) {
	hash := sha256.Sum256([]byte(key))
	var t Token
	found, err := tx.row("SELECT "+tokenColumns+" FROM tokens WHERE hash = $1", []any{hash[:]}, t.dest()...)
	if err != nil {
		return User{}, Token{}, err
	}
	unknown := Errorf(NotFound, "the key is unknown, or it has expired")
	if !found || t.Expires != 0 && t.Expires <= tx.now {
		return User{}, Token{}, unknown
	}
	u, err := tx.User(t.User)
	if err != nil {
		return User{}, Token{}, err
	}
	if u.Disabled {
		return User{}, Token{}, unknown
	}
	return u, t, nil
}

// TokenUsed notes that a token was used. A note that is less than a minute old
// stays, so that most requests write nothing; look at [Token].Used first.
func (tx *Tx) TokenUsed(token string) error {
	_, err := tx.exec("UPDATE tokens SET used = $2 WHERE id = $1 AND used < $3", token, tx.now, tx.now-60_000_000)
	return err
}

// Tokens lists the tokens of a user, the oldest first.
func (tx *Tx) Tokens(user string) (list []Token, err error) {
	err = tx.rows("SELECT "+tokenColumns+" FROM tokens WHERE holder = $1 ORDER BY created, id", []any{user}, func(r *sql.Rows) error {
		var t Token
		err := r.Scan(t.dest()...)
		list = append(list, t)
		return err
	})
	return list, err
}

// DeleteToken ends a token.
func (tx *Tx) DeleteToken(token string) error {
	if _, err := tx.touch(System); err != nil {
		return err
	}
	n, err := tx.exec("DELETE FROM tokens WHERE id = $1", token)
	if err == nil && n == 0 {
		err = Errorf(NotFound, "there is no token %q", token)
	}
	return err
}
