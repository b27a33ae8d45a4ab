package store

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

// CreateUser makes a user. A name that is taken is Exists.
func (tx *Tx) CreateUser(u User) (User, error) { return u, errPending }

// User returns a user by id.
func (tx *Tx) User(user string) (User, error) { return User{}, errPending }

// UserByName returns a user by name.
func (tx *Tx) UserByName(name string) (User, error) { return User{}, errPending }

// Users lists all users by name.
func (tx *Tx) Users(p Page) (list []User, next string, err error) { return nil, "", errPending }

// UpdateUser writes all fields of a user.
func (tx *Tx) UpdateUser(u User, cond If) (User, error) { return u, errPending }

// DeleteUser deletes a user with their tokens and settings. A user who owns
// worlds is Invalid: give the worlds to another, or erase them, first.
func (tx *Tx) DeleteUser(user string) error { return errPending }

// Usage returns how much the worlds of a user hold.
func (tx *Tx) Usage(user string) (Usage, error) { return Usage{}, errPending }

// CreateToken makes a token and returns its key, this once. Expires is 0 for
// never.
func (tx *Tx) CreateToken(user, name string, expires int64) (t Token, key string, err error) {
	return t, "", errPending
}

// UserByToken returns the user whom a key belongs to. An unknown or expired
// key, or a disabled user, is NotFound.
func (tx *Tx) UserByToken(key string) (User, Token, error) { return User{}, Token{}, errPending }

// TokenUsed notes that a token was used.
func (tx *Tx) TokenUsed(token string) error { return errPending }

// Tokens lists the tokens of a user.
func (tx *Tx) Tokens(user string) ([]Token, error) { return nil, errPending }

// DeleteToken ends a token.
func (tx *Tx) DeleteToken(token string) error { return errPending }

// HashPassword returns what is stored of a password: PBKDF2 with SHA-256, a
// random salt and 600,000 rounds, in text. It takes about a tenth of a second;
// call it outside of transactions.
func HashPassword(password string) (string, error) { return "", errPending }

// CheckPassword reports whether a password is the one that was hashed. It
// takes as long as HashPassword, also for an empty hash.
func CheckPassword(hash, password string) bool { return false }
