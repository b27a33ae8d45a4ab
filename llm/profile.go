package llm

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// The profiles that the program uses. Others may exist beside them.
const (
	Narrator  = "narrator"
	Sidecar   = "sidecar"
	Historian = "historian"
	Embedder  = "embedder"
)

// Profile is one use of a model: which one, where, how long it may take, what it
// costs.
type Profile struct {
	// Name says what it is for, as in errors: narrator, sidecar, historian,
	// embedder.
	Name string `json:"name,omitempty" yaml:"name"`
	// Like names a profile whose fields fill those that are empty here.
	Like string `json:"like,omitempty" yaml:"like"`
	// Protocol is openai, anthropic, gemini or ollama. Defaults to openai, which
	// nearly every server speaks.
	Protocol string `json:"protocol,omitempty" yaml:"protocol"`
	// Endpoint is the base address, such as http://127.0.0.1:11434/v1.
	Endpoint string `json:"endpoint" yaml:"endpoint"`
	// Model is the model's name there.
	Model string `json:"model" yaml:"model"`
	// Key says where the key is. Local servers need none.
	Key KeySource `json:"key" yaml:"key"`
	// Timeouts bound the time.
	Timeouts Timeouts `json:"timeouts" yaml:"timeouts"`
	// Retry says how often and when to ask again.
	Retry Retry `json:"retry" yaml:"retry"`
	// Breaker says when not to ask at all.
	Breaker Breaker `json:"breaker" yaml:"breaker"`
	// Concurrency is the number of requests at once; further ones wait their
	// turn. Defaults to 4.
	Concurrency int `json:"concurrency,omitempty" yaml:"concurrency"`
	// Prices are for the display of costs.
	Prices Prices `json:"prices" yaml:"prices"`
	// ContextSize is the model's context in tokens, if known.
	ContextSize int `json:"context_size,omitempty" yaml:"context_size"`
	// MaxTokens bounds answers whose request says nothing.
	MaxTokens int `json:"max_tokens,omitempty" yaml:"max_tokens"`
	// Temperature is for requests that say nothing.
	Temperature *float64 `json:"temperature,omitempty" yaml:"temperature"`
	// Thinking is for requests that say nothing.
	Thinking Thinking `json:"thinking,omitempty" yaml:"thinking"`
	// NoStream asks for answers in one piece, for servers whose streams are
	// broken.
	NoStream bool `json:"no_stream,omitempty" yaml:"no_stream"`
	// Headers are sent with each request. They are not for keys: they are shown.
	Headers map[string]string `json:"headers,omitempty" yaml:"headers"`
	// Extra are further fields of each chat request, sent as they are.
	Extra map[string]any `json:"extra,omitempty" yaml:"extra"`
	// AllowPrivate allows addresses of this machine and of private networks even
	// if Endpoint is not written as one; see [Guard].
	AllowPrivate bool `json:"allow_private,omitempty" yaml:"allow_private"`
}

// Duration is a time.Duration that is written 30s.
type Duration time.Duration

// UnmarshalText reads 30s.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is no time such as 30s or 2m", text)
	}
	*d = Duration(v)
	return nil
}

// MarshalText writes 30s.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

func (d Duration) String() string { return time.Duration(d).String() }

// Timeouts bound the time that a request may take.
type Timeouts struct {
	// Connect bounds the making of a connection. Defaults to 10 s.
	Connect Duration `json:"connect,omitempty" yaml:"connect"`
	// FirstByte bounds the time until anything of the answer comes, signs of
	// life included. Local models read a long prompt for minutes. Defaults to
	// 5 min.
	FirstByte Duration `json:"first_byte,omitempty" yaml:"first_byte"`
	// Idle bounds the time between two bytes after that. Defaults to 90 s.
	Idle Duration `json:"idle,omitempty" yaml:"idle"`
	// Total bounds the whole, with its retries and the wait for a turn, whatever
	// signs of life come. Defaults to 15 min.
	Total Duration `json:"total,omitempty" yaml:"total"`
}

// Retry says when to ask again after a failure that may pass.
type Retry struct {
	// Attempts is the number of requests in all. Defaults to 3; 1 means never.
	Attempts int `json:"attempts,omitempty" yaml:"attempts"`
	// Base is the wait after the first failure; it doubles from there, and a
	// random half of it is left out. Defaults to 500 ms.
	Base Duration `json:"base,omitempty" yaml:"base"`
	// Max bounds a wait, also one that the server asks for. Defaults to 30 s.
	Max Duration `json:"max,omitempty" yaml:"max"`
}

