    SELECT p.record, p.position FROM (SELECT 1 FROM public.collections WHERE id = $1::uuid AND version = $2::bigint) f LEFT JOIN LATERAL (
      SELECT CASE WHEN octet_length(r.record) > $3::integer THEN lpad(left(r.record, 1), 8192) ELSE r.record END AS record, r.position AS position FROM (
        SELECT (SELECT left(w.text, -1) || CASE WHEN w.text = '{}' THEN '' ELSE ',' END || '"_etag":"\"' || (t.xmin::text || '-' || (date_part('epoch', t.updated_at) * 1000)::bigint::text || '-2') || '\""}'
    FROM (SELECT left(row_to_json(r)::text, -1) || CASE WHEN x.fields = '{}' THEN '' ELSE ',' || left(substr(x.fields::text, 2), -1) END || CASE WHEN c.names = '[]' THEN '' ELSE ',"_cut":' || c.names::text END || '}' AS text OFFSET 0) w) AS record, t.position FROM (
        SELECT t.*, t.xmin, json_build_array((t._id)::text)::text AS position FROM org_00000000000070008000000000000002.c_00000000000070008000000000000001 t  WHERE (t.expires_at IS NULL OR t.expires_at > statement_timestamp()) ORDER BY t._id ASC LIMIT 51) t
        CROSS JOIN LATERAL (SELECT 1, left(t.c1, $4::integer + 1) AS c1 OFFSET 0) s
        CROSS JOIN LATERAL (
          SELECT coalesce(jsonb_object_agg(e.key, CASE WHEN char_length(l.head) > $4::integer THEN to_jsonb(left(l.head, $4::integer)) ELSE e.value END), '{}') AS fields,
            coalesce(jsonb_agg(e.key) FILTER (WHERE char_length(l.head) > $4::integer), '[]') AS cut
          FROM jsonb_each((t.x) - '{_etag,_cut}'::text[]) e
          CROSS JOIN LATERAL (SELECT CASE WHEN jsonb_typeof(e.value) IN ('string', 'object', 'array') THEN left(e.value #>> '{}', $4::integer + 1) END AS head OFFSET 0) l) x
        CROSS JOIN LATERAL (
          SELECT to_jsonb(array_remove(ARRAY[CASE WHEN char_length(s.c1) > $4::integer THEN 'customer' END]::text[], NULL)) || x.cut AS names OFFSET 0) c
        CROSS JOIN LATERAL (SELECT t._id AS _id, substr(to_json(t.created_at + '1us'::interval)::text, 2, 23) || 'Z' AS created_at, substr(to_json(t.updated_at + '1us'::interval)::text, 2, 23) || 'Z' AS updated_at, left(s.c1, $4::integer) AS "customer", t.c2 AS "total") r) r) p ON true
