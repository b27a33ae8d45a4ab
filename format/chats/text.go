package chats

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

// The names of the formats that are text.
const (
	LogName         = "text-log"
	RisuTextName    = "risu-chat-text"
	BackyardLogName = "backyard-log"
)

// textCodec reads and writes a chat that is plain text.
type textCodec struct {
	info  format.Info
	parse func(src []byte) ([]segment, int)
	sniff func(c textCodec, text string) format.Guess
	// one writes a message; the text of several is their concatenation.
	one func(m *lore.ChatMessage, name string) string
}

// LogCodec returns the codec of plain logs, "Name: text" a message.
func LogCodec() format.Codec {
	return textCodec{
		info:  format.Info{Name: LogName, Title: "plain text log", Extensions: []string{".txt"}, Chats: true},
		parse: func(src []byte) ([]segment, int) { return parseLog(src, nil) },
		sniff: func(c textCodec, text string) format.Guess {
			segs, head := c.parse([]byte(text))
			if len(segs) < 2 || strings.TrimSpace(text[:head]) != "" {
				return format.Guess{}
			}
			return format.Guessf(format.Maybe, "%d lines that begin with a name", len(segs))
		},
		one: func(m *lore.ChatMessage, name string) string { return name + ": " + m.Content + "\n" },
	}
}

// RisuTextCodec returns the codec of RisuAI's text exports.
func RisuTextCodec() format.Codec {
	return textCodec{
		info:  format.Info{Name: RisuTextName, Title: "RisuAI chat as text", Extensions: []string{".txt"}, Chats: true},
		parse: parseRisuText,
		sniff: func(c textCodec, text string) format.Guess {
			segs, head := c.parse([]byte(text))
			if len(segs) == 0 || strings.TrimSpace(text[:head]) != "" {
				return format.Guess{}
			}
			return format.Guessf(format.Likely, "blocks under lines of the form --Name")
		},
		one: func(m *lore.ChatMessage, name string) string { return "--" + name + "\n" + m.Content + "\n\n" },
	}
}

// BackyardLogCodec returns the codec of Backyard's text logs.
func BackyardLogCodec() format.Codec {
	return textCodec{
		info:  format.Info{Name: BackyardLogName, Title: "Backyard text log", Extensions: []string{".txt"}, Chats: true},
		parse: parseBackyardLog,
		sniff: func(c textCodec, text string) format.Guess {
			segs, head := c.parse([]byte(text))
			if len(segs) == 0 || strings.TrimSpace(text[:head]) != "" || !strings.Contains(text, "\n---") {
				return format.Guess{}
			}
			return format.Guessf(format.Likely, "messages with a date, with lines of three hyphens between")
		},
		one: func(m *lore.ChatMessage, name string) string {
			return "[" + m.Time + "] " + name + ": " + m.Content + "\n---\n"
		},
	}
}

func (c textCodec) Info() format.Info { return c.info }

func (c textCodec) Sniff(in *format.Input) format.Guess {
	text, ok := in.Text()
	trimmed := strings.TrimLeft(text, " \t\r\n")
	if !ok || trimmed == "" || trimmed[0] == '{' || strings.HasPrefix(trimmed, "---\n") || strings.HasPrefix(trimmed, "---\r\n") {
		return format.Guess{}
	}
	if len(text) > sniffed {
		text = text[:sniffed]
	}
	return c.sniff(c, text)
}

// sniffed is how much of a text is looked at to tell its format.
const sniffed = 1 << 18

// maxMessages bounds the messages of one file.
const maxMessages = 1 << 20

func (c textCodec) Read(ctx context.Context, in *format.Input) (*format.Document, *format.Report, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	report := &format.Report{}
	text, ok := in.Text()
	if !ok {
		return nil, report, errors.New("not a text file")
	}
	if segs, _ := c.parse([]byte(text)); len(segs) > maxMessages {
		return nil, report, fmt.Errorf("the log has %d messages, more than the limit of %d: split the file", len(segs), maxMessages)
	}
	chat, head := c.read(in, text)
	if len(chat.Messages) == 0 {
		return nil, report, errors.New("no line begins a message")
	}
	if strings.TrimSpace(text[:head]) != "" {
		report.Problem(diag.Diagnostic{
			Severity: diag.Warning, Code: "text-before-chat", File: in.Name, Line: 1, Column: 1,
			Span: diag.Span{Start: 0, End: head}, Message: "the text before the first message belongs to nobody: kept as it is",
		})
	}
	return &format.Document{Format: c.info.Name, Chats: []*lore.Chat{chat}, Input: in}, report, nil
}

func (c textCodec) read(in *format.Input, text string) (*lore.Chat, int) {
	segs, head := c.parse([]byte(text))
	chat := &lore.Chat{ID: in.Base(), Origin: lore.Origin{Format: c.info.Name, Path: in.Name}}
	line, from := 1, 0
	user := guessUser(segs)
	for i, s := range segs {
		line += strings.Count(text[from:s.start], "\n")
		from = s.start
		m := lore.ChatMessage{
			Message: lore.Message{Role: lore.RoleAssistant, Name: s.author, Content: text[s.text:max(s.textEnd, s.text)]},
			ID:      strconv.Itoa(i), Time: s.time,
			Origin: lore.Origin{Format: c.info.Name, Path: in.Name, Line: line, Pointer: "/" + strconv.Itoa(i)},
		}
		if s.author == user {
			m.Role = lore.RoleUser
		}
		chat.Messages = append(chat.Messages, m)
	}
	finish(chat)
	return chat, head
}