// Breaker says when an endpoint that fails is left alone.
type Breaker struct {
	// Failures in a row open it. Defaults to 5; negative means never.
	Failures int `json:"failures,omitempty" yaml:"failures"`
	// Cooldown is how long it stays open before one request tries again. It
	// doubles with each such failure, up to ten times. Defaults to 30 s.
	Cooldown Duration `json:"cooldown,omitempty" yaml:"cooldown"`
}

// Prices are what a million tokens cost.
type Prices struct {
	// Currency is a code such as USD.
	Currency string  `json:"currency,omitempty" yaml:"currency"`
	Input    float64 `json:"input,omitempty" yaml:"input"`
	Output   float64 `json:"output,omitempty" yaml:"output"`
	// Cached is for input that was read from a cache. Defaults to Input.
	Cached *float64 `json:"cached,omitempty" yaml:"cached"`
	// CacheWrite is for input that was written to one. Defaults to Input.
	CacheWrite *float64 `json:"cache_write,omitempty" yaml:"cache_write"`
}

// Cost returns what a usage costs, in units of the currency.
func (p Prices) Cost(u Usage) float64 {
	cached, write := p.Input, p.Input
	if p.Cached != nil {
		cached = *p.Cached
	}
	if p.CacheWrite != nil {
		write = *p.CacheWrite
	}
	plain := max(0, u.Input-u.Cached-u.CacheWrite)
	return (float64(plain)*p.Input + float64(u.Cached)*cached + float64(u.CacheWrite)*write + float64(u.Output)*p.Output) / 1e6
}

// withDefaults fills what is not set.
func (p Profile) withDefaults() Profile {
	def := func(d *Duration, v time.Duration) {
		if *d <= 0 {
			*d = Duration(v)
		}
	}
	if p.Protocol == "" {
		p.Protocol = "openai"
	}
	def(&p.Timeouts.Connect, 10*time.Second)
	def(&p.Timeouts.FirstByte, 5*time.Minute)
	def(&p.Timeouts.Idle, 90*time.Second)
	def(&p.Timeouts.Total, 15*time.Minute)
	def(&p.Retry.Base, 500*time.Millisecond)
	def(&p.Retry.Max, 30*time.Second)
	def(&p.Breaker.Cooldown, 30*time.Second)
	if p.Retry.Attempts <= 0 {
		p.Retry.Attempts = 3
	}
	if p.Breaker.Failures == 0 {
		p.Breaker.Failures = 5
	}
	if p.Concurrency <= 0 {
		p.Concurrency = 4
	}
	return p
}

// Validate returns what is wrong with a profile, or nil.
func (p Profile) Validate() error {
	fail := func(field, format string, args ...any) error {
		return &Error{Kind: KindConfig, Profile: p.Name, Message: field + ": " + fmt.Sprintf(format, args...)}
	}
	u, err := url.Parse(p.Endpoint)
	switch {
	case p.Endpoint == "":
		return fail("endpoint", "is missing; an example is http://127.0.0.1:11434/v1")
	case err != nil:
		return fail("endpoint", "is no address") // the error would repeat it, and it may hold a key
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fail("endpoint", "must be an address such as http://127.0.0.1:11434/v1")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fail("endpoint", "may hold no user, no password and no query; give the key by key.env or key.file")
	case p.Key.Env != "" && p.Key.File != "":
		return fail("key", "give env or file, not both")
	case p.Temperature != nil && (*p.Temperature < 0 || *p.Temperature > 2):
		return fail("temperature", "must be from 0 to 2")
	}
	for _, name := range slices.Sorted(maps.Keys(p.Headers)) {
		switch http.CanonicalHeaderKey(name) {
		case "Authorization", "X-Api-Key", "X-Goog-Api-Key", "Api-Key", "Cookie", "Proxy-Authorization":
			return fail("headers", "%s holds a key: give it by key.env or key.file", name)
		case "Host", "Content-Length", "Transfer-Encoding", "Content-Type", "Connection":
			return fail("headers", "%s cannot be set", name)
		}
		if strings.ContainsAny(name+p.Headers[name], "\r\n\x00") || name == "" {
			return fail("headers", "%q is no header", name)
		}
	}
	return nil
}

