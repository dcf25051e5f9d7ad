    WITH present AS MATERIALIZED (
      SELECT t.version, t.updated_at AS valid_from, NULL::timestamptz AS valid_to, t.created_at,
        CASE WHEN t.x = '{}' THEN row_to_json(r)::text ELSE left(row_to_json(r)::text, -1) || ',' || substr((t.x)::text, 2) END AS record
      FROM org_00000000000070008000000000000002.c_00000000000070008000000000000001 t CROSS JOIN LATERAL (SELECT t._id AS _id, substr(to_json(t.created_at + '1us'::interval)::text, 2, 23) || 'Z' AS created_at, substr(to_json(t.updated_at + '1us'::interval)::text, 2, 23) || 'Z' AS updated_at, t.c1 AS "customer", t.c3 AS "total") r WHERE t._id = $1::uuid AND (t.expires_at IS NULL OR t.expires_at > statement_timestamp())),
    listed AS MATERIALIZED (
      SELECT a.* FROM (
        SELECT v.version, v.valid_from, CASE WHEN v.schema IS NOT NULL THEN v.valid_to END AS valid_to, v.created_at
        FROM org_00000000000070008000000000000002.h_00000000000070008000000000000001 v WHERE v.record_id = $2::uuid AND v.valid_to > $3::timestamptz AND v.valid_to < 'infinity'
          AND (v.expires_at IS NULL OR v.expires_at > statement_timestamp())
        UNION ALL SELECT version, valid_from, valid_to, created_at FROM present) a WHERE a.version < $4::integer
      ORDER BY a.version DESC LIMIT 51)
    SELECT p.* FROM (SELECT 1 FROM public.collections WHERE id = $5::uuid AND version = $6::bigint) f LEFT JOIN LATERAL (
      SELECT CASE WHEN octet_length(r.record) > $7::integer THEN lpad(left(r.record, 1), 8192) ELSE r.record END, l.version, substr(to_json(l.valid_from + '1us'::interval)::text, 2, 23) || 'Z', substr(to_json(coalesce(l.valid_to, CASE WHEN r.record IS NULL THEN coalesce(n.valid_from, (SELECT valid_from FROM present)) END) + '1us'::interval)::text, 2, 23) || 'Z', coalesce(split_part(e.type, '.', 3), CASE WHEN r.record IS NULL THEN 'deleted' WHEN b.is_deletion OR l.valid_from = l.created_at THEN 'inserted' ELSE 'updated' END), e.actor::text, e.id::text, e.correlation_id, c.changed
      FROM listed l
      CROSS JOIN LATERAL (
        SELECT coalesce((SELECT record FROM present WHERE version = l.version), (SELECT (
    SELECT CASE WHEN v.schema >= 3 THEN CASE WHEN t.x = '{}' THEN row_to_json(r)::text ELSE left(row_to_json(r)::text, -1) || ',' || substr((t.x)::text, 2) END WHEN v.schema IS NOT NULL THEN (jsonb_build_object('_id', t._id, 'created_at', substr(to_json(t.created_at + '1us'::interval)::text, 2, 23) || 'Z', 'updated_at', substr(to_json(t.updated_at + '1us'::interval)::text, 2, 23) || 'Z') || (SELECT coalesce(jsonb_object_agg(c.name, c.value), '{}') FROM (VALUES ('customer', CASE WHEN v.schema >= 1 THEN to_jsonb(v.c1) ELSE (v.x -> 'customer') END, v.schema >= 1), ('total', CASE WHEN v.schema >= 3 THEN to_jsonb(v.c3) ELSE (CASE WHEN v.schema >= 2 THEN to_jsonb(v.c2) ELSE v.x -> 'total' END) END, v.schema >= 2)) c(name, value, existed) WHERE c.existed) || t.x)::text END
    FROM (SELECT v.record_id AS _id, v.created_at, v.valid_from AS updated_at, v.created_by, v.updated_by, v.x, v.c1, v.c3) t CROSS JOIN LATERAL (SELECT t._id AS _id, substr(to_json(t.created_at + '1us'::interval)::text, 2, 23) || 'Z' AS created_at, substr(to_json(t.updated_at + '1us'::interval)::text, 2, 23) || 'Z' AS updated_at, t.c1 AS "customer", t.c3 AS "total") r) FROM org_00000000000070008000000000000002.h_00000000000070008000000000000001 v WHERE v.record_id = $2::uuid AND v.version = l.version)) AS record OFFSET 0) r
      LEFT JOIN LATERAL (
        SELECT v.version, v.event_id, (v.schema IS NULL AND v.valid_to < 'infinity') AS is_deletion, (
    SELECT CASE WHEN v.schema >= 3 THEN CASE WHEN t.x = '{}' THEN row_to_json(r)::text ELSE left(row_to_json(r)::text, -1) || ',' || substr((t.x)::text, 2) END WHEN v.schema IS NOT NULL THEN (jsonb_build_object('_id', t._id, 'created_at', substr(to_json(t.created_at + '1us'::interval)::text, 2, 23) || 'Z', 'updated_at', substr(to_json(t.updated_at + '1us'::interval)::text, 2, 23) || 'Z') || (SELECT coalesce(jsonb_object_agg(c.name, c.value), '{}') FROM (VALUES ('customer', CASE WHEN v.schema >= 1 THEN to_jsonb(v.c1) ELSE (v.x -> 'customer') END, v.schema >= 1), ('total', CASE WHEN v.schema >= 3 THEN to_jsonb(v.c3) ELSE (CASE WHEN v.schema >= 2 THEN to_jsonb(v.c2) ELSE v.x -> 'total' END) END, v.schema >= 2)) c(name, value, existed) WHERE c.existed) || t.x)::text END
    FROM (SELECT v.record_id AS _id, v.created_at, v.valid_from AS updated_at, v.created_by, v.updated_by, v.x, v.c1, v.c3) t CROSS JOIN LATERAL (SELECT t._id AS _id, substr(to_json(t.created_at + '1us'::interval)::text, 2, 23) || 'Z' AS created_at, substr(to_json(t.updated_at + '1us'::interval)::text, 2, 23) || 'Z' AS updated_at, t.c1 AS "customer", t.c3 AS "total") r) AS record
        FROM org_00000000000070008000000000000002.h_00000000000070008000000000000001 v WHERE v.record_id = $2::uuid AND v.version = l.version - 1 AND l.valid_from >= $3::timestamptz OFFSET 0) b ON true
      LEFT JOIN LATERAL (SELECT v.valid_from FROM org_00000000000070008000000000000002.h_00000000000070008000000000000001 v WHERE v.record_id = $2::uuid AND v.version = l.version + 1 AND v.valid_to < 'infinity') n ON true
      LEFT JOIN LATERAL (
    SELECT type, actor, id, correlation_id FROM org_00000000000070008000000000000002.audit_events WHERE id = b.event_id
    UNION ALL
    (SELECT type, actor, id, correlation_id FROM org_00000000000070008000000000000002.audit_events a WHERE b.version IS NULL AND l.valid_from = l.created_at AND a.target->>'id' = $8::text
      AND a.id BETWEEN (lpad(to_hex((date_part('epoch', l.valid_from - interval '2 minutes') * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid AND (lpad(to_hex((date_part('epoch', l.valid_from + interval '2 minutes') * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
      AND a.record_ids @> ARRAY[$9::uuid] ORDER BY a.id LIMIT 1)) e ON true
      CROSS JOIN LATERAL (
    SELECT coalesce(json_agg(key ORDER BY key), '[]')::text AS changed
    FROM (SELECT coalesce(r.record, '{}')::jsonb AS now, coalesce(b.record, '{}')::jsonb AS was OFFSET 0) d
    CROSS JOIN LATERAL jsonb_object_keys(d.now || d.was) key
    WHERE r.record IS NOT NULL AND nullif(d.now -> key, 'null'::jsonb) IS DISTINCT FROM nullif(d.was -> key, 'null'::jsonb)
      AND key <> ALL(ARRAY['_id', 'created_at', 'updated_at'])) c
      ORDER BY l.version DESC) p ON true
