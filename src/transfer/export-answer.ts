import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import type { Request, Response } from 'express';
import type { ExportFormat, OpenExport } from './exports.service.js';
import { keepPace, type PaceSettings } from './transfer-pace.js';

/** A client that takes nothing for so long is given up. */
const STALL_MS = 60_000;

/** How writing to a client ends that has gone. */
const GONE = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_UNABLE_TO_PIPE']);

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
 * Sends a file as fast as its client takes it, as gzip where that is asked for, and closes the export. A failure half-way
 * breaks the connection: a file that ends early must not look whole.
 */
export async function sendFile(
  request: Request,
  response: Response,
  file: { readonly name: string; readonly format: ExportFormat; readonly opened: OpenExport },
  pace: PaceSettings,
): Promise<void> {
  const gzip = request.acceptsEncodings('gzip', 'identity') === 'gzip';
  response.setTimeout(STALL_MS, () => response.destroy());
  response.vary('Accept, Accept-Encoding');
  response.writeHead(200, {
    'Content-Type': `${MEDIA_TYPES[file.format]}; charset=utf-8`,
    'Content-Disposition': `attachment; filename="${file.name}.${file.format}"`,
    ...(gzip && { 'Content-Encoding': 'gzip' }),
  });
  const stop = keepPace(
    {
      moved: () => response.socket?.bytesWritten ?? 0,
      isWaiting: () => response.writableNeedDrain,
      end: () => response.destroy(),
    },
    pace,
  );
  try {
    if (request.method === 'HEAD') response.end();
    else await send(file.opened.pieces, response, gzip);
  } finally {
    stop();
    await file.opened.close();
  }
}

async function send(pieces: AsyncIterable<string>, response: Response, gzip: boolean): Promise<void> {
  const packed = gzip ? [createGzip({ level: constants.Z_BEST_SPEED })] : [];
  const text = Readable.from(pieces, { objectMode: false });
  await pipeline([text, ...packed, response]).catch(error => {
    // The client has gone: what was read for it ends with this.
    if (!GONE.has(error.code)) throw error;
  });
}
