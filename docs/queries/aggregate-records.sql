    SELECT CASE WHEN octet_length(r.result) > $1::integer THEN lpad(left(r.result, 1), 8192) ELSE r.result END FROM (SELECT 1 FROM public.collections WHERE id = $2::uuid AND version = $3::bigint) f LEFT JOIN LATERAL (
      SELECT json_build_object($4::text, g.v0, $5::text, g.v1, $6::text, g.v2)::text AS result
      FROM (
        SELECT i.v0 AS v0, i.v0 AS o0, coalesce(sum(i.v1), 0)::float8 AS v1, coalesce(sum(i.v1), 0)::float8 AS o1, (array_agg(i.v2 ORDER BY i.o2 DESC NULLS LAST))[1] AS v2, max(i.o2) AS o2
        FROM (SELECT t.c1 AS v0, t.c2 AS v1, nullif((t.x #> $7::text[]), 'null') AS v2, (SELECT nullif(min((CASE jsonb_typeof(v) WHEN 'null' THEN '0' WHEN 'number' THEN '1' || lpad(to_hex(i # ((i >> 63) | (-9223372036854775808))), 16, '0') WHEN 'string' THEN '2' || (v #>> '{}') WHEN 'object' THEN '3' || v::text WHEN 'array' THEN '4' || v::text ELSE '5' || v::text END) COLLATE "C"), '0') FROM (SELECT v, CASE WHEN jsonb_typeof(v) = 'number' THEN ('x' || encode(float8send((v)::float8), 'hex'))::bit(64)::bigint END AS i FROM jsonb_path_query(t.x, $8::jsonpath) AS value(v)) AS coded) AS o2 FROM org_00000000000070008000000000000002.c_00000000000070008000000000000001 t  WHERE (t.expires_at IS NULL OR t.expires_at > statement_timestamp()) AND ((t.c1 = $9::text AND t.c2 >= $10::bigint AND t.x @@ $11::jsonpath))) i
        GROUP BY i.v0) g
      WHERE g.v1 > $12::double precision
      ORDER BY g.o1 DESC NULLS LAST, g.o0 ASC NULLS FIRST
      LIMIT 10) r ON true
