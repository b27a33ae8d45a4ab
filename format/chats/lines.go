package chats

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/splice"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

// line is one line of a file of JSON lines.
type line struct {
	start, end, next int // in the text; end excludes the line end
}

// parse reads the JSON of a line, which must be an object. Lines are parsed one
// by one, since the parsed form of all takes many times their space.
func (l line) parse(text string, limits format.Limits) (*jsondoc.Doc, error) {
	limits = limits.WithDefaults()
	doc, err := jsondoc.Parse(text[l.start:l.end], jsondoc.Limits{Depth: limits.Depth, Bytes: int(limits.FileBytes)})
	if err == nil && doc.Root().Kind() != jsondoc.Object {
		return nil, fmt.Errorf("it is %s, not an object", doc.Root().Kind())
	}
	return doc, err
}

// splitLines finds the lines of a file; blank ones are left out.
func splitLines(text string) []line {
	var out []line
	lines([]byte(text), 0, func(start, end, next int) {
		if strings.TrimSpace(text[start:end]) == "" {
			return
		}
		out = append(out, line{start: start, end: end, next: next})
	})
	return out
}

// isHead reports whether the first line of a file describes the chat.
func isHead(v jsondoc.Value) bool {
	return v.Has("chat_metadata") || v.Has("user_name") || v.Has("character_name") || !v.Has("mes") && v.Has("create_date")
}

func (s *Shape) sniffLines(in *format.Input) format.Guess {
	text, ok := in.Text()
	trimmed := strings.TrimLeft(text, " \t\r\n")
	if !ok || !strings.HasPrefix(trimmed, "{") {
		return format.Guess{}
	}
	// A broken line costs itself, also when it is the first one.
	var found []jsondoc.Value
	for n := 0; n < 5 && len(found) < 2 && trimmed != ""; n++ {
		line, rest, _ := strings.Cut(trimmed, "\n")
		if doc, err := jsondoc.Parse(line, jsondoc.Limits{}); err == nil && doc.Root().Kind() == jsondoc.Object {
			found = append(found, doc.Root())
		}
		trimmed = strings.TrimLeft(rest, " \t\r\n")
	}
	switch {
	case len(found) == 0:
	case isHead(found[0]):
		return s.sniff(append(found, jsondoc.Value{})[1])
	case found[0].Has("mes") && found[0].Has("is_user"):
		return s.sniff(found[0])
	}
	return format.Guess{}
}

func (s *Shape) readLines(in *format.Input, report *format.Report) []*lore.Chat {
	text, _ := in.Text()
	c := &lore.Chat{ID: in.Base(), Origin: lore.Origin{Format: s.info.Name, Path: in.Name, Line: 1}}
	number, from := 1, 0
	for i, l := range splitLines(text) {
		number += strings.Count(text[from:l.start], "\n")
		from = l.start
		doc, err := l.parse(text, in.Limits)
		if err != nil {
			report.Problem(diag.Diagnostic{
				Severity: diag.Error, Code: "bad-line", File: in.Name, Line: number, Column: 1,
				Span:    diag.Span{Start: l.start, End: l.end},
				Message: fmt.Sprintf("the line is no message: %v; it is kept as it is", err),
			})
			continue
		}
		r := format.NewReader(&format.Input{Name: fmt.Sprintf("%s, line %d", in.Name, number)}, report)
		root := doc.Root()
		if i == 0 && isHead(root) {
			c.Origin.Raw = []byte(root.Raw())
			s.readHead(r, root, c)
			s.takeCarried(&c.Ext, s.headPlace, root)
			continue
		}
		for _, m := range s.readRow(r, c, root) {
			m.Origin = lore.Origin{
				Format: s.info.Name, Path: in.Name, Line: number, Pointer: "/" + strconv.Itoa(i), Raw: []byte(root.Raw()),
			}
			s.takeCarried(&m.Ext, s.rowPlace, root)
			c.Messages = append(c.Messages, m)
		}
	}
	finish(c)
	return []*lore.Chat{c}
}

func (s *Shape) spliceLines(in *format.Input, chats []*lore.Chat) ([]byte, error) {
	text, _ := in.Text()
	old := s.readLines(in, &format.Report{})[0]
	now := s.successor(old, chats, true)
	if now == nil {
		return nil, fmt.Errorf("chat %q is gone", old.ID)
	}
	all := splitLines(text)
	oldAt := map[string]lore.ChatMessage{}
	for _, m := range old.Messages {
		oldAt[m.Origin.Pointer] = m
	}
	// out gathers the lines without their ends.
	var out []string
	written := map[int]bool{}
	upTo := func(n int) { // lines that are no messages keep their place
		for i := 0; i < n; i++ {
			if _, isMessage := oldAt["/"+strconv.Itoa(i)]; !isMessage && !written[i] {
				written[i] = true
				out = append(out, s.headLine(in, text, all[i], i, old, now))
			}
		}
	}
	changed := false
	last := -1
	for _, m := range now.Messages {
		before, ok := oldAt[m.Origin.Pointer]
		n, err := strconv.Atoi(strings.TrimPrefix(m.Origin.Pointer, "/"))
		if !ok || err != nil || m.Origin.Format != s.info.Name || written[n] {
			if last < 0 {
				upTo(1)
			}
			t := s.rowTree(now, []lore.ChatMessage{m}, jsondoc.Value{})
			out = append(out, string(t.Append(nil, jsondoc.Compact())))
			changed = true
			continue
		}
		upTo(n)
		written[n] = true
		changed = changed || n < last
		last = n
		doc, err := all[n].parse(text, in.Limits)
		if err != nil {
			return nil, err
		}
		row, ed := doc.Root(), doc.Edit()
		splice.Merge(ed, row, s.rowTree(old, []lore.ChatMessage{before}, row), s.rowTree(now, []lore.ChatMessage{m}, row))
		out = append(out, string(ed.Bytes()))
	}
	upTo(len(all))
	if !changed && len(out) == len(all) {
		// Every line is in its place: keep what stands between the lines.
		var b strings.Builder
		pos := 0
		for i, l := range all {
			b.WriteString(text[pos:l.start])
			b.WriteString(out[i])
			pos = l.end
		}
		b.WriteString(text[pos:])
		return []byte(b.String()), nil
	}
	nl := "\n"
	if strings.Contains(text, "\r\n") {
		nl = "\r\n"
	}
	joined := strings.Join(out, nl)
	if strings.HasSuffix(text, "\n") {
		joined += nl
	}
	return []byte(joined), nil
}

// headLine returns a line that is no message; the head with its edits.
func (s *Shape) headLine(in *format.Input, text string, l line, i int, old, now *lore.Chat) string {
	if i != 0 {
		return text[l.start:l.end]
	}
	doc, err := l.parse(text, in.Limits)
	if err != nil || !isHead(doc.Root()) {
		return text[l.start:l.end]
	}
	ed := doc.Edit()
	splice.Merge(ed, doc.Root(), s.headTree(old), s.headTree(now))
	return string(ed.Bytes())
}

// joinLines writes a new file; like SillyTavern's it ends without a line end.
func joinLines(head *jsondoc.Tree, rows []*jsondoc.Tree, style jsondoc.Style) []byte {
	final := style.Final
	style.Newline, style.Final = "", ""
	b := head.Append(nil, style)
	for _, t := range rows {
		b = t.Append(append(b, '\n'), style)
	}
	return append(b, final...)
}
