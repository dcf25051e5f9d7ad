WITH version_check AS MATERIALIZED (SELECT 1 FROM public.collections WHERE id = $1::uuid AND version = $2::bigint AND org_00000000000070008000000000000002.quota_has_room($1::uuid, 0, 0)),
"input" AS MATERIALIZED (SELECT r.* FROM version_check, pg_temp.staged s, jsonb_to_recordset(s.rows) AS r(_id uuid, n int, x jsonb, d jsonb, c1 text, c2 bigint) WHERE s.batch = $3::integer AND r.n BETWEEN $4::integer AND $5::integer),
"updated" AS (UPDATE org_00000000000070008000000000000002.c_00000000000070008000000000000001 t SET updated_at = greatest(date_trunc('milliseconds', statement_timestamp()), t.updated_at), updated_by = $6::uuid, x = CASE WHEN NOT (CASE WHEN coalesce(octet_length((CASE WHEN r.x IS NULL THEN t.x ELSE t.x || r.x END)::text), 0)::bigint + 6 * coalesce(octet_length(CASE WHEN r.d ? 'c1' THEN r.c1 ELSE t.c1 END), 0)::bigint <= 16000000 THEN false ELSE coalesce(octet_length((CASE WHEN r.x IS NULL THEN t.x ELSE t.x || r.x END)::text), 0)::bigint + octet_length(json_object(ARRAY[''], ARRAY[coalesce(CASE WHEN r.d ? 'c1' THEN r.c1 ELSE t.c1 END, '')])::text)::bigint - 9 > 17277216 END) THEN CASE WHEN r.x IS NULL THEN t.x ELSE t.x || r.x END ELSE public.refuse(t.x, 'TC002') END, c1 = CASE WHEN r.d ? 'c1' THEN r.c1 ELSE t.c1 END, c2 = CASE WHEN r.d ? 'c2' THEN r.c2 ELSE t.c2 END
      FROM "input" r WHERE t.c1 = r.c1 AND (t.expires_at IS NULL OR t.expires_at > statement_timestamp()) RETURNING t._id, r.c1 AS key),
"inserted" AS (
      INSERT INTO org_00000000000070008000000000000002.c_00000000000070008000000000000001 (_id, created_at, updated_at, expires_at, created_by, updated_by, x, c1, c2)
      SELECT r._id, date_trunc('milliseconds', statement_timestamp()), date_trunc('milliseconds', statement_timestamp()), $7::timestamptz, $6::uuid, $6::uuid, coalesce(r.x, '{}'), r.c1, r.c2
      FROM "input" r WHERE NOT EXISTS (SELECT FROM "updated" u WHERE u.key = r.c1) ORDER BY r._id
      RETURNING _id),
"tracked" AS (INSERT INTO pg_temp.merged SELECT _id, true FROM "inserted" UNION ALL SELECT _id, false FROM "updated" ON CONFLICT DO NOTHING)
SELECT (SELECT count(*) FROM version_check)::int AS current, (SELECT count(*) FROM "input")::int AS sent,
      (SELECT count(*) FROM "inserted")::int AS inserted
