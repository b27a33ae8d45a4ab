package store

import (
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/lore"
)

// skeleton is the tree of a conversation without names and texts: what every
// path is found with. It is remembered from transaction to transaction, since
// nodes never change; their number and that of the newest mark say, in each
// transaction, what is new.
type skeleton struct {
	// created tells two conversations apart that had one id, one after the other.
	created int64
	// mark is the number of the newest mark that the links know.
	mark  int64
	links []link // of the nodes 1, 2, …
}

// link is a node without its texts.
type link struct {
	n, parent, editOf, shownAs int64
	depth, swipe               int
	created                    int64
	hidden, deleted, reread    bool
	role                       lore.Role
	kind                       NodeKind
	id                         string
}

type treeCache = lru[string, *skeleton]

// cachedLinks bounds the nodes of all remembered trees: about 150 bytes each.
const cachedLinks = 400_000

func newTreeCache() *treeCache { return newLRU[string, *skeleton](cachedLinks) }

// at returns the link of a node.
func (s *skeleton) at(n int64) *link {
	if n < 1 || n > int64(len(s.links)) {
		return nil
	}
	return &s.links[n-1]
}

// id returns the id of a node; "" for none.
func (s *skeleton) id(n int64) string {
	if l := s.at(n); l != nil {
		return l.id
	}
	return ""
}

// tree returns the skeleton of a conversation as the transaction sees it.
func (tx *Tx) tree(conversation string) (*skeleton, error) {
	var nodes, mark, created int64
	found, err := tx.row(`SELECT nodes, created, coalesce((SELECT max(seq) FROM node_marks WHERE conversation = $1), 0) FROM conversations WHERE id = $1`,
		[]any{conversation}, &nodes, &created, &mark)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, Errorf(NotFound, "there is no conversation %q", conversation)
	}
	// What a transaction that writes sees is not committed yet: it keeps its own.
	old := tx.trees[conversation]
	if old == nil {
		old, _ = tx.db.trees.get(conversation)
	}
	if old != nil && (old.created != created || old.mark > mark) {
		old = nil
	}
	if old != nil && old.mark == mark && int64(len(old.links)) >= nodes {
		if int64(len(old.links)) == nodes {
			return old, nil
		}
		return &skeleton{created, mark, old.links[:nodes:nodes]}, nil // a moment before the remembered one
	}
	s := &skeleton{created: created, mark: mark}
	if old != nil {
		s.links = slices.Clone(old.links[:min(nodes, int64(len(old.links)))])
		if old.mark < mark {
			if err := tx.readMarks(conversation, old.mark, s); err != nil {
				return nil, err
			}
		}
	}
	if err := tx.readLinks(conversation, nodes, s); err != nil {
		return nil, err
	}
	if tx.write {
		if tx.trees == nil {
			tx.trees = map[string]*skeleton{}
		}
		tx.trees[conversation] = s
	} else {
		tx.db.trees.put(conversation, s, len(s.links)+10)
	}
	return s, nil
}

// The flags of a link in a row.
const (
	flagHidden  = 1
	flagDeleted = 2
	flagReread  = 4
)

const flagColumns = "(CASE WHEN hidden THEN 1 ELSE 0 END + CASE WHEN deleted THEN 2 ELSE 0 END + CASE WHEN reread THEN 4 ELSE 0 END)"

// readLinks reads the nodes behind those that the skeleton has. They come as
// one long text: that is several times faster than rows. No column in it can
// hold its separators.
func (tx *Tx) readLinks(conversation string, nodes int64, s *skeleton) error {
	known := int64(len(s.links))
	if known == nodes {
		return nil
	}
	var text sql.NullString
	_, err := tx.row("SELECT "+tx.db.dialect.join+"(n||','||parent||','||edit_of||','||shown_as||','||depth||','||swipe||','||created||','||"+
		flagColumns+"||','||role||','||kind||','||id, ';') FROM nodes WHERE conversation = $1 AND n > $2", []any{conversation, known}, &text)
	if err != nil {
		return err
	}
	s.links = append(s.links, make([]link, nodes-known)...)
	got := known
	for record := range strings.SplitSeq(text.String, ";") {
		l, err := parseLink(record)
		if err != nil || l.n <= known || l.n > nodes {
			return Errorf(Corrupt, "the messages of the conversation %s are damaged in the database: restore a backup", conversation)
		}
		s.links[l.n-1] = l
		got++
	}
	if got != nodes {
		return Errorf(Corrupt, "the conversation %s lacks messages in the database: restore a backup", conversation)
	}
	return nil
}

func parseLink(record string) (l link, err error) {
	var numbers [8]int64
	rest := record
	for i := range numbers {
		var word string
		word, rest, _ = strings.Cut(rest, ",")
		if numbers[i], err = strconv.ParseInt(word, 10, 64); err != nil {
			return l, fmt.Errorf("%q is no node", record)
		}
	}
	role, rest, _ := strings.Cut(rest, ",")
	kind, id, _ := strings.Cut(rest, ",")
	flags := numbers[7]
	return link{
		n: numbers[0], parent: numbers[1], editOf: numbers[2], shownAs: numbers[3],
		depth: int(numbers[4]), swipe: int(numbers[5]), created: numbers[6],
		hidden: flags&flagHidden != 0, deleted: flags&flagDeleted != 0, reread: flags&flagReread != 0,
		role: lore.Role(role), kind: NodeKind(kind), id: id,
	}, nil
}

// readMarks reads the marks of nodes that changed behind a number.
func (tx *Tx) readMarks(conversation string, mark int64, s *skeleton) error {
	return tx.rows(`SELECT n, hidden, deleted, shown_as FROM nodes WHERE conversation = $1
		AND n IN (SELECT n FROM node_marks WHERE conversation = $1 AND seq > $2)`, []any{conversation, mark}, func(r *sql.Rows) error {
		var n, shownAs int64
		var hidden, deleted bool
		err := r.Scan(&n, &hidden, &deleted, &shownAs)
		if l := s.at(n); l != nil {
			l.hidden, l.deleted, l.shownAs = hidden, deleted, shownAs
		}
		return err
	})
}
