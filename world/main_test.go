package world

import (
	"os"
	"testing"

	"github.com/weft-memory/weft/internal/pgtest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	pgtest.Stop()
	os.Exit(code)
}
