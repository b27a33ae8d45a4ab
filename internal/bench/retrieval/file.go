package retrieval

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The formats.
const (
	FormatConversations = "retrieval-bench-1"
	FormatScenes        = "scene-bench-1"
)

// File is a file of questions or scenes.
type File struct {
	Path    string `json:"-"`
	Format  string `json:"format"`
	Dataset string `json:"dataset"`
	License string `json:"license"`

	Conversations []Conversation `json:"conversations"`
	Episodes      []Episode      `json:"episodes"`
	Queries       []Scene        `json:"queries"`
}

// Conversation is a long chat of sessions, with questions about it.
type Conversation struct {
	ID        string     `json:"id"`
	Speakers  []string   `json:"speakers"`
	Sessions  []Session  `json:"sessions"`
	Questions []Question `json:"questions"`
}

// Session is a part of a conversation.
type Session struct {
	N       int    `json:"n"`
	Time    string `json:"time"`
	Turns   []Turn `json:"turns"`
	Facts   []Fact `json:"facts"`
	Summary string `json:"summary"`
}

// Turn is a message; Image describes a picture in it.
type Turn struct {
	ID    string `json:"id"`
	Who   string `json:"who"`
	Text  string `json:"text"`
	Image string `json:"image"`
}

// Fact is a sentence drawn from turns.
type Fact struct {
	Who  string   `json:"who"`
	Text string   `json:"text"`
	From []string `json:"from"`
}

// Question asks for turns.
type Question struct {
	ID       string   `json:"id"`
	Category string   `json:"cat"`
	Text     string   `json:"q"`
	Evidence []string `json:"ev"`
}

// Episode is an evening of play with the entries that tell of it.
type Episode struct {
	ID      string       `json:"id"`
	Turns   [][2]string  `json:"turns"`
	Entries []SceneEntry `json:"entries"`
}

// SceneEntry is an entry that a scene may call for.
type SceneEntry struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Scene is a run of turns whose entries are wanted.
type Scene struct {
	ID      string   `json:"id"`
	Episode string   `json:"ep"`
	From    int      `json:"from"`
	To      int      `json:"to"`
	Gold    []string `json:"gold"`
}

// Load reads the files of a known format in a folder and the folders below,
// in order of their paths, or the one file.
func Load(path string) ([]*File, error) {
	var files []*File
	err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".json") {
			return err
		}
		f, err := read(p)
		if f != nil {
			files = append(files, f)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no file of the format %q or %q", path, FormatConversations, FormatScenes)
	}
	return files, nil
}

// read returns the file, or nil if it is of another format.
func read(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var head struct {
		Format string `json:"format"`
	}
	if json.Unmarshal(data, &head) != nil || head.Format != FormatConversations && head.Format != FormatScenes {
		return nil, nil
	}
	f := &File{Path: path}
	if err := json.Unmarshal(data, f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

func (f *File) check() error {
	for _, q := range f.Queries {
		i := f.episode(q.Episode)
		if i < 0 {
			return fmt.Errorf("scene %s: no episode %q", q.ID, q.Episode)
		}
		if n := len(f.Episodes[i].Turns); q.From < 0 || q.To < q.From || q.To >= n {
			return fmt.Errorf("scene %s: turns %d to %d of %d", q.ID, q.From, q.To, n)
		}
	}
	return nil
}

func (f *File) episode(id string) int {
	return slices.IndexFunc(f.Episodes, func(e Episode) bool { return e.ID == id })
}
