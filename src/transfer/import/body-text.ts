import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createGunzip, type Gunzip } from 'node:zlib';
import type { RequestDigest } from '../../kernel/call.js';
import { invalid, PlatformError } from '../../kernel/errors.js';
import { keepPace, type PaceSettings, STALL_MS } from '../long-transfer.js';

/** Largest ratio of unpacked to packed bytes, which protects against gzip bombs. zlib reaches 1,032. */
const MAX_EXPANSION = 250;
const EXPANSION_COUNTS_FROM = 64 * 1024 * 1024;

/**
 * Reads the text of a body piece by piece, unpacks gzip and removes a byte order mark. Reads no further than its
 * consumer asks. Throws 400 for invalid gzip or UTF-8. Keeps the request open, so that it can still be answered.
 */
export async function* bodyText(
  request: IncomingMessage,
  pace: PaceSettings,
  digest?: RequestDigest,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  request.setTimeout(STALL_MS, () => request.destroy());
  const received = { bytes: 0, isWaiting: false };
  const stop = keepPace(
    { moved: () => received.bytes, isWaiting: () => received.isWaiting, end: () => request.destroy() },
    pace,
  );
  try {
    for await (const bytes of bodyBytes(request, received, digest)) yield decoded(decoder, bytes);
    yield decoded(decoder);
  } finally {
    stop();
    request.setTimeout(0);
  }
}

interface Received {
  bytes: number;
  /** True while the service waits for the client. */
  isWaiting: boolean;
}

async function* countedBytes(sent: AsyncIterable<Buffer>, received: Received): AsyncGenerator<Buffer> {
  received.isWaiting = true;
  try {
    for await (const bytes of sent) {
      received.isWaiting = false;
      received.bytes += bytes.length;
      yield bytes;
      received.isWaiting = true;
    }
  } finally {
    received.isWaiting = false;
  }
}

function bodyBytes(
  request: IncomingMessage,
  received: Received,
  digest: RequestDigest | undefined,
): AsyncIterable<Buffer> {
  const sent = countedBytes(request.iterator({ destroyOnReturn: false }), received);
  const bytes = digest?.through(sent) ?? sent;
  const encoding = request.headers['content-encoding']?.trim().toLowerCase();
  return encoding === 'gzip' || encoding === 'x-gzip' ? unpacked(bytes) : bytes;
}

async function* unpacked(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  // Errors also appear when reading from gunzip, where they are handled.
  pipeline(bytes, gunzip, () => undefined);
  let length = 0;
  try {
    for await (const chunk of gunzip) {
      length += chunk.length;
      refuseBomb(gunzip, length);
      yield chunk;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code?.startsWith('Z_') ? invalid('The body is not valid gzip.') : error;
  }
}

function refuseBomb({ bytesWritten }: Gunzip, length: number): void {
  if (length < EXPANSION_COUNTS_FROM || length < bytesWritten * MAX_EXPANSION) return;
  throw new PlatformError(
    'PayloadTooLarge',
    `The decompressed body is more than ${MAX_EXPANSION} times as long as the compressed one. Send it uncompressed.`,
  );
}

function decoded(decoder: TextDecoder, bytes?: Buffer): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch {
    throw invalid('The body is not valid UTF-8.');
  }
}
