import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { stringify } from 'csv-stringify/sync';
import { jsonText, printable, printableLines } from './printable.js';
import { type Row, tableOf } from './table.js';

export const FORMATS = ['table', 'json', 'ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];
export type { Row } from './table.js';

/** Columns that come first and last, in this order. Others are between them, in the order in which they appear. */
export interface Columns {
  /** All columns. Then the rows of a CSV file are printed as they arrive. */
  readonly all?: readonly string[];
  readonly first?: readonly string[];
  readonly last?: readonly string[];
}

/** Rows printed together. A table needs their widths; the header of a CSV file needs the fields of all rows, unless it is known. */
const SIZES = { table: 1000, json: 100, ndjson: 1, csv: Number.POSITIVE_INFINITY };

/**
 * Where the data of a command goes: stdout or a file, as a table, JSON, NDJSON or CSV. Everything else that the program
 * says goes to stderr.
 */
export class Output {
  constructor(
    private readonly stdout: Writable,
    readonly format: Format,
    private readonly options: {
      readonly file?: string | undefined;
      readonly color: boolean;
      /** A person reads it: texts of the service must not act on their terminal. */
      readonly isTerminal: boolean;
      readonly width: number;
    },
  ) {}

  /** Prints a list. Rows are printed as they arrive; a CSV file whose columns are not known waits for all of them. */
  async rows(rows: AsyncIterable<object> | Iterable<object>, columns: Columns = {}): Promise<number> {
    let count = 0;
    await this.to(async target => {
      const size = columns.all === undefined ? SIZES[this.format] : 1;
      for await (const batch of batches(rows as AsyncIterable<Row>, size)) {
        await write(target, this.textOf(batch, count === 0, columns));
        count += batch.length;
      }
      if (count === 0) await write(target, this.textOf([], true, columns));
      if (this.format === 'json') await write(target, count === 0 ? '' : '\n]\n');
    });
    return count;
  }

  /** Prints one value: the fields of an object one below another in a table, otherwise as JSON or CSV. */
  async value(value: unknown): Promise<void> {
    if (typeof value !== 'object' || value === null) return this.raw([`${jsonText(value)}\n`]);
    const fields = Object.entries(value).map(([field, each]) => ({ field, value: each }));
    const text = {
      table: () => `${tableOf(fields, ['field', 'value'], this.options)}\n`,
      json: () => `${jsonText(value, 2)}\n`,
      ndjson: () => `${jsonText(value)}\n`,
      csv: () => this.textOf([value as Row], true, {}),
    };
    await this.to(target => write(target, text[this.format]()));
  }

  /** Writes text or bytes as they are, but for characters that a terminal would act on. */
  async raw(pieces: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>): Promise<void> {
    const decoder = new TextDecoder();
    const shown = (piece: Uint8Array | string) =>
      printableLines(typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true }));
    await this.to(async target => {
      for await (const piece of pieces) await write(target, this.options.isTerminal ? shown(piece) : piece);
    });
  }

  private textOf(rows: readonly Row[], isFirst: boolean, order: Columns): string {
    switch (this.format) {
      case 'table':
        return rows.length === 0 ? '' : `${tableOf(rows, columnsOf(rows, order), this.options)}\n`;
      case 'ndjson':
        return rows.map(row => `${jsonText(row)}\n`).join('');
      case 'json':
        if (rows.length === 0) return '[]\n';
        return rows.map((row, n) => `${isFirst && n === 0 ? '[\n' : ',\n'}${jsonText(row)}`).join('');
      case 'csv':
        return this.csvOf(rows, isFirst, columnsOf(rows, order));
    }
  }

  private csvOf(rows: readonly Row[], header: boolean, columns: readonly string[]): string {
    const cells = rows.map(row => columns.map(column => cellOf(row[column])));
    const lines = header ? [[...columns], ...cells] : cells;
    return stringify(this.options.isTerminal ? lines.map(line => line.map(printable)) : lines);
  }

  private async to(work: (target: Writable) => Promise<void>): Promise<void> {
    const { file } = this.options;
    if (file === undefined) return work(this.stdout);
    // A file that exists under its name is complete. A device, for example /dev/null, is written as it is.
    const isDevice = (await stat(file).catch(() => undefined))?.isFile() === false;
    const path = isDevice ? file : `${file}.part`;
    const stored = createWriteStream(path);
    const gzip = /\.gz$/i.test(file) ? createGzip() : undefined;
    const target = gzip ?? stored;
    const ended = gzip === undefined ? finished(stored) : pipeline(gzip, stored);
    ended.catch(() => undefined);
    try {
      await work(target);
      target.end();
      await ended;
      if (!isDevice) await rename(path, file);
    } catch (error) {
      target.destroy();
      if (!isDevice) await rm(path, { force: true });
      throw error;
    }
  }
}

function columnsOf(rows: readonly Row[], { all, first = [], last = [] }: Columns): readonly string[] {
  if (all !== undefined) return all;
  const present = new Set(rows.flatMap(row => Object.keys(row)));
  const between = [...present].filter(name => !first.includes(name) && !last.includes(name));
  return [...first, ...between, ...last].filter(name => present.has(name));
}

/** The text of a value in a cell of a CSV file: what the import of the service reads back. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

async function* batches<T>(items: AsyncIterable<T> | Iterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Waits while the reader is slower than the program. */
async function write(target: Writable, piece: Uint8Array | string): Promise<void> {
  if (piece.length > 0 && !target.write(piece)) await once(target, 'drain');
}
