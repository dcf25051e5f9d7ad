import { invalid } from '../../../base/kernel/errors.js';
import { newId } from '../../../base/kernel/id.js';
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../../../base/kernel/json.js';
import { identifier, joined, literal, type Sql, sql, typeName } from '../../../base/sql/index.js';
import { COLUMN_TYPES, type ColumnType, checkDocument } from '../../columns/index.js';
import {
  ANSWER_FIELDS,
  AUTHOR_FIELDS,
  type CollectionShape,
  physicalColumn,
  SYSTEM_FIELDS,
  wholeOf,
} from '../collection-shape.js';

/** A value that does not fit its column, with the position of its record in the request. */
export interface Misfit {
  readonly row: number;
  readonly column: string;
  readonly problem: string;
}

/** A record as a row of its table: physical columns, and the flexible fields together as `x`. */
export type Row = Record<string, JsonValue>;

/**
 * A record as the list of the values of its row: `_id`, the flexible fields, and the columns in the order in which they
 * were declared. Undefined for a column that the record does not have. Node and PostgreSQL process lists faster than
 * objects. In a shared statement the author of the record follows (`withAuthor`).
 */
export type RowList = (JsonValue | undefined)[];

const ID = 0;
const FLEXIBLE = 1;
const FIRST_COLUMN = 2;
const NO_FIELDS: JsonObject = Object.freeze({});

/** A declared column as the validation of records needs it. */
export interface KnownColumn {
  readonly name: string;
  readonly physical: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  /** The index of its value in a `RowList`. */
  readonly place: number;
}

/**
 * Fields that clients may send and that are ignored (contract, Record), unless the collection declares such a column.
 */
const IGNORED = [
  ...SYSTEM_FIELDS,
  ...AUTHOR_FIELDS.map(([name]) => name),
  ...ANSWER_FIELDS,
  'owner_id',
  'owner_type',
];

/**
 * Validates records for one version of a collection and lays them out as rows. Made once per version, so that a record
 * costs one walk over its fields.
 */
export class RecordLayout {
  // biome-ignore lint/plugin/bounded-maps: columns of a collection
  private readonly columns = new Map<string, KnownColumn>();
  private readonly required: readonly KnownColumn[];
  /** Fields that clients may send and that are ignored. */
  readonly ignored: ReadonlySet<string>;
  /** Has no holes, so that its copies are serialized fast. */
  private readonly empty: RowList;
  /** `(a.list->>0)::uuid AS _id, a.list->1 AS x, (a.list->>2)::text AS c1, …`: the values of a list that is JSON. */
  readonly selected: Sql;
  /** `selected`, and the author of the record that follows the list. */
  readonly authored: Sql;

  constructor(shape: CollectionShape) {
    for (const [name, definition] of Object.entries(shape.columns)) {
      const { nullable } = definition;
      const place = FIRST_COLUMN + this.columns.size;
      this.columns.set(name, {
        name,
        physical: physicalColumn(definition),
        type: COLUMN_TYPES[definition.type],
        nullable,
        place,
      });
    }
    this.empty = Array.from({ length: FIRST_COLUMN + this.columns.size }, () => undefined);
    this.selected = joined([
      sql`(a.list->>${literal(ID)})::uuid AS _id`,
      sql`a.list->${literal(FLEXIBLE)} AS x`,
      ...[...this.columns.values()].map(selectedColumn),
    ]);
    this.authored = sql`${this.selected}, (a.list->>${literal(this.empty.length)})::uuid AS author`;
    this.required = [...this.columns.values()].filter(column => !column.nullable);
    this.ignored = new Set(IGNORED.filter(name => !this.columns.has(name)));
  }

  /**
   * The values of a record, without an id. Adds misfits to `misfits`. Throws 400 for content that is not allowed in any
   * record; its message begins with `where`, the place of the record in the request.
   */
  list(record: unknown, position: number, misfits: Misfit[], where = `records.${position}`): RowList {
    if (!isJsonObject(record)) throw invalid(`${where}: expects an object`);
    checkDocument(record, where);
    const list = this.empty.slice();
    const from = misfits.length;
    let flexible: JsonObject | undefined;
    for (const name in record) {
      const value = record[name] as JsonValue;
      const column = this.columns.get(name);
      if (column !== undefined) {
        const fitting = value === null ? null : column.type.accept(value);
        if (fitting === undefined) misfits.push(misfit(position, column));
        else list[column.place] = fitting;
      } else if (!this.ignored.has(name)) {
        flexible ??= {};
        flexible[name] = value;
      }
    }
    list[FLEXIBLE] = flexible ?? NO_FIELDS;
    this.refuseMissing(list, position, misfits, from);
    return list;
  }

