import { isPlaced } from '../database/citus/distributed.js';
import type { Queryable } from '../database/queryable.js';
import {
  compileFilter,
  type Filter,
  orderBy,
  type Projection,
  type Sort,
  SqlParameters,
  sortKeys,
} from '../filter/index.js';
import { type CollectionShape, tableOf, tableShape } from './collection-shape.js';
import { nodeFence } from './node-fence.js';
import { cutter } from './projection.js';
import { topLevel } from './read.js';
import { rowJson } from './row-json.js';
import { FENCE } from './statement.js';

/** Which records to export, in which order, and what of them to show. */
export interface ExportQuery {
  readonly filter: Filter | undefined;
  readonly sort: Sort;
  readonly projection: Projection | undefined;
}

const ROWS_AT_ONCE = 1_000;
/** Fetched rows are kept in memory: fewer of them where they are long. */
const LENGTH_AT_ONCE = 1024 * 1024;

/** Alive when the snapshot was taken: an export does not lose what expires while it runs. */
const ALIVE_AT_SNAPSHOT = '(t.expires_at IS NULL OR t.expires_at > transaction_timestamp())';

/** The records of one snapshot, read piece by piece in a transaction of the session's own, which ends with the session. */
export class ExportCursor {
  private constructor(
    private readonly session: Queryable,
    private readonly shape: CollectionShape,
    private readonly query: ExportQuery,
  ) {}

  /** Takes the snapshot; undefined when the collection is no longer what `shape` says. */
  static async open(
    session: Queryable,
    shape: CollectionShape,
    query: ExportQuery,
  ): Promise<ExportCursor | undefined> {
    // What is read later must be of the snapshot in which the fence held: on another node that is a copy of its own.
    const fenced = (await isPlaced(session, shape.orgId)) ? nodeFence(shape.orgId) : FENCE;
    await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    const fence = await session.query(fenced, [shape.id, shape.version]);
    return fence.length === 0 ? undefined : new ExportCursor(session, shape, query);
  }

  /** Names of the flexible fields that the records have, by code point; one more than `most` when there are more. */
  async flexibleNames(most: number): Promise<string[]> {
    const parameters = new SqlParameters([]);
    const from = this.from(parameters, 'CROSS JOIN LATERAL jsonb_object_keys(t.x) k');
    const rows: { k: string }[] = await this.session.query(
      `SELECT k FROM (SELECT DISTINCT k ${from} LIMIT ${Math.trunc(most) + 1}) names ORDER BY k COLLATE "C"`,
      parameters.values,
    );
    return rows.map(({ k }) => k);
  }

  /** The records as JSON text, some at a time. */
  async *records(): AsyncGenerator<string[]> {
    const parameters = new SqlParameters([]);
    const record = rowJson(this.shape, topLevel(this.query.projection), parameters);
    const keys = sortKeys(this.query.sort, tableShape(this.shape), parameters);
    const text = `SELECT ${record.text} AS record ${this.from(parameters, record.join)} ORDER BY ${orderBy(keys)}`;
    await this.session.query(`DECLARE exported NO SCROLL CURSOR FOR ${text}`, parameters.values);
    const cut = cutter(this.query.projection);
    for (let limit = 100; ; ) {
      const rows: { record: string }[] = await this.session.query(`FETCH ${limit} FROM exported`);
      const records = rows.map(row => cut(row.record));
      if (records.length > 0) yield records;
      if (rows.length < limit) return;
      const length = records.reduce((sum, record) => sum + record.length, 0);
      limit = Math.min(ROWS_AT_ONCE, Math.max(1, Math.floor((LENGTH_AT_ONCE * limit) / length)));
    }
  }

  private from(parameters: SqlParameters, join: string): string {
    const { filter } = this.query;
    const condition =
      filter === undefined ? '' : ` AND (${compileFilter(filter, tableShape(this.shape), parameters)})`;
    return `FROM ${tableOf(this.shape)} t ${join} WHERE ${ALIVE_AT_SNAPSHOT}${condition}`;
  }
}
