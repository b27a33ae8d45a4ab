-- What makes reading and repeating quick.
CREATE TABLE categories (
	world        TEXT NOT NULL REFERENCES worlds (id),
	conversation TEXT NOT NULL,
	id           TEXT NOT NULL,
	parent       TEXT NOT NULL,
	book         TEXT NOT NULL,
	name         TEXT NOT NULL,
	summary      TEXT NOT NULL,
	position     INTEGER NOT NULL,
	PRIMARY KEY (world, conversation, id)
) STRICT;

CREATE TABLE category_entries (
	world        TEXT NOT NULL,
	conversation TEXT NOT NULL,
	book         TEXT NOT NULL,
	entry        TEXT NOT NULL,
	category     TEXT NOT NULL,
	position     INTEGER NOT NULL,
	PRIMARY KEY (world, conversation, book, entry),
	FOREIGN KEY (world, conversation, category) REFERENCES categories (world, conversation, id)
) STRICT;
CREATE INDEX category_entries_category ON category_entries (world, conversation, category);

CREATE TABLE head_views (
	conversation TEXT NOT NULL PRIMARY KEY REFERENCES conversations (id),
	node         TEXT NOT NULL,
	world_seq    INTEGER NOT NULL,
	stamp        TEXT NOT NULL,
	body         BLOB NOT NULL
) STRICT;

CREATE TABLE responses (
	scope        TEXT NOT NULL,
	name         TEXT NOT NULL,
	request      TEXT NOT NULL,
	world        TEXT NOT NULL,
	conversation TEXT NOT NULL,
	status       INTEGER NOT NULL,
	header       BLOB NOT NULL,
	body         BLOB NOT NULL,
	time         INTEGER NOT NULL,
	PRIMARY KEY (scope, name)
) STRICT;
CREATE INDEX responses_time ON responses (time);
CREATE INDEX responses_world ON responses (world, conversation);

CREATE TABLE settings (
	scope TEXT NOT NULL,
	name  TEXT NOT NULL,
	value BLOB NOT NULL,
	PRIMARY KEY (scope, name)
) STRICT;
