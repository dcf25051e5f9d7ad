import { PartialWriteError, shifted } from '../errors/partial-write-error.js';
import { TcError } from '../errors/tc-error.js';
import { newKey } from '../transport/http-transport.js';
import type { Transport } from '../transport/transport.js';
import {
  formatOf,
  type ImportOptions,
  type ImportProblem,
  type ImportSummary,
  importFile,
} from './import.js';
import { endOfHeader, slicesOf } from './slices.js';

/** Most problems of a summary. */
const MAX_PROBLEMS = 100;
/** Encodings in which the bytes of quotes and line ends can be parts of other characters. */
const WIDE = /^(utf-16|iso-2022)/;

/** Imports a file slice by slice. A CSV slice is sent with the header of the file. */
export async function importSlices(
  transport: Transport,
  path: string,
  file: Blob,
  { sliceBytes, startAt = 0, idempotencyKey = newKey(), ...options }: ImportOptions & { sliceBytes: number },
): Promise<ImportSummary> {
  if (options.encoding !== undefined) throw new TypeError('sliceBytes: a compressed file cannot be cut');
  if (options.skipLines) throw new TypeError('sliceBytes: a file with lines before its header cannot be cut');
  if (options.textEncoding && WIDE.test(new TextDecoder(options.textEncoding).encoding))
    throw new TypeError('sliceBytes: a file in UTF-16 or ISO-2022-JP cannot be cut');
  const format = options.format ?? formatOf(file);
  if (format === 'json') throw new TypeError('sliceBytes: a JSON array cannot be cut');
  const header = file.slice(0, format === 'csv' ? await endOfHeader(file) : 0);
  const begin = Math.max(startAt, header.size);
  const totalBytes = file.size;
  let sum: ImportSummary = {
    mode: options.upsertKey === undefined ? 'append' : 'upsert',
    dry_run: options.dryRun ?? false,
    ...{ rows: 0, inserted: 0, updated: 0, skipped: 0, errors: [] },
  };
  for await (const { start, end } of slicesOf(file, {
    size: sliceBytes,
    start: begin,
    isCsv: format === 'csv',
  })) {
    try {
      const part = await importFile(transport, path, new Blob([header, file.slice(start, end)]), {
        ...options,
        format,
        // A call that goes on at the same byte with the same key sends the same slice, which is then imported once.
        idempotencyKey: `${idempotencyKey}.${start}`,
        onRefused: options.onRefused && (row => options.onRefused?.({ ...row, row: row.row + sum.rows })),
        onProgress: progress => {
          const bytes = Math.min(end, start + Math.max(0, progress.bytes - header.size));
          const isLast = end === file.size || progress.phase !== 'done';
          const phase = isLast ? progress.phase : 'writing';
          options.onProgress?.({ bytes, totalBytes, rows: sum.rows + progress.rows, phase });
        },
      });
      sum = added(sum, part);
    } catch (error) {
      if (!(error instanceof TcError)) throw error;
      throw new PartialWriteError(error, {
        ...{ done: sum.inserted + sum.updated, resumeAt: start, idempotencyKey },
        details: shifted(error.details, sum.rows),
      });
    }
    options.onSlice?.(sum, end);
  }
  return sum;
}

function added(sum: ImportSummary, part: ImportSummary): ImportSummary {
  return {
    ...sum,
    rows: sum.rows + part.rows,
    inserted: sum.inserted + part.inserted,
    updated: sum.updated + part.updated,
    skipped: sum.skipped + part.skipped,
    ...names('ignored', sum, part),
    ...names('as_text', sum, part),
    ...names('rounded', sum, part),
    errors: [...sum.errors, ...(shifted(part.errors, sum.rows) as ImportProblem[])].slice(0, MAX_PROBLEMS),
  };
}

/** The names that either summary has in a list. */
function names(
  list: 'ignored' | 'as_text' | 'rounded',
  sum: ImportSummary,
  part: ImportSummary,
): Partial<ImportSummary> {
  const both = [...new Set([...(sum[list] ?? []), ...(part[list] ?? [])])];
  return both.length > 0 ? { [list]: both } : {};
}
