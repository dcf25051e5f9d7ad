    WITH locks AS MATERIALIZED (
  SELECT * FROM pg_locks WHERE locktype IN ('advisory', 'transactionid') AND granted)
    SELECT f.feed, f.kept_xid::float8, f.kept_seq::float8, f.asked_at < now() - interval '1 hour', NOT EXISTS (SELECT FROM pg_trigger g
      WHERE g.tgrelid = to_regclass('org_00000000000070008000000000000002.c_00000000000070008000000000000001') AND g.tgname = 'follow_update' AND g.tgoldtable IS NOT NULL), n.xid::float8, n.seq::float8, h.xid::float8
    FROM (SELECT 1 FROM public.collections WHERE id = $1::uuid AND version = $2::bigint) e
    LEFT JOIN org_00000000000070008000000000000002.record_feeds f ON f.collection_id = $1::uuid
    LEFT JOIN LATERAL (SELECT xid, seq FROM org_00000000000070008000000000000002.record_changes WHERE collection_id = $1::uuid ORDER BY xid DESC, seq DESC LIMIT 1) n ON true
    LEFT JOIN LATERAL (
  SELECT min(s.next + (x.transactionid::text::bigint - s.next % 4294967296 + 6442450944) % 4294967296 - 2147483648) AS xid
  FROM (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next, hashtextextended($1::uuid::text, 4) AS key) s
  JOIN locks l ON l.locktype = 'advisory' AND l.objsubid = 1
    AND l.classid::bigint = ((s.key >> 32) & 4294967295) AND l.objid::bigint = (s.key & 4294967295)
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
  JOIN locks x ON x.locktype = 'transactionid' AND x.mode = 'ExclusiveLock' AND x.virtualtransaction = l.virtualtransaction) h ON true
