package instruct_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/turn/instruct"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct{ name, prompt, want string }{
		{
			"chatml", "<|im_start|>system\nYou play Ines.<|im_end|>\n(A sample.)\n<|im_start|>user\nRowan: Hello.<|im_end|>\n<|im_start|>assistant\nInes:",
			"system|You play Ines.\nsystem|(A sample.)\n\nuser|Rowan: Hello.\nassistant|Ines:",
		},
		{
			"llama-3", "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nHello.<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
			"system|Be brief.\nuser|Hello.\nassistant|",
		},
		{
			"llama-4", "<|header_start|>user<|header_end|>\n\nHello.<|eot|><|header_start|>assistant<|header_end|>\n\n",
			"user|Hello.\nassistant|",
		},
		{"gemma", "<bos><start_of_turn>user\nHello.<end_of_turn>\n<start_of_turn>model\n", "user|Hello.\nassistant|"},
		{
			"command-r", "<|START_OF_TURN_TOKEN|><|USER_TOKEN|>Hello.<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
			"user|Hello.\nassistant|",
		},
		{"deepseek", "<｜begin▁of▁sentence｜><｜User｜>Hello.<｜Assistant｜>Well.<｜end▁of▁sentence｜><｜User｜>Go on.<｜Assistant｜>", "user|Hello.\nassistant|Well.\nuser|Go on.\nassistant|"},
		{"granite", "<|start_of_role|>user<|end_of_role|>Hello.<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>", "user|Hello.\nassistant|"},
		{"harmony", "<|start|>user<|message|>Hello.<|end|><|start|>assistant<|channel|>final<|message|>", "user|Hello.\nassistant|"},
		{"metharme", "<|system|>Be brief.<|user|>Hello.<|model|>", "system|Be brief.\nuser|Hello.\nassistant|"},
		{"zephyr", "<|system|>\nBe brief.</s>\n<|user|>\nHello.</s>\n<|assistant|>\n", "system|Be brief.\nuser|Hello.\nassistant|"},
		{"mistral", "<s>[INST] <<SYS>>\nBe brief.\n<</SYS>>\n\nHello. [/INST] Well.</s>[INST] Go on. [/INST]", "system|Be brief.\nsystem|Hello. \nassistant| Well.\nuser| Go on. \nassistant|"},
		{"alpaca", "Below is a task.\n\n### Instruction:\nHello.\n\n### Response:\nWell.\n\n### Instruction:\nGo on.\n\n### Response:\n", "system|Below is a task.\n\n\nuser|Hello.\n\n\nassistant|Well.\n\n\nuser|Go on.\n\n\nassistant|"},
		{"vicuna", "A chat.\n\nUSER: Hello.\nASSISTANT: Well.</s>USER: Go on.\nASSISTANT:", "system|A chat.\n\n\nuser| Hello.\n\nassistant| Well.\nuser| Go on.\n\nassistant|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, ok := instruct.Split(c.prompt)
			if !ok || p.Template.Name != c.name {
				t.Fatalf("the template is %v", p.Template)
			}
			var got []string
			for _, part := range p.Parts {
				got = append(got, fmt.Sprintf("%s|%s", part.Role, part.Text))
			}
			if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.prompt, p.Join()); diff != "" {
				t.Errorf("joined (-want +got):\n%s", diff)
			}
			if role, open := p.Open(); !open || role != lore.RoleAssistant {
				t.Errorf("open: %q %v", role, open)
			}
		})
	}
}

func TestNoTemplate(t *testing.T) {
	for _, prompt := range []string{"", "Rowan: Hello.\nInes:", "SYSTEM: x", "### Instruction: not at all", "a < b and [c]"} {
		p, ok := instruct.Split(prompt)
		if ok || p.Join() != prompt || len(p.Parts) != 1 {
			t.Errorf("%q: %+v %v", prompt, p, ok)
		}
		if _, open := p.Open(); open {
			t.Errorf("%q is open", prompt)
		}
	}
}

func TestInsert(t *testing.T) {
	prompt := "<|im_start|>user\nHello.<|im_end|>\n<|im_start|>assistant\n"
	p, _ := instruct.Split(prompt)
	got := p.Insert(1, lore.RoleSystem, "It rains.").Join()
	want := "<|im_start|>user\nHello.<|im_end|>\n<|im_start|>system\nIt rains.<|im_end|>\n<|im_start|>assistant\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if p.Join() != prompt {
		t.Error("the prompt itself was changed")
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("<|im_start|>user\nHello.<|im_end|>\n<|im_start|>assistant\n")
	f.Add("### Instruction:\na\n### Response:\n")
	f.Add("<s>[INST] x [/INST] y</s>")
	f.Add("USER: a ASSISTANT: b</s>USER:")
	f.Fuzz(func(t *testing.T, prompt string) {
		p, ok := instruct.Split(prompt)
		if got := p.Join(); got != prompt {
			t.Fatalf("joined %q from %q", got, prompt)
		}
		if !ok {
			return
		}
		for i := range len(p.Parts) + 1 {
			with := p.Insert(i, lore.RoleSystem, "\x00")
			if got := with.Join(); strings.Count(got, "\x00") != strings.Count(prompt, "\x00")+1 {
				t.Fatalf("inserted at %d of %q: %q", i, prompt, got)
			}
		}
	})
}

func Example() {
	p, _ := instruct.Split("<|im_start|>user\nIs the ferry late?<|im_end|>\n<|im_start|>assistant\n")
	for _, part := range p.Parts {
		fmt.Printf("%s: %q\n", part.Role, part.Text)
	}
	// Output:
	// user: "Is the ferry late?"
	// assistant: ""
}
