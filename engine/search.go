package engine

import (
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/match"
)

// unit is one text that is searched: a message as its dialect renders it, or a
// text beside the chat.
type unit struct {
	text string
	// message is the index in Input.Messages, or -1; source names another text.
	message int
	source  lore.Source
	// shift is where the message's content begins in text, and length how long
	// it is there; trimmed is how much was cut from its front.
	shift, length, trimmed int
	hash                   hash128 // see sum
}

// sum returns the hash of the text. It is computed when first asked for, since
// most messages of a long chat are not searched.
func (u *unit) sum() hash128 {
	if u.hash == (hash128{}) {
		u.hash = hashText(u.text)
	}
	return u.hash
}

// searcher finds the keys of books in the texts of one assembly. All its books
// join messages in the same way.
type searcher struct {
	join   lore.Join
	cache  *Cache
	budget *match.Budget
	// chat holds the messages that are searched, in the order of the joined
	// text; extra the texts beside it.
	chat    []unit
	extra   map[lore.Source]*unit
	tokens  Tokenizer
	windows map[window]string
	found   map[*Segment]*segmentHits
	folded  map[foldedKey]*match.Folded
	set     *match.Set
	// wide searches the whole chat, not only as far as the entries look.
	wide   bool
	report func(e *entry, k *key, err error)
}

type foldedKey struct {
	fold match.Fold
	unit int
}

// newSearcher renders the messages of a chat.
func newSearcher(join lore.Join, messages []lore.Message, sources map[lore.Source]string) *searcher {
	s := &searcher{join: join, found: make(map[*Segment]*segmentHits)}
	s.chat = make([]unit, 0, len(messages))
	for i, m := range messages {
		if !m.Hidden {
			s.chat = append(s.chat, renderMessage(join, m, i))
		}
	}
	if join.NewestFirst {
		slices.Reverse(s.chat)
	}
	for src, text := range sources {
		if text == "" {
			continue
		}
		if s.extra == nil {
			s.extra = make(map[lore.Source]*unit, len(sources))
		}
		s.extra[src] = &unit{text: text, message: -1, source: src, length: len(text)}
	}
	return s
}

func renderMessage(join lore.Join, m lore.Message, i int) unit {
	u := unit{text: m.Content, message: i, length: len(m.Content)}
	if join.Names && m.Name != "" {
		u.shift = len(m.Name) + len(": ")
		u.text = m.Name + ": " + m.Content
	}
	if join.Trim {
		whole := u.text
		u.text = match.TrimJS(whole)
		front := len(whole) - len(strings.TrimLeftFunc(whole, match.IsSpaceJS))
		u.trimmed = max(0, front-u.shift)
		u.shift = max(0, u.shift-front)
		u.length = max(0, len(u.text)-u.shift)
	}
	return u
}

// messages returns how many messages the chat has.
func (s *searcher) messages() int { return len(s.chat) }

// window is a part of the chat's end, with texts beside it.
type window struct {
	// depth is the number of newest messages, chars the number of characters
	// (0: no bound) at their end.
	depth int
	chars int
	// sources is the set of texts beside the chat, as a list joined by commas.
	sources string
}

// window returns what an entry of this depth and these sources sees.
func (s *searcher) window(depth lore.Amount, sources []lore.Source) window {
	w := window{depth: min(messagesOf(depth), len(s.chat))}
	switch depth.Unit {
	case lore.UnitChars:
		w.chars = max(int(depth.N), 0)
		if w.chars == 0 {
			w.depth = 0
		}
	case lore.UnitTokens:
		w.depth = s.messagesWithin(int(depth.N))
	}
	if len(s.extra) > 0 && len(sources) > 0 {
		var names []string
		for _, src := range sources {
			if s.extra[src] != nil {
				names = append(names, string(src))
			}
		}
		w.sources = strings.Join(names, ",")
	}
	return w
}

// messagesWithin returns how many whole messages from the end fit in n tokens.
func (s *searcher) messagesWithin(n int) int {
	for d := 0; d < len(s.chat); d++ {
		n -= s.tokens.Count(s.chat[s.index(d)].text)
		if n < 0 {
			return d
		}
	}
	return len(s.chat)
}

// index returns the position in chat of the message of an age (0 is the
// newest).
func (s *searcher) index(age int) int {
	if s.join.NewestFirst {
		return age
	}
	return len(s.chat) - 1 - age
}

// span returns the part of chat that a window of this depth holds.
func (s *searcher) span(depth int) (lo, hi int) {
	if s.join.NewestFirst {
		return 0, depth
	}
	return len(s.chat) - depth, len(s.chat)
}

// text returns the joined text of a window.
func (s *searcher) text(w window) string {
	if t, ok := s.windows[w]; ok {
		return t
	}
	lo, hi := s.span(w.depth)
	var b strings.Builder
	if hi > lo {
		b.WriteString(s.join.Lead)
	}
	for i := lo; i < hi; i++ {
		if i > lo {
			b.WriteString(s.join.Separator)
		}
		b.WriteString(s.chat[i].text)
	}
	t := b.String()
	if w.chars > 0 {
		t = lastChars(t, w.chars)
	}
	if w.sources != "" {
		for _, name := range strings.Split(w.sources, ",") {
			if t != "" {
				t += s.join.Separator
			}
			t += s.extra[lore.Source(name)].text
		}
	}
	if s.windows == nil {
		s.windows = make(map[window]string)
	}
	s.windows[w] = t
	return t
}

// lastChars returns the last n characters of s.
func lastChars(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		i--
		for i > 0 && s[i]&0xc0 == 0x80 {
			i--
		}
	}
	return s[i:]
}

// place translates an occurrence in a unit into one in its message.
func (u *unit) place(h *KeyHit, start, end int) {
	h.Message, h.Source = u.message, string(u.source)
	h.Start, h.End = start-u.shift+u.trimmed, end-u.shift+u.trimmed
	if start < u.shift || end > u.shift+u.length {
		h.Start, h.End = -1, -1 // in the author's name, or over the seam
	}
}
