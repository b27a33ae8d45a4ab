// Package instruct splits the prompt of a text completion into the messages
// that an instruct template made it of, and joins them again byte for byte.
//
// A template puts a mark in front of every message, and often one behind it:
//
//	<|im_start|>user
//	Is the ferry late?<|im_end|>
//	<|im_start|>assistant
//
// [Split] finds out which template made a prompt, by its marks, and returns the
// texts between them with their roles. Text that stands outside of every message
// is a part with the role system. The last part is where the model goes on: it
// is empty unless a reply is continued.
//
//	p, ok := instruct.Split(prompt)
//	for _, part := range p.Parts {
//		fmt.Println(part.Role, part.Text)
//	}
//	prompt == p.Join() // always
//
// What is inserted between parts with [Prompt.Insert] gets the marks of the
// template.
package instruct
