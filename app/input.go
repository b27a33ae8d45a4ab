package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"syscall"

	"go.yaml.in/yaml/v3"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/diag"
)

// The largest inputs that are read, in bytes.
const (
	maxBookBytes = 1 << 30
	maxChatBytes = 256 << 20
	maxFileBytes = 16 << 20
)

// readInput reads a file, or standard input for "-". what says in messages
// what it was to be.
func (e *env) readInput(path, what string, limit int64) ([]byte, error) {
	if path == "-" {
		if e.stdinText != nil {
			if e.stdinFor == what { // looked at before, to see what it is
				return e.stdinText, nil
			}
			return nil, fail(ExitUsage, "give one of the two as a file", "standard input (-) cannot be both the %s and the %s", e.stdinFor, what)
		}
		data, err := readAll(e.ctx, e.stdin, "standard input", limit)
		e.stdinText, e.stdinFor = append([]byte{}, data...), what
		return data, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, cannotRead(path, what, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, cannotRead(path, what, err)
	}
	if info.IsDir() {
		return nil, fail(ExitInput, fmt.Sprintf("name a file to be read as the %s", what), "%s is a folder", path)
	}
	if info.Mode().IsRegular() && info.Size() > limit {
		return nil, tooLarge(path, limit)
	}
	data, err := readAll(e.ctx, f, path, limit)
	if err != nil {
		var own *failure
		if errors.As(err, &own) || e.ctx.Err() != nil {
			return nil, err
		}
		return nil, cannotRead(path, what, err)
	}
	return data, nil
}

// oneStdin reports an argument list that reads standard input twice, before
// anything is read.
func oneStdin(paths ...string) error {
	n := 0
	for _, p := range paths {
		if p == "-" {
			n++
		}
	}
	if n > 1 {
		return fail(ExitUsage, "give the others as files", "standard input (-) cannot be read twice")
	}
	return nil
}

// readAll reads a stream that may never end, until ctx does.
func readAll(ctx context.Context, r io.Reader, name string, limit int64) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(r, limit+1))
		done <- result{data, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case got := <-done:
		if got.err == nil && int64(len(got.data)) > limit {
			return nil, tooLarge(name, limit)
		}
		return got.data, got.err
	}
}

func tooLarge(name string, limit int64) error {
	return fail(ExitInput, "", "%s is larger than %d MiB, the most that is read", name, limit>>20)
}

// cannotRead says what is wrong with a path in words of its own.
func cannotRead(path, what string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fail(ExitInput, fmt.Sprintf("check the path of the %s", what), "%s is not there", path)
	case errors.Is(err, fs.ErrPermission):
		return fail(ExitInput, "ask for the right to read it, or copy it", "%s may not be read", path)
	case errors.Is(err, syscall.EISDIR):
		return fail(ExitInput, "", "%s is a folder", path)
	}
	var perr *fs.PathError
	if errors.As(err, &perr) {
		err = perr.Err
	}
	return fail(ExitInput, "", "%s cannot be read: %w", path, err)
}

// writeFile writes a file whole: to a neighbour first, which then takes its
// place, so that a failure halfway costs nothing. An existing file keeps its
// permissions.
func writeFile(path string, data []byte) error {
	mode := fs.FileMode(0o644)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // a link stays one: write where it leads
	}
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() { // a device or a pipe cannot be replaced
			if err := os.WriteFile(path, data, mode); err != nil {
				return cannotWrite(path, err)
			}
			return nil
		}
		mode = info.Mode().Perm()
	}
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, ".weft-*")
	if err != nil {
		return cannotWrite(path, err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(mode)
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return cannotWrite(path, err)
	}
	return nil
}

func cannotWrite(path string, err error) error {
	hint := ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		hint = "make its folder first"
	case errors.Is(err, fs.ErrPermission):
		hint = "choose a folder that you may write to"
	}
	var perr *fs.PathError
	if errors.As(err, &perr) {
		err = perr.Err
	}
	var lerr *os.LinkError
	if errors.As(err, &lerr) {
		err = lerr.Err
	}
	return fail(ExitOutput, hint, "%s cannot be written: %w", path, err)
}

// vars are variables by namespace and name.
type vars map[string]map[string]weaver.Value

