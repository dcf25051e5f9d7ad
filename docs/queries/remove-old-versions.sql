    WITH records AS (SELECT FROM org_00000000000070008000000000000002.c_00000000000070008000000000000001 WHERE false),
    old AS MATERIALIZED (
      SELECT ctid AS place, record_id, version FROM org_00000000000070008000000000000002.h_00000000000070008000000000000001
      WHERE valid_to < $1::timestamptz
      ORDER BY valid_to LIMIT 5000),
    newest AS MATERIALIZED (
      SELECT DISTINCT ON (record_id) place, record_id, version FROM old ORDER BY record_id, version DESC),
    emptied AS (
      UPDATE org_00000000000070008000000000000002.h_00000000000070008000000000000001 v SET valid_from = 'infinity', valid_to = 'infinity', "schema" = NULL, created_at = NULL, expires_at = NULL, created_by = NULL, updated_by = NULL, "x" = NULL, c1 = NULL, c3 = NULL, c2 = NULL
      WHERE v.ctid = ANY(ARRAY(
        SELECT n.place FROM newest n
        WHERE (SELECT true FROM org_00000000000070008000000000000002.c_00000000000070008000000000000001 t WHERE t._id = n.record_id)
          AND n.version = (SELECT max(w.version) FROM org_00000000000070008000000000000002.h_00000000000070008000000000000001 w WHERE w.record_id = n.record_id)))
      RETURNING v.record_id, v.version),
    removed AS (
      DELETE FROM org_00000000000070008000000000000002.h_00000000000070008000000000000001 v WHERE v.ctid = ANY(ARRAY(
        SELECT o.place FROM old o WHERE (o.record_id, o.version) NOT IN (SELECT record_id, version FROM emptied)
        UNION ALL
        SELECT m.place FROM newest n CROSS JOIN LATERAL (
          SELECT w.ctid AS place FROM org_00000000000070008000000000000002.h_00000000000070008000000000000001 w
          WHERE w.record_id = n.record_id AND w.version < n.version AND w.valid_to = 'infinity' OFFSET 0) m))
      RETURNING 1)
    SELECT (SELECT count(*) FROM old)::int AS examined, count(*)::int AS removed FROM removed
