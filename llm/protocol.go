package llm

import (
	"io"
	"net/http"
)

// Protocol is the form that one kind of server speaks. The packages openai,
// anthropic, gemini and ollama have one each. It is stateless.
type Protocol interface {
	// Name is the name in profiles.
	Name() string
	// Authorize puts the key into a request.
	Authorize(h http.Header, key string)
	// Chat returns the request for a chat, as far as the capabilities allow. The
	// messages of req are paired already.
	Chat(req *Request, caps Capabilities) (*Wire, error)
	// ReadChat reads an answer, a stream or not, whichever the server chose to
	// send. It returns io.ErrUnexpectedEOF if the answer has no end, and whatever
	// error the body has.
	ReadChat(body io.Reader, a *Assembler) error
	// Embed returns the request for embeddings.
	Embed(model string, texts []string) (*Wire, error)
	// ReadEmbed reads the embeddings of n texts, in their order.
	ReadEmbed(body []byte, n int) (*Embeddings, error)
	// Models returns the request for the list of models.
	Models() *Wire
	// ReadModels reads it.
	ReadModels(body []byte) ([]ModelInfo, error)
}

// Wire is an HTTP request to come.
type Wire struct {
	Method string
	// Path is relative to the endpoint.
	Path   string
	Header http.Header
	Body   []byte
}

// Embeddings are vectors of texts.
type Embeddings struct {
	Model   string
	Vectors [][]float32
	Usage   Usage
}

// ModelInfo is a model that a server offers.
type ModelInfo struct {
	ID string `json:"id"`
	// ContextSize is in tokens; 0 if the server does not say.
	ContextSize int `json:"context_size,omitempty"`
	// Kind is chat, embedding or something else that the server says; "" if it
	// does not.
	Kind string `json:"kind,omitempty"`
}
