import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createGunzip, type Gunzip } from 'node:zlib';
import { invalid, PlatformError } from '../kernel/errors.js';
import type { RequestDigest } from '../kernel/retry.js';
import { keepPace, type PaceSettings } from './transfer-pace.js';

/** A client that sends nothing for so long is given up. */
const STALL_MS = 60_000;
/** What is more than this is refused where it is nothing but a small body blown up: zlib reaches 1,032. */
const MAX_EXPANSION = 250;
const EXPANSION_COUNTS_FROM = 64 * 1024 * 1024;

/**
 * The text of a body as it comes, unpacked if it is gzip, without a byte order mark. Nothing is read ahead of the one who asks.
 * Throws 400 for what is no gzip or no UTF-8. The request outlives it, so that it can still be answered.
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

/** What has come of a body. */
interface Received {
  bytes: number;
  /** The service waits for more. */
  isWaiting: boolean;
}

async function* counted(sent: AsyncIterable<Buffer>, received: Received): AsyncGenerator<Buffer> {
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
  const sent = counted(request.iterator({ destroyOnReturn: false }), received);
  const bytes = digest?.through(sent) ?? sent;
  const encoding = request.headers['content-encoding']?.trim().toLowerCase();
  return encoding === 'gzip' || encoding === 'x-gzip' ? unpacked(bytes) : bytes;
}

async function* unpacked(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  // Its errors are those of reading from it.
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
    `The body becomes more than ${MAX_EXPANSION} times as long when it is unpacked: send it unpacked.`,
  );
}

function decoded(decoder: TextDecoder, bytes?: Buffer): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch {
    throw invalid('The body is not valid UTF-8.');
  }
}
