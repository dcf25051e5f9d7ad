WITH version_check AS MATERIALIZED (SELECT 1 FROM public.collections WHERE id = $1::uuid AND version = $2::bigint AND org_00000000000070008000000000000002.quota_holds($1::uuid, $3::bigint)),
"written" AS (
      INSERT INTO org_00000000000070008000000000000002.c_00000000000070008000000000000001 AS t (_id, created_at, updated_at, expires_at, created_by, updated_by, x, c1, c2)
      SELECT r._id, n.at, n.at, $4::timestamptz, $5::uuid, $5::uuid, r.x, r.c1, r.c2
      FROM version_check, (SELECT date_trunc('milliseconds', statement_timestamp()) AS at) n, (SELECT (a.list->>0)::uuid AS _id, a.list->1 AS x, (a.list->>2)::text AS c1, (a.list->>3)::bigint AS c2
        FROM jsonb_array_elements($6::jsonb) AS a(list)) AS r
      RETURNING t._id),
"event" AS (INSERT INTO org_00000000000070008000000000000002.audit_events (id, type, actor, target, changes, correlation_id, ip, count, record_ids, created_at)
    SELECT $7::uuid, $8::text, $9::jsonb, $10::jsonb, $11::jsonb, $12::text, $13::text, count(*)::int, (array_agg(_id))[1:1000], statement_timestamp()
    FROM "written" HAVING count(*) > 0)
SELECT count(*)::int FROM version_check
