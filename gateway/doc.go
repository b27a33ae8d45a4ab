// Package gateway stands between a front end and a model server and adds lore
// to what passes through.
//
// [Proxy] is an http.Handler that speaks the OpenAI-compatible protocol: a
// request for a chat completion gets the lore that its own messages call for,
// put in by splicing, so that every other byte of it stays as it was; answers,
// streams included, and all other requests pass through untouched. It keeps no
// conversation: what timers and variables need is played again from the
// messages.
//
// Nothing that goes wrong with the lore stops a request. It then passes without
// lore, and the report says so.
package gateway
