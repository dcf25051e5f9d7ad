UPDATE org_00000000000070008000000000000002.c_00000000000070008000000000000001 t SET c1 = r.v
    FROM jsonb_to_recordset($1::jsonb) AS r(_id uuid, v text) WHERE t._id = r._id
