import { Injectable } from '@nestjs/common';
import { param, render, sql } from '../../../base/sql/index.js';
import { Replicas } from '../../../platform/database/connections/replicas.js';
import { orgSchema } from '../../../platform/database/org-schema.js';
import { Statements } from '../../../platform/database/statements.js';
import type { IndexDefinition } from '../collection-shape.js';
import { indexName } from '../table/index-names.js';
import { TableAccess } from '../table-access.js';
import type { IndexedShape } from './seen-queries.js';

/**
 * The names that no scan has used in the last 7 days, or since the index was built. PostgreSQL 15 does not know when an
 * index was used, so there only indexes that were never used are found.
 */
function unusedNames({ orgId }: IndexedShape, names: readonly string[]) {
  return render(sql`
    SELECT s.indexrelname FROM pg_stat_user_indexes s
    WHERE s.schemaname = ${param(orgSchema(orgId), 'text')} AND s.indexrelname = ANY(${param(names, 'text[]')})
      AND (s.idx_scan = 0 OR (to_jsonb(s) ->> 'last_idx_scan')::timestamptz < now() - interval '7 days')`);
}

/** Finds out from the statistics of PostgreSQL which indexes are used. */
@Injectable()
export class IndexUses {
  constructor(
    private readonly statements: Statements,
    private readonly replicas: Replicas,
    private readonly tables: TableAccess,
  ) {}

  /**
   * The entries of `indexes` that nothing used, neither on the primary nor on a replica. None where that is unknown: with
   * tables on other servers, or while a replica cannot be asked.
   */
  async unused(collection: IndexedShape): Promise<IndexDefinition[]> {
    const { indexes } = collection;
    if (!this.tables.hasStatistics || indexes.length === 0) return [];
    const named = new Map(indexes.map(index => [indexName(collection, index, false), index]));
    const question = unusedNames(collection, [...named.keys()]);
    const [primary, replicas] = await Promise.all([
      this.statements.run(question.text, question.values),
      this.replicas.readEach(question).catch(() => [[]]),
    ]);
    const isUnused = (name: string) =>
      [primary, ...replicas].every(rows => rows.some(([found]) => found === name));
    return [...named].flatMap(([name, index]) => (isUnused(name) ? [index] : []));
  }
}
