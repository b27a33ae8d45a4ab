package llm_test

import (
	"context"
	"testing"

	"go.uber.org/goleak"
)

// testContext is for property tests, whose T has no context.
var testContext = context.Background()

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
