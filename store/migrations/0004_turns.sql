-- Which conversation an open turn is of is known to its world: the server's own
-- row is no longer written to in every turn.
INSERT INTO settings (scope, name, value)
	SELECT 'world:' || c.world, t.name, o.value FROM settings t
	JOIN conversations c ON t.scope = 'conversation:' || c.id
	JOIN settings o ON o.scope = t.name AND o.name = 'conversation'
	WHERE t.name LIKE 'turn:%';
DELETE FROM settings WHERE scope LIKE 'turn:%';

-- What is erased after a while is found without a look at every message.
CREATE INDEX nodes_deleted ON nodes (conversation, n) WHERE deleted;
CREATE INDEX node_marks_node ON node_marks (conversation, n, seq);
