    UPDATE org_00000000000070008000000000000002.c_00000000000070008000000000000001 t SET updated_at = greatest(date_trunc('milliseconds', statement_timestamp()), t.updated_at), updated_by = $1::uuid, c2 = r.c2, x = r.x
    FROM jsonb_to_recordset($2::jsonb) AS r(_id uuid, x jsonb, c2 bigint) WHERE t._id = r._id
