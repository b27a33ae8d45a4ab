package instruct

import "github.com/weft-memory/weft/lore"

// Template is how a family of models marks the messages of a chat.
type Template struct {
	// Name is the usual name of the template, in small letters.
	Name string
	// Starts are the marks in front of messages.
	Starts []Mark
	// Ends are the marks behind messages. The first is the usual one.
	Ends []string
	// Line says that marks only count at the beginning of a line.
	Line bool
	// Sure says that one mark is enough to know the template; otherwise it takes
	// two different ones.
	Sure bool
}

// Mark stands in front of a message.
type Mark struct {
	Text string
	Role lore.Role
}

func roles(before, after string, names ...string) []Mark {
	var out []Mark
	for _, n := range names {
		role := lore.Role(n)
		switch n {
		case "model", "bot", "CHATBOT_TOKEN", "Assistant":
			role = lore.RoleAssistant
		case "USER_TOKEN", "User", "human":
			role = lore.RoleUser
		case "SYSTEM_TOKEN", "developer", "System":
			role = lore.RoleSystem
		case "ipython", "observation", "tool":
			role = lore.RoleTool
		}
		out = append(out, Mark{before + n + after, role})
	}
	return out
}

// Templates are the templates that are known. Where the marks of several fit
// equally well, the first one counts.
var Templates = []*Template{
	{Name: "chatml", Sure: true, Starts: roles("<|im_start|>", "\n", "system", "user", "assistant", "tool", "developer"), Ends: []string{"<|im_end|>"}},
	{
		Name: "llama-3", Sure: true, Ends: []string{"<|eot_id|>", "<|eom_id|>"},
		Starts: roles("<|start_header_id|>", "<|end_header_id|>\n\n", "system", "user", "assistant", "ipython", "tool"),
	},
	{
		Name: "llama-4", Sure: true, Ends: []string{"<|eot|>", "<|eom|>"},
		Starts: roles("<|header_start|>", "<|header_end|>\n\n", "system", "user", "assistant", "ipython", "tool"),
	},
	{Name: "gemma", Sure: true, Starts: roles("<start_of_turn>", "\n", "user", "model", "system"), Ends: []string{"<end_of_turn>"}},
	{
		Name: "command-r", Sure: true, Ends: []string{"<|END_OF_TURN_TOKEN|>"},
		Starts: roles("<|START_OF_TURN_TOKEN|><|", "|>", "SYSTEM_TOKEN", "USER_TOKEN", "CHATBOT_TOKEN"),
	},
	{
		Name: "deepseek", Sure: true, Ends: []string{"<｜end▁of▁sentence｜>"},
		Starts: roles("<｜", "｜>", "System", "User", "Assistant"),
	},
	{
		Name: "granite", Sure: true, Ends: []string{"<|end_of_text|>"},
		Starts: roles("<|start_of_role|>", "<|end_of_role|>", "system", "user", "assistant", "tool"),
	},
	{
		Name: "harmony", Sure: true, Ends: []string{"<|end|>", "<|return|>"},
		Starts: append(roles("<|start|>", "<|message|>", "system", "developer", "user", "assistant", "tool"),
			Mark{"<|start|>assistant<|channel|>final<|message|>", lore.RoleAssistant}),
	},
	{Name: "metharme", Sure: true, Starts: append(roles("<|", "|>", "system", "user"), Mark{"<|model|>", lore.RoleAssistant}), Ends: []string{"<|endoftext|>", "</s>"}},
	{
		Name: "zephyr", Sure: true, Ends: []string{"</s>", "<|end|>", "<|endoftext|>"},
		Starts: roles("<|", "|>\n", "system", "user", "assistant", "observation"),
	},
	{
		Name: "mistral", Sure: true, Ends: []string{"</s>", "[/SYSTEM_PROMPT]", "\n<</SYS>>\n\n", "<</SYS>>"},
		Starts: []Mark{
			{"[INST] <<SYS>>\n", lore.RoleSystem},
			{"[INST]", lore.RoleUser},
			{"[/INST]", lore.RoleAssistant},
			{"[SYSTEM_PROMPT]", lore.RoleSystem},
			{"[TOOL_RESULTS]", lore.RoleTool},
		},
	},
	{
		Name: "alpaca", Line: true, Ends: []string{"</s>"},
		Starts: []Mark{
			{"### Instruction:\n", lore.RoleUser},
			{"### Input:\n", lore.RoleUser},
			{"### User:\n", lore.RoleUser},
			{"### Response:\n", lore.RoleAssistant},
			{"### Assistant:\n", lore.RoleAssistant},
			{"### System:\n", lore.RoleSystem},
		},
	},
	{
		Name: "vicuna", Line: true, Ends: []string{"</s>"},
		Starts: []Mark{
			{"SYSTEM:", lore.RoleSystem},
			{"USER:", lore.RoleUser},
			{"ASSISTANT:", lore.RoleAssistant},
			{"### Human:", lore.RoleUser},
			{"### Assistant:", lore.RoleAssistant},
		},
	},
}

// ByName returns a template; nil if there is none of the name.
func ByName(name string) *Template {
	for _, t := range Templates {
		if t.Name == name {
			return t
		}
	}
	return nil
}
