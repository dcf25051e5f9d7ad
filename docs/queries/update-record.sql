WITH version_check AS (SELECT 1 FROM public.collections WHERE id = $1::uuid AND version = $2::bigint),
"matched" AS (SELECT t._id FROM version_check, org_00000000000070008000000000000002.c_00000000000070008000000000000001 t WHERE (t.expires_at IS NULL OR t.expires_at > statement_timestamp()) AND t._id = $3::uuid
      FOR UPDATE OF t),
"written" AS (
      UPDATE org_00000000000070008000000000000002.c_00000000000070008000000000000001 t SET updated_at = greatest(date_trunc('milliseconds', statement_timestamp()), t.updated_at), updated_by = $4::uuid, c2 = CASE WHEN (coalesce(t.c2, 0) + $5::bigint) BETWEEN -9007199254740991 AND 9007199254740991 THEN (coalesce(t.c2, 0) + $5::bigint) ELSE public.refuse(coalesce(t.c2, 0) + $5::bigint, '22003') END, x = CASE WHEN octet_length((t.x || $6::jsonb)::text) <= 750000 THEN t.x || $6::jsonb ELSE public.refuse(t.x, 'TC002') END
      FROM "matched" m WHERE t._id = m._id AND (t.c2 IS DISTINCT FROM CASE WHEN (coalesce(t.c2, 0) + $5::bigint) BETWEEN -9007199254740991 AND 9007199254740991 THEN (coalesce(t.c2, 0) + $5::bigint) ELSE public.refuse(coalesce(t.c2, 0) + $5::bigint, '22003') END OR t.x IS DISTINCT FROM CASE WHEN octet_length((t.x || $6::jsonb)::text) <= 750000 THEN t.x || $6::jsonb ELSE public.refuse(t.x, 'TC002') END) AND true
      RETURNING t._id),
"event" AS (INSERT INTO org_00000000000070008000000000000002.audit_events (id, type, actor, target, changes, correlation_id, ip, count, record_ids, created_at)
    SELECT $7::uuid, $8::text, $9::jsonb, $10::jsonb, $11::jsonb, $12::text, $13::text, count(*)::int, (array_agg(_id))[1:1000], statement_timestamp()
    FROM "written" HAVING count(*) > 0)
    SELECT (SELECT count(*) FROM version_check)::int AS current, (SELECT count(*) FROM "matched")::int AS matched,
      (SELECT count(*) FROM "written")::int AS written
