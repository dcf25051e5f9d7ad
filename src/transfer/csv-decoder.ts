import { COLUMN_TYPES, type ColumnTypeName, nameFlaw } from '../columns/index.js';
import { invalid } from '../kernel/errors.js';
import type { JsonObject } from '../kernel/json.js';
import type { CollectionShape } from '../storage/collection-shape.js';
import { type CsvFields, type CsvFlaw, CsvReader } from './csv-reader.js';
import { columnValue, NotJson } from './csv-values.js';
import type { Decoder, Sent } from './decoder.js';

const DELIMITERS = [',', ';', '\t'] as const;
/** Longer headers are rubbish. */
const MAX_HEADER_LENGTH = 1024 * 1024;

/** A field of the header; without a type it is no column of the collection. */
interface Field {
  readonly name: string;
  readonly type: ColumnTypeName | undefined;
}

/**
 * CSV with a header that names the fields. Fields become values by the schema: nothing is null in a column; elsewhere it is
 * absent, and text stays text.
 */
export class CsvDecoder implements Decoder {
  private head = '';
  private reader: CsvReader | undefined;
  private header: readonly Field[] | undefined;
  private row = 0;

  constructor(private readonly shape: CollectionShape) {}

  take(piece: string, isLast: boolean): Sent[] {
    if (this.reader !== undefined) return this.records(this.reader, piece, isLast);
    this.head += piece;
    const delimiter = delimiterOf(this.head, isLast);
    if (delimiter === undefined) return [];
    this.reader = new CsvReader(delimiter);
    return this.records(this.reader, this.head, isLast);
  }

  private records(reader: CsvReader, piece: string, isLast: boolean): Sent[] {
    const sent: Sent[] = [];
    for (const record of reader.read(piece, isLast)) {
      if (this.header === undefined) this.header = this.headerOf(record);
      else if ('flaw' in record) sent.push({ row: ++this.row, column: null, problem: record.flaw });
      // An empty line; where there is one field only, that field is empty.
      else if (record.length > 1 || record[0] !== null || this.header.length === 1)
        sent.push(sentRecord(this.header, ++this.row, record));
    }
    if (isLast && this.header === undefined)
      throw invalid('The file is empty: its first line names the fields.');
    return sent;
  }

  private headerOf(record: CsvFields | CsvFlaw): readonly Field[] {
    if ('flaw' in record) throw invalid(`The header, which is the first line: ${record.flaw}.`);
    const { columns } = this.shape;
    const seen = new Set<string>();
    return record.map((field, index) => {
      const name = field ?? '';
      const flaw = nameFlaw(name) ?? (seen.has(name) ? 'the name is there twice' : undefined);
      if (flaw !== undefined)
        throw invalid(`The header, field ${index + 1} (${JSON.stringify(name.slice(0, 60))}): ${flaw}.`);
      seen.add(name);
      return { name, type: Object.hasOwn(columns, name) ? columns[name]?.type : undefined };
    });
  }
}

function sentRecord(header: readonly Field[], row: number, fields: CsvFields): Sent {
  if (fields.length !== header.length) {
    const problem = `has ${fields.length} fields, the header has ${header.length}`;
    return { row, column: null, problem };
  }
  const record: JsonObject = {};
  for (let index = 0; index < header.length; index++) {
    const { name, type } = header[index] as Field;
    const text = fields[index] as string | null;
    if (type === undefined) {
      if (text !== null) record[name] = text;
      continue;
    }
    try {
      record[name] = columnValue(type, text);
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      return { row, column: name, problem: `expects ${COLUMN_TYPES[type].expects}, as JSON text` };
    }
  }
  return { row, record };
}

/** The delimiter that the first line has most of; undefined as long as the line is not whole. */
function delimiterOf(head: string, isLast: boolean): string | undefined {
  const unquoted = head.replace(/"[^"]*"?/g, '');
  const end = unquoted.search(/[\r\n]/);
  if (end < 0 && !isLast) {
    if (head.length > MAX_HEADER_LENGTH)
      throw invalid('The header, which is the first line, is longer than 1 MiB.');
    return undefined;
  }
  const line = end < 0 ? unquoted : unquoted.slice(0, end);
  const counts = DELIMITERS.map(delimiter => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))];
}
