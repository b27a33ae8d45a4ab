package llm

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"strings"

	"go.yaml.in/yaml/v3"
)

// KeySource says where a key is. A configuration never holds the key itself.
type KeySource struct {
	// Env is the name of a variable of the environment.
	Env string `json:"env,omitempty" yaml:"env"`
	// File is a file that only its owner can read (mode 0600 or less).
	File string `json:"file,omitempty" yaml:"file"`
}

// UnmarshalYAML reads {env: NAME} or {file: PATH}. What else stands there may be
// a key: it is not repeated in the error.
func (k *KeySource) UnmarshalYAML(node *yaml.Node) error {
	fail := func(n *yaml.Node) error {
		return fmt.Errorf("line %d: key: write {env: NAME} or {file: PATH}, never the key itself", n.Line)
	}
	if node.Kind != yaml.MappingNode {
		return fail(node)
	}
	*k = KeySource{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, value := node.Content[i], node.Content[i+1]
		if value.Kind != yaml.ScalarNode {
			return fail(value)
		}
		switch name.Value {
		case "env":
			k.Env = value.Value
		case "file":
			k.File = value.Value
		default:
			return fail(name)
		}
	}
	if k.Env != "" && !variable.MatchString(k.Env) {
		return fail(node)
	}
	return nil
}

// variable is the form of the names of variables; a key pasted in their place
// rarely has it.
var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Secret is a key. It shows itself to nobody: however it is printed, logged or
// encoded, it is [hidden].
type Secret struct{ value string }

const hidden = "[hidden]"

// NewSecret hides a text.
func NewSecret(s string) Secret { return Secret{s} }

func (s Secret) String() string {
	if s.value == "" {
		return ""
	}
	return hidden
}

// GoString hides the key from %#v.
func (s Secret) GoString() string { return s.String() }

// Format hides the key from every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText hides the key from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue hides the key from logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Reveal returns the key. Only what sends it to its endpoint calls this.
func (s Secret) Reveal() string { return s.value }

// Load reads a key. No source gives no key.
func (k KeySource) Load() (Secret, error) {
	var value, where string
	switch {
	case k.Env != "":
		where = "the variable " + k.Env
		v, ok := os.LookupEnv(k.Env)
		if !ok || strings.TrimSpace(v) == "" {
			return Secret{}, fmt.Errorf("%s is not set", where)
		}
		value = v
	case k.File != "":
		where = "the file " + k.File
		v, err := readKeyFile(k.File)
		if err != nil {
			return Secret{}, err
		}
		value = v
	default:
		return Secret{}, nil
	}
	value = strings.TrimSpace(value)
	if value == "" {
		return Secret{}, fmt.Errorf("%s is empty", where)
	}
	for _, c := range []byte(value) {
		if c <= ' ' || c >= 0x7f {
			return Secret{}, fmt.Errorf("%s holds more than a key: white space or other signs stand in it", where)
		}
	}
	return Secret{value}, nil
}

func readKeyFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return "", fmt.Errorf("the file %s cannot be read: %w", path, err)
	}
	defer f.Close()
	info, err := f.Stat() // of the file that was opened, not of the name
	switch {
	case err != nil:
		return "", fmt.Errorf("the file %s cannot be read: %w", path, err)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is no file", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		// Windows has no such bits; there the folder of the user protects it.
		return "", fmt.Errorf("the file %s can be read by others (mode %04o): chmod 600 %s", path, info.Mode().Perm(), path)
	case info.Size() > 16<<10:
		return "", fmt.Errorf("the file %s is too large for a key", path)
	}
	raw, err := io.ReadAll(io.LimitReader(f, 16<<10))
	return string(raw), err
}

// looksLikeKey finds what servers like to repeat of keys in their errors.
var looksLikeKey = regexp.MustCompile(`(?i)\b(?:bearer\s+[\w.~+/=*-]{6,}|(?:sk|pk|rk|gsk|xai|hf|key|AIza)[-_]?[\w*-]*[\w*]{6,}[-\w*]*)`)

// scrub takes a key, and what looks like one, out of a text.
func scrub(s string, key Secret) string {
	if v := key.value; len(v) >= 4 {
		s = strings.ReplaceAll(s, v, hidden)
		s = strings.ReplaceAll(s, url.QueryEscape(v), hidden)
	}
	return looksLikeKey.ReplaceAllStringFunc(s, func(m string) string {
		if strings.ContainsAny(m, "0123456789*") {
			return hidden
		}
		return m // an ordinary word, such as keyboard
	})
}
