-- What models were asked and what came of it: searches, picks, writings that
-- failed, with what they cost. Changes to lore stand in operations.
CREATE TABLE activity (
	id           TEXT NOT NULL PRIMARY KEY,
	world        TEXT NOT NULL REFERENCES worlds (id),
	conversation TEXT NOT NULL,
	node         TEXT NOT NULL,
	type         TEXT NOT NULL,
	phase        TEXT NOT NULL,
	time         INTEGER NOT NULL,
	profile      TEXT NOT NULL,
	model        TEXT NOT NULL,
	outcome      TEXT NOT NULL,
	reason       TEXT NOT NULL,
	entries      BLOB NOT NULL,
	operations   BLOB NOT NULL,
	input        INTEGER NOT NULL,
	output       INTEGER NOT NULL,
	cached       INTEGER NOT NULL,
	calls        INTEGER NOT NULL,
	cost         INTEGER NOT NULL,
	currency     TEXT NOT NULL,
	duration     INTEGER NOT NULL,
	detail       BLOB NOT NULL
) STRICT;
CREATE INDEX activity_world ON activity (world, time, id);
CREATE INDEX activity_conversation ON activity (conversation, time, id) WHERE conversation <> '';
CREATE INDEX activity_time ON activity (time);
