-- Worlds. The row of a world is its lock: whoever writes in a world holds it.
-- The world '' is the server itself.
CREATE TABLE worlds (
	id            TEXT NOT NULL PRIMARY KEY,
	owner         TEXT NOT NULL,
	name          TEXT NOT NULL,
	settings      BLOB NOT NULL,
	revision      INTEGER NOT NULL,
	seq           INTEGER NOT NULL,
	event         INTEGER NOT NULL,
	version       INTEGER NOT NULL,
	conversations INTEGER NOT NULL,
	messages      INTEGER NOT NULL,
	bytes         INTEGER NOT NULL,
	created       INTEGER NOT NULL,
	changed       INTEGER NOT NULL
) STRICT;
CREATE INDEX worlds_owner ON worlds (owner, created, id);
INSERT INTO worlds (id, owner, name, settings, revision, seq, event, version, conversations, messages, bytes, created, changed)
	VALUES ('', '', '', CAST('{}' AS BLOB), 0, 0, 0, 0, 0, 0, 0, 0, 0);

CREATE TABLE users (
	id       TEXT NOT NULL PRIMARY KEY,
	name     TEXT NOT NULL UNIQUE,
	admin    BOOL NOT NULL,
	disabled BOOL NOT NULL,
	password TEXT NOT NULL,
	quota    BLOB NOT NULL,
	version  INTEGER NOT NULL,
	created  INTEGER NOT NULL,
	changed  INTEGER NOT NULL
) STRICT;

CREATE TABLE tokens (
	id      TEXT NOT NULL PRIMARY KEY,
	holder  TEXT NOT NULL REFERENCES users (id),
	name    TEXT NOT NULL,
	hash    BLOB NOT NULL UNIQUE,
	created INTEGER NOT NULL,
	used    INTEGER NOT NULL,
	expires INTEGER NOT NULL
) STRICT;
CREATE INDEX tokens_holder ON tokens (holder);

CREATE TABLE books (
	world    TEXT NOT NULL REFERENCES worlds (id),
	id       TEXT NOT NULL,
	name     TEXT NOT NULL,
	revision INTEGER NOT NULL,
	source   TEXT NOT NULL,
	deleted  INTEGER NOT NULL,
	version  INTEGER NOT NULL,
	created  INTEGER NOT NULL,
	changed  INTEGER NOT NULL,
	PRIMARY KEY (world, id)
) STRICT;

-- A body is a compressed text, or the difference to that of revision base.
CREATE TABLE book_revisions (
	world    TEXT NOT NULL,
	book     TEXT NOT NULL,
	revision INTEGER NOT NULL,
	hash     TEXT NOT NULL,
	size     INTEGER NOT NULL,
	entries  INTEGER NOT NULL,
	base     INTEGER NOT NULL,
	step     INTEGER NOT NULL,
	body     BLOB NOT NULL,
	author   TEXT NOT NULL,
	note     TEXT NOT NULL,
	time     INTEGER NOT NULL,
	PRIMARY KEY (world, book, revision),
	FOREIGN KEY (world, book) REFERENCES books (world, id)
) STRICT;

CREATE TABLE characters (
	world   TEXT NOT NULL REFERENCES worlds (id),
	id      TEXT NOT NULL,
	name    TEXT NOT NULL,
	card    BLOB NOT NULL,
	version INTEGER NOT NULL,
	created INTEGER NOT NULL,
	changed INTEGER NOT NULL,
	PRIMARY KEY (world, id)
) STRICT;

CREATE TABLE bindings (
	world   TEXT NOT NULL REFERENCES worlds (id),
	scope   TEXT NOT NULL,
	name    TEXT NOT NULL,
	binding BLOB NOT NULL,
	PRIMARY KEY (world, scope, name)
) STRICT;

CREATE TABLE conversations (
	id       TEXT NOT NULL PRIMARY KEY,
	world    TEXT NOT NULL REFERENCES worlds (id),
	title    TEXT NOT NULL,
	head     TEXT NOT NULL,
	seed     INTEGER NOT NULL,
	settings BLOB NOT NULL,
	external TEXT,
	nodes    INTEGER NOT NULL,
	deleted  INTEGER NOT NULL,
	version  INTEGER NOT NULL,
	created  INTEGER NOT NULL,
	changed  INTEGER NOT NULL
) STRICT;
CREATE INDEX conversations_world ON conversations (world, changed, id);
CREATE UNIQUE INDEX conversations_external ON conversations (world, external) WHERE external IS NOT NULL;

