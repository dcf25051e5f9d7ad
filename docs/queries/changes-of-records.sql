    SELECT p.* FROM (SELECT 1 FROM public.collections WHERE id = $1::uuid AND version = $2::bigint) e
    JOIN org_00000000000070008000000000000002.record_feeds f
      ON f.collection_id = $1::uuid AND f.feed = $3::uuid AND (f.kept_xid, f.kept_seq) <= ($4::bigint, $5::bigint)
    LEFT JOIN LATERAL (
      SELECT CASE WHEN s.matches AND NOT s.has_left THEN CASE WHEN octet_length(s.shown) > $6::integer THEN lpad(left(s.shown, 1), 8192) ELSE s.shown END END, s.xid::float8, s.seq::float8, CASE WHEN s.matches THEN CASE WHEN s.has_left THEN 'left' ELSE s.type END END, CASE WHEN s.matches THEN s.record_id::text END, CASE WHEN s.matches THEN s.shown_at END, s.of
      FROM (
        SELECT m.*, count(*) FILTER (WHERE m.matches) OVER (ORDER BY m.xid, m.seq) AS nth
        FROM (
          SELECT c.xid, c.seq, c.type, c.record_id, c.of, substr(to_json(c.changed_at + '1us'::interval)::text, 2, 23) || 'Z' AS shown_at,
            c.record AS shown, (c.record = '{"_id":"' || c.record_id::text || '"}' OR coalesce(((((CASE jsonb_typeof(nullif(d.record -> 'customer', 'null'::jsonb)) WHEN 'string' THEN nullif(d.record -> 'customer', 'null'::jsonb) #>> '{}' END)::text COLLATE "C") = $7::text AND ((CASE WHEN jsonb_typeof(nullif(d.record -> 'total', 'null'::jsonb)) = 'number' THEN CASE WHEN nullif(d.record -> 'total', 'null'::jsonb)::numeric % 1 = 0 AND abs(nullif(d.record -> 'total', 'null'::jsonb)::numeric) <= 9007199254740991 THEN nullif(d.record -> 'total', 'null'::jsonb)::bigint END END)::bigint) >= $8::bigint AND d.record @@ $9::jsonpath)), false)) AS matches, false AS has_left
          FROM (
            SELECT * FROM (
              SELECT *, count(*) OVER ()::int AS of, row_number() OVER w AS place, sum(octet_length(record) + coalesce(octet_length(replaced), 0)) OVER w AS total
              FROM (
                SELECT * FROM org_00000000000070008000000000000002.record_changes WHERE collection_id = $1::uuid AND (xid, seq) > ($4::bigint, $5::bigint) AND (xid, seq) <= ($10::bigint, $11::bigint)
                ORDER BY xid, seq LIMIT 1000) r
              WINDOW w AS (ORDER BY xid, seq)) r
            WHERE place = 1 OR total <= 4194304) c CROSS JOIN LATERAL (SELECT c.record::jsonb AS record, c.created_by, c.updated_by OFFSET 0) d OFFSET 0) m) s
      WHERE s.nth <= $12::bigint
      ORDER BY s.xid, s.seq) p ON true
