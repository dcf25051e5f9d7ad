WITH version_check AS MATERIALIZED (SELECT 1 FROM public.collections WHERE id = $1::uuid AND version = $2::bigint AND org_00000000000070008000000000000002.quota_has_room($1::uuid, 0, $3::bigint)),
"input" AS MATERIALIZED (SELECT r.* FROM version_check, jsonb_to_recordset($4::jsonb) AS r(_id uuid, x jsonb, c1 text, c2 bigint, d jsonb)),
"fresh" AS (SELECT count(*) AS n FROM "input" r WHERE NOT EXISTS (SELECT FROM org_00000000000070008000000000000002.c_00000000000070008000000000000001 t WHERE t.c1 = r.c1 AND (t.expires_at IS NULL OR t.expires_at > statement_timestamp()))),
"capacity" AS MATERIALIZED (SELECT 1 FROM version_check, "fresh" WHERE org_00000000000070008000000000000002.quota_has_room($1::uuid, "fresh".n, $3::bigint)),
"locked" AS MATERIALIZED (
      SELECT FROM org_00000000000070008000000000000002.c_00000000000070008000000000000001 t, "capacity" WHERE t.c1 IN (SELECT r.c1 FROM "input" r) AND (t.expires_at IS NULL OR t.expires_at > statement_timestamp())
      ORDER BY t._id FOR NO KEY UPDATE OF t),
"updated" AS (
      UPDATE org_00000000000070008000000000000002.c_00000000000070008000000000000001 t SET updated_at = greatest(date_trunc('milliseconds', statement_timestamp()), t.updated_at), updated_by = $5::uuid, x = CASE WHEN NOT (CASE WHEN coalesce(octet_length((CASE WHEN r.x IS NULL THEN t.x ELSE t.x || r.x END)::text), 0)::bigint + 6 * coalesce(octet_length(CASE WHEN r.d ? 'c1' THEN r.c1 ELSE t.c1 END), 0)::bigint <= 16000000 THEN false ELSE coalesce(octet_length((CASE WHEN r.x IS NULL THEN t.x ELSE t.x || r.x END)::text), 0)::bigint + octet_length(json_object(ARRAY[''], ARRAY[coalesce(CASE WHEN r.d ? 'c1' THEN r.c1 ELSE t.c1 END, '')])::text)::bigint - 9 > 17277216 END) THEN CASE WHEN r.x IS NULL THEN t.x ELSE t.x || r.x END ELSE public.refuse(t.x, 'TC002') END, c1 = CASE WHEN r.d ? 'c1' THEN r.c1 ELSE t.c1 END, c2 = CASE WHEN r.d ? 'c2' THEN r.c2 ELSE t.c2 END
      FROM "input" r, "capacity" WHERE t.c1 = r.c1 AND (t.expires_at IS NULL OR t.expires_at > statement_timestamp()) AND (SELECT count(*) FROM "locked") >= 0
      RETURNING t._id, t.c1 AS key),
"inserted" AS (
      INSERT INTO org_00000000000070008000000000000002.c_00000000000070008000000000000001 (_id, created_at, updated_at, expires_at, created_by, updated_by, x, c1, c2)
      SELECT r._id, date_trunc('milliseconds', statement_timestamp()), date_trunc('milliseconds', statement_timestamp()), $6::timestamptz, $5::uuid, $5::uuid, coalesce(r.x, '{}'), r.c1, r.c2
      FROM "input" r, "capacity" WHERE NOT EXISTS (SELECT FROM "updated" u WHERE u.key = r.c1)
      RETURNING _id),
"taken" AS MATERIALIZED (SELECT org_00000000000070008000000000000002.quota_take($1::uuid, (SELECT count(*) FROM "inserted"), $3::bigint)),
"written" AS (SELECT _id FROM "updated" UNION ALL SELECT _id FROM "inserted"),
"event" AS (INSERT INTO org_00000000000070008000000000000002.audit_events (id, type, actor, target, changes, correlation_id, ip, count, record_ids, created_at)
    SELECT $7::uuid, $8::text, $9::jsonb, $10::jsonb, $11::jsonb, $12::text, $13::text, count(*)::int, (array_agg(_id))[1:1000], statement_timestamp()
    FROM "written" HAVING count(*) > 0)
    SELECT (SELECT count(*) FROM version_check)::int AS current, (SELECT n FROM "fresh")::int AS fresh,
      (SELECT count(*) FROM "capacity")::int AS capacity, (SELECT count(*) FROM "taken")::int AS taken
