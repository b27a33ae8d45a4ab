package app

import (
	"errors"
	"net/url"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// dataDir is where programs keep what belongs to a user.
func dataDir(getenv func(string) string) (string, error) {
	switch runtime.GOOS {
	case "windows":
		if dir := getenv("LOCALAPPDATA"); dir != "" {
			return filepath.Join(dir, "weft"), nil
		}
		return homeDir(getenv, "AppData", "Local", "weft")
	case "darwin":
		return homeDir(getenv, "Library", "Application Support", "weft")
	}
	if dir := getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "weft"), nil
	}
	return homeDir(getenv, ".local", "share", "weft")
}

// homeDir is a folder below the user's home.
func homeDir(getenv func(string) string, elem ...string) (string, error) {
	dir := getenv("HOME")
	if runtime.GOOS == "windows" {
		dir = getenv("USERPROFILE")
	}
	if dir == "" {
		return "", errors.New("the environment names no home directory")
	}
	return filepath.Join(append([]string{dir}, elem...)...), nil
}

// database is the URL of the database to use: the one given, or the user's own.
func (e *env) database(given string) (string, error) {
	if given != "" {
		return given, nil
	}
	dir, err := dataDir(e.opts.Getenv)
	if err != nil {
		return "", fail(ExitUsage, "say where with --db", "there is no data directory: %w", err)
	}
	return filepath.Join(dir, "weft.db"), nil
}

// isPostgres reports whether a URL of a database names a PostgreSQL server.
func isPostgres(db string) bool {
	return strings.HasPrefix(db, "postgres://") || strings.HasPrefix(db, "postgresql://")
}

// sqliteFile is the path that a URL of a SQLite file names.
func sqliteFile(db string) string {
	path := strings.TrimPrefix(db, "file:")
	if strings.HasPrefix(path, "///") {
		path = path[2:] // file:///path
	}
	return path
}

// secretParam is a parameter of a URL that nobody else shall see.
var secretParam = regexp.MustCompile(`(?i)((?:^|[?&\s])(?:[a-z_]*password|passfile|token|key)=)[^&\s]*`)

// redacted is a URL of a database or a server without passwords.
func redacted(address string) string {
	if u, err := url.Parse(address); err == nil && u.User != nil {
		address = u.Redacted()
	} else if err != nil && strings.Contains(address, "@") {
		// It cannot be taken apart, so nothing before the host is shown.
		scheme, rest, ok := strings.Cut(address, "://")
		if ok {
			address = scheme + "://xxxxx" + rest[strings.LastIndex(rest, "@"):]
		}
	}
	return secretParam.ReplaceAllString(address, "${1}xxxxx")
}
