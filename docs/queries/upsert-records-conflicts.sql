    SELECT r._id FROM (SELECT 1 FROM public.collections WHERE id = $1::uuid AND version = $2::bigint) f, jsonb_to_recordset($3::jsonb) AS r(_id uuid, x jsonb, c1 text, c2 bigint)
    WHERE EXISTS (SELECT FROM org_00000000000070008000000000000002.c_00000000000070008000000000000001 t WHERE t.c1 = r.c1 AND t.c2 IS DISTINCT FROM r.c2 AND (t.expires_at IS NULL OR t.expires_at > statement_timestamp()))
