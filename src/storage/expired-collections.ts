import { type CollectionShape, tableOf } from './collection-shape.js';
import type { Statement } from './statement.js';

/** Which of these collections hold expired records: one row, `ids`. Only reads. */
export function expiredCollectionsStatement(shapes: readonly CollectionShape[]): Statement {
  const probes = shapes.map(
    (shape, index) =>
      `SELECT ($1::uuid[])[${index + 1}] AS id WHERE EXISTS (SELECT 1 FROM ${tableOf(shape)} WHERE expires_at <= statement_timestamp())`,
  );
  return {
    text: `SELECT coalesce(array_agg(id::text), '{}') AS ids FROM (${probes.join(' UNION ALL ')}) AS found`,
    values: [shapes.map(({ id }) => id)],
  };
}
