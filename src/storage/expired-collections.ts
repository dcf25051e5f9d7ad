import { joined, literal, param, type Sql, sql } from '../sql/index.js';
import { type CollectionShape, tableOf } from './collection-shape.js';

/** Which of these collections hold expired records: one row, `ids`. Only reads. */
export function expiredCollectionsStatement(shapes: readonly CollectionShape[]): Sql {
  const ids = param(
    shapes.map(({ id }) => id),
    'uuid[]',
  );
  const probes = shapes.map(
    (shape, index) => sql`SELECT (${ids})[${literal(index + 1)}] AS id
      WHERE EXISTS (SELECT 1 FROM ${tableOf(shape)} WHERE expires_at <= statement_timestamp())`,
  );
  return sql`SELECT coalesce(array_agg(id::text), '{}') AS ids FROM (${joined(probes, ' UNION ALL ')}) AS found`;
}