  /** The row of a record. As `list`. */
  row(record: unknown, position: number, misfits: Misfit[], where?: string): Row {
    return this.rowOf(this.list(record, position, misfits, where));
  }

  /** The row with these values. */
  rowOf(list: RowList): Row {
    const { [ID]: id, [FLEXIBLE]: flexible } = list;
    const row: Row = {};
    if (id !== undefined) row._id = id;
    for (const { place, physical } of this.columns.values()) {
      const value = list[place];
      if (value !== undefined) row[physical] = value;
    }
    if (flexible !== undefined && flexible !== NO_FIELDS) row.x = flexible;
    return row;
  }

  /** The declared column of this name, if any. */
  column(name: string): KnownColumn | undefined {
    return this.columns.get(name);
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
  private refuseMissing(list: RowList, position: number, misfits: Misfit[], from: number): void {
    const known = misfits.length === from ? undefined : new Set(misfits.slice(from).map(each => each.column));
    for (const { place, name } of this.required) {
      if ((list[place] ?? null) === null && !known?.has(name))
        misfits.push({ row: position, column: name, problem: 'must not be null or absent' });
    }
  }
}

/** Gives each record a new id and returns the ids. They increase in the order of the lists. */
export function withIds(lists: readonly RowList[]): string[] {
  return lists.map(list => {
    const id = newId();
    list[ID] = id;
    return id;
  });
}

/** A list as JSON text, followed by the author of the record. */
export function withAuthor(list: string, author: string | null): string {
  return `${list.slice(0, -1)},${author === null ? 'null' : `"${author}"`}]`;
}

/** The id of a record, after `withIds`. */
export function idOf(list: RowList): string {
  return list[ID] as string;
}

/** The value in the form that the column stores. Throws 400 that names the column and what it expects. */
export function fittingValue(column: KnownColumn, value: JsonValue): JsonValue {
  if (value === null && !column.nullable) throw invalid(`${column.name}: must not be null`);
  const fitting = value === null ? null : column.type.accept(value);
  if (fitting === undefined) throw invalid(`${column.name}: expects ${column.type.expects}`);
  return fitting;
}

function selectedColumn({ place, type, physical }: KnownColumn): Sql {
  const index = literal(place);
  const value =
    type.castType === 'jsonb'
      ? sql`nullif(a.list->${index}, 'null')`
      : sql`(a.list->>${index})::${typeName(type.castType)}`;
  return sql`${value} AS ${identifier(physical)}`;
}

function misfit(row: number, { name, type }: KnownColumn): Misfit {
  return { row, column: name, problem: `expects ${type.expects}` };
}

const layouts = new WeakMap<CollectionShape, RecordLayout>();

/** The layout for the version of `shape`; made at its first use. */
export function layoutOf(of: CollectionShape): RecordLayout {
  const shape = wholeOf(of);
  let layout = layouts.get(shape);
  if (layout === undefined) {
    layout = new RecordLayout(shape);
    layouts.set(shape, layout);
  }
  return layout;
}

/** The rows of one upsert key as one row: fields of later rows replace those of earlier ones, also flexible fields. */
export class MergedRow {
  private merged: Row | undefined;

  constructor(private readonly first: Row) {}

  get row(): Row {
    return this.merged ?? this.first;
  }

  /**
   * The rows stay as they are. Only one copy is made, and modified in place: copying it for every row would take quadratic
   * time.
   */
  add(row: Row): void {
    this.merged ??= {
      ...this.first,
      ...(this.first.x !== undefined && { x: { ...(this.first.x as JsonObject) } }),
    };
    const { x = {} } = this.merged;
    Object.assign(this.merged, row, row.x !== undefined && { x: Object.assign(x as JsonObject, row.x) });
  }
}
