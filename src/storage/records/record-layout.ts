import { COLUMN_TYPES, type ColumnType, checkDocument } from '../../columns/index.js';
import { invalid } from '../../kernel/errors.js';
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../../kernel/json.js';
import { ANSWER_FIELDS, type CollectionShape, physicalColumn, SYSTEM_FIELDS } from '../collection-shape.js';

/** A value that does not fit its column, with the position of its record in the request. */
export interface Misfit {
  readonly row: number;
  readonly column: string;
  readonly problem: string;
}

/** A record as a row of its table: physical columns, and the flexible fields together as `x`. */
export type Row = Record<string, JsonValue>;

/** A declared column as the validation of records needs it. */
export interface KnownColumn {
  readonly name: string;
  readonly physical: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
}

/**
 * Fields that clients may send and that are ignored (contract, Record), unless the collection declares such a column.
 */
const IGNORED = [...SYSTEM_FIELDS, ...ANSWER_FIELDS, 'owner_id', 'owner_type'];

/**
 * Validates records for one version of a collection and lays them out as rows. Made once per version, so that a record
 * costs one walk over its fields.
 */
export class RecordLayout {
  private readonly columns = new Map<string, KnownColumn>();
  private readonly required: readonly KnownColumn[];
  private readonly ignored: ReadonlySet<string>;

  constructor(shape: CollectionShape) {
    for (const [name, definition] of Object.entries(shape.columns)) {
      const { nullable } = definition;
      this.columns.set(name, {
        name,
        physical: physicalColumn(definition),
        type: COLUMN_TYPES[definition.type],
        nullable,
      });
    }
    this.required = [...this.columns.values()].filter(column => !column.nullable);
    this.ignored = new Set(IGNORED.filter(name => !this.columns.has(name)));
  }

  /**
   * The row of a record. Adds misfits to `misfits`. Throws 400 for content that is not allowed in any record; its message
   * begins with `where`, the place of the record in the request.
   */
  row(record: unknown, position: number, misfits: Misfit[], where = `records.${position}`): Row {
    if (!isJsonObject(record)) throw invalid(`${where}: expects an object`);
    checkDocument(record, where);
    const row: Row = {};
    const from = misfits.length;
    let flexible: JsonObject | undefined;
    for (const name in record) {
      const value = record[name] as JsonValue;
      const column = this.columns.get(name);
      if (column !== undefined) {
        const fitting = value === null ? null : column.type.accept(value);
        if (fitting === undefined) misfits.push(misfit(position, column));
        else row[column.physical] = fitting;
      } else if (!this.ignored.has(name)) {
        flexible ??= {};
        flexible[name] = value;
      }
    }
    if (flexible !== undefined) row.x = flexible;
    this.refuseMissing(row, position, misfits, from);
    return row;
  }

  /** The declared column of this name, if any. */
  column(name: string): KnownColumn | undefined {
    return this.columns.get(name);
  }

  /** True for a field that clients may send and that is ignored. */
  ignores(name: string): boolean {
    return this.ignored.has(name);
  }

  /**
   * The parts of a changed document to write: the columns among `names`, and all flexible fields if one of `names` is
   * flexible. Throws 400 that names the column and what it expects, or for content that is not allowed in any record.
   */
  rewritten(document: JsonObject, names: readonly string[]): Row {
    checkDocument(document, 'record');
    const row: Row = {};
    for (const name of names) {
      const column = this.columns.get(name);
      if (column !== undefined) row[column.physical] = fittingValue(column, ownValue(document, name) ?? null);
      else row.x ??= this.flexible(document);
    }
    return row;
  }

  private flexible(document: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(document).filter(([name]) => !this.columns.has(name)));
  }

  /** `from`: the length of `misfits` before this record. */
  private refuseMissing(row: Row, position: number, misfits: Misfit[], from: number): void {
    const known = misfits.length === from ? undefined : new Set(misfits.slice(from).map(each => each.column));
    for (const { physical, name } of this.required) {
      if ((row[physical] ?? null) === null && !known?.has(name))
        misfits.push({ row: position, column: name, problem: 'must not be null or absent' });
    }
  }
}

/** The value in the form that the column stores. Throws 400 that names the column and what it expects. */
export function fittingValue(column: KnownColumn, value: JsonValue): JsonValue {
  if (value === null && !column.nullable) throw invalid(`${column.name}: must not be null`);
  const fitting = value === null ? null : column.type.accept(value);
  if (fitting === undefined) throw invalid(`${column.name}: expects ${column.type.expects}`);
  return fitting;
}

function misfit(row: number, { name, type }: KnownColumn): Misfit {
  return { row, column: name, problem: `expects ${type.expects}` };
}

const layouts = new WeakMap<CollectionShape, RecordLayout>();

/** The layout for the version of `shape`; made at its first use. */
export function layoutOf(shape: CollectionShape): RecordLayout {
  let layout = layouts.get(shape);
  if (layout === undefined) {
    layout = new RecordLayout(shape);
    layouts.set(shape, layout);
  }
  return layout;
}
