import { type Sql, sql } from '../../../base/sql/index.js';

/*
 * What an update replaced is stored beside the record after it, as the JSON text
 *
 *   {"was": {fields that the update changed or removed, as they were}, "not": [fields that it added], "by": [authors]}
 *
 * It is null for all other changes, and for updates from before it was stored.
 */

/** SQL of this text. `before`: the row of the record before; `both`: has the jsonb values `was` and `now` of the record. */
export function replacedValues(before: Sql, both: Sql): Sql {
  return sql`jsonb_build_object(
          'was', (SELECT coalesce(jsonb_object_agg(e.key, e.value), '{}') FROM jsonb_each(${both}.was) e
            WHERE e.value IS DISTINCT FROM ${both}.now -> e.key),
          'not', (SELECT coalesce(jsonb_agg(e.key), '[]') FROM jsonb_object_keys(${both}.now) e(key) WHERE NOT ${both}.was ? e.key),
          'by', jsonb_build_array(${before}.created_by, ${before}.updated_by))::text`;
}

/** SQL of a query of the record before the change `c`, with its authors; no row when it is not known. */
export function recordBefore(): Sql {
  return sql`
        SELECT (c.record::jsonb - ARRAY(SELECT jsonb_array_elements_text(r.values -> 'not'))) || (r.values -> 'was') AS record,
          (r.values -> 'by' ->> 0)::uuid AS created_by, (r.values -> 'by' ->> 1)::uuid AS updated_by
        FROM (SELECT c.replaced::jsonb AS values WHERE c.replaced IS NOT NULL OFFSET 0) r`;
}

/** SQL of the size of a change. */
export const STORED_BYTES: Sql = sql`octet_length(record) + coalesce(octet_length(replaced), 0)`;
