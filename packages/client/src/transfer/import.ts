import { errorOf } from '../errors/error-of.js';
import { NetworkError } from '../errors/tc-error.js';
import type { DryRunOptions, WriteOptions } from '../records/options.js';
import type { ApiRequest, Transport } from '../transport/transport.js';
import { bytesOf, jsonLines } from './lines.js';
import { canSendStreams, fileOf, type ImportSource, type Reading, streamOf } from './source.js';

export interface ImportProgress {
  /** Bytes of the source that were sent. Without `sliceBytes`, browsers report them only when all are sent. */
  readonly bytes: number;
  /** Bytes of the source, if known. */
  readonly totalBytes: number | undefined;
  /** Rows that the service has read or written in this phase. */
  readonly rows: number;
  readonly phase: 'sending' | 'reading' | 'writing' | 'done';
}

export interface ImportOptions extends WriteOptions, DryRunOptions {
  /**
   * Default: `ndjson` for records and for a `Blob` of type `application/x-ndjson`, otherwise `csv`. `json` is a JSON array.
   */
  readonly format?: 'csv' | 'ndjson' | 'json' | undefined;
  /** A column with a unique constraint of its own: rows whose value exists update their record. */
  readonly upsertKey?: string | undefined;
  /** `abort`, the default, writes all rows or none; `skip` leaves out rows that do not fit. */
  readonly onError?: 'abort' | 'skip' | undefined;
  /** The column for each header of CSV or field of JSON, or null to leave it out. Others keep their names. */
  readonly columns?: Readonly<Record<string, string | null>> | undefined;
  /** True: `columns` may also name fields that are not columns. */
  readonly allowUnknown?: boolean | undefined;
  /** How many lines of a CSV file come before its header, for example a title. Not with `sliceBytes`. */
  readonly skipLines?: number | undefined;
  /** How the file writes characters, for example `windows-1252` or `utf-16le`. Default: UTF-8. */
  readonly textEncoding?: string | undefined;
  /** The character between the fields of a CSV file. Default: as its header shows. */
  readonly delimiter?: string | undefined;
  /** The sign before the decimals of numbers in a CSV file, which may then have groups of three digits. */
  readonly decimal?: '.' | ',' | undefined;
  /** The order of day, month and year in a CSV file. Dates that begin with the year are always read. */
  readonly dates?: 'ymd' | 'dmy' | 'mdy' | undefined;
  /** The IANA time zone of times without an offset in a CSV file, for example `Europe/Paris`. */
  readonly zone?: string | undefined;
  /** Called for each refused row, as the service finds it; `errors` of the result holds only the first 100. */
  readonly onRefused?: ((row: RefusedRow) => void) | undefined;
  /** The source is compressed. */
  readonly encoding?: 'gzip' | undefined;
  /**
   * Sends a file in parts of about so many bytes, cut between rows: each is an import of its own. Browsers can then
   * report the bytes that are sent. Throws a `PartialWriteError` when a part fails after others succeeded.
   */
  readonly sliceBytes?: number | undefined;
  /**
   * With `sliceBytes`: called after each part, with what the parts have written so far and where the next one begins. An
   * error that it throws ends the import there.
   */
  readonly onSlice?: ((soFar: ImportSummary, resumeAt: number) => void) | undefined;
  /** With `sliceBytes`: leaves out so many bytes of the rows, the `resumeAt` of a `PartialWriteError`. */
  readonly startAt?: number | undefined;
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
}

/** A row that was left out, or that made the service refuse the file. `row` counts from 1, without the header. */
export interface ImportProblem {
  readonly row: number;
  readonly column: string | null;
  readonly problem: string;
}

/** A refused row with its text, which can be corrected and imported again. */
export interface RefusedRow extends ImportProblem {
  /** The text of the row in the file, without its line end; null if it is longer than 65,536 characters. */
  readonly line: string | null;
}

export interface ImportSummary {
  readonly mode: 'append' | 'upsert';
  readonly dry_run: boolean;
  /** Rows read. */
  readonly rows: number;
  readonly inserted: number;
  readonly updated: number;
  readonly skipped: number;
  /** Fields of the file that were not imported, because the service sets them itself. */
  readonly ignored?: readonly string[];
  /**
   * Fields of a CSV file without a column whose values all look like numbers, booleans, lists or objects, also if only those of
   * one slice do. They are stored as texts.
   */
  readonly as_text?: readonly string[];
  /** Fields with whole numbers beyond ±(2^53−1) that lost digits. */
  readonly rounded?: readonly string[];
  /** The first 100 problems. */
  readonly errors: readonly ImportProblem[];
}

