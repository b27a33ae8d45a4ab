package engine

// Prefix says how much of a prompt stayed as it was, seen from its front.
// Providers and local servers read the common prefix of two prompts only once.
type Prefix struct {
	// Blocks is how many blocks in front are the same, of how many now.
	Blocks int `json:"blocks"`
	Of     int `json:"of"`
	// Tokens is the size of these blocks, of that of all now.
	Tokens   int `json:"tokens"`
	OfTokens int `json:"of_tokens"`
	// FirstChange is the entry of the first block that differs; zero if none.
	FirstChange EntryRef `json:"first_change,omitzero"`
}

// Share returns the part of the tokens that stayed, 0 to 1; 1 without tokens.
func (p Prefix) Share() float64 {
	if p.OfTokens == 0 {
		return 1
	}
	return float64(p.Tokens) / float64(p.OfTokens)
}

// CommonPrefix compares the blocks of two prompts from the front. Blocks are the
// same if slot, role and content are.
func CommonPrefix(prev, next []Block) Prefix {
	p := Prefix{Of: len(next)}
	same := true
	for i, b := range next {
		if same && (i >= len(prev) || prev[i].Slot != b.Slot || prev[i].Role != b.Role || prev[i].Content != b.Content) {
			same = false
			p.FirstChange = EntryRef{b.Book, b.Entry}
		}
		if same {
			p.Blocks++
			p.Tokens += b.Tokens
		}
		p.OfTokens += b.Tokens
	}
	return p
}
