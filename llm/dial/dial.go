// Package dial opens profiles: it knows the protocols by their names.
//
//	client, err := dial.Open(profile, llm.Options{})
package dial

import (
	"fmt"
	"strings"

	"github.com/weft-memory/weft/internal/suggest"
	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/llm/anthropic"
	"github.com/weft-memory/weft/llm/gemini"
	"github.com/weft-memory/weft/llm/ollama"
	"github.com/weft-memory/weft/llm/openai"
)

var protocols = []llm.Protocol{openai.Protocol{}, anthropic.Protocol{}, gemini.Protocol{}, ollama.Protocol{}}

// Protocols returns the names of the protocols, for profiles.
func Protocols() []string {
	names := make([]string, len(protocols))
	for i, p := range protocols {
		names[i] = p.Name()
	}
	return names
}

// Protocol returns a protocol by its name; "" is openai.
func Protocol(name string) (llm.Protocol, error) {
	if name == "" {
		name = "openai"
	}
	for _, p := range protocols {
		if p.Name() == name {
			return p, nil
		}
	}
	err := &llm.Error{Kind: llm.KindConfig, Message: fmt.Sprintf("protocol: %q is none of %s", name, strings.Join(Protocols(), ", "))}
	if near := suggest.Nearest(name, Protocols()); near != "" {
		err.Hint = "did you mean " + near + "?"
	}
	return nil, err
}

// Open returns a client for a profile. The key is read now; nothing is asked of
// the endpoint yet.
func Open(p llm.Profile, o llm.Options) (*llm.Client, error) {
	protocol, err := Protocol(p.Protocol)
	if err != nil {
		return nil, err
	}
	return llm.NewClient(p, protocol, o)
}
