WITH version_check AS (SELECT 1 FROM public.collections WHERE id = $1::uuid AND version = $2::bigint),
"written" AS (
      DELETE FROM org_00000000000070008000000000000002.c_00000000000070008000000000000001 t USING version_check
      WHERE t._id IN (
        SELECT _id FROM org_00000000000070008000000000000002.c_00000000000070008000000000000001 WHERE expires_at <= statement_timestamp()
         LIMIT 1000 FOR UPDATE SKIP LOCKED)
      RETURNING t._id),
"returned" AS (
      INSERT INTO org_00000000000070008000000000000002.quota_returns (collection_id, id, records)
      SELECT $1::uuid, $3::uuid, count(*) FROM "written" HAVING count(*) > 0),
"event" AS (INSERT INTO org_00000000000070008000000000000002.audit_events (id, type, actor, target, changes, correlation_id, ip, count, record_ids, created_at)
    SELECT $4::uuid, $5::text, $6::jsonb, $7::jsonb, $8::jsonb, $9::text, $10::text, count(*)::int, (array_agg(_id))[1:1000], statement_timestamp()
    FROM "written" HAVING count(*) > 0)
SELECT (SELECT count(*) FROM version_check)::int, (SELECT count(*) FROM "written")::int