/** Options of one import. */
export type WholeImportOptions = Omit<ImportOptions, 'sliceBytes' | 'startAt' | 'onSlice'>;

interface LastLine extends ImportSummary {
  readonly done: true;
  readonly ok: boolean;
  readonly error?: string;
  readonly message?: string;
}

type Line =
  | LastLine
  | { readonly refused: RefusedRow }
  | { readonly done: false; readonly phase: 'reading' | 'writing'; readonly rows: number };

const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson', json: 'application/json' };

/**
 * Sends a file, and reads the progress that the service reports meanwhile. Throws if the file was refused. A stream is
 * sent only once; other sources are sent again if the service did not respond.
 */
export async function importFile(
  transport: Transport,
  path: string,
  source: ImportSource,
  options: WholeImportOptions,
): Promise<ImportSummary> {
  const { upsertKey, onError, dryRun, encoding, signal, onProgress, onRefused, columns } = options;
  let progress: ImportProgress = {
    bytes: 0,
    totalBytes: source instanceof Blob ? source.size : undefined,
    rows: 0,
    phase: 'sending',
  };
  const report = (news: Partial<ImportProgress>) => {
    progress = { ...progress, ...news };
    onProgress?.(progress);
  };
  let broken: { readonly error: unknown } | undefined;
  const reading: Reading = {
    onBytes: bytes => report({ bytes: progress.bytes + bytes }),
    onError: error => {
      broken = { error };
    },
  };
  const file = fileOf(source);
  const request: ApiRequest = {
    method: 'POST',
    path,
    query: {
      mode: upsertKey && 'upsert',
      upsert_key: upsertKey,
      on_error: onError,
      dry_run: dryRun,
      columns,
      allow_unknown: options.allowUnknown,
      skip_lines: options.skipLines,
      encoding: options.textEncoding,
      delimiter: options.delimiter,
      decimal: options.decimal,
      dates: options.dates,
      zone: options.zone,
      refused: onRefused && 'all',
    },
    raw: await payloadOf(file, reading, () => report({ bytes: 0 })),
    headers: {
      accept: TYPES.ndjson,
      'content-type': TYPES[options.format ?? formatOf(source)],
      ...(encoding && { 'content-encoding': encoding }),
    },
    idempotencyKey: options.idempotencyKey ?? file instanceof Blob,
    correlationId: options.correlationId,
    timeoutMs: Number.POSITIVE_INFINITY,
    signal,
  };
  const response = await transport.stream(request).catch(error => {
    throw broken === undefined ? error : broken.error;
  });
  for await (const line of jsonLines(bytesOf(request, response)) as AsyncGenerator<Line>) {
    if ('refused' in line) {
      onRefused?.(line.refused);
      continue;
    }
    if (!line.done) {
      report({ phase: line.phase, rows: line.rows });
      continue;
    }
    const { done: _done, ok, error, message, ...summary } = line;
    if (!ok) {
      const requestId = response.headers.get('x-correlation-id') ?? undefined;
      throw errorOf(message ?? '', { code: error ?? 'Internal', details: summary.errors, requestId });
    }
    report({ phase: 'done', rows: summary.rows, bytes: progress.totalBytes ?? progress.bytes });
    return summary;
  }
  throw new NetworkError(`POST ${path}: the response ended before its last line`, undefined);
}

/** The body of the request. A file is read again for each attempt. */
async function payloadOf(
  file: ImportSource,
  reading: Reading,
  onStart: () => void,
): Promise<ApiRequest['raw']> {
  if (!canSendStreams()) return file instanceof Blob ? file : new Response(streamOf(file, reading)).blob();
  if (!(file instanceof Blob)) return streamOf(file, reading);
  return () => {
    onStart();
    return streamOf(file, reading);
  };
}

/** The format of a source for which none was given. */
export function formatOf(source: ImportSource): 'csv' | 'ndjson' {
  return Array.isArray(source) || (source instanceof Blob && source.type.startsWith(TYPES.ndjson))
    ? 'ndjson'
    : 'csv';
}
