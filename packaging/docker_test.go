package packaging

import (
	"debug/elf"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/weft-memory/weft/internal/servetest"
	"github.com/weft-memory/weft/internal/testenv"
)

// step is one instruction of a Dockerfile.
type step struct{ word, args string }

// stage is one FROM with what follows.
type stage struct {
	from, name string
	steps      []step
}

func parseDockerfile(t *testing.T) []stage {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("docker", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	var out []stage
	for _, line := range strings.Split(strings.ReplaceAll(string(text), "\\\n", ""), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		word, args, _ := strings.Cut(line, " ")
		if word == "FROM" {
			from, name, _ := strings.Cut(args, " AS ")
			out = append(out, stage{from: from, name: name})
			continue
		}
		if len(out) == 0 {
			t.Fatalf("%s stands before the first FROM", word)
		}
		last := &out[len(out)-1]
		last.steps = append(last.steps, step{word, args})
	}
	return out
}

func (s stage) all(word string) (out []string) {
	for _, x := range s.steps {
		if x.word == word {
			out = append(out, x.args)
		}
	}
	return out
}

func (s stage) list(t *testing.T, text string) (out []string) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &out); err != nil || len(out) == 0 {
		t.Fatalf("%s is no list of words: without a shell it has to be one", text)
	}
	return out
}

// What the image promises: the Go of the module, no root, no shell, a check of
// its health, data in a volume.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	stages := parseDockerfile(t)
	if len(stages) != 2 || stages[1].from != "scratch" {
		t.Fatalf("the stages are %+v", stages)
	}
	mod, err := os.ReadFile(filepath.Join(testenv.Root(), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(mod)
	if want := "golang:" + string(version[1]); stages[0].from != want {
		t.Errorf("it is built with %s, go.mod wants %s", stages[0].from, want)
	}
	image := stages[1]
	if user := image.all("USER"); len(user) != 1 || !regexp.MustCompile(`^[1-9]\d+:[1-9]\d+$`).MatchString(user[0]) {
		t.Errorf("the user is %v, want one that is not root, by number: there is no list of names", user)
	}
	for _, word := range []string{"HEALTHCHECK", "ENTRYPOINT", "CMD", "EXPOSE"} {
		if len(image.all(word)) != 1 {
			t.Errorf("it says %s %d times", word, len(image.all(word)))
		}
	}
	if vol := image.all("VOLUME"); len(vol) != 1 || !slices.Contains(image.all("ENV"), "WEFT_DB="+vol[0]+"/weft.db") {
		t.Errorf("the database is not in the volume %v", vol)
	}
	for _, s := range image.steps {
		if s.word == "RUN" {
			t.Errorf("RUN %s: the image has nothing to run it", s.args)
		}
	}
}

// The steps of the Dockerfile are done in folders that stand for the stages, and
// what comes out is started as the image would be.
func TestDockerfileSteps(t *testing.T) {
	if os.Getenv("WEFT_PACKAGING") == "" {
		t.Skip("the build takes long: WEFT_PACKAGING=1 does it")
	}
	if runtime.GOOS != "linux" {
		t.Skip("the image is one of Linux")
	}
	stages := parseDockerfile(t)
	roots := map[string]string{}
	for _, s := range stages {
		root := t.TempDir()
		roots[s.name] = root
		b := &builder{t: t, root: root, dir: root, roots: roots}
		for _, x := range s.steps {
			b.do(x)
		}
	}
	image, root := stages[1], roots[stages[1].name]
	entry := image.list(t, image.all("ENTRYPOINT")[0])
	program := filepath.Join(root, entry[0])
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the program is not static")
		}
	}
	if command := image.list(t, image.all("CMD")[0]); !slices.Equal(command, []string{"serve"}) {
		t.Errorf("it runs %v", command)
	}
	// As in the image it listens for all and so asks for a token; the port is
	// a free one here.
	server := servetest.Start(t, program, "--listen", "0.0.0.0:0", "--db", filepath.Join(root, "data", "weft.db"))
	if server.Token == "" {
		t.Error("it asks for no token")
	}
	_, check, _ := strings.Cut(image.all("HEALTHCHECK")[0], "CMD ")
	words := image.list(t, check)
	for i, w := range words {
		words[i] = strings.ReplaceAll(w, "http://127.0.0.1:8720", server.Address)
	}
	health := func() error {
		cmd := exec.Command(filepath.Join(root, words[0]), words[1:]...)
		cmd.Env = []string{} // an image of nothing has no home either
		out, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		return err
	}
	if err := health(); err != nil {
		t.Errorf("the check of its health: %v", err)
	}
	server.Stop()
	if health() == nil {
		t.Error("it is healthy when it is down")
	}
}

// builder does the steps of one stage in a folder.
type builder struct {
	t         *testing.T
	root, dir string
	roots     map[string]string
	env       []string
}

// inside is a path of the stage.
func (b *builder) inside(path string) string {
	if strings.HasPrefix(path, "/") {
		return filepath.Join(b.root, path)
	}
	return filepath.Join(b.dir, path)
}

// own are the paths that the stages make.
var own = regexp.MustCompile(`(^|[ =])(/(?:src|out|data)\b)`)

func (b *builder) do(s step) {
	b.t.Helper()
	switch s.word {
	case "WORKDIR":
		b.dir = b.inside(s.args)
		if err := os.MkdirAll(b.dir, 0o755); err != nil {
			b.t.Fatal(err)
		}
	case "ENV":
		b.env = append(b.env, s.args)
	case "RUN":
		cmd := exec.Command("sh", "-e", "-c", own.ReplaceAllString(s.args, "${1}"+b.root+"${2}"))
		cmd.Dir, cmd.Env = b.dir, append(os.Environ(), b.env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.t.Fatalf("RUN %s: %v\n%s", s.args, err, out)
		}
	case "COPY":
		b.copy(s.args)
	case "USER", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD":
	default:
		b.t.Fatalf("%s is a step that this test cannot do", s.word)
	}
}

func (b *builder) copy(args string) {
	b.t.Helper()
	from := testenv.Root()
	words := strings.Fields(args)
	for len(words) > 0 && strings.HasPrefix(words[0], "--") {
		if name, ok := strings.CutPrefix(words[0], "--from="); ok {
			from = b.roots[name]
		}
		words = words[1:]
	}
	to := words[len(words)-1]
	for _, name := range words[:len(words)-1] {
		src := filepath.Join(from, name)
		if _, err := os.Stat(src); err != nil && strings.HasPrefix(name, "/etc/") {
			src = name // what the image of the first stage brings with it
		}
		info, err := os.Stat(src)
		if err != nil {
			b.t.Fatalf("COPY %s: %v", args, err)
		}
		dest := b.inside(to)
		if !info.IsDir() && (strings.HasSuffix(to, "/") || to == ".") {
			dest = filepath.Join(dest, filepath.Base(name))
		}
		if err := copyAll(src, dest); err != nil {
			b.t.Fatalf("COPY %s: %v", args, err)
		}
	}
}

// copyAll copies a file, or a folder without what Git and npm keep in it.
func copyAll(src, dest string) error {
	return filepath.WalkDir(src, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(src, path)
		if err != nil {
			return err
		}
		to := filepath.Join(dest, rel)
		switch {
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(to, 0o755)
		case !d.Type().IsRegular() && rel != ".":
			return nil
		}
		return copyFile(path, to)
	})
}

func copyFile(src, dest string) error {
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dest), 0o755); err != nil {
		return err
	}
	out, err := os.OpenFile(dest, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, info.Mode().Perm())
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
