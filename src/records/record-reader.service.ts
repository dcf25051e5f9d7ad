import { Injectable } from '@nestjs/common';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import type { Rows } from '../database/statements.js';
import { type Position, type Projection, parseFilter, parseProjection, parseSort } from '../filter/index.js';
import { preconditionFailed } from '../http/entity-tags.js';
import { invalid, PlatformError } from '../kernel/errors.js';
import { isUuid } from '../kernel/id.js';
import { JsonText } from '../kernel/json.js';
import { cutter } from '../storage/projection.js';
import { queryRefusal } from '../storage/query-refusal.js';
import { getStatement, pageStatement } from '../storage/read.js';
import { RecordStore } from '../storage/record-store.js';
import { recordText } from '../storage/row-json.js';
import type { Statement } from '../storage/statement.js';
import { Cursors } from './cursor.js';
import type { SearchRecordsBody } from './records.dto.js';

type Search = Omit<SearchRecordsBody, 'with_total'> & { readonly with_total?: boolean };

/** Reads records as the JSON text that PostgreSQL makes of them, in one round trip. */
@Injectable()
export class RecordReader {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly store: RecordStore,
    private readonly cursors: Cursors,
  ) {}

  /** Throws 404 `RecordNotFound`. */
  async get(access: Access, recordId: string): Promise<JsonText> {
    if (!isUuid(recordId)) throw recordNotFound();
    const rows = await this.accesses.fenced(access, current =>
      this.store.readOne(getStatement(current.collection, recordId)),
    );
    const [typed, flexible, tag] = rows[0] as [string | null, string | null, string];
    if (typed === null) throw recordNotFound();
    return new JsonText(`{"found":true,"record":${recordText(typed, flexible)}}`, tag);
  }

  /** Why a write has found no record: throws 404, or 412 when there is one and only its tag is another. */
  async refuseMissing(access: Access, recordId: string, tags: readonly string[] | undefined): Promise<never> {
    if (tags === undefined) throw recordNotFound();
    await this.get(access, recordId);
    throw preconditionFailed();
  }

  async query(access: Access, search: Search): Promise<JsonText> {
    if (search.cursor !== undefined && search.page !== undefined)
      throw invalid('Send either cursor or page.');
    const [filter, sort, projection] = [
      search.filter === undefined ? undefined : parseFilter(search.filter),
      parseSort(search.sort),
      parseProjection(search.fields),
    ];
    const paged = search.cursor !== undefined;
    const belongsTo = (current: Access) => ({ shape: current.collection, filter: search.filter, sort });
    const rows = await this.read(access, current =>
      pageStatement(current.collection, {
        filter,
        sort,
        projection,
        limit: search.limit + (paged ? 1 : 0),
        offset: ((search.page ?? 1) - 1) * search.limit,
        after: search.cursor ? this.cursors.open(search.cursor, belongsTo(current)) : undefined,
        withPosition: paged,
        withTotal: search.with_total === true,
      }),
    );
    const more = paged && rows.length > search.limit;
    const page = more ? rows.slice(0, search.limit) : rows;
    const last = more ? (page.at(-1)?.[2] as string) : undefined;
    const next =
      last === undefined ? null : this.cursors.seal(JSON.parse(last) as Position, belongsTo(access));
    return pageText(page, projection, paged ? next : undefined);
  }

  private read(access: Access, statement: (current: Access) => Statement): Promise<Rows> {
    return this.accesses.fenced(access, async current => {
      try {
        return await this.store.read(current.collection, statement(current));
      } catch (error) {
        throw queryRefusal(error);
      }
    });
  }
}

/** The answer of a page, put together from the texts of its records. `next` undefined: not asked for. */
function pageText(rows: Rows, projection: Projection | undefined, next: string | null | undefined): JsonText {
  const cut = cutter(projection);
  const records = (rows as [string | null, string | null][])
    .filter(([typed]) => typed !== null)
    .map(([typed, flexible]) => cut(recordText(typed as string, flexible)));
  const total = rows[0]?.[3];
  return new JsonText(
    `{"count":${records.length}${typeof total === 'number' ? `,"total":${total}` : ''}${
      next === undefined ? '' : `,"next_cursor":${JSON.stringify(next)}`
    },"records":[${records.join(',')}]}`,
  );
}

/** The one answer for a record that is absent and for one that has expired. */
export function recordNotFound(): PlatformError {
  return new PlatformError('RecordNotFound', 'There is no such record.');
}
