// Package conformance holds the tests that run whole conformance folders
// through several packages at once: files are read by package format and run
// by package engine.
package conformance
