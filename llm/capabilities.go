package llm

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// Ability says whether a server can do something: unknown until it has been
// seen.
type Ability string

// The values of an ability.
const (
	Unknown Ability = ""
	Yes     Ability = "yes"
	No      Ability = "no"
)

// Capabilities is what has been learned about one model at one endpoint. It is a
// value: a change makes another one.
type Capabilities struct {
	Endpoint string `json:"endpoint"`
	Model    string `json:"model"`
	Protocol string `json:"protocol"`

	Tools        Ability `json:"tools,omitempty"`
	ToolChoice   Ability `json:"tool_choice,omitempty"`   // is "required" or a name obeyed
	Parallel     Ability `json:"parallel,omitempty"`      // several calls in one answer
	TextCalls    Ability `json:"text_calls,omitempty"`    // calls come as text
	JSONObject   Ability `json:"json_object,omitempty"`   // response_format json_object
	JSONSchema   Ability `json:"json_schema,omitempty"`   // response_format json_schema
	Streaming    Ability `json:"streaming,omitempty"`     // answers stream when asked
	StreamTools  Ability `json:"stream_tools,omitempty"`  // calls survive streaming
	StreamUsage  Ability `json:"stream_usage,omitempty"`  // stream_options
	SystemPlaces Ability `json:"system_places,omitempty"` // system messages anywhere
	FreeRoles    Ability `json:"free_roles,omitempty"`    // roles need not alternate
	Thinking     Ability `json:"thinking,omitempty"`      // the switch for thinking
	Embeddings   Ability `json:"embeddings,omitempty"`

	// MaxTokensName is the name of the bound on tokens; "" means max_tokens.
	MaxTokensName string `json:"max_tokens_name,omitempty"`
	// SystemRole is the role of instructions: "" means system; developer; user
	// if there is none of their own.
	SystemRole string `json:"system_role,omitempty"`
	// ReasoningField is where thoughts come: reasoning_content, reasoning, text.
	ReasoningField string `json:"reasoning_field,omitempty"`
	// ReturnReasoning is yes if earlier thoughts must be sent back.
	ReturnReasoning Ability `json:"return_reasoning,omitempty"`
	// ShortIDs is yes if ids of calls must be nine letters and digits.
	ShortIDs Ability `json:"short_ids,omitempty"`
	// ContextSize is the size of the context in tokens; 0 if unknown.
	ContextSize int `json:"context_size,omitempty"`
	// Dropped are parameters that the server refused and that are left out.
	Dropped []string `json:"dropped,omitempty"`
	// Repairs counts what had to be put right in answers, by kind.
	Repairs map[string]int `json:"repairs,omitempty"`
	// Answers counts the answers seen, Lessons says what was learned from what.
	Answers int      `json:"answers,omitempty"`
	Lessons []Lesson `json:"lessons,omitempty"`
}

// Lesson is one thing that was learned.
type Lesson struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// Clone returns a copy that shares nothing.
func (c Capabilities) Clone() Capabilities {
	c.Dropped = slices.Clone(c.Dropped)
	c.Repairs = maps.Clone(c.Repairs)
	c.Lessons = slices.Clone(c.Lessons)
	return c
}

// Drops reports whether a parameter is to be left out.
func (c Capabilities) Drops(param string) bool { return slices.Contains(c.Dropped, param) }

// lesson adds a lesson, once.
func (c *Capabilities) lesson(what, why string) {
	l := Lesson{what, clipText(why, 300)}
	for _, have := range c.Lessons {
		if have.What == what {
			return
		}
	}
	c.Lessons = append(c.Lessons, l)
	if len(c.Lessons) > 50 {
		c.Lessons = c.Lessons[1:]
	}
}

// CapabilityStore keeps what was learned. Implementations are safe for
// concurrent use.
type CapabilityStore interface {
	// Get returns the record of a model at an endpoint, an empty one if there is
	// none.
	Get(endpoint, model string) Capabilities
	// Update changes a record by a function of the current one and returns the
	// new one. The function may be called more than once.
	Update(endpoint, model string, change func(Capabilities) Capabilities) Capabilities
}

// MemoryStore keeps capabilities as long as the program runs. The zero value is
// ready.
type MemoryStore struct {
	mu      sync.Mutex
	records map[[2]string]Capabilities
}

