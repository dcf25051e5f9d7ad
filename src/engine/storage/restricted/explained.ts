import { joined, param, type Sql, sql } from '../../../base/sql/index.js';
import type { Rule } from '../../rules/grant.js';
import { alive, type CollectionShape } from '../collection-shape.js';
import { NOW, rowSource } from '../records/insert.js';
import type { Row } from '../records/record-layout.js';
import { type Read, versionCheck } from '../statement.js';
import { columnLists, tableOf } from '../table-sql.js';
import { ruleHolds } from './seen.js';

/** Which record rules are about: one of the collection, or one that would be inserted. */
export type ExplainedRecord = { readonly id: string } | { readonly row: Row; readonly author: string | null };

/** Which of the rules hold for the record, in their order; undefined when there is no such record. */
export function explainedStatement(
  whole: CollectionShape,
  record: ExplainedRecord,
  rules: readonly Rule[],
): Read<readonly boolean[] | undefined> {
  const holds = sql`ARRAY[${joined(rules.map(rule => ruleHolds(rule, whole)))}]::boolean[]`;
  return {
    query: sql`SELECT to_jsonb((SELECT ${holds} FROM ${source(whole, record)})) FROM (${versionCheck(whole)}) f`,
    decode: rows => {
      const [[held] = []] = rows;
      return typeof held === 'string' ? JSON.parse(held) : (held ?? undefined);
    },
  };
}

function source(whole: CollectionShape, record: ExplainedRecord): Sql {
  if ('id' in record)
    return sql`${tableOf(whole)} t WHERE ${alive(whole)} AND t._id = ${param(record.id, 'uuid')}`;
  // The columns that an insert would give the record. `rowSource` has the alias `r`.
  const author = param(record.author, 'uuid');
  const { ofRow } = columnLists(whole);
  return sql`(SELECT r._id, ${NOW} AS created_at, ${NOW} AS updated_at, ${author} AS created_by, ${author} AS updated_by,
      coalesce(r.x, '{}') AS x${ofRow} FROM ${rowSource(whole, JSON.stringify([record.row]))}) t`;
}
