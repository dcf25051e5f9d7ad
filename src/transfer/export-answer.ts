import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import type { Request, Response } from 'express';
import type { ExportFormat } from './exports.service.js';

/** A client that takes nothing for so long is given up. */
const STALL_MS = 60_000;

const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
};

/** The format that was named, else the one that `Accept` prefers, else CSV. */
export function formatFor(request: Request, named: ExportFormat | undefined): ExportFormat {
  if (named !== undefined) return named;
  return request.accepts(Object.values(MEDIA_TYPES)) === MEDIA_TYPES.ndjson ? 'ndjson' : 'csv';
}

/**
 * Sends a file as fast as its client takes it, as gzip where that is asked for. A failure half-way breaks the connection: a
 * file that ends early must not look whole.
 */
export async function sendFile(
  request: Request,
  response: Response,
  file: { readonly name: string; readonly format: ExportFormat; readonly pieces: AsyncGenerator<string> },
): Promise<void> {
  const gzip = request.acceptsEncodings('gzip', 'identity') === 'gzip';
  response.setTimeout(STALL_MS, () => response.destroy());
  response.writeHead(200, {
    'Content-Type': `${MEDIA_TYPES[file.format]}; charset=utf-8`,
    'Content-Disposition': `attachment; filename="${file.name}.${file.format}"`,
    Vary: 'Accept, Accept-Encoding',
    ...(gzip && { 'Content-Encoding': 'gzip' }),
  });
  if (request.method === 'HEAD') {
    await file.pieces.return(undefined);
    response.end();
    return;
  }
  const pieces = Readable.from(file.pieces, { objectMode: false });
  const packed = gzip ? [createGzip({ level: constants.Z_BEST_SPEED })] : [];
  await pipeline([pieces, ...packed, response]).catch(error => {
    // The client has gone: what was read for it ends with this.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}
