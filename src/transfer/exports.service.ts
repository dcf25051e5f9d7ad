import { Injectable } from '@nestjs/common';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import { parseFilter, parseProjection, parseSort } from '../filter/index.js';
import type { PlatformRequest } from '../http/platform-request.js';
import { ByteBudget } from '../kernel/byte-budget.js';
import { invalid } from '../kernel/errors.js';
import type { CollectionShape } from '../storage/collection-shape.js';
import { type CopyPurpose, CopySessions } from '../storage/copy-sessions.js';
import { ExportCursor, type ExportQuery } from '../storage/export-cursor.js';
import { queryRefusal } from '../storage/query-refusal.js';
import { isStale } from '../storage/stale.js';
import { csvColumns, csvHeader, csvLine } from './csv-encoder.js';
import { type LastingAccess, LastingAccesses } from './lasting-access.service.js';
import type { ExportRecordsQuery } from './transfer.dto.js';

export type ExportFormat = 'csv' | 'ndjson';

/** An export under way: its text, piece by piece. Whoever opened it closes it, whether or not it was read. */
export interface OpenExport {
  readonly pieces: AsyncIterable<string>;
  close(): Promise<void>;
}

/** Columns that a CSV file has at most. */
const MAX_CSV_COLUMNS = 2_000;

/** Exports: the records of one snapshot as text, piece by piece. */
@Injectable()
export class Exports {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly sessions: CopySessions,
    private readonly lasting: LastingAccesses,
    private readonly budget: ByteBudget,
  ) {}

  /** Reads the first piece, so that what can be refused is refused before anything is sent. */
  async open(
    access: Access,
    format: ExportFormat,
    query: ExportRecordsQuery,
    request: PlatformRequest,
  ): Promise<OpenExport> {
    const lasting = this.lasting.of(request, access);
    const parsed = {
      filter: query.filter === undefined ? undefined : parseFilter(query.filter),
      sort: parseSort(query.sort),
      projection: parseProjection(query.fields),
    };
    const { principal, caller } = access;
    return this.accesses.fenced(access, async ({ collection }) => {
      const pieces = this.pieces(collection, { callerId: principal.id, caller }, format, parsed);
      try {
        const first = await pieces.next();
        return first.value === undefined ? undefined : opened(first.value, pieces, lasting);
      } catch (error) {
        if (isStale(error)) return undefined;
        throw queryRefusal(error);
      }
    });
  }

  /** Ends without a piece when the collection has changed. */
  private async *pieces(
    shape: CollectionShape,
    of: Pick<CopyPurpose, 'callerId' | 'caller'>,
    format: ExportFormat,
    query: ExportQuery,
  ): AsyncGenerator<string, undefined> {
    const session = await this.sessions.start({ kind: 'export', orgId: shape.orgId, ...of });
    try {
      const cursor = await ExportCursor.open(session, shape, query, this.budget);
      if (cursor !== undefined) yield* format === 'csv' ? csv(cursor, shape, query) : ndjson(cursor);
      return undefined;
    } finally {
      await session.close();
    }
  }
}

/** Ends with a refusal as soon as the caller may no longer read the records. */
function opened(first: string, rest: AsyncGenerator<string>, lasting: LastingAccess): OpenExport {
  const pieces = async function* () {
    yield first;
    for await (const piece of rest) {
      await lasting.renewed();
      yield piece;
    }
  };
  return { pieces: pieces(), close: async () => void (await rest.return(undefined)) };
}

async function* ndjson(cursor: ExportCursor): AsyncGenerator<string> {
  let some = false;
  for await (const records of cursor.records()) {
    some = true;
    yield `${records.join('\n')}\n`;
  }
  if (!some) yield '';
}

async function* csv(
  cursor: ExportCursor,
  shape: CollectionShape,
  { projection }: ExportQuery,
): AsyncGenerator<string> {
  const namesKnown = projection?.mode === 'include';
  const flexible = namesKnown ? [] : await cursor.flexibleNames(MAX_CSV_COLUMNS);
  const columns = csvColumns(shape, projection, flexible);
  if (columns.length > MAX_CSV_COLUMNS) {
    throw invalid(
      `format: the records have more than ${MAX_CSV_COLUMNS} different fields; name some with fields, or use ndjson`,
    );
  }
  let head = csvHeader(columns);
  for await (const records of cursor.records()) {
    yield head + records.map(record => csvLine(shape, columns, record)).join('');
    head = '';
  }
  if (head !== '') yield head;
}
