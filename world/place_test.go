package world

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

func TestTheLoreAsOfANumber(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		type moment struct {
			at    Place
			print string
		}
		var moments []moment
		note := func() {
			l := must(f.Lore(f.ctx, f.world, Place{Conversation: c}))(t)
			moments = append(moments, moment{Place{Conversation: c, Node: l.Node, AsOf: l.Seq}, l.Fingerprint()})
		}
		_, a := f.turn(c, user("Who?"), "Ilka.")
		f.apply(remember(c, a.ID, "Ilka", "Ilka keeps the ford."))
		note()
		f.apply(addTo(c, a.ID, "~story", "Ilka", "She is old."))
		note()
		op := addTo(c, a.ID, "vale", "mill", "It is haunted.")
		op.Layer = memory.LayerWorld
		f.apply(op)
		f.say(c, "One.", "Two.")
		note()
		f.ok(f.Delete(f.ctx, f.world, a.ID))
		note()
		f.ok(f.Undelete(f.ctx, f.world, a.ID))
		for range 2 {
			for i, m := range moments {
				if got := must(f.Lore(f.ctx, f.world, m.at))(t).Fingerprint(); got != m.print {
					t.Errorf("moment %d reads otherwise now", i)
				}
			}
			f.reopen()
		}
		_, err := f.Lore(f.ctx, f.world, Place{AsOf: -1})
		f.fails(err, store.Invalid)
	})
}

func TestEntriesSearchAndCategories(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		c := f.chat()
		at := Place{Conversation: c}
		_, n := f.turn(c, user("Wer?"), "Über Ilka weiß man wenig.")
		e := lore.NewEntry(memory.CategoryID("people"), "Who is who.")
		e.Name = "People"
		f.apply(
			remember(c, n.ID, "Ilka", "Ilka keeps the FORD."),
			Operation{Conversation: c, Layer: memory.LayerStory, Book: memory.StoryBook, Kind: memory.KindCreate, Change: memory.Change{Entry: e}},
			Operation{Conversation: c, Layer: memory.LayerStory, Book: memory.StoryBook, Entry: "Ilka", Kind: memory.KindMove, Change: memory.Change{Category: "people"}},
		)
		list, next, err := f.Entries(f.ctx, f.world, at, EntryFilter{}, store.Page{Limit: 3})
		f.ok(err)
		more, last, err := f.Entries(f.ctx, f.world, at, EntryFilter{}, store.Page{Limit: 3, Cursor: next})
		f.ok(err)
		var ids []string
		for _, e := range append(list, more...) {
			ids = append(ids, e.Ref.Entry)
		}
		if d := cmp.Diff([]string{"mill", "ford", "luck", "Ilka"}, ids); d != "" || last != "" {
			t.Errorf("entries, then %q: %s", last, d)
		}
		story, _, err := f.Entries(f.ctx, f.world, at, EntryFilter{Layer: memory.LayerStory}, store.Page{})
		f.ok(err)
		if len(story) != 1 {
			t.Errorf("of the story: %v", story)
		}
		for _, tt := range []struct {
			query    string
			messages bool
			want     []string
		}{
			{"ford", false, []string{"ford", "Ilka"}},
			{"keeps ford", false, []string{"Ilka"}},
			{"ＩＬＫＡ", false, []string{"Ilka"}},
			{"WEISS", true, []string{n.ID}},
			{"WEISS", false, nil},
		} {
			hits := must(f.Search(f.ctx, f.world, at, tt.query, tt.messages, 0))(t)
			var got []string
			for _, h := range hits {
				got = append(got, h.Ref.Entry+h.Node)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("%q: %s", tt.query, d)
			}
		}
		_, err = f.Search(f.ctx, f.world, at, "  ", false, 0)
		f.fails(err, store.Invalid)
		tree := must(f.Categories(f.ctx, f.world, at))(t)
		var people *memory.Category
		for _, root := range tree {
			for _, k := range root.Children {
				if k.Name == "People" {
					people = k
				}
			}
		}
		if people == nil || len(people.Entries) != 1 {
			t.Errorf("categories: %+v", tree)
		}
		sources := must(f.Provenance(f.ctx, f.world, at, memory.Ref{Book: memory.StoryBook, Entry: "Ilka"}))(t)
		for _, s := range sources {
			if s.Node != n.ID && s.Author.Kind == memory.BySidecar {
				t.Errorf("the source of %q is %q, want %q", s.Field, s.Node, n.ID)
			}
		}
	})
}

// Many at once: nothing is lost, and what is kept agrees with the log.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, f *fixture) {
		f.book()
		var chats []string
		for range 3 {
			chats = append(chats, f.chat())
		}
		var wg sync.WaitGroup
		fail := make(chan error, 100)
		const rounds = 8
		for i := range 6 {
			c := chats[i%len(chats)]
			wg.Go(func() {
				for k := range rounds {
					turn, err := f.BeginTurn(f.ctx, f.world, c, user(fmt.Sprintf("The mill, %d-%d?", i, k)))
					if err != nil {
						fail <- err
						return
					}
					n, err := f.FinishTurn(f.ctx, f.world, turn.ID, Reply{Content: "Yes."})
					if err != nil {
						fail <- err
						return
					}
					if _, err := f.Apply(f.ctx, f.world, remember(c, n.ID, fmt.Sprintf("fact-%d-%d", i, k), "True.")); err != nil {
						fail <- err
					}
				}
			})
			wg.Go(func() {
				for range 2 * rounds {
					if _, err := f.Assemble(f.ctx, f.world, c, "", Assemble{}); err != nil {
						fail <- err
					}
				}
			})
		}
		wg.Wait()
		close(fail)
		for err := range fail {
			t.Error(err)
		}
		fresh := must(Open(f.db, f.opts))(t)
		for _, c := range chats {
			tree := must(f.Tree(f.ctx, f.world, c))(t)
			if len(tree.Nodes) != 2*2*rounds {
				t.Errorf("%d messages, want %d", len(tree.Nodes), 4*rounds)
			}
			kept := must(f.Lore(f.ctx, f.world, Place{Conversation: c}))(t)
			again := must(fresh.Lore(f.ctx, f.world, Place{Conversation: c}))(t)
			if kept.Fingerprint() != again.Fingerprint() {
				t.Error("what is kept differs from what the log says")
			}
		}
	})
}

func TestQuotas(t *testing.T) {
	t.Parallel()
	f := newFixture(t, filepath.Join(t.TempDir(), "weft.db"), Options{})
	f.ok(f.db.Update(f.ctx, func(tx *store.Tx) error {
		_, err := tx.CreateUser(store.User{ID: "ana", Name: "Ana", Quota: store.QuotaLimits{Worlds: 1, Messages: 2}})
		return err
	}))
	ana := As(f.ctx, Caller{User: "ana"})
	w := must(f.CreateWorld(ana, NewWorld{Name: "One"}))(t)
	_, err := f.CreateWorld(ana, NewWorld{Name: "Two"})
	f.fails(err, store.Quota)
	c := must(f.CreateConversation(ana, w.ID, NewConversation{}))(t)
	three := Append{Messages: []Message{{Content: "1"}, {Content: "2"}, {Content: "3"}}}
	_, err = f.Append(ana, w.ID, c.ID, three)
	f.fails(err, store.Quota)
	three.Messages = three.Messages[:2]
	must(f.Append(ana, w.ID, c.ID, three))(t)
}
