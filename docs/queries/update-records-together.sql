WITH version_check AS MATERIALIZED (SELECT 1 FROM public.collections WHERE id = $1::uuid AND version = $2::bigint AND set_config('lock_timeout', '500', true) IS NOT NULL),
"matched" AS (SELECT t._id FROM version_check, org_00000000000070008000000000000002.c_00000000000070008000000000000001 t WHERE (t.expires_at IS NULL OR t.expires_at > statement_timestamp()) AND t._id = ANY($3::uuid[])
    ORDER BY t._id FOR UPDATE OF t),
"written" AS (
      UPDATE org_00000000000070008000000000000002.c_00000000000070008000000000000001 t SET updated_at = greatest(date_trunc('milliseconds', statement_timestamp()), t.updated_at), updated_by = r.author, c2 = CASE WHEN (coalesce(t.c2, 0) + r.v0) BETWEEN -9007199254740991 AND 9007199254740991 THEN (coalesce(t.c2, 0) + r.v0) ELSE public.refuse(coalesce(t.c2, 0) + r.v0, '22003') END, x = CASE WHEN octet_length((t.x || r.x)::text) <= 750000 THEN t.x || r.x ELSE public.refuse(t.x, 'TC002') END
      FROM "matched" m JOIN jsonb_to_recordset($4::jsonb) AS r(_id uuid, author uuid, x jsonb, u text[], v0 bigint) ON r._id = m._id
      WHERE t._id = m._id AND (t.c2 IS DISTINCT FROM CASE WHEN (coalesce(t.c2, 0) + r.v0) BETWEEN -9007199254740991 AND 9007199254740991 THEN (coalesce(t.c2, 0) + r.v0) ELSE public.refuse(coalesce(t.c2, 0) + r.v0, '22003') END OR t.x IS DISTINCT FROM CASE WHEN octet_length((t.x || r.x)::text) <= 750000 THEN t.x || r.x ELSE public.refuse(t.x, 'TC002') END)
      RETURNING t._id),
"event" AS (INSERT INTO org_00000000000070008000000000000002.audit_events (id, type, actor, target, changes, correlation_id, ip, count, record_ids, created_at)
    SELECT (e.list->>1)::uuid, e.list->>2, e.list->3, $5::jsonb, NULL, e.list->>4, e.list->>5, 1,
      ARRAY[(e.list->>0)::uuid], statement_timestamp()
    FROM jsonb_array_elements($6::jsonb) AS e(list)
    WHERE (e.list->>0)::uuid IN (SELECT _id FROM "written"))
SELECT (SELECT count(*) FROM version_check)::int AS current, (SELECT string_agg(_id::text, ',') FROM "matched") AS matched, (SELECT string_agg(_id::text, ',') FROM "written") AS written
