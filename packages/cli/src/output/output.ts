import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { stringify } from 'csv-stringify/sync';
import { type Row, tableOf } from './table.js';

export const FORMATS = ['table', 'json', 'ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];
export type { Row } from './table.js';

/** Columns that come first and last, in this order. Others are between them, in the order in which they appear. */
export interface Columns {
  readonly first?: readonly string[];
  readonly last?: readonly string[];
}

/** Rows printed together. A table needs their widths; the header of a CSV file needs the fields of all rows. */
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
      readonly width: number;
    },
  ) {}

  /** Prints a list. Rows are printed as they arrive, except those of one JSON array. */
  async rows(rows: AsyncIterable<Row> | Iterable<Row>, columns: Columns = {}): Promise<number> {
    let count = 0;
    await this.to(async target => {
      for await (const batch of batches(rows, SIZES[this.format])) {
        await write(target, this.textOf(batch, count === 0, columns));
        count += batch.length;
      }
      if (count === 0) await write(target, this.textOf([], true, columns));
      if (this.format === 'json') await write(target, count === 0 ? '' : '\n]\n');
    });
    return count;
  }

  /** Prints one value: a table of its fields on a terminal, otherwise JSON. */
  async value(value: unknown): Promise<void> {
    await this.to(async target => {
      const isTable =
        this.format === 'table' && typeof value === 'object' && value !== null && !Array.isArray(value);
      const text = isTable
        ? tableOf(
            Object.entries(value).map(([field, each]) => ({ field, value: each })),
            ['field', 'value'],
            this.options,
          )
        : this.format === 'ndjson' || this.format === 'csv'
          ? JSON.stringify(value)
          : JSON.stringify(value, null, 2);
      await write(target, `${text}\n`);
    });
  }

  /** Writes text or bytes as they are. */
  async raw(pieces: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>): Promise<void> {
    await this.to(async target => {
      for await (const piece of pieces) await write(target, piece);
    });
  }

  private textOf(rows: readonly Row[], isFirst: boolean, order: Columns): string {
    switch (this.format) {
      case 'table':
        return rows.length === 0 ? '' : `${tableOf(rows, columnsOf(rows, order), this.options)}\n`;
      case 'ndjson':
        return rows.map(row => `${JSON.stringify(row)}\n`).join('');
      case 'json':
        if (rows.length === 0) return '[]\n';
        return rows.map((row, n) => `${isFirst && n === 0 ? '[\n' : ',\n'}${JSON.stringify(row)}`).join('');
      case 'csv':
        return csvOf(rows, isFirst, columnsOf(rows, order));
    }
  }

  private async to(work: (target: Writable) => Promise<void>): Promise<void> {
    const { file } = this.options;
    if (file === undefined) return work(this.stdout);
    const target = createWriteStream(file);
    const ended = finished(target);
    ended.catch(() => undefined);
    try {
      await work(target);
    } finally {
      target.end();
    }
    await ended;
  }
}

function columnsOf(rows: readonly Row[], { first = [], last = [] }: Columns): string[] {
  const present = new Set(rows.flatMap(row => Object.keys(row)));
  const between = [...present].filter(name => !first.includes(name) && !last.includes(name));
  return [...first, ...between, ...last].filter(name => present.has(name));
}

function csvOf(rows: readonly Row[], header: boolean, columns: readonly string[]): string {
  const cells = rows.map(row => columns.map(column => cellOf(row[column])));
  return stringify(header ? [columns, ...cells] : cells);
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
