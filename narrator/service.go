package narrator

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/weft-memory/weft/internal/id"
	"github.com/weft-memory/weft/jobs"
	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/sidecar"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

// Models gives the clients of profiles.
type Models interface {
	// Model returns the client of a profile; nil if there is none.
	Model(profile string) *llm.Client
}

// Clients are the clients of profiles, by name.
type Clients map[string]*llm.Client

// Model returns the client of a profile.
func (c Clients) Model(profile string) *llm.Client { return c[profile] }

// Finder finds entries for a query at a place, best first, for searches and for
// what a scene is about.
type Finder interface {
	Find(ctx context.Context, world string, at world.Place, query string, limit int) ([]memory.Ref, error)
}

// Options configure a Service.
type Options struct {
	// Models are the models. Without a narrator no turn can be told; without a
	// sidecar, or a narrator in its stead, nothing is remembered.
	Models Models
	// Finder finds lore by what it is about. Nil means by names and words.
	Finder Finder
	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
	// Log takes what has no caller to go to. Defaults to slog.Default().
	Log *slog.Logger
}

// Service runs turns. It is safe for concurrent use.
type Service struct {
	opts   Options
	queue  *jobs.Queue
	worlds *world.Service

	ids     id.Maker
	mu      sync.Mutex
	picks   map[string]retrieved // what was picked for the reply to a message
	order   []string             // its keys, the oldest first
	running map[string]func()    // turns under way, and how they are stopped
}

// retrieved is what the sidecar picked, and of which lore.
type retrieved struct {
	stamp   string
	choices []sidecar.Choice
}

// The kinds of work.
const (
	WorkWrite     = "write"
	WorkSummarize = "summarize"
	WorkIngest    = "ingest"
	WorkPrefetch  = "prefetch"
	WorkCommand   = "command"
)

// New returns a service that adds its work to a queue, whose kinds it registers.
// Give it to [world.Options].Watchers, then bind it to the worlds.
func New(queue *jobs.Queue, opts Options) (*Service, error) {
	if opts.Models == nil {
		opts.Models = Clients{}
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	s := &Service{opts: opts, queue: queue, picks: map[string]retrieved{}, running: map[string]func(){}}
	return s, queue.Register(
		jobs.Kind{Name: WorkWrite, Handle: s.write, Attempts: 4, Timeout: 5 * time.Minute},
		jobs.Kind{Name: WorkSummarize, Handle: s.summarize, Attempts: 4, Timeout: 10 * time.Minute},
		jobs.Kind{Name: WorkIngest, Handle: s.ingest, Attempts: 10, Timeout: -1},
		jobs.Kind{Name: WorkPrefetch, Handle: s.prefetch, Attempts: 1, Timeout: time.Minute},
		jobs.Kind{Name: WorkCommand, Handle: s.command, Attempts: 3, Timeout: 5 * time.Minute},
	)
}

// Bind tells the service of the worlds. Nothing else may be called before.
func (s *Service) Bind(worlds *world.Service) { s.worlds = worlds }

// model returns the client for a use: that of the profile, or of one that may
// stand in for it. profile says which.
func (s *Service) model(uses ...string) (client *llm.Client, profile string) {
	for _, p := range uses {
		if c := s.opts.Models.Model(p); c != nil {
			return c, p
		}
	}
	return nil, ""
}

func (s *Service) sidecarModel() (*llm.Client, string) { return s.model(llm.Sidecar, llm.Narrator) }

func (s *Service) historianModel() (*llm.Client, string) {
	return s.model(llm.Historian, llm.Sidecar, llm.Narrator)
}

// ErrNoModel is the error of a turn without a model to tell it.
var ErrNoModel = errors.New("no model tells the story: configure a profile narrator")

// HeadMoved adds work for the reply that a conversation shows now. It takes part
// in the transaction that moved the head: the work is there exactly if the reply
// is. Work for a message that is no longer shown is cancelled by the store.
func (s *Service) HeadMoved(tx *store.Tx, m world.HeadMove) error {
	if c, _ := s.sidecarModel(); c == nil {
		return nil
	}
	reply := m.Reply
	if reply == "" {
		// A swipe back to a reply whose writing was cancelled on the way. What has
		// no record was not told here.
		if len(m.Entered) == 0 || m.Entered[len(m.Entered)-1] != m.New {
			return nil
		}
		reply = m.New
		if _, err := tx.Record(reply); store.KindOf(err) == store.NotFound {
			return nil
		} else if err != nil {
			return err
		}
	}
	if n, err := tx.Node(reply); err != nil || n.Role != lore.RoleAssistant {
		return err
	}
	conv, err := tx.Conversation(m.Conversation)
	if err != nil {
		return err
	}
	w, err := tx.World(m.World)
	if err != nil {
		return err
	}
	set, err := settingsOf(w, conv)
	if err != nil || !isOn(set.On, true) {
		return nil // settings that cannot be read are reported where they are used; the story goes on
	}
	if isOn(set.Write, true) {
		_, _, err := s.queue.Enqueue(tx, jobs.Spec{Kind: WorkWrite, World: m.World, Conversation: m.Conversation, Node: reply, Key: "write:" + reply})
		if err != nil {
			return err
		}
	}
	if isOn(set.Summarize, true) {
		_, _, err := s.queue.Enqueue(tx, jobs.Spec{Kind: WorkSummarize, World: m.World, Conversation: m.Conversation, Node: reply, Key: "summarize:" + reply})
		if err != nil {
			return err
		}
	}
	if set.Retrieve == RetrievePrefetch {
		_, _, err := s.queue.Enqueue(tx, jobs.Spec{Kind: WorkPrefetch, World: m.World, Conversation: m.Conversation, Node: reply, Key: "prefetch:" + reply})
		if err != nil {
			return err
		}
	}
	return nil
}

func settingsOf(w store.World, c store.Conversation) (Settings, error) {
	ofWorld, err := world.ParseSettings(w.Settings)
	if err != nil {
		return Settings{}, err
	}
	own, err := world.ParseSettings(c.Settings)
	if err != nil {
		return Settings{}, err
	}
	return over(ofWorld.Extra[settingSidecar], own.Extra[settingSidecar])
}
