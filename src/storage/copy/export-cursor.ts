import { execute, type Queryable } from '../../database/queryable.js';
import { BEGIN_SNAPSHOT } from '../../database/transactions.js';
import {
  compileFilter,
  type Filter,
  orderBy,
  type Projection,
  type Sort,
  sortKeys,
} from '../../filter/index.js';
import type { ByteBudget } from '../../kernel/bounds/byte-budget.js';
import { Slices } from '../../kernel/bounds/slices.js';
import { MAX_RECORD_BYTES } from '../../kernel/limits.js';
import { literal, NOTHING, param, type Sql, sql } from '../../sql/index.js';
import { type CollectionShape, flexibleOf, tableOf, tableShape } from '../collection-shape.js';
import { projector, topLevel } from '../records/projection.js';
import { rowJson, storedBytes } from '../records/row-json.js';
import { Stale } from '../stale.js';
import type { TableAccess } from '../table-access.js';

/** The records to export, their order, and the fields to show. */
export interface ExportQuery {
  readonly filter: Filter | undefined;
  readonly sort: Sort;
  readonly projection: Projection | undefined;
}

/** Rows of the first batch. Later batches have as many rows as add up to LENGTH_AT_ONCE. */
const FIRST_ROWS = 50;
const ROWS_AT_ONCE = 1_000;
const LENGTH_AT_ONCE = 1024 * 1024;
/**
 * Longer records are read one at a time, so that no batch becomes much too large. The second limit is for the stored
 * size, which is compressed.
 */
const LONG_BYTES = 16 * 1024;
const LONG_STORED_BYTES = 8 * 1024;
/** Copies of a long record in memory: as read, as sent, and while it is projected. */
const COPIES = 3;

/** A record, or only the id of a long one. */
interface ExportRow {
  readonly record: string | null;
  readonly id: string;
}

/**
 * Records that had not expired when the snapshot was taken: a record that expires during the export is still exported.
 */
const ALIVE_AT_SNAPSHOT = sql`(t.expires_at IS NULL OR t.expires_at > transaction_timestamp())`;

/** Reads the records of one snapshot in batches, in a transaction that ends with its session. */
export class ExportCursor {
  private constructor(
    private readonly session: Queryable,
    private readonly shape: CollectionShape,
    private readonly query: ExportQuery,
    private readonly budget: ByteBudget,
  ) {}

  /** Takes the snapshot. Throws `Stale` when the collection is no longer in the version of `shape`. */
  static async open(
    tables: TableAccess,
    session: Queryable,
    shape: CollectionShape,
    query: ExportQuery,
    budget: ByteBudget,
  ): Promise<ExportCursor> {
    await session.query(BEGIN_SNAPSHOT);
    const current = await execute(session, tables.versionCheckOfSnapshot(shape));
    if (current.length === 0) throw new Stale();
    return new ExportCursor(session, shape, query, budget);
  }

  /** Names of the records' flexible fields, sorted by code point; `most` + 1 names when there are more than `most`. */
  async flexibleNames(most: number): Promise<string[]> {
    const from = exported(
      this.shape,
      this.query.filter,
      sql`CROSS JOIN LATERAL jsonb_object_keys(${flexibleOf(this.shape)}) k`,
    );
    const rows: { k: string }[] = await execute(
      this.session,
      sql`SELECT k FROM (SELECT DISTINCT k ${from} LIMIT ${literal(Math.trunc(most) + 1)}) names ORDER BY k COLLATE "C"`,
    );
    return rows.map(({ k }) => k);
  }

  /**
   * The records as JSON text, in batches. Memory taken for a long record is returned when the next batch is requested.
   */
  async *records(): AsyncGenerator<string[]> {
    await this.declare();
    const project = projector(this.query.projection);
    const slices = new Slices();
    for (let limit = FIRST_ROWS; ; ) {
      const rows: ExportRow[] = await execute(this.session, sql`FETCH ${literal(limit)} FROM exported`);
      let piece: string[] = [];
      for (const { record, id } of rows) {
        if (record !== null) {
          piece.push(project(record));
          const pause = slices.pause();
          if (pause !== undefined) await pause;
          continue;
        }
        if (piece.length > 0) yield piece;
        piece = [];
        yield* this.long(id, project);
      }
      if (piece.length > 0) yield piece;
      if (rows.length < limit) return;
      const length = rows.reduce((sum, { record }) => sum + (record?.length ?? LONG_BYTES), 0);
      limit = Math.min(ROWS_AT_ONCE, Math.max(1, Math.floor((LENGTH_AT_ONCE * limit) / length)));
    }
  }

  private async declare(): Promise<void> {
    await execute(
      this.session,
      sql`DECLARE exported NO SCROLL CURSOR FOR ${exportedRecords(this.shape, this.query)}`,
    );
  }

  private async *long(id: string, project: (record: string) => string): AsyncGenerator<string[]> {
    const { orgId } = this.shape;
    let held = MAX_RECORD_BYTES * COPIES;
    await this.budget.take(orgId, held);
    try {
      const record = project(await this.read(id));
      const needed = Math.min(held, record.length * COPIES);
      this.budget.give(orgId, held - needed);
      held = needed;
      yield [record];
    } finally {
      this.budget.give(orgId, held);
    }
  }

  private async read(id: string): Promise<string> {
    const record = rowJson(this.shape, topLevel(this.query.projection));
    const [row]: { record: string }[] = await execute(
      this.session,
      sql`SELECT ${record.text} AS record FROM ${tableOf(this.shape)} t ${record.join} WHERE t._id = ${param(id, 'uuid')}`,
    );
    return (row as { record: string }).record;
  }
}

/** SQL of the records that are exported, in order: rows ExportRow. */
export function exportedRecords(shape: CollectionShape, { filter, sort, projection }: ExportQuery): Sql {
  const record = rowJson(shape, topLevel(projection));
  const keys = sortKeys(sort, tableShape(shape));
  const short = sql`CASE WHEN ${storedBytes(shape)} <= ${literal(LONG_STORED_BYTES)} THEN ${record.text} END`;
  return sql`SELECT CASE WHEN octet_length(e.record) <= ${literal(LONG_BYTES)} THEN e.record END AS record, e.id
    FROM (SELECT ${short} AS record, t._id::text AS id ${exported(shape, filter, record.join)} ORDER BY ${orderBy(keys)}) e`;
}

/** `FROM … WHERE …` of the records that are exported, the table as `t`, joined with `join`. */
function exported(shape: CollectionShape, filter: Filter | undefined, join: Sql): Sql {
  const condition = filter === undefined ? NOTHING : sql` AND (${compileFilter(filter, tableShape(shape))})`;
  return sql`FROM ${tableOf(shape)} t ${join} WHERE ${ALIVE_AT_SNAPSHOT}${condition}`;
}