var _ CapabilityStore = (*MemoryStore)(nil)

// Get returns a copy of a record.
func (s *MemoryStore) Get(endpoint, model string) Capabilities {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.records[[2]string{endpoint, model}]; ok {
		return c.Clone()
	}
	return Capabilities{Endpoint: endpoint, Model: model}
}

// Update changes a record.
func (s *MemoryStore) Update(endpoint, model string, change func(Capabilities) Capabilities) Capabilities {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := [2]string{endpoint, model}
	c, ok := s.records[key]
	if !ok {
		c = Capabilities{Endpoint: endpoint, Model: model}
	}
	c = change(c.Clone())
	if s.records == nil {
		s.records = map[[2]string]Capabilities{}
	}
	s.records[key] = c.Clone()
	return c
}

// Forget drops a record, so that it is learned anew: after a server was changed.
func (s *MemoryStore) Forget(endpoint, model string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.records, [2]string{endpoint, model})
}

// All returns the records, by endpoint and model: to be shown, or to be stored
// as JSON and given to [MemoryStore.Load] again.
func (s *MemoryStore) All() []Capabilities {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Capabilities, 0, len(s.records))
	for _, c := range s.records {
		list = append(list, c.Clone())
	}
	slices.SortFunc(list, func(a, b Capabilities) int {
		if c := strings.Compare(a.Endpoint, b.Endpoint); c != 0 {
			return c
		}
		return strings.Compare(a.Model, b.Model)
	})
	return list
}

// Load puts records in.
func (s *MemoryStore) Load(list []Capabilities) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.records == nil {
		s.records = map[[2]string]Capabilities{}
	}
	for _, c := range list {
		s.records[[2]string{c.Endpoint, c.Model}] = c.Clone()
	}
}

// unlearn maps a refused parameter to what is done without it. It reports false
// if nothing can be, because it was tried already.
func (c *Capabilities) unlearn(param, why string) bool {
	set := func(a *Ability) bool {
		if *a == No {
			return false
		}
		*a = No
		c.lesson(param+" is refused", why)
		return true
	}
	switch param {
	case "max_tokens":
		if c.MaxTokensName == "" {
			c.MaxTokensName = "max_completion_tokens"
			c.lesson("max_tokens is called max_completion_tokens", why)
			return true
		}
	case "max_completion_tokens":
		if c.MaxTokensName == "max_completion_tokens" && !c.Drops("max_tokens") && !learned(c.Lessons, "max_tokens is called max_completion_tokens") {
			c.MaxTokensName = ""
			c.lesson("max_completion_tokens is called max_tokens", why)
			return true
		}
	case "tools":
		return set(&c.Tools)
	case "tool_choice":
		return set(&c.ToolChoice)
	case "parallel_tool_calls":
		return set(&c.Parallel)
	case "response_format":
		if c.JSONSchema != No {
			return set(&c.JSONSchema)
		}
		return set(&c.JSONObject)
	case "json_schema":
		return set(&c.JSONSchema)
	case "json_object":
		return set(&c.JSONObject)
	case "stream":
		return set(&c.Streaming)
	case "stream_options":
		return set(&c.StreamUsage)
	case "system":
		if c.SystemRole != "user" {
			c.SystemRole = "user"
			c.lesson("there is no system role", why)
			return true
		}
		return false
	case "system_place":
		return set(&c.SystemPlaces)
	case "roles":
		return set(&c.FreeRoles)
	case "thinking":
		return set(&c.Thinking)
	case "call_ids":
		if c.ShortIDs != Yes {
			c.ShortIDs = Yes
			c.lesson("ids of calls must be nine letters and digits", why)
			return true
		}
		return false
	case "reasoning_content":
		if c.ReturnReasoning != Yes {
			c.ReturnReasoning = Yes
			c.lesson("earlier thoughts must be sent back", why)
			return true
		}
		return false
	}
	if c.Drops(param) || param == "messages" || param == "model" || param == "" {
		return false
	}
	c.Dropped = append(c.Dropped, param)
	slices.Sort(c.Dropped)
	c.lesson(param+" is refused", why)
	return true
}

func learned(list []Lesson, what string) bool {
	return slices.ContainsFunc(list, func(l Lesson) bool { return l.What == what })
}
