package store

import (
	"regexp"
	"strings"
)

// dialect holds what differs between the databases. Everything else is shared:
// statements with $1…$n, ids as text, times and booleans as below, JSON as
// bytes that no statement looks into.
type dialect struct {
	name     string
	postgres bool
	// lockRow ends a SELECT that keeps others from changing its row. On SQLite
	// a transaction that writes is alone anyway.
	lockRow string
	// join begins an aggregate that joins texts.
	join string
	// bytes is the type of texts that may hold any byte.
	bytes string
}

var (
	sqliteDialect   = dialect{name: "sqlite", join: "group_concat", bytes: "BLOB"}
	postgresDialect = dialect{name: "postgres", postgres: true, lockRow: " FOR NO KEY UPDATE", join: "string_agg", bytes: "BYTEA"}
)

var (
	typeWord = regexp.MustCompile(`\b(TEXT|INTEGER|REAL|BLOB|BOOL|STRICT)\b`)
	comment  = regexp.MustCompile(`(?m)--.*$`)
)

// statements returns the statements of a migration for the database.
func (d dialect) statements(sql string) []string {
	mine, other := "--sqlite ", "--postgres "
	types := map[string]string{"BOOL": "INTEGER"}
	if d.postgres {
		mine, other = other, mine
		types = map[string]string{
			"TEXT": `TEXT COLLATE "C"`, "INTEGER": "BIGINT", "REAL": "DOUBLE PRECISION",
			"BLOB": "BYTEA", "BOOL": "BOOLEAN", "STRICT": "",
		}
	}
	var out []string
	var current strings.Builder
	for line := range strings.Lines(sql) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, other) {
			continue
		}
		own, isOwn := strings.CutPrefix(line, mine)
		if isOwn {
			line = own // written for this database: taken as it is
		} else {
			line = comment.ReplaceAllString(line, "")
			line = typeWord.ReplaceAllStringFunc(line, func(w string) string {
				if to, ok := types[w]; ok {
					return to
				}
				return w
			})
		}
		line = strings.TrimRight(line, " \t")
		if line == "" {
			continue
		}
		end := strings.HasSuffix(line, ";")
		current.WriteString(strings.TrimSuffix(line, ";"))
		current.WriteByte('\n')
		if end {
			out = append(out, current.String())
			current.Reset()
		}
	}
	if strings.TrimSpace(current.String()) != "" {
		out = append(out, current.String())
	}
	return out
}
