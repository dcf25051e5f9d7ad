import { createReadStream, createWriteStream, rmSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';

/** The first line of a backup. */
export interface Header {
  readonly format: 'typed-collections backup';
  readonly version: 1;
  readonly createdAt: string;
  /** Names of the applied migrations, oldest first. */
  readonly migrations: readonly string[];
  /** Names of the master keys that are needed to decrypt the secrets. The backup does not contain the keys. */
  readonly masterKeys: readonly string[];
  readonly orgIds: readonly string[];
}

/** A table. Its rows follow as further lines. */
export interface TableLine {
  readonly table: readonly [schema: string, name: string];
  readonly columns: readonly string[];
  /**
   * `create` makes the table, `finish` its constraints and indexes after the rows. Absent for tables that migrations
   * make.
   */
  readonly create?: string;
  readonly finish?: readonly string[];
}

export interface SequenceLine {
  readonly sequence: readonly [schema: string, name: string];
  readonly value: string;
  readonly isCalled: boolean;
}

/** The last line. A file without it is incomplete. */
export interface EndLine {
  readonly end: true;
  readonly tables: number;
  readonly rows: number;
}

/** A row: each column in PostgreSQL's text format. */
type RowLine = readonly (string | null)[];

export type Line = Header | TableLine | SequenceLine | EndLine | RowLine;

/** Writes lines of JSON to a gzip file, which gets its name when it is complete. Returns its size in bytes. */
export async function writeArchive(file: string, lines: AsyncIterable<string>): Promise<number> {
  await writeByDraft(file, draft => pipeline(Readable.from(lines), createGzip(), createWriteStream(draft)));
  return (await stat(file)).size;
}

/** Reads the lines of a backup one at a time. Throws for a file that is not gzip or is cut off. */
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

/** Reads a backup once from beginning to end. Throws unless it is complete. */
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
    throw new Error(`${file} is not a complete backup: ${(error as Error).message}`);
  }
  const end: Partial<EndLine> = last.startsWith('{"end"') ? JSON.parse(last) : {};
  if (header?.format !== 'typed-collections backup' || end.end !== true || end.rows !== rows) {
    throw new Error(`${file} is not a complete backup.`);
  }
  return { header, end: end as EndLine };
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Writes a temporary file next to `file`, syncs it to disk and then renames it, so that `file` is always complete. The
 * temporary file has mode 0600 from the start, and is removed when `write` fails or a signal ends the process.
 */
export async function writeByDraft(file: string, write: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${file}.part`;
  await rm(draft, { force: true });
  await (await open(draft, 'wx', 0o600)).close();
  const onSignal = () => {
    rmSync(draft, { force: true });
    process.exit(1);
  };
  for (const signal of SIGNALS) process.once(signal, onSignal);
  try {
    await write(draft);
    await sync(draft);
    await rename(draft, file);
    await sync(dirname(file));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

async function sync(path: string): Promise<void> {
  // Windows cannot open directories, and cannot sync files that are open only for reading.
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
