import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { writeByDraft } from './draft-file.js';

/** First line of a backup: what it is and what it takes to restore it. */
export interface Header {
  readonly format: 'typed-collections backup';
  readonly version: 1;
  readonly createdAt: string;
  /** Names of the migrations that the database had, oldest first. */
  readonly migrations: readonly string[];
  /** Names of the master keys without which its secrets stay sealed; the keys are not in it. */
  readonly masterKeys: readonly string[];
  readonly orgIds: readonly string[];
}

/** A table, whose rows follow. */
export interface TableLine {
  readonly table: readonly [schema: string, name: string];
  readonly columns: readonly string[];
  /** Statements that make the table and, after its rows, its constraints and indexes; absent where migrations make it. */
  readonly create?: string;
  readonly finish?: readonly string[];
}

export interface SequenceLine {
  readonly sequence: readonly [schema: string, name: string];
  readonly value: string;
  readonly isCalled: boolean;
}

/** The last line, so that a file that was cut off is known as such. */
export interface EndLine {
  readonly end: true;
  readonly tables: number;
  readonly rows: number;
}

/** A row: the text of each column as PostgreSQL writes and reads it. */
type RowLine = readonly (string | null)[];

export type Line = Header | TableLine | SequenceLine | EndLine | RowLine;

/** Writes lines of JSON, compressed, to a file that is there under its name only when it is complete. Returns its size. */
export async function writeArchive(file: string, lines: AsyncIterable<string>): Promise<number> {
  await writeByDraft(file, draft => pipeline(Readable.from(lines), createGzip(), createWriteStream(draft)));
  return (await stat(file)).size;
}

/** The lines of a file, one at a time, no more read than asked for. Throws for what is no backup of this kind, or was cut off. */
export async function* archiveLines(file: string): AsyncGenerator<string> {
  const packed = createReadStream(file);
  const unpacked = createGunzip();
  packed.on('error', error => unpacked.destroy(error));
  let parts: Buffer[] = [];
  for await (const chunk of packed.pipe(unpacked) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)]).toString();
      parts = [];
      from = end + 1;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
  if (parts.length > 0) throw new Error('its last line is cut off');
}

/** Reads a backup once from end to end. Throws unless it is complete. */
export async function checkArchive(file: string): Promise<{ header: Header; end: EndLine }> {
  let header: Header | undefined;
  let last = '';
  let rows = 0;
  try {
    for await (const line of archiveLines(file)) {
      header ??= JSON.parse(line);
      if (line.startsWith('[')) rows += 1;
      last = line;
    }
  } catch (error) {
    throw new Error(`${file} is no complete backup: ${(error as Error).message}`);
  }
  const end: Partial<EndLine> = last.startsWith('{"end"') ? JSON.parse(last) : {};
  if (header?.format !== 'typed-collections backup' || end.end !== true || end.rows !== rows) {
    throw new Error(`${file} is no complete backup.`);
  }
  return { header, end: end as EndLine };
}
