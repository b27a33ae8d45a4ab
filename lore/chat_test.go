package lore

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/internal/testenv"
)

func TestParseChat(t *testing.T) {
	hello := []Message{UserMessage("Hello"), {Role: RoleAssistant, Name: "Mira", Content: "Hm.\nYes."}}
	tests := []struct {
		name, src string
		names     []string
		want      []Message
		reports   []string
	}{
		{"empty", " \n", nil, nil, nil},
		{"JSON list", `["Hello", {"role": "assistant", "name": "Mira", "content": "Hm.\nYes."}]`, nil, hello, nil},
		{"JSON object", "\ufeff{\"messages\": [\"Hello\",\n{\"role\": \"assistant\", \"name\": \"Mira\", \"content\": \"Hm.\\nYes.\"}], \"model\": 1}", nil, hello, nil},
		{"JSONL", "{\"role\": \"user\", \"content\": \"Hello\"}\r\n\r\n{\"role\": \"assistant\", \"name\": \"Mira\", \"content\": \"Hm.\\nYes.\"}", nil, hello, nil},
		{"JSONL of texts", "\"Hello\"\n\"Bye\"\n", nil, []Message{UserMessage("Hello"), UserMessage("Bye")}, nil},
		{"one object", `{"role": "system", "content": "x"}`, nil, []Message{SystemMessage("x")}, nil},
		{
			"content parts", `[{"content": [{"type": "text", "text": "a"}, {"type": "image_url"}, {"text": "b"}]}]`, nil,
			[]Message{{Content: "a\nb"}},
			[]string{"c:1:46: warning: messages[0].content[1] is no text and is not read"},
		},
		{
			"bad messages", "[\"a\",\n5,\n{\"role\": \"user\"},\n{\"role\": \"narrator\", \"content\": null}]", nil,
			[]Message{UserMessage("a"), {Role: "narrator"}},
			[]string{
				"c:2:1: messages[1]: expected a message or a text, got the number 5",
				"c:3:1: messages[2]: content is missing (a message is {role, name, content, hidden})",
				`c:4:10: warning: messages[3]: unknown role "narrator" (the roles are system, user, assistant and tool)`,
			},
		},
		{
			"JSONL cut off", "\"a\"\n{\"role\": \"us", nil,
			[]Message{UserMessage("a")},
			[]string{"c:2:13: this line is no JSON: unexpected end (the last line may be cut off)"},
		},
		{"another program's", `{"chat": []}`, nil, nil, []string{
			`c:1:1: there is no list of messages in this file (a chat is [{"role": "user", "content": "Hello"}] or {"messages": [...]}; logs of other programs are imported)`,
		}},
		{"plain", "User: Hello\nMira: Hm.\nYes.\n\nNote: no name.\nUser: Bye\nMira:\nEnd\n", nil, []Message{
			{Role: RoleUser, Content: "Hello"},
			{Role: RoleAssistant, Name: "Mira", Content: "Hm.\nYes.\n\nNote: no name."},
			{Role: RoleUser, Content: "Bye"},
			{Role: RoleAssistant, Name: "Mira", Content: "\nEnd"},
		}, nil},
		{"plain with names", "Tam: Hello\r\nMira Vell: Hm.\r\n", []string{"Tam", "Mira Vell"}, []Message{
			{Role: RoleUser, Name: "Tam", Content: "Hello"}, {Role: RoleAssistant, Name: "Mira Vell", Content: "Hm."},
		}, nil},
		{"a name seen once", "Mira: Hm.\nTam: Yes.\nMira: No.\n", nil, []Message{
			{Role: RoleAssistant, Name: "Mira", Content: "Hm.\nTam: Yes."}, {Role: RoleAssistant, Name: "Mira", Content: "No."},
		}, []string{`c:2:1: note: "Tam:" opens one line only and is taken for text (name the speakers to read it as a message)`}},
		{"no names", "Just a text.\nMore.", nil, []Message{UserMessage("Just a text.\nMore.")}, nil},
		{"bracket", "[He nods.]\nUser: Hi", nil, []Message{UserMessage("[He nods.]"), UserMessage("Hi")}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, list := ParseChat("c", []byte(tt.src), tt.names...)
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("messages differ (-want +got):\n%s", d)
			}
			var reports []string
			for _, d := range list {
				reports = append(reports, d.String())
			}
			if d := cmp.Diff(tt.reports, reports); d != "" {
				t.Errorf("reports differ (-want +got):\n%s", d)
			}
		})
	}
}

func TestFormatSamplePlainLog(t *testing.T) {
	src, err := os.ReadFile(filepath.Join(testenv.Formats(t, "samples"), "plain_log.txt"))
	if err != nil {
		t.Fatal(err)
	}
	got, list := ParseChat("plain_log.txt", src)
	if len(list) > 0 || len(got) != 4 || got[0].Name != "Mira" || got[3].Role != RoleUser {
		t.Errorf("got %+v, %v", got, list)
	}
}
