import { createReadStream, openAsBlob } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { analyse, type Match } from 'chardet';
import type { Io } from '../context.js';
import { CliError } from '../exit.js';

/** The bytes that are looked at to recognize the encoding, and to suggest a schema. */
const SAMPLE_BYTES = 256 * 1024;
const WESTERN = 'windows-1252';
const DELIMITERS = [',', ';', '\t'];

export type FileFormat = 'csv' | 'ndjson' | 'json';

/** A file of records that a command reads, or stdin. */
export interface TextFile {
  readonly name: string;
  readonly format: FileFormat;
  readonly delimiter: string;
  /** It is sent compressed, as it is. */
  readonly isGzip: boolean;
  /** For example `windows-1252`; undefined for UTF-8. The service reads it. */
  readonly encoding: string | undefined;
  /** The beginning of its text, up to the last complete line. */
  readonly sample: string;
  /** What the client sends: a Blob, which it can send again, or else a stream. */
  readonly source: () => Promise<Blob | AsyncIterable<Uint8Array>>;
}

/** What the person says about a file. */
interface Wanted {
  readonly format?: FileFormat | undefined;
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
  /** How many lines come before the header. */
  readonly skipLines?: number | undefined;
}

/** Looks at a file, or at stdin for `-`: what it holds, how it is encoded, and its first lines. */
export async function inspect(path: string, { stdin }: Io, wanted: Wanted = {}): Promise<TextFile> {
  const { head, bytes } = path === '-' ? await beginning(stdin) : await fileAt(path);
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  const start = isGzip ? await unpacked(head) : head;
  const isWhole = head.length < SAMPLE_BYTES;
  const encoding = wanted.encoding ?? encodingOf(start, isWhole);
  const text = new TextDecoder(encoding ?? 'utf-8').decode(start, { stream: true });
  const lines = isWhole ? text : text.slice(0, text.lastIndexOf('\n') + 1);
  const sample = lines.replace(new RegExp(`^(?:[^\\r\\n]*(?:\\r\\n|\\n|\\r)){${wanted.skipLines ?? 0}}`), '');
  return {
    ...{ name: path, encoding, sample, delimiter: wanted.delimiter ?? delimiterOf(sample) },
    format: wanted.format ?? formatOf(path, sample),
    isGzip,
    source: async () => (path === '-' ? bytes() : openAsBlob(path)),
  };
}

function formatOf(path: string, sample: string): FileFormat {
  if (/\.(ndjson|jsonl)(\.gz)?$/i.test(path) || /^\s*\{/.test(sample)) return 'ndjson';
  return /^\s*\[\s*(\{|\]|$)/.test(sample) ? 'json' : 'csv';
}

interface Beginning {
  readonly head: Uint8Array;
  /** All bytes, those of the beginning too. */
  readonly bytes: () => AsyncIterable<Uint8Array>;
}

async function fileAt(path: string): Promise<Beginning> {
  try {
    if ((await stat(path)).isDirectory()) throw new CliError(`${path} is a directory.`);
    const file = await open(path);
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0);
      return { head: buffer.subarray(0, bytesRead), bytes: () => createReadStream(path) };
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new CliError(`There is no file ${path}.`);
    throw error;
  }
}

/** The beginning of a stream, which is read only once. */
async function beginning(stream: AsyncIterable<Uint8Array>): Promise<Beginning> {
  const rest = stream[Symbol.asyncIterator]();
  const pieces: Uint8Array[] = [];
  for (let length = 0; length < SAMPLE_BYTES; ) {
    const { value, done } = await rest.next();
    if (done) break;
    pieces.push(value);
    length += value.length;
  }
  const bytes = async function* () {
    yield* pieces;
    yield* { [Symbol.asyncIterator]: () => rest };
  };
  return { head: Buffer.concat(pieces), bytes };
}

/** The text at the beginning of a compressed file. */
async function unpacked(head: Uint8Array): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of Readable.from([head]).pipe(createGunzip())) pieces.push(piece);
  } catch (error) {
    // The rest of the file is missing here.
    if ((error as NodeJS.ErrnoException).code !== 'Z_BUF_ERROR') throw error;
  }
  return Buffer.concat(pieces);
}

/** The encoding of a text that is not UTF-8. A text that is valid UTF-8 is UTF-8. */
export function encodingOf(head: Uint8Array, isWhole: boolean): string | undefined {
  const marked = { '255,254': 'utf-16le', '254,255': 'utf-16be' }[head.subarray(0, 2).join()];
  if (marked !== undefined) return marked;
  try {
    // A character may be cut at the end of a part.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: !isWhole });
    return head.includes(0) ? wideEncodingOf(head) : undefined;
  } catch {
    return guessed(analyse(head));
  }
}

/** The most likely encoding. Western European is by far the most frequent one, and short texts say little. */
function guessed(matches: readonly Match[]): string {
  const [best] = matches.filter(({ name }) => name !== 'UTF-8' && isKnown(name));
  const western = matches.find(({ name }) => name === 'ISO-8859-1')?.confidence ?? 0;
  if (best === undefined || western >= best.confidence / 2) return WESTERN;
  return new TextDecoder(best.name).encoding;
}

/** Text with NUL bytes is UTF-16. */
function wideEncodingOf(head: Uint8Array): string | undefined {
  if (head[0] === 0) return 'utf-16be';
  return head[1] === 0 ? 'utf-16le' : undefined;
}

/** True if texts can be decoded from it. */
export function isKnown(name: string): boolean {
  try {
    return new TextDecoder(name).encoding !== '';
  } catch {
    return false;
  }
}

/** The character between two fields, found as the service finds it: the most frequent candidate of the header, outside of quotes. */
export function delimiterOf(sample: string): string {
  const [line = ''] = sample.replace(/"[^"]*"?/g, '').split(/[\r\n]/, 1);
  const counts = DELIMITERS.map(candidate => ({ candidate, count: line.split(candidate).length }));
  const best = counts.reduce((most, each) => (each.count > most.count ? each : most));
  return best.count === 1 && line.includes('|') ? '|' : best.candidate;
}
