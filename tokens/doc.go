// Package tokens counts tokens: how much of a model's context a text takes.
//
// Three kinds of counter share one interface, [Counter]:
//
//   - Exact ones for the OpenAI families, chosen by model name with
//     [ForModel] or by encoding with [ForEncoding]. Their tables are part of
//     the program, so nothing is fetched; a table is unpacked when it is first
//     used (about 60 ms and 6 to 20 MB, once).
//   - [Estimate], which knows no model. It looks at the script of each
//     character and is right within a tenth or so for prose in the common
//     scripts, where the usual "four characters a token" is off by a factor of
//     four in Chinese.
//   - [ByBytes], the plain rule of bytes divided by a number. ByBytes(4) is
//     what conformance cases use.
//
// A server that reports how many tokens a prompt took lets a host correct any
// of them with [Scaled].
//
//	counter := tokens.ForModel("gpt-4o")
//	n := counter.Count("The tide turns at noon.")
//
// All counters are safe for concurrent use, never fail and never panic: text
// that is not valid UTF-8 is counted as if each broken piece were U+FFFD.
package tokens
