import { joined, type Sql, sql } from '../../sql/index.js';
import { compileFilter } from '../compile.js';
import { fieldExpression } from '../field-expression.js';
import type { TableShape } from '../table-shape.js';
import { pullsOf } from './apply.js';
import type { PullOperation, Update } from './tree.js';

const NONE = sql`NULL::jsonb`;

/**
 * SQL of the `pulled` that `applyUpdate` needs for one record: a jsonb array with an array of positions (or null) for
 * each `$pull` with a filter; NULL when there is no such `$pull`. Source: manual, `$pull`.
 */
export function pulledElements(update: Update, shape: TableShape): Sql {
  const pulls = pullsOf(update);
  if (pulls.length === 0) return NONE;
  // A function takes at most 100 arguments; an array has no such limit.
  return sql`to_jsonb(ARRAY[${joined(pulls.map(pull => positions(pull, shape)))}]::jsonb[])`;
}

function positions({ path, filter, wrapped }: PullOperation, shape: TableShape): Sql {
  const { sql: value, type } = fieldExpression(path, shape);
  if (type?.family === 'scalar') return NONE;
  const items = sql`CASE WHEN jsonb_typeof(${value}) = 'array' THEN ${value} ELSE '[]' END`;
  const element: TableShape = {
    flexible: wrapped ? sql`jsonb_build_object('v', pulling.v)` : sql`pulling.v`,
    column: () => undefined,
    textColumns: [],
  };
  const matches = compileFilter(filter, element);
  const ofKind = wrapped ? sql`TRUE` : sql`jsonb_typeof(pulling.v) = 'object'`;
  return sql`(SELECT jsonb_agg(pulling.i - 1) FROM jsonb_array_elements(${items}) WITH ORDINALITY AS pulling(v, i)
    WHERE ${ofKind} AND (${matches}))`;
}
