WITH version_check AS (SELECT 1 FROM public.collections WHERE id = $1::uuid AND version = $2::bigint),
"matched" AS (SELECT t._id FROM version_check, org_00000000000070008000000000000002.c_00000000000070008000000000000001 t WHERE (t.expires_at IS NULL OR t.expires_at > statement_timestamp()) AND ((t.c1 = $3::text AND t.c2 >= $4::bigint AND t.x @@ $5::jsonpath))
    ORDER BY coalesce(t._id, t._id) LIMIT $6::bigint FOR UPDATE OF t),
"written" AS (
      DELETE FROM org_00000000000070008000000000000002.c_00000000000070008000000000000001 t USING "matched" m
      WHERE t._id = m._id AND (SELECT count(*) FROM "matched") <= $7::bigint RETURNING t._id),
"returned" AS (
      INSERT INTO org_00000000000070008000000000000002.quota_returns (collection_id, id, records)
      SELECT $1::uuid, $8::uuid, count(*) FROM "written" HAVING count(*) > 0),
"event" AS (INSERT INTO org_00000000000070008000000000000002.audit_events (id, type, actor, target, changes, correlation_id, ip, count, record_ids, created_at)
    SELECT $9::uuid, $10::text, $11::jsonb, $12::jsonb, $13::jsonb, $14::text, $15::text, count(*)::int, (array_agg(_id))[1:1000], statement_timestamp()
    FROM "written" HAVING count(*) > 0)
SELECT (SELECT count(*) FROM version_check)::int, (SELECT count(*) FROM "matched")::int, (SELECT count(*) FROM "written")::int
