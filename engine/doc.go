// Package engine decides which lore enters a prompt, and why.
package engine