// readVars reads a file {namespace: {name: value}} in JSON or YAML. Keys of
// the form "namespace:name" at the top are fine too.
func (e *env) readVars(path string) (vars, error) {
	out := make(vars)
	if path == "" {
		return out, nil
	}
	data, err := e.readInput(path, "variables file", maxFileBytes)
	if err != nil {
		return nil, err
	}
	const form = "it should look like {char: {name: Mira}, state: {gold: 12}}"
	var doc any
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, fail(ExitInput, form, "%s is not a variables file: %s", path, yamlMessage(err))
	}
	tree, err := textKeys(doc)
	if err != nil && doc != nil {
		return nil, fail(ExitInput, form, "%s is not a variables file: %w", path, err)
	}
	names := make([]string, 0, len(tree))
	for name := range tree {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if namespace, key, ok := strings.Cut(name, ":"); ok {
			if err := out.set(namespace, key, tree[name]); err != nil {
				return nil, fail(ExitInput, form, "%s: %s: %w", path, name, err)
			}
			continue
		}
		group, err := textKeys(tree[name])
		if err != nil {
			return nil, fail(ExitInput, form, "%s: the namespace %s: %w", path, name, err)
		}
		for key, value := range group {
			if err := out.set(name, key, value); err != nil {
				return nil, fail(ExitInput, form, "%s: %s:%s: %w", path, name, key, err)
			}
		}
	}
	return out, nil
}

// textKeys returns a mapping of YAML whose keys are texts, or says what else
// it is.
func textKeys(x any) (map[string]any, error) {
	switch x := x.(type) {
	case map[string]any:
		return x, nil
	case map[any]any:
		var odd []string
		for k := range x {
			if _, ok := k.(string); !ok {
				odd = append(odd, fmt.Sprint(k))
			}
		}
		sort.Strings(odd)
		return nil, fmt.Errorf("the name %s is no text; put it in quotes", odd[0])
	case nil:
		return nil, errors.New("expected names and values, got nothing")
	case []any:
		return nil, errors.New("expected names and values, got a list")
	}
	return nil, fmt.Errorf("expected names and values, got %v", clipText(fmt.Sprint(x), 40))
}

func (v vars) set(namespace, name string, value any) error {
	val, err := weaver.FromGo(value)
	if err != nil {
		return err
	}
	if v[namespace] == nil {
		v[namespace] = make(map[string]weaver.Value)
	}
	v[namespace][name] = val
	return nil
}

// text returns a variable that is a text, or "".
func (v vars) text(namespace, name string) string {
	s, _ := v[namespace][name].AsString()
	return s
}

// jsonMessage says in plain words why JSON does not fit, and where.
func jsonMessage(data []byte, err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		line, column := diag.NewSource("", string(data)).Position(int(syntax.Offset))
		return fmt.Sprintf("line %d, column %d: %s", line, column, syntax.Error())
	case errors.As(err, &kind):
		what := "a value of another kind"
		switch kind.Type.Kind() {
		case reflect.Int, reflect.Int64, reflect.Uint64:
			what = "a whole number"
		case reflect.String:
			what = "a text"
		case reflect.Bool:
			what = "true or false"
		case reflect.Slice:
			what = "a list"
		case reflect.Map, reflect.Struct:
			what = "an object"
		}
		got := kind.Value
		if got == "string" {
			got = "text"
		}
		return strings.TrimPrefix(fmt.Sprintf("%s: expected %s, got %s", kind.Field, what, got), ": ")
	}
	return err.Error()
}

// yamlMessage takes the library's name out of its message.
func yamlMessage(err error) string {
	return strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: "), "\n", " ")
}

// sources gives the text of files to the drawing of findings. Entries of books
// may bring theirs along.
func (e *env) sources(books ...*lore.Book) func(string) *diag.Source {
	seen := make(map[string]*diag.Source)
	for _, b := range books {
		for _, entry := range b.Entries {
			if path := entry.Origin.Path; strings.HasSuffix(path, ".weaver") && len(entry.Origin.Raw) > 0 {
				seen[path] = diag.NewSource(path, lore.DecodeText(entry.Origin.Raw))
			}
		}
	}
	return func(path string) *diag.Source {
		if s, ok := seen[path]; ok {
			return s
		}
		seen[path] = nil
		if text := e.readSource(path); text != nil {
			seen[path] = diag.NewSource(path, lore.DecodeText(text))
		}
		return seen[path]
	}
}

// readSource is the text of a path that was read, standard input included.
func (e *env) readSource(path string) []byte {
	if path == "-" {
		return e.stdinText
	}
	return readSource(path)
}

// readSource reads a file for the places of findings; nil if it cannot.
func readSource(path string) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFileBytes {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return text
}
