package chats

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/splice"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// Shape describes a chat format whose files are JSON, or lines of JSON. Its
// functions are pure, like those of a [format.BookShape]: edits are found by
// writing the old and the new chat and comparing.
type Shape struct {
	info  format.Info
	sniff func(root jsondoc.Value) format.Guess
	// lines says that a file is a head line and a line for each row.
	lines bool
	// chats finds the chats of a file. Not used for lines.
	chats func(root jsondoc.Value) []place
	// readHead fills a chat from its head, without messages.
	readHead func(r *format.Reader, head jsondoc.Value, c *lore.Chat)
	// readRow reads the messages of a row of the list; most formats have one
	// message a row, some have a pair.
	readRow func(r *format.Reader, c *lore.Chat, row jsondoc.Value) []lore.ChatMessage
	// headTree writes the members of the head that a chat decides.
	headTree func(c *lore.Chat) *jsondoc.Tree
	// rowTree writes the messages of a row; old is the row as it was read, the
	// zero Value for a new one.
	rowTree func(c *lore.Chat, ms []lore.ChatMessage, old jsondoc.Value) *jsondoc.Tree
	// rows groups the messages of a new file, or of an edited list, into rows.
	// Nil means one message a row.
	rows func(ms []lore.ChatMessage) [][]lore.ChatMessage
	// inHead reports messages that stand in the head, not in the list. May be nil.
	inHead func(m *lore.ChatMessage) bool
	// newFile puts rows and the head into a whole file. Not used for lines.
	newFile func(c *lore.Chat, head *jsondoc.Tree, rows []*jsondoc.Tree) *jsondoc.Tree
	// headPlace and rowPlace are where "weft" may stand, seen from the head and
	// from a row. Nil means that there is no place for foreign data.
	headPlace, rowPlace []string
	style               jsondoc.Style
}

// place is one chat in a file: the object that describes it, the list of its
// rows, and the path of that list as a JSON pointer.
type place struct {
	head, list jsondoc.Value
	pointer    string
	// twin is a second list that repeats the first one, row by row.
	twin jsondoc.Value
}

// codec makes a format.Codec of a shape.
type codec struct{ s *Shape }

var _ format.Codec = codec{}

func (c codec) Info() format.Info { return c.s.info }

func (c codec) Sniff(in *format.Input) format.Guess {
	if c.s.lines {
		return c.s.sniffLines(in)
	}
	root := in.JSON()
	if !root.Exists() {
		return format.Guess{}
	}
	return c.s.sniff(root)
}

func (c codec) Read(ctx context.Context, in *format.Input) (*format.Document, *format.Report, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	report := &format.Report{From: c.s.info.Name}
	if !c.s.lines {
		if _, err := format.ReadJSON(in, report); err != nil {
			return nil, report, err
		}
	} else if n := bytes.Count(in.Data, []byte("\n")); n > 2*maxMessages {
		return nil, report, fmt.Errorf("the chat has %d lines, more than the limit of %d: split the file", n, 2*maxMessages)
	}
	chats := c.s.Read(in, report)
	if len(chats) == 0 {
		return nil, report, errors.New("no chat is in the file")
	}
	return &format.Document{Format: c.s.info.Name, Chats: chats, Input: in}, report, nil
}

// Read reads the chats of a file.
func (s *Shape) Read(in *format.Input, report *format.Report) []*lore.Chat {
	if s.lines {
		return s.readLines(in, report)
	}
	return s.read(format.NewReader(in, report), in)
}

// Splice writes chats over the file that they came from and returns its text.
// A chat that was not read from a file takes the place of its only one.
func (s *Shape) Splice(in *format.Input, chats []*lore.Chat) ([]byte, error) {
	if s.lines {
		return s.spliceLines(in, chats)
	}
	return s.splice(in, chats)
}

func (s *Shape) read(r *format.Reader, in *format.Input) []*lore.Chat {
	var chats []*lore.Chat
	for i, p := range s.chats(in.JSON()) {
		c := &lore.Chat{ID: in.Base(), Origin: lore.Origin{Format: s.info.Name, Path: in.Name, Pointer: p.pointer, Line: p.head.Line()}}
		if i > 0 {
			c.ID += "-" + strconv.Itoa(i+1)
		}
		if s.readHead != nil {
			s.readHead(r, p.head, c)
		}
		c.Origin.Raw = []byte(without(p.head, p.list, p.twin).String())
		s.takeCarried(&c.Ext, s.headPlace, p.head)
		for n, row := range p.list.Items() {
			for _, m := range s.readRow(r, c, row) {
				m.Origin.Format, m.Origin.Path = s.info.Name, in.Name
				m.Origin.Pointer = p.pointer + "/" + strconv.Itoa(n)
				m.Origin.Raw = []byte(row.Raw())
				s.takeCarried(&m.Ext, s.rowPlace, row)
				c.Messages = append(c.Messages, m)
			}
		}
		finish(c)
		chats = append(chats, c)
	}
	return chats
}

