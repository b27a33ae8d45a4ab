package store

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A backup is lines of JSON: the head, then for each table a line that names it
// and its columns and a line for each row, then the end with a checksum over
// all lines before it. Texts that may hold any byte are {"b": base64}.

// backupFormat is the version of the format itself.
const backupFormat = 1

type backupHead struct {
	Backup int `json:"weft_backup"`
	// Schemas are the versions by component; "" is the store's own.
	Schemas map[string]int64 `json:"schemas"`
	Time    int64            `json:"time"`
}

type backupTable struct {
	Table   string   `json:"table"`
	Columns []string `json:"columns"`
}

type backupEnd struct {
	Rows   int64  `json:"rows"`
	SHA256 string `json:"sha256"`
}

type backupBytes struct {
	B []byte `json:"b"`
}

// Backup writes everything in the database, as it is at one moment, while
// others go on to use it. The format is the same for both databases, so that a
// backup of one can be restored into the other: lines of JSON, compressed with
// gzip, with a checksum at the end. It holds keys and passwords only as hashes.
func (db *DB) Backup(ctx context.Context, w io.Writer) error {
	zip := gzip.NewWriter(w)
	out := bufio.NewWriterSize(zip, 64<<10)
	sum := sha256.New()
	line := func(v any) error {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		text = append(text, '\n')
		sum.Write(text)
		_, err = out.Write(text)
		return err
	}
	head := backupHead{Backup: backupFormat, Schemas: map[string]int64{}, Time: db.opts.Now().UnixMicro()}
	for _, c := range db.opts.schemas() {
		head.Schemas[c.Name] = newest(c.Migrations)
	}
	if err := line(head); err != nil {
		return err
	}
	var rows int64
	err := db.View(ctx, func(tx *Tx) error {
		for _, t := range db.tables() {
			n, err := tx.backupTable(t.name, line)
			if err != nil {
				return err
			}
			rows += n
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := line(backupEnd{rows, hex.EncodeToString(sum.Sum(nil))}); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return zip.Close()
}

func (tx *Tx) backupTable(name string, line func(any) error) (n int64, err error) {
	rows, err := tx.tx.QueryContext(tx.ctx, "SELECT * FROM "+name)
	if err != nil {
		return 0, tx.fail(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return 0, tx.fail(err)
	}
	if err := line(backupTable{name, columns}); err != nil {
		return 0, err
	}
	values := make([]any, len(columns))
	dest := make([]any, len(columns))
	for i := range values {
		dest[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return n, tx.fail(err)
		}
		for i, v := range values {
			switch v := v.(type) {
			case []byte:
				values[i] = backupBytes{v}
			case bool:
				values[i] = 0
				if v {
					values[i] = 1
				}
			}
		}
		if err := line(values); err != nil {
			return n, err
		}
		n++
	}
	if err := rows.Err(); err != nil {
		return n, tx.fail(err)
	}
	return n, nil
}

// backupReader reads the lines of a backup.
type backupReader struct {
	in   *bufio.Reader
	sum  hash.Hash
	rows int64
	done bool
}

func corruptBackup(format string, args ...any) error {
	return Errorf(Corrupt, "the backup is damaged or not whole: "+format, args...)
}

func newBackupReader(r io.Reader) (*backupReader, backupHead, error) {
	var head backupHead
	zip, err := gzip.NewReader(r)
	if err != nil {
		return nil, head, Errorf(Corrupt, "this is no backup: %v", err)
	}
	b := &backupReader{in: bufio.NewReaderSize(zip, 64<<10), sum: sha256.New()}
	text, err := b.line()
	if err != nil {
		return nil, head, err
	}
	if json.Unmarshal(text, &head) != nil || head.Backup == 0 {
		return nil, head, Errorf(Corrupt, "this is no backup of Weft")
	}
	if head.Backup > backupFormat {
		return nil, head, Errorf(TooNew, "the backup was written by a newer program: use that one")
	}
	return b, head, nil
}

// maxBackupLine bounds a row: the largest texts are books.
const maxBackupLine = 2 << 30

// line returns the next line, or io.EOF after the last one, whose checksum was
// right.
func (b *backupReader) line() ([]byte, error) {
	var text []byte
	for {
		part, err := b.in.ReadSlice('\n')
		text = append(text, part...)
		if len(text) > maxBackupLine {
			return nil, corruptBackup("a line has more than %d bytes", maxBackupLine)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil {
			return nil, corruptBackup("it ends too early (%v)", err)
		}
		break
	}
	var end backupEnd
	if text[0] == '{' && json.Unmarshal(text, &end) == nil && end.SHA256 != "" {
		if end.SHA256 != hex.EncodeToString(b.sum.Sum(nil)) || end.Rows != b.rows {
			return nil, corruptBackup("its checksum is wrong")
		}
		if _, err := b.in.ReadByte(); err != io.EOF {
			return nil, corruptBackup("something follows its end (%v)", err)
		}
		b.done = true
		return nil, io.EOF
	}
	b.sum.Write(text)
	if text[0] == '[' {
		b.rows++
	}
	return text, nil
}

// load writes the rows of a backup into tables that are there.
func (b *backupReader) load(tx *Tx) error {
	known := map[string]bool{}
	for _, t := range slices.Backward(tx.db.tables()) {
		is, err := tx.hasTable(t.name)
		if err != nil {
			return err
		}
		if known[t.name] = is; !is {
			continue
		}
		if _, err := tx.exec("DELETE FROM " + t.name); err != nil { // what the schema itself put in
			return err
		}
	}
	var into backupTable
	var insert inserter
	for {
		text, err := b.line()
		if err == io.EOF {
			return insert.flush(tx)
		}
		if err != nil {
			return err
		}
		if text[0] == '{' {
			if err := insert.flush(tx); err != nil {
				return err
			}
			if err := json.Unmarshal(text, &into); err != nil || !known[into.Table] {
				return corruptBackup("it holds the unknown table %q", into.Table)
			}
			if insert, err = tx.newInserter(into); err != nil {
				return err
			}
			continue
		}
		if err := insert.add(tx, text); err != nil {
			return err
		}
	}
}

func (tx *Tx) hasTable(name string) (bool, error) {
	q := "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = $1"
	if tx.db.dialect.postgres {
		q = "SELECT count(*) FROM pg_catalog.pg_class WHERE oid = to_regclass($1)"
	}
	var n int
	_, err := tx.row(q, []any{name}, &n)
	return n > 0, err
}

// inserter writes many rows with few statements.
type inserter struct {
	head  string
	bools []bool // columns of truth values
	rows  int
	args  []any
}

// insertRows is how many rows one statement writes at most.
const insertRows = 50

func (tx *Tx) newInserter(t backupTable) (inserter, error) {
	rows, err := tx.tx.QueryContext(tx.ctx, "SELECT * FROM "+t.Table+" LIMIT 0")
	if err != nil {
		return inserter{}, tx.fail(err)
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return inserter{}, tx.fail(err)
	}
	there := map[string]bool{}
	for _, c := range types {
		there[c.Name()] = strings.EqualFold(c.DatabaseTypeName(), "BOOL")
	}
	in := inserter{bools: make([]bool, len(t.Columns))}
	for i, c := range t.Columns {
		isBool, known := there[c]
		if !known {
			return inserter{}, corruptBackup("the table %s has no column %q", t.Table, c)
		}
		in.bools[i] = isBool
	}
	in.head = "INSERT INTO " + t.Table + " (" + strings.Join(t.Columns, ", ") + ") VALUES "
	return in, nil
}

func (in *inserter) add(tx *Tx, text []byte) error {
	var values []json.RawMessage
	if err := json.Unmarshal(text, &values); err != nil || len(values) != len(in.bools) || len(values) == 0 {
		return corruptBackup("a row does not fit its table")
	}
	for i, raw := range values {
		v, err := backupValue(raw, in.bools[i])
		if err != nil {
			return err
		}
		in.args = append(in.args, v)
	}
	if in.rows++; in.rows == insertRows {
		return in.flush(tx)
	}
	return nil
}

func backupValue(raw json.RawMessage, isBool bool) (any, error) {
	switch {
	case string(raw) == "null":
		return nil, nil
	case raw[0] == '"':
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return s, nil
		}
	case raw[0] == '{':
		var b backupBytes
		if json.Unmarshal(raw, &b) == nil {
			return append([]byte{}, b.B...), nil // never null
		}
	case isBool:
		return string(raw) != "0" && string(raw) != "false", nil
	default:
		var n int64
		if json.Unmarshal(raw, &n) == nil {
			return n, nil
		}
		var f float64
		if json.Unmarshal(raw, &f) == nil {
			return f, nil
		}
	}
	return nil, corruptBackup("a row holds %s", clip(string(raw)))
}

func (in *inserter) flush(tx *Tx) error {
	if in.rows == 0 {
		return nil
	}
	text := []byte(in.head)
	for r, n := 0, 1; r < in.rows; r++ {
		if r > 0 {
			text = append(text, ',')
		}
		text = append(text, '(')
		for c := range in.bools {
			if c > 0 {
				text = append(text, ',')
			}
			text = strconv.AppendInt(append(text, '$'), int64(n), 10)
			n++
		}
		text = append(text, ')')
	}
	_, err := tx.exec(string(text), in.args...)
	in.rows, in.args = 0, in.args[:0]
	return err
}

// checkSchemas makes sure that this program knows the versions of a backup.
func (db *DB) checkSchemas(head backupHead) error {
	byName := map[string]Component{}
	for _, c := range db.opts.schemas() {
		byName[c.Name] = c
	}
	for _, name := range slices.Sorted(maps.Keys(head.Schemas)) {
		c, ok := byName[name]
		if !ok {
			return Errorf(Invalid, "the backup holds tables of %q, which is no part of this program", name)
		}
		if err := tooNew(c, head.Schemas[name]); err != nil {
			return Errorf(TooNew, "the backup has version %d of its tables and this program knows versions up to %d: use a newer program", head.Schemas[name], newest(c.Migrations))
		}
	}
	return nil
}

// used reports whether a database holds anything.
func (db *DB) used(ctx context.Context) (bool, error) {
	for _, t := range db.tables() {
		is, err := db.hasTable(ctx, t.name)
		if err != nil {
			return false, err
		}
		if !is {
			continue
		}
		q := "SELECT count(*) FROM (SELECT 1 FROM " + t.name + " LIMIT 1) x"
		if t.name == "worlds" {
			q = "SELECT count(*) FROM (SELECT 1 FROM worlds WHERE id <> '' LIMIT 1) x"
		}
		var n int
		if err := db.writer.QueryRowContext(ctx, q).Scan(&n); err != nil {
			return false, db.wrap(err)
		}
		if n > 0 {
			return true, nil
		}
	}
	return false, nil
}

// fill makes the schema of a backup, loads its rows, and brings it up to date.
func (db *DB) fill(ctx context.Context, head backupHead, b *backupReader) error {
	for _, c := range db.opts.schemas() {
		if err := db.migrateTo(ctx, c, head.Schemas[c.Name]); err != nil {
			return err
		}
	}
	err := db.update(ctx, sql.LevelDefault, func(tx *Tx) error {
		if b.done {
			return fmt.Errorf("the backup was read once already")
		}
		return b.load(tx)
	})
	if err != nil {
		return err
	}
	return db.migrateAll(ctx)
}
