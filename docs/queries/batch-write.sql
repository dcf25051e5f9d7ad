WITH version_check AS MATERIALIZED (SELECT 1 FROM public.collections WHERE id = $1::uuid AND version = $2::bigint AND org_00000000000070008000000000000002.quota_holds($1::uuid, $3::bigint)),
"deleted" AS (DELETE FROM org_00000000000070008000000000000002.c_00000000000070008000000000000001 t USING version_check WHERE t._id = ANY($4::uuid[]) RETURNING t._id),
"updated" AS (
    UPDATE org_00000000000070008000000000000002.c_00000000000070008000000000000001 t SET updated_at = greatest(date_trunc('milliseconds', statement_timestamp()), t.updated_at), c2 = CASE WHEN r.d ? $5::text THEN r.c2 ELSE t.c2 END, x = CASE WHEN octet_length(((t.x - coalesce(r.u, '{}')) || coalesce(r.x, '{}'))::text) <= 16000000 THEN (t.x - coalesce(r.u, '{}')) || coalesce(r.x, '{}') ELSE power(octet_length(((t.x - coalesce(r.u, '{}')) || coalesce(r.x, '{}'))::text)::float8, 400)::text::jsonb END
    FROM version_check, jsonb_to_recordset($6::jsonb) AS r(_id uuid, d jsonb, u text[], x jsonb, c2 bigint)
    WHERE t._id = r._id AND (t.c2 IS DISTINCT FROM CASE WHEN r.d ? $5::text THEN r.c2 ELSE t.c2 END OR t.x IS DISTINCT FROM CASE WHEN octet_length(((t.x - coalesce(r.u, '{}')) || coalesce(r.x, '{}'))::text) <= 16000000 THEN (t.x - coalesce(r.u, '{}')) || coalesce(r.x, '{}') ELSE power(octet_length(((t.x - coalesce(r.u, '{}')) || coalesce(r.x, '{}'))::text)::float8, 400)::text::jsonb END) AND (SELECT count(*) FROM "deleted") >= 0
    RETURNING t._id, t.updated_at, t.xmin::text AS xmin),
"inserted" AS (
    INSERT INTO org_00000000000070008000000000000002.c_00000000000070008000000000000001 AS t (_id, created_at, updated_at, expires_at, x, c1, c2)
    SELECT r._id, n.at, n.at, $7::timestamptz, coalesce(r.x, '{}'), r.c1, r.c2
    FROM version_check, (SELECT date_trunc('milliseconds', statement_timestamp()) AS at) n, jsonb_to_recordset($8::jsonb) AS r(_id uuid, x jsonb, c1 text, c2 bigint) WHERE (SELECT count(*) FROM "deleted") >= 0 AND (SELECT count(*) FROM "updated") >= 0
    RETURNING t._id, t.updated_at, t.xmin::text AS xmin)
SELECT count(*)::int, (SELECT json_object_agg(t._id, (t.xmin::text || '-' || (date_part('epoch', t.updated_at) * 1000)::bigint::text || '-2'))::text FROM (SELECT _id, updated_at, xmin FROM "updated" UNION ALL SELECT _id, updated_at, xmin FROM "inserted") t) FROM version_check