// takeCarried stores what was carried in a head or a row.
func (s *Shape) takeCarried(ext *map[string]json.RawMessage, place []string, v jsondoc.Value) {
	if place != nil {
		format.SetExt(ext, "weft", v.At(place...).Get("weft"))
	}
}

// without copies a head, without the lists in it.
func without(v jsondoc.Value, lists ...jsondoc.Value) *jsondoc.Tree {
	switch {
	case slices.Contains(lists, v):
		return jsondoc.List()
	case v.Kind() == jsondoc.Object:
		t := jsondoc.Obj()
		for key, m := range v.Members() {
			t.Members = append(t.Members, jsondoc.M(key, without(m, lists...)))
		}
		return t
	}
	return v.Tree()
}

// finish gives messages without an id one, and gathers names that the head
// does not have.
func finish(c *lore.Chat) {
	named := map[string]bool{}
	for _, n := range c.Characters {
		named[n] = true
	}
	for i := range c.Messages {
		m := &c.Messages[i]
		if m.ID == "" {
			m.ID = strconv.Itoa(i)
		}
		switch {
		case m.Name == "":
		case m.Role == lore.RoleUser:
			if c.User == "" {
				c.User = m.Name
			}
		case m.Role == lore.RoleAssistant && !named[m.Name]:
			named[m.Name] = true
			c.Characters = append(c.Characters, m.Name)
		}
	}
}

func (c codec) Write(ctx context.Context, doc *format.Document, opts format.WriteOptions) (*format.Output, *format.Report, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	report := &format.Report{From: doc.Format, To: c.s.info.Name}
	format.ReportNoPlace(report, doc, c.s.info)
	if len(doc.Chats) == 0 {
		return nil, report, errors.New("the document holds no chat")
	}
	if doc.Format == c.s.info.Name && doc.Input != nil {
		out, err := c.s.Splice(doc.Input, doc.Chats)
		if err != nil {
			return nil, report, err
		}
		return format.SingleFile(doc.Input.Base()+extension(doc.Input, c.s.info), doc.Input.Encode(out)), report, nil
	}
	reportRows(doc, opts.Table, report)
	out := &format.Output{}
	for i, chat := range doc.Chats {
		data := c.s.newChat(chat, doc, opts, report)
		out.Files = append(out.Files, format.OutFile{Path: fileName(chat, opts, i, c.s.info), Data: data})
	}
	return out, report, nil
}

// newChat writes a chat as a new file.
func (s *Shape) newChat(chat *lore.Chat, doc *format.Document, opts format.WriteOptions, report *format.Report) []byte {
	head, rows, was := s.convert(chat, opts, sourceStyle(doc, shapeOf(opts.Table, chat.Origin.Format)), report)
	style := s.style
	if s.lines {
		style = jsondoc.Compact()
	} else if style.Colon == "" {
		style = jsondoc.Indented("    ")
	}
	if was != nil {
		style = *was
	}
	if s.lines {
		return joinLines(head, rows, style)
	}
	return s.newFile(chat, head, rows).Bytes(style)
}

// sourceStyle returns how the file of a chat is written, if that is not the
// usual way of its format; nil otherwise.
func sourceStyle(doc *format.Document, from *Shape) *jsondoc.Style {
	if doc.Input == nil || from == nil {
		return nil
	}
	if from.lines {
		text, _ := doc.Input.Text()
		first, _, _ := strings.Cut(text, "\n")
		parsed, err := jsondoc.Parse(strings.TrimSpace(first), jsondoc.Limits{})
		if err != nil {
			return nil
		}
		style := parsed.Style()
		if strings.HasSuffix(text, "\n") {
			style.Final = "\n"
		}
		if usual := jsondoc.Compact(); style.Colon == usual.Colon && style.Comma == usual.Comma && style.Final == "" {
			return nil
		}
		return &style
	}
	parsed, err := doc.Input.Doc()
	if err != nil {
		return nil
	}
	style := parsed.Style()
	return &style
}

func extension(in *format.Input, info format.Info) string {
	if e := in.Ext(); e != "" {
		return e
	}
	return info.Extensions[0]
}

func fileName(c *lore.Chat, opts format.WriteOptions, i int, info format.Info) string {
	name := opts.Name
	switch {
	case name == "" && c.ID != "":
		name = c.ID
	case name == "":
		name = "chat"
	case i > 0:
		name += "-" + strconv.Itoa(i+1)
	}
	return name + info.Extensions[0]
}

func (s *Shape) group(ms []lore.ChatMessage) [][]lore.ChatMessage {
	if s.rows != nil {
		return s.rows(ms)
	}
	rows := make([][]lore.ChatMessage, len(ms))
	for i := range ms {
		rows[i] = ms[i : i+1]
	}
	return rows
}

func (s *Shape) splice(in *format.Input, chats []*lore.Chat) ([]byte, error) {
	parsed, err := in.Doc()
	if err != nil {
		return nil, err
	}
	base := s.read(format.NewReader(in, &format.Report{}), in)
	places := s.chats(in.JSON())
	ed := parsed.Edit()
	for i, old := range base {
		now := s.successor(old, chats, len(base) == 1)
		if now == nil {
			return nil, fmt.Errorf("chat %q is gone: chats cannot be taken out of their file", old.ID)
		}
		s.spliceChat(ed, places[i], old, now)
	}
	return ed.Bytes(), nil
}