// guessUser says which author is the person: one with a usual name for users,
// else the one who speaks second in a chat of two.
func guessUser(segs []segment) string {
	var authors []string
	seen := map[string]bool{}
	for _, s := range segs {
		if userNames[s.author] {
			return s.author
		}
		if !seen[s.author] {
			seen[s.author] = true
			authors = append(authors, s.author)
		}
	}
	if len(authors) == 2 {
		return authors[1]
	}
	return ""
}

func (c textCodec) Write(ctx context.Context, doc *format.Document, opts format.WriteOptions) (*format.Output, *format.Report, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	report := &format.Report{From: doc.Format, To: c.info.Name}
	format.ReportNoPlace(report, doc, c.info)
	if len(doc.Chats) == 0 {
		return nil, report, errors.New("the document holds no chat")
	}
	if doc.Format == c.info.Name && doc.Input != nil {
		data := doc.Input.Encode([]byte(c.splice(doc.Input, doc.Chats[0], report)))
		return format.SingleFile(doc.Input.Base()+extension(doc.Input, c.info), data), report, nil
	}
	reportRows(doc, opts.Table, report)
	out := &format.Output{}
	for i, chat := range doc.Chats {
		var b strings.Builder
		head := nativeHead(chat)
		for _, m := range head.Members {
			if m.Key == "characters" || m.Key == "user" {
				continue
			}
			report.Add(format.Item{
				Outcome: format.Lost, Entry: "head of the chat", Name: chat.Title, Field: m.Key, How: c.info.Title + " has no word for it",
			})
		}
		for n := range chat.Messages {
			m := &chat.Messages[n]
			b.WriteString(c.one(m, author(chat, m)))
		}
		c.compare(chat, b.String(), report)
		out.Files = append(out.Files, format.OutFile{Path: fileName(chat, opts, i, c.info), Data: []byte(b.String())})
	}
	return out, report, nil
}

// compare reports the messages of a chat by what is read of its text.
func (c textCodec) compare(chat *lore.Chat, text string, report *format.Report) {
	shape := Shape{info: c.info}
	again, _ := c.read(&format.Input{Name: chat.ID}, text)
	if len(again.Messages) != len(chat.Messages) {
		report.Add(format.Item{
			Outcome: format.Approximated, Entry: "head of the chat", Name: chat.Title, Field: "messages",
			How: "the text would be read as " + strconv.Itoa(len(again.Messages)) + " of " + strconv.Itoa(len(chat.Messages)),
		})
	}
	for i, m := range chat.Messages {
		got := m
		got.Variants, got.Kind, got.Hidden = nil, "", false
		if len(again.Messages) == len(chat.Messages) {
			got = again.Messages[i]
		}
		shape.compareMessage(m, got, report)
	}
}

// author returns the name to write for a message.
func author(c *lore.Chat, m *lore.ChatMessage) string {
	name := m.Name
	if name == "" {
		switch {
		case m.Role == lore.RoleUser:
			name = c.User
			if name == "" {
				name = "User"
			}
		case m.Role == lore.RoleSystem:
			name = "System"
		case len(c.Characters) > 0:
			name = c.Characters[0]
		default:
			name = "Narrator"
		}
	}
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '\n' || r == '\r' || r == ':' }), " ")
}

// splice writes a chat over the text that it came from: a changed text takes
// the place of the old one, and messages that are there no more go with the
// space behind them.
func (c textCodec) splice(in *format.Input, now *lore.Chat, report *format.Report) string {
	text, _ := in.Text()
	segs, head := c.parse([]byte(text))
	old, _ := c.read(in, text)
	var b strings.Builder
	b.WriteString(text[:head])
	last := -1
	for i := range now.Messages {
		m := &now.Messages[i]
		n, err := strconv.Atoi(strings.TrimPrefix(m.Origin.Pointer, "/"))
		if err != nil || m.Origin.Format != c.info.Name || n < 0 || n >= len(segs) || n <= last {
			if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
				b.WriteString("\n")
			}
			b.WriteString(c.one(m, author(now, m)))
			continue
		}
		last = n
		s, before := segs[n], old.Messages[n]
		if m.Name != before.Name || m.Role != before.Role && m.Name == "" || m.Time != before.Time {
			b.WriteString(c.one(m, author(now, m)))
			continue
		}
		if tail := b.String(); tail != "" && !strings.HasSuffix(tail, "\n") {
			b.WriteString("\n")
		}
		if m.Content == before.Content {
			b.WriteString(text[s.start:s.end])
			continue
		}
		b.WriteString(text[s.start:s.text])
		b.WriteString(m.Content)
		b.WriteString(text[max(s.textEnd, s.text):s.end])
		if len(m.Variants) > 1 {
			shape := Shape{info: c.info}
			shape.compareMessage(*m, lore.ChatMessage{Message: m.Message, Kind: m.Kind, Time: m.Time}, report)
		}
	}
	return b.String()
}
