//go:build unix

package store_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/internal/pgtest"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

// crashChild is the program that is killed. It opens the database, prints
// "ready", and then makes turn after turn, each in one transaction, printing
// its number behind the commit. At the fail point it was given, counted over
// all, it kills itself as kill -9 would.
func crashChild() {
	mode := os.Getenv(crashEnv)
	if mode == "open" {
		openChild()
		return
	}
	at, err := strconv.Atoi(mode) // the number of the fail point; 0 lists them
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	count, armed := 0, false
	db, err := store.Open(ctx, os.Getenv("WEFT_STORE_URL"), store.Options{
		Address: "127.0.0.1:7777",
		Log:     slog.New(slog.NewTextHandler(io.Discard, nil)),
		FailPoint: func(name string) {
			if !armed {
				return
			}
			if count++; at == 0 {
				fmt.Println("point", name)
			} else if count == at {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {} // the signal comes
			}
		},
	})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	world, conversation := os.Getenv("WEFT_STORE_WORLD"), os.Getenv("WEFT_STORE_CONVERSATION")
	armed = true
	fmt.Println("ready")
	for turn := 1; at != 0 || turn == 1; turn++ {
		if err := crashTurn(ctx, db, world, conversation, turn); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		fmt.Println("done", turn)
	}
	_ = db.Close()
}

// crashTurn writes everything that belongs to a turn.
func crashTurn(ctx context.Context, db *store.DB, world, conversation string, turn int) error {
	return db.UpdateWorld(ctx, world, func(tx *store.Tx) error {
		c, err := tx.Conversation(conversation)
		if err != nil {
			return err
		}
		user, err := tx.AppendNode(store.Node{Conversation: c.ID, Parent: c.Head, Content: fmt.Sprint("user ", turn)})
		if err != nil {
			return err
		}
		reply, err := tx.AppendNode(store.Node{Conversation: c.ID, Parent: user.ID, Role: lore.RoleAssistant, Content: fmt.Sprint("reply ", turn)})
		if err != nil {
			return err
		}
		if err := tx.SetHead(c.ID, reply.ID); err != nil {
			return err
		}
		if err := tx.PutState(reply.ID, engine.State{Turn: turn}); err != nil {
			return err
		}
		if err := tx.PutRecord(store.AssemblyRecord{Node: reply.ID, Seed: uint64(turn)}); err != nil {
			return err
		}
		ops, _, err := tx.AppendOperations(memory.Operation{
			World: world, Layer: memory.LayerWorld, Conversation: c.ID, Node: reply.ID, Book: memory.WorldBook, Entry: "gate",
			Kind: memory.KindPatch, Author: memory.Author{Kind: memory.BySidecar}, Change: memory.Append(fmt.Sprintf("Day %d.", turn)),
		})
		if err != nil {
			return err
		}
		if _, err := tx.Retract(ops[0].ID); err != nil {
			return err
		}
		hidden := true
		if err := tx.MarkNodes(store.Mark{Hidden: &hidden}, user.ID); err != nil {
			return err
		}
		_, err = tx.AppendEvent(store.Event{World: world, Kind: "turn", Conversation: c.ID, Payload: json.RawMessage(strconv.Itoa(turn))})
		return err
	})
}

// child starts the program and returns its output, line by line, when it has
// ended.
func child(t *testing.T, point int, url string, c store.Conversation) (lines []string, killed bool) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), crashEnv+"="+strconv.Itoa(point), "WEFT_STORE_URL="+url, "WEFT_STORE_WORLD="+c.World, "WEFT_STORE_CONVERSATION="+c.ID)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(out); s.Scan(); {
		lines = append(lines, s.Text())
	}
	_ = cmd.Wait()
	return lines, cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled()
}

