//go:build !unix

package jobs_test

func crashChild() {}
