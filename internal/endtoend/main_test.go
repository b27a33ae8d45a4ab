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

// armed is the value of childEnv for a process that has the pipes of [arm].
const armed = "armed"

// fullEnv asks for the whole of what is otherwise a sample: every fail point,
// ten thousand reads on another server.
const fullEnv = "WEFT_TEST_FULL"

func full() bool { return os.Getenv(fullEnv) != "" }

func TestMain(m *testing.M) {
	if as := os.Getenv(childEnv); as != "" {
		if as == armed {
			arm()
		}
		app.Main(app.Options{Version: "test"})
	}
	code := m.Run()
	pgtest.Stop()
	os.Exit(code)
}

// arm lets the test that started this process say, over a pipe, at which fail
// point the process kills itself: "kill 7" is the seventh from now on, "at after
// commit" the next of that name, "list" has every one told, "quiet" none. Every line is answered with "ok".
func arm() {
	in, out := os.NewFile(3, "orders"), os.NewFile(4, "points")
	var left atomic.Int64 // how many points until the end; 0 is never
	var list atomic.Bool
	var name atomic.Value // of the step to die at
	name.Store("")
	failpoint.Set(func(step string) {
		if list.Load() {
			fmt.Fprintln(out, step)
		}
		if left.Load() > 0 && left.Add(-1) == 0 || name.Load() == step {
			fmt.Fprintln(out, "killed "+step)
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // the signal comes
		}
	})
	go func() {
		for lines := bufio.NewScanner(in); lines.Scan(); {
			order, what, _ := strings.Cut(lines.Text(), " ")
			n, _ := strconv.ParseInt(what, 10, 64)
			list.Store(order == "list")
			if name.Store(""); order == "at" {
				name.Store(what)
			}
			left.Store(n)
			fmt.Fprintln(out, "ok")
		}
	}()
}