// A process that is killed, at whatever point, leaves the state of the
// transactions that it committed: those it reported, and at most one more, whose
// report was lost.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a hundred processes")
	}
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		testKilled(t, sqliteURL(t), true)
	})
	t.Run("Postgres", func(t *testing.T) {
		t.Parallel()
		testKilled(t, pgtest.Database(t), false)
	})
}

func testKilled(t *testing.T, url string, file bool) {
	quiet := store.Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	db := mustOpen(t, url, quiet)
	c := makeWorld(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	lines, killed := child(t, 0, url, c)
	var points []string
	for _, l := range lines {
		if name, ok := strings.CutPrefix(l, "point "); ok {
			points = append(points, name)
		}
	}
	if killed || !slices.Contains(lines, "done 1") || len(points) < 20 {
		t.Fatalf("the program met %d fail points and said %v", len(points), lines)
	}
	t.Logf("%d fail points in a turn: %s", len(points), strings.Join(points, ", "))
	turns := 1 // the list made one
	for i := range points {
		at := i + 1 + len(points) // in the second turn of that process
		lines, killed := child(t, at, url, c)
		if !killed || len(lines) < 2 || lines[0] != "ready" {
			t.Fatalf("fail point %d (%s): killed %v, said %v", at, points[i], killed, lines)
		}
		if file {
			if h, ok := store.HolderOf(url); ok {
				t.Fatalf("fail point %s: the dead process %d still holds the file", points[i], h.PID)
			}
		}
		db, err := store.Open(t.Context(), url, quiet) // checks the file: the end was not clean
		if err != nil {
			t.Fatalf("fail point %s: %v", points[i], err)
		}
		reported := turns + len(lines) - 1
		got := checkTurns(t, db, c, points[i])
		if got != reported && got != reported+1 {
			t.Errorf("fail point %s: %d turns are there, %d were reported", points[i], got, reported)
		}
		if points[i] == "after commit" && got != reported+1 {
			t.Errorf("fail point %s: a committed turn is lost", points[i])
		}
		if strings.HasPrefix(points[i], "before") && got != reported {
			t.Errorf("fail point %s: %d turns are there, %d were committed", points[i], got, reported)
		}
		turns = got
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// checkTurns makes sure that every turn is whole, and returns how many there
// are.
func checkTurns(t *testing.T, db *store.DB, c store.Conversation, point string) (turns int) {
	t.Helper()
	problems, err := db.Check(t.Context(), true)
	if len(problems) > 0 || err != nil {
		t.Errorf("fail point %s: check: %v (%v)", point, problems, err)
	}
	err = db.View(t.Context(), func(tx *store.Tx) error {
		w, err := tx.World(c.World)
		if err != nil {
			return err
		}
		c, err := tx.Conversation(c.ID)
		if err != nil {
			return err
		}
		path, err := tx.Path(c.Head, store.PathOptions{})
		if err != nil {
			return err
		}
		tree, err := tx.Tree(c.ID)
		if err != nil {
			return err
		}
		ops, err := tx.Operations(c.World, store.OperationFilter{})
		if err != nil {
			return err
		}
		turns = len(path) / 2
		if len(path)%2 != 0 || len(tree) != len(path) || len(ops) != turns || w.Event != int64(turns) || w.Usage.Messages != int64(len(path)) {
			t.Errorf("fail point %s: %d messages on the path, %d in the tree, %d operations, %d events: a part of a turn", point, len(path), len(tree), len(ops), w.Event)
			return nil
		}
		for i, op := range ops {
			user, reply := path[2*i], path[2*i+1]
			if op.Node != reply.ID || !user.Hidden {
				t.Errorf("fail point %s: turn %d is not whole", point, i)
			}
			if _, from, err := tx.State(reply.ID); err != nil || from != reply.ID {
				t.Errorf("fail point %s: turn %d has no state (%v)", point, i, err)
			}
			if _, err := tx.Record(reply.ID); err != nil {
				t.Errorf("fail point %s: turn %d: %v", point, i, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("fail point %s: %v", point, err)
	}
	return turns
}
