package lore

// Role says who speaks in a message.
type Role string

// The roles of a chat, as model servers name them.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one message of a chat.
type Message struct {
	// Role defaults to user where it is empty.
	Role Role `json:"role,omitempty" yaml:"role,omitempty"`
	// Name is the author's name, where the chat knows one. Dialects that scan
	// names put it in front of the content.
	Name string `json:"name,omitempty" yaml:"name,omitempty"`
	// Content is the text, never normalised.
	Content string `json:"content" yaml:"content"`
	// Hidden keeps the message out of the prompt and out of every scan and
	// count.
	Hidden bool `json:"hidden,omitempty" yaml:"hidden,omitempty"`
}

// UserMessage returns a message of the user.
func UserMessage(content string) Message { return Message{Role: RoleUser, Content: content} }

// AssistantMessage returns a message of the narrator.
func AssistantMessage(content string) Message {
	return Message{Role: RoleAssistant, Content: content}
}

// SystemMessage returns a system message.
func SystemMessage(content string) Message { return Message{Role: RoleSystem, Content: content} }

// TurnKind says what kind of reply a turn asks for.
type TurnKind string

// The kinds of turn. An entry may restrict itself to some of them.
const (
	KindNormal      TurnKind = "normal"
	KindContinue    TurnKind = "continue"
	KindImpersonate TurnKind = "impersonate"
	KindSwipe       TurnKind = "swipe"
	KindRegenerate  TurnKind = "regenerate"
	KindQuiet       TurnKind = "quiet"
)
