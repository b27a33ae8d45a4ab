//go:build !unix

package store_test

import (
	"errors"
	"testing"
)

func asNobody(*testing.T, string) error { return errors.New("there are no users to change to") }

func crashChild() {}
