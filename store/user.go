package store

import (
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// User is a person who may use the server.
type User struct {
	ID   string
	Name string // unique
	// Admin may do everything, also with what belongs to others.
	Admin bool
	// Disabled users keep what is theirs and cannot sign in.
	Disabled bool
	// Password is what [HashPassword] made; "" means that there is none.
	Password string
	Quota    QuotaLimits
	// Version is the revision of [System] in which the user last changed.
	Version          int64
	Created, Changed int64
}

// QuotaLimits bound what the worlds of a user may hold together. 0 means no
// bound.
type QuotaLimits struct {
	Worlds        int64 `json:"worlds,omitempty"`
	Conversations int64 `json:"conversations,omitempty"`
	Messages      int64 `json:"messages,omitempty"`
	Bytes         int64 `json:"bytes,omitempty"`
}

const userColumns = "id, name, admin, disabled, password, quota, version, created, changed"

type userRow struct {
	User
	quota []byte
}

func (u *userRow) dest() []any {
	return []any{&u.ID, &u.Name, &u.Admin, &u.Disabled, &u.Password, &u.quota, &u.Version, &u.Created, &u.Changed}
}

func (u *userRow) user() (User, error) {
	return u.User, json.Unmarshal(u.quota, &u.User.Quota)
}

// CreateUser makes a user. A name that is taken is Exists.
func (tx *Tx) CreateUser(u User) (User, error) {
	if u.ID == "" {
		u.ID = tx.NewID()
	}
	w, err := tx.touch(System)
	if err != nil {
		return User{}, err
	}
	if u.ID == AnyOwner {
		return User{}, Errorf(Invalid, "a user cannot have the id %q", u.ID)
	}
	quota, err := tx.checkUser(u)
	if err != nil {
		return User{}, err
	}
	n, err := tx.exec("INSERT INTO users ("+userColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) ON CONFLICT DO NOTHING",
		u.ID, u.Name, u.Admin, u.Disabled, u.Password, quota, w.Revision, tx.now)
	if err != nil {
		return User{}, err
	}
	if n == 0 {
		return User{}, Errorf(Exists, "there is a user %q already", u.ID)
	}
	return tx.User(u.ID)
}

// checkUser makes sure that a user's name is their own.
func (tx *Tx) checkUser(u User) (quota []byte, err error) {
	if strings.TrimSpace(u.Name) == "" {
		return nil, Errorf(Invalid, "a user needs a name")
	}
	var other string
	found, err := tx.row("SELECT id FROM users WHERE name = $1", []any{u.Name}, &other)
	if err != nil {
		return nil, err
	}
	if found && other != u.ID {
		return nil, Errorf(Exists, "there is a user called %q already", u.Name)
	}
	return json.Marshal(u.Quota)
}

func (tx *Tx) userWhere(column, value string) (User, error) {
	var u userRow
	found, err := tx.row("SELECT "+userColumns+" FROM users WHERE "+column+" = $1", []any{value}, u.dest()...)
	if err != nil {
		return User{}, err
	}
	if !found {
		return User{}, Errorf(NotFound, "there is no user %q", value)
	}
	return u.user()
}

// User returns a user by id.
func (tx *Tx) User(user string) (User, error) { return tx.userWhere("id", user) }

// UserByName returns a user by name.
func (tx *Tx) UserByName(name string) (User, error) { return tx.userWhere("name", name) }

// Users lists all users by name.
func (tx *Tx) Users(p Page) (list []User, next string, err error) {
	name := ""
	if err := p.after(&name); err != nil {
		return nil, "", err
	}
	err = tx.rows("SELECT "+userColumns+" FROM users WHERE name > $1 ORDER BY name LIMIT $2", []any{name, p.limit() + 1},
		func(r *sql.Rows) error {
			var row userRow
			if err := r.Scan(row.dest()...); err != nil {
				return err
			}
			u, err := row.user()
			list = append(list, u)
			return err
		})
	if err != nil {
		return nil, "", err
	}
	list, next = cut(p, list, func(u User) []any { return []any{u.Name} })
	return list, next, nil
}

