import { createReadStream, openAsBlob } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { analyse } from 'chardet';
import type { Io } from '../context.js';
import { CliError } from '../exit.js';

/** The bytes that are looked at to recognize the encoding, and to suggest a schema. */
const SAMPLE_BYTES = 256 * 1024;
/** Below this confidence out of 100, a file is taken for UTF-8. */
const MIN_CONFIDENCE = 30;

/** A file of records that a command reads, or stdin. */
export interface TextFile {
  readonly name: string;
  readonly format: 'csv' | 'ndjson';
  readonly delimiter: string;
  readonly gzip: boolean;
  /** For example `windows-1252`; undefined for UTF-8, which the service reads. */
  readonly encoding: string | undefined;
  /** Undefined for stdin. */
  readonly bytes: number | undefined;
  /** The beginning of its text, up to the last complete line. */
  readonly sample: string;
}

/** Looks at a file: what it holds, how it is encoded, and its first lines. */
export async function inspect(
  path: string,
  wanted: { readonly format?: 'csv' | 'ndjson' },
): Promise<TextFile> {
  const size = await sizeOf(path);
  const gzip = /\.gz$/i.test(path);
  const head = await beginningOf(path, gzip);
  const encoding = encodingOf(head);
  const text = new TextDecoder(encoding ?? 'utf-8').decode(head, { stream: true });
  const sample = head.length < SAMPLE_BYTES ? text : text.slice(0, text.lastIndexOf('\n') + 1);
  const format =
    wanted.format ?? (/\.(ndjson|jsonl)(\.gz)?$/i.test(path) || /^\s*\{/.test(sample) ? 'ndjson' : 'csv');
  return { name: path, format, delimiter: delimiterOf(path, sample), gzip, encoding, bytes: size, sample };
}

/** What the client sends: a Blob, which can be sent again, or else a stream of UTF-8. */
export async function sourceOf({
  name,
  encoding,
  gzip,
}: TextFile): Promise<Blob | AsyncIterable<Uint8Array>> {
  if (encoding === undefined) return openAsBlob(name);
  const bytes = gzip ? createReadStream(name).pipe(createGunzip()) : createReadStream(name);
  return recoded(bytes, encoding);
}

/** Text of stdin, which is read once and must be UTF-8. */
export function stdinSource({ stdin }: Io): AsyncIterable<Uint8Array> {
  return stdin as AsyncIterable<Uint8Array>;
}

async function* recoded(bytes: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding);
  const encoder = new TextEncoder();
  for await (const piece of bytes) yield encoder.encode(decoder.decode(piece, { stream: true }));
  yield encoder.encode(decoder.decode());
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new CliError(`There is no file ${path}.`);
    throw error;
  }
}

async function beginningOf(path: string, gzip: boolean): Promise<Buffer> {
  if (!gzip) {
    const file = await open(path);
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }
  const pieces: Buffer[] = [];
  let length = 0;
  const unpacked = createReadStream(path).pipe(createGunzip());
  for await (const piece of unpacked as Readable) {
    pieces.push(piece);
    length += piece.length;
    if (length >= SAMPLE_BYTES) break;
  }
  return Buffer.concat(pieces).subarray(0, SAMPLE_BYTES);
}

/** The encoding of a file that is not UTF-8. A text that is valid UTF-8 is UTF-8. */
export function encodingOf(head: Uint8Array): string | undefined {
  try {
    // A character may be cut at the end of the sample.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return head.includes(0) ? wideEncodingOf(head) : undefined;
  } catch {
    const best = analyse(head).find(({ name, confidence }) => isKnown(name) && confidence >= MIN_CONFIDENCE);
    return best === undefined || best.name === 'UTF-8' ? undefined : best.name;
  }
}

/** Text with NUL bytes is UTF-16. */
function wideEncodingOf(head: Uint8Array): string | undefined {
  if (head[0] === 0) return 'utf-16be';
  return head[1] === 0 ? 'utf-16le' : undefined;
}

function isKnown(name: string): boolean {
  try {
    return new TextDecoder(name).encoding !== '';
  } catch {
    return false;
  }
}

/** The character between two fields, found as the service finds it: the most frequent candidate of the first line. */
function delimiterOf(path: string, sample: string): string {
  if (/\.tsv(\.gz)?$/i.test(path)) return '\t';
  const [line = ''] = sample.split('\n', 1);
  const counts = [',', ';', '\t'].map(candidate => ({ candidate, count: line.split(candidate).length }));
  return counts.reduce((best, each) => (each.count > best.count ? each : best)).candidate;
}
