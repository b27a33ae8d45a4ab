package lore

import (
	"encoding/json"
	"errors"

	"go.yaml.in/yaml/v3"
)

// plainMessage is a Message without methods.
type plainMessage Message

// UnmarshalJSON reads a message, or a bare text, which is a message of the
// user.
func (m *Message) UnmarshalJSON(src []byte) error {
	if len(src) > 0 && src[0] == '"' {
		*m = Message{Role: RoleUser}
		return json.Unmarshal(src, &m.Content)
	}
	var p plainMessage
	if err := json.Unmarshal(src, &p); err != nil {
		return err
	}
	*m = Message(p)
	return nil
}

// UnmarshalYAML reads a message, or a bare text, which is a message of the
// user.
func (m *Message) UnmarshalYAML(n *yaml.Node) error {
	switch n = resolve(n); n.Kind {
	case yaml.ScalarNode:
		*m = UserMessage(n.Value)
		return nil
	case yaml.MappingNode:
		var p plainMessage
		if err := n.Decode(&p); err != nil {
			return err
		}
		*m = Message(p)
		return nil
	}
	return errors.New("a message is a text or {role, name, content}")
}
