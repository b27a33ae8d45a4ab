package lore

import "github.com/weft-memory/weft/weaver/diag"

// ParseChat reads the messages of a chat from JSON, JSONL or plain text.
func ParseChat(path string, src []byte) ([]Message, diag.List) { return nil, nil }
