package history

import (
	"strconv"
	"strings"

	"github.com/weft-memory/weft/lore"
)

// Message is one message of a request.
type Message struct {
	Role lore.Role
	Name string
	// Text is the text; the texts of several parts stand with a blank line
	// between them.
	Text string
	// Parts is how many texts these are. 0 means one.
	Parts int
	// Calls says that the message calls tools.
	Calls bool
}

// Switch is a setting that a request turns on, turns off or leaves out.
type Switch uint8

// The values of a switch.
const (
	Unset Switch = iota
	On
	Off
)

// Request is what a front end sent.
type Request struct {
	// Path is that of the request, such as /v1/chat/completions.
	Path string
	// System is system text that stands outside of the messages.
	System string
	// Messages is the chat, system messages included. A prompt for text
	// completion is given as Prompt instead.
	Messages []Message
	Prompt   string

	Stream    Switch
	MaxTokens int
	// JSON says that the answer has to be JSON.
	JSON bool
	// Stop are the texts that end the answer; names in them are learned.
	Stop []string
	// Retry is the number of the attempt, counted by the client's library, see
	// [ReadRetry]. Above 0 it is the same request again.
	Retry int
	// User and Characters are names that the service knows.
	User       string
	Characters []string
	// IDs is what the client says of itself.
	IDs IDs
}

// IDs is what a client says of the conversation that a request belongs to.
type IDs struct {
	// Conversation names the conversation.
	Conversation string
	// Pick is a text that is the same for all requests of a chat and of its
	// branches, and another one for other chats.
	Pick string
	// Var is a text that a chat gave itself; its branches have the same.
	Var string
	// Character and Persona are the names of who speaks.
	Character, Persona string
	// Kind is normal, swipe, regenerate, continue, impersonate or quiet.
	Kind string
	// Last is the number of the last message from 0; -1 if it is not known.
	Last int
	// Swipe is the number of the swipe on show and of the last one, from 1; 0
	// if it is not known.
	Swipe, Swipes int
}

// Prefix stands in front of the names of headers with ids. In metadata they
// have no prefix.
const Prefix = "x-weft-"

// ReadIDs reads ids by a function that returns the value of a name without its
// prefix, "" if there is none.
func ReadIDs(get func(name string) string) IDs {
	word := func(name string) string {
		s := strings.TrimSpace(get(name))
		if strings.Contains(s, "{{") || len(s) > 500 { // a macro that was not resolved
			return ""
		}
		return s
	}
	ids := IDs{
		Conversation: word("conversation"), Pick: word("pick"), Var: word("var"), Character: word("character"),
		Persona: word("persona"), Kind: strings.ToLower(word("kind")), Last: -1,
	}
	if n, err := strconv.Atoi(word("last")); err == nil && n >= 0 {
		ids.Last = n
	}
	now, all, _ := strings.Cut(word("swipe"), "/")
	if n, err := strconv.Atoi(now); err == nil && n > 0 {
		ids.Swipe = n
	}
	if n, err := strconv.Atoi(all); err == nil && n > 0 {
		ids.Swipes = n
	}
	return ids
}

// ReadRetry reads the number of an attempt from the header
// x-stainless-retry-count.
func ReadRetry(header string) int {
	n, err := strconv.Atoi(strings.TrimSpace(header))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// External is the name by which the conversation is known outside: the id that
// the client gives, else one made of its fingerprint. "" means that it has
// none.
func (ids IDs) External() string {
	switch {
	case ids.Conversation != "":
		return ids.Conversation
	case len(ids.Pick) >= minPick:
		return "pick:" + ids.Pick
	case ids.Var != "":
		return "var:" + ids.Var
	}
	return ""
}

// minPick is how long a fingerprint has to be; shorter ones are equal by chance.
const minPick = 4
