WITH version_check AS MATERIALIZED (SELECT 1 FROM public.collections WHERE id = $1::uuid AND version = $2::bigint AND CASE WHEN org_00000000000070008000000000000002.quota_holds($1::uuid, $3::bigint) THEN set_config('lock_timeout', '500', true) IS NOT NULL ELSE false END),
"free" AS MATERIALIZED (SELECT (e.list->>0)::uuid AS _id, e.list
    FROM version_check, jsonb_array_elements($4::jsonb) AS e(list)
    WHERE CASE WHEN e.list->>7 IS NULL THEN true
      WHEN pg_try_advisory_xact_lock(hashtextextended((e.list->>6) || ' ' || (e.list->>7), 3)) THEN (SELECT true FROM org_00000000000070008000000000000002.idempotency_keys k WHERE k.caller = e.list->>6 AND k.key = e.list->>7) IS NULL
      ELSE false END),
"written" AS (
      INSERT INTO org_00000000000070008000000000000002.c_00000000000070008000000000000001 AS t (_id, created_at, updated_at, expires_at, created_by, updated_by, x, c1, c2)
      SELECT r._id, n.at, n.at, $5::timestamptz, r.author, r.author, r.x, r.c1, r.c2
      FROM version_check, (SELECT date_trunc('milliseconds', statement_timestamp()) AS at) n, (SELECT (a.list->>0)::uuid AS _id, a.list->1 AS x, (a.list->>2)::text AS c1, (a.list->>3)::bigint AS c2, (a.list->>4)::uuid AS author
        FROM jsonb_array_elements($6::jsonb) AS a(list)) AS r WHERE r._id IN (SELECT _id FROM "free") ON CONFLICT DO NOTHING
      RETURNING t._id),
"event" AS (INSERT INTO org_00000000000070008000000000000002.audit_events (id, type, actor, target, changes, correlation_id, ip, count, record_ids, created_at)
    SELECT (e.list->>1)::uuid, e.list->>2, e.list->3, $7::jsonb, NULL, e.list->>4, e.list->>5, 1,
      ARRAY[(e.list->>0)::uuid], statement_timestamp()
    FROM "free" e
    WHERE (e.list->>0)::uuid IN (SELECT _id FROM "written")),
"stored" AS (INSERT INTO org_00000000000070008000000000000002.idempotency_keys (caller, key, request, status, answer, sealed, created_at)
    SELECT e.list->>6, e.list->>7, decode(e.list->>8, 'hex'), (e.list->>9)::smallint, format(($8::text[])[(e.list->>10)::int], e._id),
      false, statement_timestamp()
    FROM "free" e WHERE e.list->>7 IS NOT NULL AND e._id IN (SELECT _id FROM "written"))
SELECT count(*)::int, (SELECT string_agg(_id::text, ',') FROM "written") FROM version_check
