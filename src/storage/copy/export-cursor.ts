import { execute } from '../../database/queryable.js';
import { BEGIN_SNAPSHOT } from '../../database/transactions.js';
import { compileFilter, type Filter, orderBy, type Sort, sortKeys } from '../../filter/index.js';
import type { ByteBudget } from '../../kernel/bounds/byte-budget.js';
import { Slices } from '../../kernel/bounds/slices.js';
import { MAX_RECORD_BYTES } from '../../kernel/limits.js';
import { identifier, joined, literal, NOTHING, param, render, type Sql, sql } from '../../sql/index.js';
import { type CollectionShape, flexibleOf, tableOf, tableShape } from '../collection-shape.js';
import { Stale } from '../stale.js';
import type { TableAccess } from '../table-access.js';
import type { CopySession } from './copy-sessions.js';
import type { ExportLayout, ExportPart, PartValues } from './export-layout.js';

/** The records to export, and their order. */
export interface ExportQuery {
  readonly filter: Filter | undefined;
  readonly sort: Sort;
}

/** Rows of the first batch. Later batches have as many rows as add up to LENGTH_AT_ONCE. */
const FIRST_ROWS = 50;
const ROWS_AT_ONCE = 1_000;
const LENGTH_AT_ONCE = 1024 * 1024;
/**
 * Longer records are read one at a time, so that no batch becomes much too large. The second limit is for the stored
 * size of each document, which is compressed.
 */
const LONG_BYTES = 16 * 1024;
const LONG_STORED_BYTES = 8 * 1024;
/** Copies of a long record in memory: as read, as sent, and while it is projected. */
const COPIES = 3;

/** The parts of a record and a null, or some of the parts of a long record and its id. */
type ExportRow = PartValues;

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
  async *text(layout: ExportLayout): AsyncGenerator<string> {
    const declare = sql`DECLARE exported NO SCROLL CURSOR FOR ${exportedRecords(this.shape, this.query, layout)}`;
    await execute(this.session, declare);
    const slices = new Slices();
    let limit = FIRST_ROWS;
    let next = this.fetch(limit);
    for (let isLast = false; !isLast; ) {
      const rows = await next;
      isLast = rows.length < limit;
      if (!isLast) {
        limit = rowsAtOnce(rows);
        next = this.fetch(limit);
      }
      let piece = '';
      for (const row of rows) {
        const id = row[layout.parts.length];
        if (id === null || id === undefined) {
          piece += layout.line(row);
          const pause = slices.pause();
          if (pause !== undefined) await pause;
          continue;
        }
        if (piece !== '') yield piece;
        piece = '';
        // A session runs one statement at a time.
        await next;
        yield* this.long(id, layout);
      }
      if (piece !== '') yield piece;
    }
  }

  /** The next rows of the cursor. The promise may be left without a handler until the rows are needed. */
  private fetch(limit: number): Promise<readonly ExportRow[]> {
    const rows = this.session.texts(`FETCH ${limit} FROM exported`);
    rows.catch(() => undefined);
    return rows;
  }

  private async *long(id: string, layout: ExportLayout): AsyncGenerator<string> {
    const { orgId } = this.shape;
    let held = MAX_RECORD_BYTES * COPIES;
    await this.budget.take(orgId, held);
    try {
      const line = layout.line(await this.read(id, layout));
      const needed = Math.min(held, line.length * COPIES);
      this.budget.give(orgId, held - needed);
      held = needed;
      yield line;
    } finally {
      this.budget.give(orgId, held);
    }
  }

  private async read(id: string, { parts, join }: ExportLayout): Promise<ExportRow> {
    const texts = joined(parts.map(({ text }) => text));
    const { text, values } = render(
      sql`SELECT ${texts} FROM ${tableOf(this.shape)} t ${join} WHERE t._id = ${param(id, 'uuid')}`,
    );
    const [row] = await this.session.texts(text, values);
    return row as ExportRow;
  }
}

/** The number of rows that have about LENGTH_AT_ONCE characters if they are like these. */
function rowsAtOnce(rows: readonly ExportRow[]): number {
  let length = 0;
  for (const row of rows) {
    for (const text of row) length += text?.length ?? 0;
    if (row.at(-1) !== null) length += LONG_BYTES;
  }
  return Math.min(ROWS_AT_ONCE, Math.max(1, Math.floor((LENGTH_AT_ONCE * rows.length) / length)));
}

/**
 * SQL of the records that are exported, in order: rows ExportRow. `ORDER BY` and `OFFSET 0` keep the planner from merging
 * the subqueries, so each text is made once.
 */
export function exportedRecords(
  shape: CollectionShape,
  { filter, sort }: ExportQuery,
  { parts, join }: Pick<ExportLayout, 'parts' | 'join'>,
): Sql {
  const keys = sortKeys(sort, tableShape(shape));
  const limited = parts.map(limitedPart);
  const bytes = joined([literal(0), ...limited.flatMap(each => each.bytes)], ' + ');
  return sql`SELECT ${joined([...limited.map(each => each.shown), sql`CASE WHEN NOT f.fits THEN f.id::text END AS id`])}
    FROM (SELECT e.*, ${bytes} <= ${literal(LONG_BYTES)} AS fits
      FROM (SELECT ${joined([...limited.flatMap(each => each.made), sql`t._id AS id`])} ${exported(shape, filter, join)} ORDER BY ${orderBy(keys)}) e OFFSET 0) f`;
}

/** SQL for a part: `made` computes it for each record, `bytes` is its length unless it is short, `shown` selects it. */
function limitedPart({ text, length, stored }: ExportPart, index: number) {
  const [part, isLong] = [identifier(`p${index}`), identifier(`l${index}`)];
  if (length === 'short') return { made: [sql`${text} AS ${part}`], bytes: [], shown: sql`f.${part}` };
  const shown = sql`CASE WHEN f.fits THEN f.${part} END AS ${part}`;
  const bytes = sql`coalesce(octet_length(e.${part}), 0)`;
  if (stored === undefined) return { made: [sql`${text} AS ${part}`], bytes: [bytes], shown };
  const most = literal(LONG_STORED_BYTES);
  return {
    made: [
      sql`CASE WHEN ${stored} <= ${most} THEN ${text} END AS ${part}`,
      sql`${stored} > ${most} AS ${isLong}`,
    ],
    bytes: [sql`CASE WHEN e.${isLong} THEN ${literal(LONG_BYTES + 1)} ELSE ${bytes} END`],
    shown,
  };
}

/** `FROM … WHERE …` of the records that are exported, the table as `t`, joined with `join`. */
function exported(shape: CollectionShape, filter: Filter | undefined, join: Sql): Sql {
  const condition = filter === undefined ? NOTHING : sql` AND (${compileFilter(filter, tableShape(shape))})`;
  return sql`FROM ${tableOf(shape)} t ${join} WHERE ${ALIVE_AT_SNAPSHOT}${condition}`;
}