// Profiles are the profiles of a configuration, by name.
type Profiles map[string]Profile

// ParseProfiles reads profiles from YAML or JSON: an object of them, by name, or
// one under the name profiles.
//
//	narrator:
//	  endpoint: http://127.0.0.1:5001/v1
//	sidecar:
//	  endpoint: https://api.example.com/v1
//	  model: small
//	  key: {env: SIDECAR_KEY}
//	historian:
//	  like: sidecar
//	  model: large
func ParseProfiles(src []byte) (Profiles, error) {
	var tree map[string]yaml.Node
	if err := yaml.Unmarshal(src, &tree); err != nil {
		return nil, &Error{Kind: KindConfig, Message: "the profiles cannot be read: " + err.Error()}
	}
	if inner, ok := tree["profiles"]; ok && len(tree) == 1 {
		tree = nil
		if err := inner.Decode(&tree); err != nil {
			return nil, &Error{Kind: KindConfig, Message: "the profiles cannot be read: " + err.Error()}
		}
	}
	list := Profiles{}
	for name, node := range tree {
		raw, err := yaml.Marshal(&node)
		if err != nil {
			return nil, &Error{Kind: KindConfig, Profile: name, Message: err.Error()}
		}
		var p Profile
		dec := yaml.NewDecoder(strings.NewReader(string(raw)))
		dec.KnownFields(true)
		if err := dec.Decode(&p); err != nil {
			return nil, &Error{Kind: KindConfig, Profile: name, Message: fmt.Sprintf("line %d: %s", node.Line, strings.TrimPrefix(err.Error(), "yaml: "))}
		}
		p.Name = name
		list[name] = p
	}
	return list.resolve()
}

// resolve fills profiles from those that they are like.
func (l Profiles) resolve() (Profiles, error) {
	out := Profiles{}
	var fill func(name string, path []string) (Profile, error)
	fill = func(name string, path []string) (Profile, error) {
		if p, ok := out[name]; ok {
			return p, nil
		}
		p, ok := l[name]
		switch {
		case slices.Contains(path, name):
			return p, &Error{Kind: KindConfig, Profile: name, Message: "like: goes in a circle: " + strings.Join(append(path, name), ", ")}
		case !ok:
			return p, &Error{Kind: KindConfig, Profile: path[len(path)-1], Message: fmt.Sprintf("like: there is no profile %q", name)}
		}
		if p.Like != "" {
			base, err := fill(p.Like, append(path, name))
			if err != nil {
				return p, err
			}
			if p, err = merge(base, p); err != nil {
				return p, err
			}
		}
		out[name] = p
		return p, nil
	}
	for _, name := range slices.Sorted(maps.Keys(l)) {
		if _, err := fill(name, nil); err != nil {
			return nil, err
		}
		if err := out[name].Validate(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// merge lays the fields that are set in p over base. A profile with an endpoint
// of its own does not get the key of another: keys go only where they were meant
// to go.
func merge(base, p Profile) (Profile, error) {
	key, name := base.Key, p.Name
	if p.Endpoint != "" && p.Endpoint != base.Endpoint || p.Key != (KeySource{}) {
		key = p.Key
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return p, err
	}
	var set map[string]json.RawMessage
	if err := json.Unmarshal(raw, &set); err != nil {
		return p, err
	}
	if p.Endpoint == "" {
		delete(set, "endpoint")
	}
	if p.Model == "" {
		delete(set, "model")
	}
	delete(set, "key")
	if raw, err = json.Marshal(set); err != nil {
		return p, err
	}
	out := base
	out.Headers, out.Extra = maps.Clone(base.Headers), maps.Clone(base.Extra)
	if err := json.Unmarshal(raw, &out); err != nil {
		return p, err
	}
	out.Key, out.Name = key, name
	return out, nil
}

// For returns the profile for a use. The historian falls back to the sidecar;
// false means that nothing was configured.
func (l Profiles) For(name string) (Profile, bool) {
	if p, ok := l[name]; ok {
		return p, true
	}
	if name == Historian {
		p, ok := l[Sidecar]
		if ok {
			p.Name = Historian
		}
		return p, ok
	}
	return Profile{}, false
}
