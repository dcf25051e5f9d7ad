import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ByteBudget } from '../../base/kernel/bounds/byte-budget.js';
import { type Deadline, timeLeft } from '../../base/kernel/bounds/deadline.js';
import { invalid } from '../../base/kernel/errors.js';
import { type Projection, parseFilter, parseProjection, parseSort } from '../../engine/filter/index.js';
import type { CollectionShape } from '../../engine/storage/collection-shape.js';
import { type CopySession, CopySessions } from '../../engine/storage/copy/copy-sessions.js';
import { ExportCursor, type ExportQuery } from '../../engine/storage/copy/export-cursor.js';
import { type ExportLayout, FIRST_PART, recordPart } from '../../engine/storage/copy/export-layout.js';
import type { TextBuffer } from '../../engine/storage/copy/text-buffer.js';
import { queryRefusal } from '../../engine/storage/query-refusal.js';
import { hasDeepPaths, projector } from '../../engine/storage/records/projection.js';
import { TableAccess } from '../../engine/storage/table-access.js';
import type { RowReader } from '../../platform/database/connections/row-reader.js';
import type { PlatformRequest } from '../../platform/http/platform-request.js';
import { keepPace, type PaceSettings, STALL_MS } from '../../platform/http/transfer-pace.js';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import { csvColumns, csvHeader, csvLayout } from './csv-layout.js';
import { type LastingAccess, LastingAccesses } from './long-transfer.js';
import type { ExportRecordsQuery } from './transfer.dto.js';

/** Codes of errors when the client has disconnected. */
const GONE = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_UNABLE_TO_PIPE']);

const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  json: 'application/json',
};

/** The requested format, else the one that `Accept` prefers, else CSV. */
export function formatFor(request: Request, named: ExportFormat | undefined): ExportFormat {
  if (named !== undefined) return named;
  // Many clients accept JSON first, whatever they ask for.
  return request.accepts([MEDIA_TYPES.csv, MEDIA_TYPES.ndjson]) === MEDIA_TYPES.ndjson ? 'ndjson' : 'csv';
}

/**
 * Sends the file with backpressure, as gzip if the client accepts it, and closes the export. A failure after the head
 * closes the connection, so that an incomplete file does not look complete.
 */
export async function sendFile(
  request: Request,
  response: Response,
  file: { readonly name: string; readonly format: ExportFormat; readonly opened: OpenExport },
  pace: PaceSettings,
): Promise<void> {
  const gzip = request.acceptsEncodings('gzip', 'identity') === 'gzip';
  const end = () => void response.destroy();
  response.setTimeout(STALL_MS, end);
  response.vary('Accept, Accept-Encoding');
  response.writeHead(200, {
    'Content-Type': `${MEDIA_TYPES[file.format]}; charset=utf-8`,
    'Content-Disposition': `attachment; filename="${file.name}.${file.format}"`,
    ...(gzip && { 'Content-Encoding': 'gzip' }),
  });
  const sent = {
    moved: () => response.socket?.bytesWritten ?? 0,
    isWaiting: () => response.writableNeedDrain,
    end,
  };
  const stopPace = keepPace(sent, pace);
  const late = setTimeout(end, timeLeft(file.opened.endsAt));
  const stopWatch = file.opened.lasting.watch(() => response.socket?.resetAndDestroy());
  try {
    if (request.method === 'HEAD') response.end();
    else await send(file.opened.pieces, response, gzip);
  } finally {
    clearTimeout(late);
    stopWatch();
    stopPace();
    await file.opened.close();
  }
}

async function send(pieces: AsyncIterable<Buffer>, response: Response, gzip: boolean): Promise<void> {
  const packed = gzip ? [createGzip({ level: constants.Z_BEST_SPEED })] : [];
  const text = Readable.from(pieces, { objectMode: false });
  await pipeline([text, ...packed, response]).catch(error => {
    // The client has disconnected, which also ends the export.
    if (!GONE.has(error.code)) throw error;
  });
}

type ExportFormat = 'csv' | 'ndjson' | 'json';

/** What a file looks like. */
interface Form {
  readonly format: ExportFormat;
  readonly projection: Projection | undefined;
  /** True: texts that spreadsheets would run as formulas are guarded. */
  readonly safe: boolean;
}

