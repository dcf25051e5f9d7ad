import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createGunzip, type Gunzip } from 'node:zlib';
import type { Deadline } from '../../../base/kernel/bounds/deadline.js';
import type { RequestDigest } from '../../../base/kernel/call.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { shortened } from '../../../base/kernel/text.js';
import { TimedBody, type TransferSettings } from '../../../platform/http/body/timed-body.js';

/** Largest ratio of unpacked to packed bytes, which protects against gzip bombs. zlib reaches 1,032. */
const MAX_EXPANSION = 250;
const EXPANSION_COUNTS_FROM = 64 * 1024 * 1024;

/**
 * Reads the text of a body piece by piece, unpacks gzip and removes a byte order mark. The text is UTF-8 unless it has another
 * `encoding`. Reads no further than its
 * consumer asks. Throws 400 for invalid gzip or UTF-8, and 503 for bytes that arrive after `endsAt`. Keeps the request
 * open, so that it can still be answered.
 */
export async function* bodyText(
  request: IncomingMessage,
  settings: TransferSettings,
  endsAt: Deadline,
  {
    encoding,
    digest,
  }: { readonly encoding?: string | undefined; readonly digest?: RequestDigest | undefined },
): AsyncGenerator<string> {
  const decoder = decoderOf(encoding);
  const body = new TimedBody(request, settings, endsAt);
  try {
    const sent = digest?.through(body.bytes()) ?? body.bytes();
    for await (const bytes of isPacked(request) ? unpacked(sent) : sent) yield decoded(decoder, bytes);
    yield decoded(decoder);
  } finally {
    body.end();
  }
}

function isPacked({ headers }: IncomingMessage): boolean {
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  return encoding === 'gzip' || encoding === 'x-gzip';
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

/** The decoder of an encoding, by a name of the WHATWG standard. Throws 400 for another name. */
function decoderOf(encoding = 'utf-8'): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw invalid(
      `encoding: ${JSON.stringify(shortened(encoding))} is not known. Send a name such as utf-8, utf-16le, windows-1252 or iso-8859-2.`,
    );
  }
}

function decoded(decoder: TextDecoder, bytes?: Buffer): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch {
    const isDefault = decoder.encoding === 'utf-8';
    const hint = isDefault ? ' If it has another encoding, name it, for example encoding=windows-1252.' : '';
    throw invalid(`The body is not valid ${decoder.encoding.toUpperCase()}.${hint}`);
  }
}
