WITH version_check AS MATERIALIZED (SELECT 1 FROM public.collections WHERE id = $1::uuid AND version = $2::bigint AND org_00000000000070008000000000000002.quota_has_room($1::uuid, 0, 0)),
"input" AS MATERIALIZED (SELECT r.* FROM version_check, pg_temp.staged s, jsonb_to_recordset(s.rows) AS r(_id uuid, n int, x jsonb, d jsonb, c1 text, c2 bigint) WHERE s.batch = $3::integer AND r.n BETWEEN $4::integer AND $5::integer),
"inserted" AS (
      INSERT INTO org_00000000000070008000000000000002.c_00000000000070008000000000000001 (_id, created_at, updated_at, expires_at, created_by, updated_by, x, c1, c2)
      SELECT r._id, date_trunc('milliseconds', statement_timestamp()), date_trunc('milliseconds', statement_timestamp()), $6::timestamptz, $7::uuid, $7::uuid, coalesce(r.x, '{}'), r.c1, r.c2
      FROM "input" r ORDER BY r._id
      RETURNING _id),
"tracked" AS (INSERT INTO pg_temp.merged SELECT _id, true FROM "inserted" WHERE (SELECT count(*) FROM pg_temp.merged) < 1000 ON CONFLICT DO NOTHING)
SELECT (SELECT count(*) FROM version_check)::int AS current, (SELECT count(*) FROM "input")::int AS sent,
      (SELECT count(*) FROM "inserted")::int AS inserted