/** An open export and its text in pieces. The caller must close it, even if it reads nothing. */
interface OpenExport {
  readonly pieces: AsyncIterable<Buffer>;
  /** When the file must have been sent. */
  readonly endsAt: Deadline;
  /** The caller's right to read the records. */
  readonly lasting: LastingAccess;
  close(): Promise<void>;
}

const MAX_CSV_COLUMNS = 2_000;

/** Exports the records of one snapshot as text in pieces. */
@Injectable()
export class Exports {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly sessions: CopySessions,
    private readonly lasting: LastingAccesses,
    private readonly budget: ByteBudget,
    private readonly tables: TableAccess,
  ) {}

  /** Reads the first piece, so that errors come before the head of the answer is sent. */
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
    };
    const form = { format, projection: parseProjection(query.fields), safe: query.safe };
    const { principal, caller } = access;
    const at = this.accesses.asOf(access, query.as_of);
    return this.accesses.withVersionCheck(at, async ({ collection }) => {
      const { orgId } = collection;
      try {
        const session = await this.sessions.start({ kind: 'export', orgId, callerId: principal.id, caller });
        const pieces = this.pieces(session, collection, form, parsed);
        const first = await pieces.next();
        return opened(first.value as Buffer, pieces, lasting, session.endsAt);
      } catch (error) {
        throw queryRefusal(error);
      }
    });
  }

  /** Yields at least one piece. Closes the session at the end. */
  private async *pieces(
    session: CopySession,
    shape: CollectionShape,
    form: Form,
    query: ExportQuery,
  ): AsyncGenerator<Buffer> {
    try {
      const cursor = await ExportCursor.open(this.tables, session, shape, query, this.budget);
      yield* form.format === 'csv' ? csv(cursor, shape, form) : json(cursor, shape, form);
    } finally {
      await session.close();
    }
  }
}

function opened(
  first: Buffer,
  rest: AsyncGenerator<Buffer>,
  lasting: LastingAccess,
  endsAt: Deadline,
): OpenExport {
  const pieces = async function* () {
    yield first;
    yield* rest;
  };
  return { pieces: pieces(), endsAt, lasting, close: async () => void (await rest.return(undefined)) };
}

/** Records as lines, or as the elements of an array. */
async function* json(
  cursor: ExportCursor,
  shape: CollectionShape,
  { format, projection }: Form,
): AsyncGenerator<Buffer> {
  const isArray = format === 'json';
  let isEmpty = true;
  for await (const piece of cursor.text(jsonLayout(shape, projection, isArray))) {
    isEmpty = false;
    yield piece;
  }
  const end = isEmpty ? '[]\n' : '\n]\n';
  if (isEmpty || isArray) yield Buffer.from(isArray ? end : '');
}

function jsonLayout(
  shape: CollectionShape,
  projection: Projection | undefined,
  isArray: boolean,
): ExportLayout {
  const { part, join } = recordPart(shape, projection);
  const project = projector(projection);
  const write = hasDeepPaths(projection)
    ? (row: RowReader, to: TextBuffer) => to.text(project(row.text(FIRST_PART) as string))
    : (row: RowReader, to: TextBuffer) =>
        to.copy(row.bytes, row.start(FIRST_PART), row.end(FIRST_PART) as number);
  let before = '[\n';
  return {
    parts: [part],
    join,
    write(row, to) {
      if (isArray) to.text(before);
      before = ',\n';
      write(row, to);
      if (!isArray) to.text('\n');
    },
  };
}

async function* csv(
  cursor: ExportCursor,
  shape: CollectionShape,
  { projection, safe }: Form,
): AsyncGenerator<Buffer> {
  const namesKnown = projection?.mode === 'include';
  const flexible = namesKnown ? [] : await cursor.flexibleNames(MAX_CSV_COLUMNS);
  const columns = csvColumns(shape, projection, flexible);
  if (columns.length > MAX_CSV_COLUMNS) {
    throw invalid(
      `format: a CSV file can have at most ${MAX_CSV_COLUMNS} columns, and the records have more different fields. Choose columns with fields, or use ndjson or json.`,
    );
  }
  let head = Buffer.from(csvHeader(columns, safe));
  for await (const piece of cursor.text(csvLayout(shape, projection, columns, safe))) {
    yield head.length === 0 ? piece : Buffer.concat([head, piece]);
    head = Buffer.alloc(0);
  }
  if (head.length > 0) yield head;
}
