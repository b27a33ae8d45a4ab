//go:build unix

package endtoend

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/weft-memory/weft/app"
	"github.com/weft-memory/weft/internal/failpoint"
	"github.com/weft-memory/weft/internal/pgtest"
)

// childEnv makes weft of this binary.
const childEnv = "WEFT_ENDTOEND_CHILD"

// fullEnv asks for the whole of what is otherwise a sample: every fail point,
// ten thousand reads on another server.
const fullEnv = "WEFT_TEST_FULL"

func full() bool { return os.Getenv(fullEnv) != "" }

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		arm()
		app.Main(app.Options{Version: "test"})
	}
	code := m.Run()
	pgtest.Stop()
	os.Exit(code)
}

// arm lets the test that started this process say, over a pipe, at which fail
// point the process kills itself: "kill 7" is the seventh from now on, "list"
// has every one told, "quiet" none. Every line is answered with "ok".
func arm() {
	in, out := os.NewFile(3, "orders"), os.NewFile(4, "points")
	var left atomic.Int64 // how many points until the end; 0 is never
	var list atomic.Bool
	failpoint.Set(func(step string) {
		if list.Load() {
			fmt.Fprintln(out, step)
		}
		if left.Load() > 0 && left.Add(-1) == 0 {
			fmt.Fprintln(out, "killed "+step)
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // the signal comes
		}
	})
	go func() {
		for lines := bufio.NewScanner(in); lines.Scan(); {
			order, number, _ := strings.Cut(lines.Text(), " ")
			n, _ := strconv.ParseInt(number, 10, 64)
			list.Store(order == "list")
			left.Store(n)
			fmt.Fprintln(out, "ok")
		}
	}()
}
