import type { ByteBudget } from '../../../base/kernel/bounds/byte-budget.js';
import { Slices } from '../../../base/kernel/bounds/slices.js';
import { MAX_RECORD_BYTES } from '../../../base/kernel/limits.js';
import {
  identifier,
  joined,
  literal,
  NOTHING,
  param,
  render,
  type Sql,
  sql,
} from '../../../base/sql/index.js';
import { RowReader } from '../../../platform/database/connections/row-reader.js';
import { execute } from '../../../platform/database/queryable.js';
import { BEGIN_SNAPSHOT } from '../../../platform/database/transactions.js';
import { compileFilter, type Filter, orderBy, type Sort, sortKeys } from '../../filter/index.js';
import { type CollectionShape } from '../collection-shape.js';
import { Stale } from '../stale.js';
import type { TableAccess } from '../table-access.js';
import { flexibleOf, tableOf, tableShape } from '../table-sql.js';
import type { CopySession } from './copy-sessions.js';
import type { ExportLayout, ExportPart } from './export-layout.js';
import { TextBuffer } from './text-buffer.js';

/** The records to export, and their order. */
export interface ExportQuery {
  readonly filter: Filter | undefined;
  readonly sort: Sort;
}

/** Rows of the first batch. Later batches have as many rows as add up to BYTES_AT_ONCE. */
const FIRST_ROWS = 50;
const ROWS_AT_ONCE = 1_000;
const BYTES_AT_ONCE = 1024 * 1024;
/**
 * Longer records are read one at a time, so that no batch becomes much too large. The second limit is for the stored
 * size of each document, which is compressed.
 */
const LONG_BYTES = 16 * 1024;
const LONG_STORED_BYTES = 8 * 1024;
/** Copies of a long record in memory: as read, as sent, and while it is projected. */
const COPIES = 3;

/**
 * Records that had not expired when the snapshot was taken: a record that expires during the export is still exported.
 */
const ALIVE_AT_SNAPSHOT = sql`(t.expires_at IS NULL OR t.expires_at > transaction_timestamp())`;

/** Reads the records of one snapshot in batches, in a transaction that ends with its session. */
export class ExportCursor {
  private constructor(
    private readonly session: CopySession,
    private readonly shape: CollectionShape,
    private readonly query: ExportQuery,
    private readonly budget: ByteBudget,
  ) {}

