-- Work to be done later. seq is the id of the event that told of it, so it
-- follows the order of commits in its world. Who runs it is its owner; token
-- counts how often it was begun, beat rises while its owner lives. due is 0 for
-- at once; since is the time from which a wait was counted, 0 for a fixed time.
-- behind says that something stands before it in its conversation that is not
-- behind and will end: whoever ends that clears the flag of the next one.
CREATE TABLE work (
	id           TEXT NOT NULL PRIMARY KEY,
	world        TEXT NOT NULL REFERENCES worlds (id),
	seq          INTEGER NOT NULL,
	conversation TEXT NOT NULL,
	node         TEXT NOT NULL,
	kind         TEXT NOT NULL,
	unique_key   TEXT,
	state        TEXT NOT NULL,
	priority     INTEGER NOT NULL,
	attempt      INTEGER NOT NULL,
	attempts     INTEGER NOT NULL,
	lost         INTEGER NOT NULL,
	due          INTEGER NOT NULL,
	since        INTEGER NOT NULL,
	owner        TEXT NOT NULL,
	token        INTEGER NOT NULL,
	beat         INTEGER NOT NULL,
	behind       BOOL NOT NULL,
	done         INTEGER NOT NULL,
	total        INTEGER NOT NULL,
	created      INTEGER NOT NULL,
	started      INTEGER NOT NULL,
	finished     INTEGER NOT NULL,
	message      TEXT NOT NULL,
	error        TEXT NOT NULL,
	payload      BLOB NOT NULL,
	result       BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX work_seq ON work (world, seq);
CREATE UNIQUE INDEX work_key ON work (world, unique_key) WHERE unique_key IS NOT NULL;
-- One of a conversation runs at a time: the database sees to it.
CREATE UNIQUE INDEX work_held ON work (conversation) WHERE conversation <> '' AND owner <> '';
CREATE INDEX work_owner ON work (owner) WHERE owner <> '';
CREATE INDEX work_open ON work (conversation, seq, owner, due, since, attempt) WHERE finished = 0;
CREATE INDEX work_queue ON work (priority DESC, created, id) WHERE finished = 0 AND owner = '' AND NOT behind;
CREATE INDEX work_world ON work (world, priority DESC, created, id) WHERE finished = 0 AND owner = '' AND NOT behind;
CREATE INDEX work_due ON work (due) WHERE finished = 0 AND due > 0;
CREATE INDEX work_conversation ON work (conversation, seq) WHERE conversation <> '';
CREATE INDEX work_finished ON work (finished) WHERE finished > 0;
CREATE INDEX work_failed ON work (world, seq) WHERE state = 'failed';
