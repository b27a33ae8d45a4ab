// Package endtoend holds tests of the whole: they start real `weft serve`
// processes on real databases, kill them, starve them, talk nonsense to them,
// and look at what is left. It has no program of its own; the binary of its
// tests is both the test and, started again with an environment variable, weft.
package endtoend