  /** Takes the snapshot. Throws `Stale` when the collection is no longer in the version of `shape`. */
  static async open(
    tables: TableAccess,
    session: CopySession,
    shape: CollectionShape,
    query: ExportQuery,
    budget: ByteBudget,
  ): Promise<ExportCursor> {
    // biome-ignore lint/plugin/one-transaction-class: an export has a connection of its own, and the transaction ends with it
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
   * The text of the records, in pieces. PostgreSQL makes the next batch while the present one is processed and sent. Memory
   * taken for a long record is returned when the next piece is requested.
   */
  async *text(layout: ExportLayout): AsyncGenerator<Buffer> {
    const declare = sql`DECLARE exported NO SCROLL CURSOR FOR ${exportedRecords(this.shape, this.query, layout)}`;
    await execute(this.session, declare);
    const slices = new Slices();
    const piece = new TextBuffer();
    let limit = FIRST_ROWS;
    let next = this.fetch(limit);
    for (let isLast = false; !isLast; ) {
      const rows = new RowReader(await next);
      isLast = rows.count < limit;
      if (!isLast) {
        limit = rowsAtOnce(rows);
        next = this.fetch(limit);
      }
      while (rows.advance()) {
        const longId = rows.text(0);
        if (longId === null) {
          layout.write(rows, piece);
          const pause = slices.pause();
          if (pause !== undefined) await pause;
          continue;
        }
        if (piece.length > 0) yield piece.take();
        // A session runs one statement at a time.
        await next;
        yield* this.long(longId, layout);
      }
      if (piece.length > 0) yield piece.take();
    }
  }

  /** The next rows of the cursor. The promise may be left without a handler until the rows are needed. */
  private fetch(limit: number): Promise<Buffer> {
    const rows = this.session.rows(`FETCH ${limit} FROM exported`);
    rows.catch(() => undefined);
    return rows;
  }

  private async *long(id: string, layout: ExportLayout): AsyncGenerator<Buffer> {
    const { orgId } = this.shape;
    let held = MAX_RECORD_BYTES * COPIES;
    await this.budget.take(orgId, held);
    try {
      const piece = await this.read(id, layout);
      const needed = Math.min(held, piece.length * COPIES);
      this.budget.give(orgId, held - needed);
      held = needed;
      yield piece;
    } finally {
      this.budget.give(orgId, held);
    }
  }

  private async read(id: string, layout: ExportLayout): Promise<Buffer> {
    const values = joined(layout.parts.map(({ value }) => value));
    const statement = render(
      sql`SELECT NULL, ${values} FROM ${tableOf(this.shape)} t ${layout.join} WHERE t._id = ${param(id, 'uuid')}`,
    );
    const row = new RowReader(await this.session.rows(statement.text, statement.values));
    const piece = new TextBuffer();
    row.advance();
    layout.write(row, piece);
    return piece.take();
  }
}

/** The number of rows that have about BYTES_AT_ONCE bytes if they are like these. */
function rowsAtOnce({ bytes, count, countOfFirst: countOfLong }: RowReader): number {
  const length = bytes.length + countOfLong * LONG_BYTES;
  return Math.min(ROWS_AT_ONCE, Math.max(1, Math.floor((BYTES_AT_ONCE * count) / length)));
}

/**
 * SQL of the records that are exported, in order. A row has the id if the record is long, else null, and then the parts.
 * `ORDER BY` and `OFFSET 0` keep the planner from merging the subqueries, so each text is made once.
 */
export function exportedRecords(
  shape: CollectionShape,
  { filter, sort }: ExportQuery,
  { parts, join }: Pick<ExportLayout, 'parts' | 'join'>,
): Sql {
  const keys = sortKeys(sort, tableShape(shape));
  const limited = parts.map(limitedPart);
  const bytes = joined([literal(0), ...limited.flatMap(each => each.bytes)], ' + ');
  return sql`SELECT ${joined([sql`CASE WHEN NOT f.fits THEN f.id END AS id`, ...limited.map(each => each.shown)])}
    FROM (SELECT e.*, ${bytes} <= ${literal(LONG_BYTES)} AS fits
      FROM (SELECT ${joined([...limited.flatMap(each => each.made), sql`t._id AS id`])} ${exported(shape, filter, join)} ORDER BY ${orderBy(keys)}) e OFFSET 0) f`;
}

/** SQL for a part: `made` computes it for each record, `bytes` is its length unless it is short, `shown` selects it. */
function limitedPart({ value, form, stored }: ExportPart, index: number) {
  const [part, isLong] = [identifier(`p${index}`), identifier(`l${index}`)];
  const shown = sql`CASE WHEN f.fits THEN f.${part} END AS ${part}`;
  const bytes = sql`coalesce(octet_length(e.${part}), 0)`;
  if (stored !== undefined) {
    const most = literal(LONG_STORED_BYTES);
    return {
      made: [
        sql`CASE WHEN ${stored} <= ${most} THEN ${value} END AS ${part}`,
        sql`${stored} > ${most} AS ${isLong}`,
      ],
      bytes: [sql`CASE WHEN e.${isLong} THEN ${literal(LONG_BYTES + 1)} ELSE ${bytes} END`],
      shown,
    };
  }
  const made = [sql`${value} AS ${part}`];
  return form === 'text' ? { made, bytes: [bytes], shown } : { made, bytes: [], shown: sql`f.${part}` };
}

/** `FROM … WHERE …` of the records that are exported, the table as `t`, joined with `join`. */
function exported(shape: CollectionShape, filter: Filter | undefined, join: Sql): Sql {
  const condition = filter === undefined ? NOTHING : sql` AND (${compileFilter(filter, tableShape(shape))})`;
  return sql`FROM ${tableOf(shape)} t ${join} WHERE ${ALIVE_AT_SNAPSHOT}${condition}`;
}
