package app

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/weft-memory/weft/store"
)

type backupCmd struct {
	Output string `arg:"" optional:"" default:"." name:"file" help:"The file to write, a folder for it, or - for standard output. Default: a file of today in the current folder."`

	Force bool `short:"f" help:"Replace the file if it is there."`
	JSON  bool `name:"json" help:"Print JSON: file, bytes, rows, time."`
	serverFlags
}

// Help is shown by --help.
func (backupCmd) Help() string {
	return `Writes everything in a database, as it is at one moment, into one compressed file. A server that holds the database may go on meanwhile: the backup goes through it (a server that asks for tokens wants that of an admin, in WEFT_TOKEN). The file is the same for SQLite and PostgreSQL, so a backup of one can be restored into the other.

The file is read again to its end before the command says that all is well. It holds passwords and tokens only as hashes, but all that was written in stories: keep it where others cannot read it.

Examples:

    weft backup
    weft backup /mnt/backups
    weft backup - --db postgres://weft@db/weft | ssh vault 'cat > weft.backup'`
}

// backupReport is the output of weft backup --json.
type backupReport struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	Rows  int64  `json:"rows"`
	Time  int64  `json:"time"`
}

// Run writes a backup.
func (c *backupCmd) Run(e *env) error {
	if c.Output == "-" {
		return c.stream(e, e.out.w)
	}
	path, err := c.path()
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".weft-backup-*")
	if err != nil {
		return cannotWrite(path, err)
	}
	defer os.Remove(tmp.Name()) // if it is still there
	defer tmp.Close()
	meter := &meter{e: e, verb: "backing up", w: tmp}
	err = c.stream(e, meter)
	meter.end()
	if err == nil {
		if err = tmp.Sync(); err != nil {
			err = cannotWrite(path, err)
		}
	}
	if err != nil {
		return err
	}
	if _, err := tmp.Seek(0, io.SeekStart); err != nil {
		return cannotWrite(path, err)
	}
	info, err := verifyBackup(e, tmp, "verifying")
	if err != nil {
		if e.ctx.Err() != nil {
			return e.ctx.Err()
		}
		return fail(ExitOutput, "nothing was kept of it; look at the disk and the log of the server", "the backup was written, but it cannot be read again: %w", err)
	}
	if err := tmp.Close(); err != nil {
		return cannotWrite(path, err)
	}
	if err := moveNew(tmp.Name(), path, c.Force); err != nil {
		return err
	}
	r := backupReport{File: path, Bytes: meter.n, Rows: info.Rows, Time: info.Time}
	if c.JSON {
		return e.printJSON(r)
	}
	return e.print(fmt.Sprintf("%s: %s, %s, verified\n", r.File, bytesText(r.Bytes), plural(int(r.Rows), "row")))
}

// path is the file to write.
func (c *backupCmd) path() (string, error) {
	path := c.Output
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "weft-"+time.Now().Format("20060102-150405")+".backup")
	}
	if _, err := os.Lstat(path); err == nil && !c.Force {
		return "", isThere(path)
	}
	return path, nil
}

// stream writes the backup: through the server, if there is one, or from the
// database.
func (c *backupCmd) stream(e *env, w io.Writer) error {
	l, err := c.connect(e)
	if err != nil {
		return err
	}
	defer l.close()
	out := &remembering{w: w}
	err = l.Backup(e.ctx, out)
	switch {
	case out.err != nil: // a full disk, or a reader that is gone
		return cannotWrite(c.Output, out.err)
	case err != nil && e.ctx.Err() != nil:
		return e.ctx.Err()
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fail(ExitRefused, "its log says more", "the server ended the backup before it was whole")
	}
	return l.refused(err)
}

// remembering is a writer that remembers its error, to tell it from those of
// the other side.
type remembering struct {
	w   io.Writer
	err error
}

func (r *remembering) Write(p []byte) (int, error) {
	n, err := r.w.Write(p)
	if err != nil {
		r.err = err
	}
	return n, err
}

// moveNew gives a file that was written beside its place its name.
func moveNew(from, to string, force bool) error {
	if !force {
		switch err := os.Link(from, to); {
		case err == nil:
			return nil // the other name is removed by the caller
		case errors.Is(err, os.ErrExist):
			return isThere(to)
		}
		if _, err := os.Lstat(to); err == nil { // no links on this file system
			return isThere(to)
		}
	}
	if err := os.Rename(from, to); err != nil {
		return cannotWrite(to, err)
	}
	return nil
}

// verifyBackup reads a backup to its end.
func verifyBackup(e *env, r io.Reader, verb string) (store.BackupInfo, error) {
	meter := &meter{e: e, verb: verb, r: r}
	defer meter.end()
	return store.VerifyBackup(e.ctx, bufio.NewReaderSize(meter, 1<<16), storeOptions(slog.New(slog.DiscardHandler)))
}

// meter shows how many bytes passed, on a terminal.
type meter struct {
	e     *env
	verb  string
	r     io.Reader
	w     io.Writer
	n     int64
	shown int64
}

// Read is part of io.Reader.
func (m *meter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.count(n)
	return n, err
}

// Write is part of io.Writer.
func (m *meter) Write(p []byte) (int, error) {
	n, err := m.w.Write(p)
	m.count(n)
	return n, err
}

func (m *meter) count(n int) {
	const step = 1 << 20
	if m.n += int64(n); m.e.err.terminal && m.n-m.shown >= step {
		m.shown = m.n
		_, _ = io.WriteString(m.e.err.w, "\r\x1b[K"+m.verb+" "+bytesText(m.n))
	}
}

// end takes what was shown away.
func (m *meter) end() {
	if m.shown > 0 {
		_, _ = io.WriteString(m.e.err.w, "\r\x1b[K")
		m.shown = 0
	}
}

// bytesText writes a size for people: 12.3 MB.
func bytesText(n int64) string {
	switch {
	case n < 1000:
		return plural(int(n), "byte")
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1_000_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