// UpdateUser writes all fields of a user.
func (tx *Tx) UpdateUser(u User, cond If) (User, error) {
	w, err := tx.touch(System)
	if err != nil {
		return User{}, err
	}
	old, err := tx.User(u.ID)
	if err != nil {
		return User{}, err
	}
	if err := cond.check("the user", old.Version); err != nil {
		return User{}, err
	}
	quota, err := tx.checkUser(u)
	if err != nil {
		return User{}, err
	}
	_, err = tx.exec("UPDATE users SET name = $2, admin = $3, disabled = $4, password = $5, quota = $6, version = $7, changed = $8 WHERE id = $1",
		u.ID, u.Name, u.Admin, u.Disabled, u.Password, quota, w.Revision, tx.now)
	if err != nil {
		return User{}, err
	}
	return tx.User(u.ID)
}

// DeleteUser deletes a user with their tokens and settings. A user who owns
// worlds is Invalid: give the worlds to another, or erase them, first.
func (tx *Tx) DeleteUser(user string) error {
	if _, err := tx.touch(System); err != nil {
		return err
	}
	u, err := tx.User(user)
	if err != nil {
		return err
	}
	var worlds int
	if _, err := tx.row("SELECT count(*) FROM worlds WHERE owner = $1", []any{user}, &worlds); err != nil {
		return err
	}
	if worlds > 0 {
		return Errorf(Invalid, "%s owns %d worlds: give them to another user, or erase them, first", u.Name, worlds)
	}
	return tx.execEach([]any{user},
		"DELETE FROM tokens WHERE holder = $1",
		"DELETE FROM settings WHERE scope = 'user:' || $1",
		"DELETE FROM users WHERE id = $1")
}

// execEach runs statements with the same arguments.
func (tx *Tx) execEach(args []any, statements ...string) error {
	for _, s := range statements {
		if _, err := tx.exec(s, args...); err != nil {
			return err
		}
	}
	return nil
}

// Usage returns how much the worlds of a user hold.
func (tx *Tx) Usage(user string) (Usage, error) {
	var u Usage
	_, err := tx.row("SELECT count(*), CAST(coalesce(sum(conversations), 0) AS BIGINT), CAST(coalesce(sum(messages), 0) AS BIGINT), CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM worlds WHERE owner = $1 AND id <> ''",
		[]any{user}, &u.Worlds, &u.Conversations, &u.Messages, &u.Bytes)
	return u, err
}

// passwordRounds are the rounds of PBKDF2 for new passwords.
const passwordRounds = 600_000

// HashPassword returns what is stored of a password: PBKDF2 with SHA-256, a
// random salt and 600,000 rounds, in text. It takes about a tenth of a second;
// call it outside of transactions.
func HashPassword(password string) (string, error) {
	if password == "" {
		return "", Errorf(Invalid, "the password is empty")
	}
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	return hashPassword(password, salt, passwordRounds)
}

func hashPassword(password string, salt []byte, rounds int) (string, error) {
	key, err := pbkdf2.Key(sha256.New, password, salt, rounds, sha256.Size)
	if err != nil {
		return "", err
	}
	enc := base64.RawStdEncoding
	return fmt.Sprintf("pbkdf2-sha256$%d$%s$%s", rounds, enc.EncodeToString(salt), enc.EncodeToString(key)), nil
}

// CheckPassword reports whether a password is the one that was hashed. It
// takes as long as HashPassword, also for an empty hash.
func CheckPassword(hash, password string) bool {
	parts := strings.Split(hash, "$")
	rounds, salt, ok := passwordRounds, []byte("0123456789abcdef"), false
	if len(parts) == 4 && parts[0] == "pbkdf2-sha256" {
		var n int
		s, err := base64.RawStdEncoding.DecodeString(parts[2])
		if _, e := fmt.Sscanf(parts[1], "%d", &n); e == nil && err == nil && n > 0 && n <= 100*passwordRounds {
			rounds, salt, ok = n, s, true
		}
	}
	again, err := hashPassword(password, salt, rounds)
	same := subtle.ConstantTimeCompare([]byte(hash), []byte(again)) == 1
	return ok && err == nil && same
}
