package suzune

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/zipedit"
)

// tree is a folder or an archive of one, seen alike.
type tree struct {
	files []string // slash paths, sorted
	read  func(name string) ([]byte, error)
	// odd are files that are left alone, with the reason.
	odd map[string]string
}

// openTree lists the files of the input within its limits. Links are left
// alone: nothing outside the folder can be reached.
func openTree(in *format.Input) (*tree, error) {
	limits := in.Limits.WithDefaults()
	t := &tree{odd: map[string]string{}}
	if in.FS == nil {
		a, err := zipedit.Open(in.Data, limits)
		if err != nil {
			return nil, err
		}
		t.files, t.read, t.odd = a.Names(), a.Read, a.Skipped
		slices.Sort(t.files)
		return t, nil
	}
	err := fs.WalkDir(in.FS, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			t.odd[name] = err.Error()
			return nil
		case d.IsDir():
			if name != "." && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			t.odd[name] = "it is a link or no plain file"
			return nil
		}
		if t.files = append(t.files, name); len(t.files) > limits.Files {
			return fmt.Errorf("the folder has more than %d files", limits.Files)
		}
		return nil
	})
	t.read = func(name string) ([]byte, error) {
		f, err := in.FS.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return format.ReadLimited(f, name, 0, limits.FileBytes)
	}
	return t, err
}

// folders are the folders of books, in the order in which a bare name that
// stands in several of them is taken.
var folders = []string{"characters", "worlds", "shared", "dynamics"}

// books returns the paths of book files: all JSON below lorebooks/, or below
// the four folders where the tree begins inside it.
func (t *tree) books() (root string, books []string) {
	for _, f := range t.files {
		if strings.HasPrefix(f, "lorebooks/") && isJSON(f) {
			books = append(books, f)
		}
	}
	if len(books) > 0 {
		return "lorebooks", books
	}
	for _, f := range t.files {
		if dir, _, ok := strings.Cut(f, "/"); ok && slices.Contains(folders, dir) && isJSON(f) {
			books = append(books, f)
		}
	}
	return "", books
}

func isJSON(name string) bool { return strings.EqualFold(path.Ext(name), ".json") }

// characters returns the paths of character files: YAML outside lorebooks/.
func (t *tree) characters() []string {
	var files []string
	for _, f := range t.files {
		if ext := strings.ToLower(path.Ext(f)); (ext == ".yaml" || ext == ".yml") && !strings.HasPrefix(f, "lorebooks/") {
			files = append(files, f)
		}
	}
	return files
}

// rank orders the paths of one bare name.
func rank(root, name string) int {
	dir, _, _ := strings.Cut(strings.TrimPrefix(name, root+"/"), "/")
	if i := slices.Index(folders, dir); i >= 0 {
		return i
	}
	return len(folders)
}
