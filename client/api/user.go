package api

// User is a person who may use the server.
type User struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Admin    bool   `json:"admin"`
	Disabled bool   `json:"disabled"`
	Quota    Limits `json:"quota"`
	Version  int64  `json:"version"`
	Created  int64  `json:"created"`
}

// Limits bound what the worlds of a user may hold together; 0 means no bound.
type Limits struct {
	Worlds        int64 `json:"worlds,omitempty" minimum:"0"`
	Conversations int64 `json:"conversations,omitempty" minimum:"0"`
	Messages      int64 `json:"messages,omitempty" minimum:"0"`
	Bytes         int64 `json:"bytes,omitempty" minimum:"0"`
}

// NewUser asks for a user.
type NewUser struct {
	Name     string `json:"name" minLength:"1" maxLength:"200"`
	Password string `json:"password,omitempty" maxLength:"1000"`
	Admin    bool   `json:"admin,omitempty"`
	Quota    Limits `json:"quota,omitzero"`
}

// UserPatch changes a user; what is absent stays.
type UserPatch struct {
	Name     *string `json:"name,omitempty" minLength:"1" maxLength:"200"`
	Password *string `json:"password,omitempty" maxLength:"1000"`
	Admin    *bool   `json:"admin,omitempty"`
	Disabled *bool   `json:"disabled,omitempty"`
	Quota    *Limits `json:"quota,omitempty"`
}

// Token is a key by which a program signs in.
type Token struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Created int64  `json:"created"`
	Used    int64  `json:"used,omitempty"`
	Expires int64  `json:"expires,omitempty"`
	// Key is the key itself: it is told once, when the token is made.
	Key string `json:"key,omitempty" doc:"The key itself, told only when the token is made."`
}

// NewToken asks for a token.
type NewToken struct {
	Name    string `json:"name,omitempty" maxLength:"200"`
	Expires int64  `json:"expires,omitempty" minimum:"0" doc:"When it ends; 0 is never."`
}

// SignIn asks for a token by name and password.
type SignIn struct {
	Name     string `json:"name" maxLength:"200"`
	Password string `json:"password" maxLength:"1000"`
	Token    string `json:"token,omitempty" maxLength:"200" doc:"What the token is called."`
}

// Ticket opens one stream of events, for a reader that cannot send a token: it
// is the value of the query parameter ticket.
type Ticket struct {
	Ticket  string `json:"ticket"`
	Expires int64  `json:"expires"`
}
