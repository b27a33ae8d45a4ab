package memory

// Step is one message of a path.
type Step struct {
	// Node is the message.
	Node string
	// Keeps are earlier versions of the message whose operations still count:
	// those from which an edit was made, unless the message was read anew.
	Keeps []string
	// User says that a person spoke.
	User bool
}

// Path is the way from the root of a conversation to a node.
type Path struct {
	Conversation string
	Steps        []Step
}
