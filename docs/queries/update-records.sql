WITH version_check AS (SELECT 1 FROM public.collections WHERE id = $1::uuid AND version = $2::bigint AND org_00000000000070008000000000000002.claim_idempotency_key($3::text, $4::text)),
"matched" AS (SELECT t._id FROM version_check, org_00000000000070008000000000000002.c_00000000000070008000000000000001 t WHERE (t.expires_at IS NULL OR t.expires_at > statement_timestamp()) AND ((t.c1 = $5::text AND t.c2 >= $6::bigint AND t.x @@ $7::jsonpath))
    ORDER BY coalesce(t._id, t._id) LIMIT $8::bigint FOR UPDATE OF t),
"written" AS (
      UPDATE org_00000000000070008000000000000002.c_00000000000070008000000000000001 t SET updated_at = greatest(date_trunc('milliseconds', statement_timestamp()), t.updated_at), updated_by = $9::uuid, c2 = CASE WHEN (coalesce(t.c2, 0) + $10::bigint) BETWEEN -9007199254740991 AND 9007199254740991 THEN (coalesce(t.c2, 0) + $10::bigint) ELSE public.refuse(coalesce(t.c2, 0) + $10::bigint, '22003') END, x = CASE WHEN octet_length((t.x || $11::jsonb)::text) <= 750000 THEN t.x || $11::jsonb ELSE public.refuse(t.x, 'TC002') END
      FROM "matched" m WHERE t._id = m._id AND (t.c2 IS DISTINCT FROM CASE WHEN (coalesce(t.c2, 0) + $10::bigint) BETWEEN -9007199254740991 AND 9007199254740991 THEN (coalesce(t.c2, 0) + $10::bigint) ELSE public.refuse(coalesce(t.c2, 0) + $10::bigint, '22003') END OR t.x IS DISTINCT FROM CASE WHEN octet_length((t.x || $11::jsonb)::text) <= 750000 THEN t.x || $11::jsonb ELSE public.refuse(t.x, 'TC002') END) AND (SELECT count(*) FROM "matched") <= $12::bigint
      RETURNING t._id),
"event" AS (INSERT INTO org_00000000000070008000000000000002.audit_events (id, type, actor, target, changes, correlation_id, ip, count, record_ids, created_at)
    SELECT $13::uuid, $14::text, $15::jsonb, $16::jsonb, $17::jsonb, $18::text, $19::text, count(*)::int, (array_agg(_id))[1:1000], statement_timestamp()
    FROM "written" HAVING count(*) > 0),
"stored" AS (INSERT INTO org_00000000000070008000000000000002.idempotency_keys (caller, key, request, status, answer, sealed, created_at)
    SELECT $20::text, $21::text, $22::bytea, $23::smallint, format($24::text, (SELECT count(*) FROM "matched"), (SELECT count(*) FROM "written"), NULL), $25::boolean, statement_timestamp() WHERE EXISTS (SELECT FROM version_check) AND (SELECT count(*) FROM "matched") <= $12::bigint)
    SELECT (SELECT count(*) FROM version_check)::int AS current, (SELECT count(*) FROM "matched")::int AS matched,
      (SELECT count(*) FROM "written")::int AS written
