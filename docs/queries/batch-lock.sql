    SELECT p.id, p.tag, p.keys, CASE WHEN octet_length(p.text) <= $1::integer THEN p.text END AS text
    FROM (SELECT 1 FROM public.collections WHERE id = $2::uuid AND version = $3::bigint) f LEFT JOIN LATERAL (
      SELECT t._id::text, (t.xmin::text || '-' || (date_part('epoch', t.updated_at) * 1000)::bigint::text || '-2'), (SELECT row_to_json(k)::text FROM (SELECT t.c1 AS c1) k), CASE WHEN t._id = ANY($4::uuid[]) AND coalesce(pg_column_size(t.x), 0) + coalesce(pg_column_size(t.c1), 0) <= $1::integer THEN CASE WHEN t.x = '{}' THEN row_to_json(r)::text ELSE left(row_to_json(r)::text, -1) || ',' || substr((t.x)::text, 2) END END
      FROM org_00000000000070008000000000000002.c_00000000000070008000000000000001 t CROSS JOIN LATERAL (SELECT t._id AS _id, substr(to_json(t.created_at + '1us'::interval)::text, 2, 23) || 'Z' AS created_at, substr(to_json(t.updated_at + '1us'::interval)::text, 2, 23) || 'Z' AS updated_at, t.c1 AS "customer", t.c2 AS "total") r
      WHERE (t.expires_at IS NULL OR t.expires_at > statement_timestamp()) AND t._id = ANY($5::uuid[])
      ORDER BY t._id FOR UPDATE OF t) p(id, tag, keys, text) ON true