// listed returns a chat without the messages that stand in its head.
func (s *Shape) listed(c *lore.Chat) *lore.Chat {
	if s.inHead == nil {
		return c
	}
	l := *c
	l.Messages = slices.DeleteFunc(slices.Clone(c.Messages), func(m lore.ChatMessage) bool { return s.inHead(&m) })
	return &l
}

// successor finds the chat that was read as old.
func (s *Shape) successor(old *lore.Chat, chats []*lore.Chat, only bool) *lore.Chat {
	for _, c := range chats {
		if c.Origin.Format == s.info.Name && c.Origin.Pointer == old.Origin.Pointer {
			return c
		}
	}
	if only && len(chats) > 0 {
		return chats[0]
	}
	return nil
}

func (s *Shape) spliceChat(ed *jsondoc.Editor, p place, old, now *lore.Chat) {
	if s.headTree != nil {
		splice.Merge(ed, p.head, s.headTree(old), s.headTree(now))
	}
	old, now = s.listed(old), s.listed(now)
	rows := map[string]jsondoc.Value{}
	index := map[string]int{}
	for n, row := range p.list.Items() {
		at := p.pointer + "/" + strconv.Itoa(n)
		rows[at], index[at] = row, n
	}
	byRow := func(c *lore.Chat) (order []string, of map[string][]lore.ChatMessage) {
		of = map[string][]lore.ChatMessage{}
		for _, m := range c.Messages {
			at := m.Origin.Pointer
			if m.Origin.Format != s.info.Name || !rows[at].Exists() {
				at = ""
			}
			if at == "" || len(order) == 0 || order[len(order)-1] != at {
				order = append(order, at)
			}
			of[at] = append(of[at], m)
		}
		return order, of
	}
	oldOrder, oldOf := byRow(old)
	order, of := byRow(now)
	same := len(order) == len(oldOrder)
	for i := 0; same && i < len(order); i++ {
		same = order[i] == oldOrder[i] && order[i] != "" && len(of[order[i]]) == len(oldOf[order[i]])
	}
	edit := func(at string) {
		row := rows[at]
		splice.Merge(ed, row, s.rowTree(old, oldOf[at], row), s.rowTree(now, of[at], row))
		if p.twin.Exists() {
			if twin := p.twin.Index(index[at]); twin.Exists() {
				splice.Merge(ed, twin, s.rowTree(old, oldOf[at], twin), s.rowTree(now, of[at], twin))
			}
		}
	}
	if same {
		for _, at := range order {
			edit(at)
		}
		return
	}
	// Messages came, went or moved: rows that gave no message stay before the
	// row that followed them.
	gave := map[string]bool{}
	for _, at := range oldOrder {
		gave[at] = true
	}
	used := map[string]bool{}
	var slots, twins []jsondoc.Slot
	keep := func(at string) {
		if used[at] {
			return
		}
		used[at] = true
		for n := index[at] - 1; n >= 0; n-- { // silent rows directly above
			above := p.pointer + "/" + strconv.Itoa(n)
			if gave[above] || used[above] {
				break
			}
			used[above] = true
			slots = append(slots, jsondoc.Slot{Old: rows[above]})
		}
		slots = append(slots, jsondoc.Slot{Old: rows[at]})
		if t := p.twin.Index(index[at]); t.Exists() {
			twins = append(twins, jsondoc.Slot{Old: t})
		}
	}
	fresh := func(ms []lore.ChatMessage) {
		for _, g := range s.group(ms) {
			t := s.rowTree(now, g, jsondoc.Value{})
			slots = append(slots, jsondoc.Slot{New: t})
			twins = append(twins, jsondoc.Slot{New: t})
		}
	}
	var pending []lore.ChatMessage
	flush := func() {
		fresh(pending)
		pending = nil
	}
	for _, m := range now.Messages {
		at := m.Origin.Pointer
		if m.Origin.Format != s.info.Name || !rows[at].Exists() || len(of[at]) != len(oldOf[at]) {
			pending = append(pending, m)
			continue
		}
		flush()
		if !used[at] {
			keep(at)
			edit(at)
		}
	}
	flush()
	for n := range p.list.Items() {
		at := p.pointer + "/" + strconv.Itoa(n)
		if !gave[at] && !used[at] {
			slots = append(slots, jsondoc.Slot{Old: rows[at]})
		}
	}
	ed.Arrange(p.list, slots)
	if p.twin.Exists() {
		ed.Arrange(p.twin, twins)
	}
}

// Rows writes the messages of a chat as rows of the format, and reports what
// the rows cannot say.
func (s *Shape) Rows(chat *lore.Chat, report *format.Report) []*jsondoc.Tree {
	var trees []*jsondoc.Tree
	for _, ms := range s.group(chat.Messages) {
		t := s.rowTree(chat, ms, jsondoc.Value{})
		trees = append(trees, t)
		s.compareRow(chat, ms, t, report)
	}
	return trees
}
