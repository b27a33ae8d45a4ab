// Package match decides whether a key of a lorebook entry occurs in a text.
package match
