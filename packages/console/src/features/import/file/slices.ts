import type { ColumnType } from '../../../values/draft-columns.js';
import { serviceText } from '../../../values/local-values.js';
import { CsvRows, csvLine } from './csv-rows.js';
import { linesBefore, type Reading, recordOf } from './head.js';
import { JsonElements, JsonLines } from './json-rows.js';

/** Where a field of the file goes. */
export interface Target {
  /** A column, or the name of a field without a column. */
  readonly name: string;
  /** Undefined for a field without a column. */
  readonly type: ColumnType | undefined;
}

/** How a file becomes what the service reads. */
export interface FilePlan {
  readonly reading: Reading;
  /** The fields of the file in its order. */
  readonly names: readonly string[];
  /** For each field where it goes; null leaves it out. */
  readonly targets: readonly (Target | null)[];
}

/** A row that is not sent, because it cannot be. */
export interface UnreadableRow {
  readonly row: number;
  readonly problem: 'fieldCount' | 'quotes';
  /** Its text in the file. */
  readonly text: string;
}

/** A part of a file that begins and ends between two rows, as the service reads it. */
export interface Slice {
  /** UTF-8: CSV with a header, or a JSON object in each line. */
  readonly body: Blob;
  /** For each row of the body its number in the file, from 1. */
  readonly rows: readonly number[];
  readonly unreadable: readonly UnreadableRow[];
  /** Bytes of the file up to the end of the slice. */
  readonly bytes: number;
}

/** Text is handed over to the browser in pieces of this size, which it can store outside of memory. */
const PIECE_CHARACTERS = 1024 * 1024;

/**
 * Reads a file piece by piece and writes it anew for the service, in slices of about so many characters. Only one slice is
 * in memory at a time.
 */
export async function* slicesOf(
  file: Blob,
  plan: FilePlan,
  sliceCharacters: number,
): AsyncGenerator<Slice, void, undefined> {
  const reader = readerFor(plan);
  let slice = new SliceBuilder(headerLine(plan));
  let row = 0;
  let bytes = 0;
  for await (const { text, isLast, end } of textOf(file, plan.reading.encoding)) {
    bytes = end;
    for (const read of reader(text, isLast)) {
      row += 1;
      if ('line' in read) slice.add(read.line, row);
      else slice.unreadable.push({ ...read, row });
    }
    if (slice.characters < sliceCharacters) continue;
    yield slice.end(bytes);
    slice = new SliceBuilder(headerLine(plan));
  }
  if (slice.rows.length > 0 || slice.unreadable.length > 0) yield slice.end(bytes);
}

class SliceBuilder {
  readonly rows: number[] = [];
  readonly unreadable: UnreadableRow[] = [];
  characters = 0;
  private readonly pieces: Blob[] = [];
  private lines: string[] = [];
  private pending = 0;

  constructor(private readonly header: string) {}

  add(line: string, row: number): void {
    this.rows.push(row);
    this.lines.push(line);
    this.characters += line.length;
    this.pending += line.length;
    if (this.pending >= PIECE_CHARACTERS) this.flush();
  }

  end(bytes: number): Slice {
    this.flush();
    const { rows, unreadable } = this;
    return { body: new Blob([this.header, ...this.pieces]), rows, unreadable, bytes };
  }

  private flush(): void {
    this.pieces.push(new Blob([this.lines.join('')]));
    this.lines = [];
    this.pending = 0;
  }
}

/** The names of the columns that a plan sends, in the order of the file. */
export function sentTargets({ targets }: FilePlan): readonly Target[] {
  return targets.filter(target => target !== null);
}

/** The header of the slices; empty for JSON. */
export function headerLine(plan: FilePlan): string {
  return plan.reading.format === 'csv' ? csvLine(sentTargets(plan).map(({ name }) => name)) : '';
}

type Read = { readonly line: string } | Omit<UnreadableRow, 'row'>;
type Reader = (text: string, isLast: boolean) => Iterable<Read>;

function readerFor(plan: FilePlan): Reader {
  return plan.reading.format === 'csv' ? csvReader(plan) : jsonReader(plan);
}

function csvReader({ reading, names, targets }: FilePlan): Reader {
  const rows = new CsvRows(reading.delimiter, linesBefore(reading));
  let isHeader = reading.headerLine > 0;
  return function* (text, isLast) {
    for (const { fields, broken } of rows.read(text, isLast)) {
      if (isHeader) {
        isHeader = false;
        continue;
      }
      if (broken !== undefined) yield { problem: 'quotes', text: broken };
      else if (fields.length !== names.length)
        yield { problem: 'fieldCount', text: csvLine(fields).trimEnd() };
      else {
        const sent = fields.flatMap((field, index) => {
          const target = targets[index];
          if (target === null || target === undefined) return [];
          return [field === null ? null : serviceText(field, target.type, reading)];
        });
        yield { line: csvLine(sent) };
      }
    }
  };
}

function jsonReader({ reading, names, targets }: FilePlan): Reader {
  const rows = reading.format === 'ndjson' ? new JsonLines() : new JsonElements();
  const moved = new Map(names.map((name, index) => [name, targets[index]?.name ?? null]));
  const isSame = [...moved].every(([name, target]) => name === target);
  return function* (text, isLast) {
    for (const line of rows.read(text, isLast)) {
      const record = isSame ? undefined : recordOf(line);
      yield { line: `${record === undefined ? line : renamed(record, moved)}\n` };
    }
  };
}

/** Fields that the first rows do not have keep their names. */
function renamed(
  record: Readonly<Record<string, unknown>>,
  moved: ReadonlyMap<string, string | null>,
): string {
  const entries = Object.entries(record).flatMap(([name, value]) => {
    const target = moved.has(name) ? moved.get(name) : name;
    return target === null || target === undefined ? [] : [[target, value]];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

/** The text of a file, piece by piece, with an empty last piece. `end`: bytes read so far. */
async function* textOf(file: Blob, encoding: string) {
  const decoder = new TextDecoder(encoding);
  const reader = file.stream().getReader();
  let end = 0;
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      end += piece.value.byteLength;
      yield { text: decoder.decode(piece.value, { stream: true }), isLast: false, end };
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  yield { text: decoder.decode(), isLast: true, end };
}
