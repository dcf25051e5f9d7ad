WITH version_check AS MATERIALIZED (SELECT 1 FROM public.collections WHERE id = $1::uuid AND version = $2::bigint AND CASE WHEN org_00000000000070008000000000000002.quota_holds($1::uuid, $3::bigint) THEN set_config('lock_timeout', '500', true) IS NOT NULL ELSE false END),
"written" AS (
      INSERT INTO org_00000000000070008000000000000002.c_00000000000070008000000000000001 AS t (_id, created_at, updated_at, expires_at, created_by, updated_by, x, c1, c2)
      SELECT r._id, n.at, n.at, $4::timestamptz, r.author, r.author, r.x, r.c1, r.c2
      FROM version_check, (SELECT date_trunc('milliseconds', statement_timestamp()) AS at) n, (SELECT (a.list->>0)::uuid AS _id, a.list->1 AS x, (a.list->>2)::text AS c1, (a.list->>3)::bigint AS c2, (a.list->>4)::uuid AS author
        FROM jsonb_array_elements($5::jsonb) AS a(list)) AS r ON CONFLICT DO NOTHING
      RETURNING t._id),
"event" AS (INSERT INTO org_00000000000070008000000000000002.audit_events (id, type, actor, target, changes, correlation_id, ip, count, record_ids, created_at)
    SELECT (e.list->>1)::uuid, e.list->>2, e.list->3, $6::jsonb, NULL, e.list->>4, e.list->>5, 1,
      ARRAY[(e.list->>0)::uuid], statement_timestamp()
    FROM jsonb_array_elements($7::jsonb) AS e(list)
    WHERE (e.list->>0)::uuid IN (SELECT _id FROM "written"))
SELECT count(*)::int, (SELECT string_agg(_id::text, ',') FROM "written") FROM version_check
