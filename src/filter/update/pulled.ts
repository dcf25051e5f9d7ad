import { compileFilter } from '../compile.js';
import { fieldExpression } from '../field-expression.js';
import type { SqlParameters } from '../sql-parameters.js';
import type { TableShape } from '../table-shape.js';
import { pullsOf } from './apply.js';
import type { PullOperation, Update } from './tree.js';

/**
 * SQL of the `pulled` that `applyUpdate` needs, for one record of the table: a jsonb array with one array of positions
 * (or null) for each `$pull` with a filter; NULL when there is none. Source: manual, `$pull`.
 */
export function pulledElements(update: Update, shape: TableShape, parameters: SqlParameters): string {
  const pulls = pullsOf(update);
  if (pulls.length === 0) return 'NULL::jsonb';
  // A function takes at most 100 arguments; an array has as many elements as one likes.
  return `to_jsonb(ARRAY[${pulls.map(pull => positions(pull, shape, parameters)).join(', ')}]::jsonb[])`;
}

function positions(
  { path, filter, wrapped }: PullOperation,
  shape: TableShape,
  parameters: SqlParameters,
): string {
  const { sql, type } = fieldExpression(path, shape, parameters);
  if (type?.family === 'scalar') return 'NULL::jsonb';
  const items = `CASE WHEN jsonb_typeof(${sql}) = 'array' THEN ${sql} ELSE '[]' END`;
  const element: TableShape = {
    flexible: wrapped ? `jsonb_build_object('v', pulling.v)` : 'pulling.v',
    column: () => undefined,
    textColumns: [],
  };
  const matches = compileFilter(filter, element, parameters);
  const ofKind = wrapped ? 'TRUE' : `jsonb_typeof(pulling.v) = 'object'`;
  return `(SELECT jsonb_agg(pulling.i - 1) FROM jsonb_array_elements(${items}) WITH ORDINALITY AS pulling(v, i)
    WHERE ${ofKind} AND (${matches}))`;
}
