package gateway

import (
	"fmt"
	"strings"

	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/turn"
)

// chatRequest is a request for a chat completion: its text, laid open.
type chatRequest struct {
	doc      *jsondoc.Doc
	list     jsondoc.Value // the messages
	messages []lore.Message
}

// parseChat reads the messages of a request. The limits bound what a stranger
// can make of them.
func parseChat(body []byte, maxBytes int64) (*chatRequest, error) {
	doc, err := jsondoc.Parse(body, jsondoc.Limits{Bytes: int(maxBytes)})
	if err != nil {
		return nil, fmt.Errorf("the request is not JSON: %w", err)
	}
	r := &chatRequest{doc: doc, list: doc.Root().Get("messages")}
	if r.list.Kind() != jsondoc.Array {
		return nil, fmt.Errorf("the request has no list of messages")
	}
	for _, m := range r.list.Items() {
		r.messages = append(r.messages, readMessage(m))
	}
	return r, nil
}

// readMessage reads what a scan sees of a message: the text of its parts.
func readMessage(v jsondoc.Value) lore.Message {
	m := lore.Message{Role: readRole(text(v.Get("role"))), Name: text(v.Get("name"))}
	content := v.Get("content")
	if content.Kind() == jsondoc.String {
		m.Content = content.Text()
		return m
	}
	var parts []string
	for _, p := range content.Items() {
		if p.Get("text").Kind() == jsondoc.String {
			parts = append(parts, p.Get("text").Text())
		}
	}
	m.Content = strings.Join(parts, "\n")
	return m
}

// text returns a text, and "" for anything else.
func text(v jsondoc.Value) string {
	if v.Kind() != jsondoc.String {
		return ""
	}
	return v.Text()
}

func readRole(s string) lore.Role {
	switch s {
	case "developer", "system":
		return lore.RoleSystem
	case "function":
		return lore.RoleTool
	}
	return lore.Role(s)
}

// insert returns the request with lore among its messages. Everything else
// keeps its bytes.
func (r *chatRequest) insert(list []turn.Insertion) []byte {
	edit := r.doc.Edit()
	slots := edit.Slots(r.list)
	out := make([]jsondoc.Slot, 0, len(slots)+len(list))
	for i := 0; i <= len(slots); i++ {
		for _, in := range list {
			if in.Before == i {
				out = append(out, jsondoc.Slot{New: jsondoc.Obj(
					jsondoc.M("role", jsondoc.Str(string(in.Role))), jsondoc.M("content", jsondoc.Str(in.Text)),
				)})
			}
		}
		if i < len(slots) {
			out = append(out, slots[i])
		}
	}
	edit.Arrange(r.list, out)
	return edit.Bytes()
}
