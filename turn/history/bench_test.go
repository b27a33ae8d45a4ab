package history_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/turn/history"
)

const greeting = `*The ferrywoman looks up from her nets.* "You again. Where to this time?"`

func sentence(conv, i int) string {
	return fmt.Sprintf("*She ties knot %d of rope %d and says nothing for a while.*\n\n\"The tide turns at %d bells,\" she says, \"and the boat %d waits for nobody who dawdles on the pier with a parcel under the arm.\"", i, conv, i%7, conv+i)
}

// many returns an index of conversations that begin alike, and the messages of
// the last one.
func many(conversations, messages int) (*history.Index, []history.Message) {
	x := history.NewIndex()
	var last []history.Message
	for c := range conversations {
		conv := fmt.Sprint("c", c)
		x.AddConversation(conv, "", 0)
		parent := ""
		last = last[:0]
		for i := range messages {
			m := history.Message{Role: lore.RoleAssistant, Text: sentence(c, i)}
			switch {
			case i == 0:
				m.Text = greeting
			case i%2 == 1:
				m = history.Message{Role: lore.RoleUser, Text: []string{"Yes.", "Go on.", fmt.Sprintf("To the pier number %d, please.", i)}[i%3]}
			}
			id := fmt.Sprintf("%s-%d", conv, i)
			x.Add(history.Node{ID: id, Conversation: conv, Parent: parent, Role: m.Role, Texts: []string{m.Text}})
			parent = id
			last = append(last, m)
		}
	}
	return x, last
}

func chat(list []history.Message, new string) *history.Request {
	req := &history.Request{Path: "/v1/chat/completions", Stream: history.On}
	req.Messages = append(req.Messages, history.Message{Role: lore.RoleSystem, Text: "You play the ferrywoman."})
	req.Messages = append(req.Messages, list...)
	req.Messages = append(req.Messages, history.Message{Role: lore.RoleUser, Text: new}, history.Message{Role: lore.RoleSystem, Text: "Stay in the scene."})
	return req
}

func BenchmarkResolve(b *testing.B) {
	for _, c := range []struct{ conversations, messages int }{{1, 200}, {1, 10_000}, {1, 100_000}, {5000, 40}, {100, 1000}} {
		b.Run(fmt.Sprintf("%d_conversations_%d_messages", c.conversations, c.messages), func(b *testing.B) {
			x, last := many(c.conversations, c.messages)
			req := chat(last, "Then let us go.")
			size := 0
			for _, m := range req.Messages {
				size += len(m.Text)
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if d := x.Resolve(req, nil); d.Parent.Write != 1 {
					b.Fatalf("%+v", d)
				}
			}
		})
	}
}

// A prompt of one message that holds the whole history.
func BenchmarkResolveSingle(b *testing.B) {
	x, last := many(1, 1000)
	text := ""
	for _, m := range last {
		name := "Rowan: "
		if m.Role == lore.RoleAssistant {
			name = "Ines: "
		}
		text += name + m.Text + "\n\n"
	}
	req := &history.Request{Stream: history.On, Messages: []history.Message{{Role: lore.RoleUser, Text: text + "Rowan: Then let us go."}}}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		x.Resolve(req, nil)
	}
}

func BenchmarkAdd(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		many(1, 1000)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/message")
}

func BenchmarkMemory(b *testing.B) {
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		x, _ := many(1000, 100)
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/100_000, "B/message")
		runtime.KeepAlive(x)
	}
}