CREATE TABLE authors (
	id       TEXT NOT NULL PRIMARY KEY,
	world    TEXT NOT NULL REFERENCES worlds (id),
	name     TEXT NOT NULL,
	external TEXT,
	settings BLOB NOT NULL,
	version  INTEGER NOT NULL,
	created  INTEGER NOT NULL,
	changed  INTEGER NOT NULL
) STRICT;
CREATE INDEX authors_world ON authors (world, id);
CREATE UNIQUE INDEX authors_external ON authors (world, external) WHERE external IS NOT NULL;

-- Nodes are numbered within their conversation from 1, in the order in which
-- they came; 0 is none. The texts stand last, so that the rest is read without
-- them.
CREATE TABLE nodes (
	conversation TEXT NOT NULL REFERENCES conversations (id),
	n            INTEGER NOT NULL,
	parent       INTEGER NOT NULL,
	depth        INTEGER NOT NULL,
	swipe        INTEGER NOT NULL,
	edit_of      INTEGER NOT NULL,
	shown_as     INTEGER NOT NULL,
	hidden       BOOL NOT NULL,
	deleted      BOOL NOT NULL,
	reread       BOOL NOT NULL,
	created      INTEGER NOT NULL,
	id           TEXT NOT NULL UNIQUE,
	world        TEXT NOT NULL,
	role         TEXT NOT NULL,
	kind         TEXT NOT NULL,
	name         TEXT NOT NULL,
	author       TEXT NOT NULL,
	external     TEXT,
	content      BLOB NOT NULL,
	ext          BLOB,
	PRIMARY KEY (conversation, n)
) STRICT;
CREATE INDEX nodes_parent ON nodes (conversation, parent, n);
CREATE UNIQUE INDEX nodes_external ON nodes (world, external) WHERE external IS NOT NULL;

-- What the marks of a node were before the change with this number.
CREATE TABLE node_marks (
	conversation TEXT NOT NULL,
	seq          INTEGER NOT NULL,
	n            INTEGER NOT NULL,
	hidden       BOOL NOT NULL,
	deleted      BOOL NOT NULL,
	shown_as     INTEGER NOT NULL,
	time         INTEGER NOT NULL,
	PRIMARY KEY (conversation, seq),
	FOREIGN KEY (conversation, n) REFERENCES nodes (conversation, n)
) STRICT;

-- The state after a reply: whole if base is 0, else the difference to that of
-- the node base. step counts the differences since the last whole one.
CREATE TABLE node_states (
	conversation TEXT NOT NULL,
	n            INTEGER NOT NULL,
	base         INTEGER NOT NULL,
	step         INTEGER NOT NULL,
	body         BLOB NOT NULL,
	PRIMARY KEY (conversation, n),
	FOREIGN KEY (conversation, n) REFERENCES nodes (conversation, n)
) STRICT;

CREATE TABLE records (
	conversation TEXT NOT NULL,
	n            INTEGER NOT NULL,
	body         BLOB NOT NULL,
	PRIMARY KEY (conversation, n),
	FOREIGN KEY (conversation, n) REFERENCES nodes (conversation, n)
) STRICT;

CREATE TABLE operations (
	id           TEXT NOT NULL PRIMARY KEY,
	world        TEXT NOT NULL REFERENCES worlds (id),
	seq          INTEGER NOT NULL,
	layer        TEXT NOT NULL,
	conversation TEXT NOT NULL,
	node         TEXT NOT NULL,
	book         TEXT NOT NULL,
	entry        TEXT NOT NULL,
	kind         TEXT NOT NULL,
	author       TEXT NOT NULL,
	digest       TEXT NOT NULL,
	retracted    BOOL NOT NULL,
	time         INTEGER NOT NULL,
	body         BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX operations_seq ON operations (world, seq);
CREATE UNIQUE INDEX operations_digest ON operations (world, digest);
CREATE INDEX operations_layer ON operations (world, layer, conversation, seq);
CREATE INDEX operations_entry ON operations (world, book, entry, seq);
CREATE INDEX operations_conversation ON operations (conversation, node) WHERE conversation <> '';

CREATE TABLE operation_marks (
	world     TEXT NOT NULL,
	seq       INTEGER NOT NULL,
	operation TEXT NOT NULL REFERENCES operations (id),
	retracted BOOL NOT NULL,
	time      INTEGER NOT NULL,
	PRIMARY KEY (world, seq)
) STRICT;
CREATE INDEX operation_marks_operation ON operation_marks (operation);

CREATE TABLE events (
	world        TEXT NOT NULL REFERENCES worlds (id),
	id           INTEGER NOT NULL,
	kind         TEXT NOT NULL,
	ref          TEXT NOT NULL,
	conversation TEXT NOT NULL,
	payload      BLOB NOT NULL,
	time         INTEGER NOT NULL,
	PRIMARY KEY (world, id)
) STRICT;
CREATE INDEX events_conversation ON events (conversation) WHERE conversation <> '';
CREATE INDEX events_time ON events (time);
