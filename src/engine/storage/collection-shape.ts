import { ownValue } from '../../base/kernel/json.js';
import { identifier, type Sql, sql } from '../../base/sql/index.js';
import type { ColumnTypeName } from '../columns/index.js';
import type { FieldPath } from '../filter/index.js';
import type { Grant, Restrictions } from '../rules/grant.js';
import type { RetiredColumn } from './retired-columns.js';

/** A declared column. Its `number` is its physical name (`c<number>`) for the whole life of the collection. */
export interface ColumnDefinition {
  readonly type: ColumnTypeName;
  readonly nullable: boolean;
  readonly number: number;
  /** Set when the column got another type, and so another number: the number that it had first. Columns are ordered by it. */
  readonly place?: number;
}

/** The columns in the order in which they were declared. jsonb does not keep the order of keys. */
export function inDeclaredOrder<T extends Pick<ColumnDefinition, 'number' | 'place'>>(
  columns: Readonly<Record<string, T>>,
): Record<string, T> {
  const placeOf = ({ place, number }: T) => place ?? number;
  return Object.fromEntries(Object.entries(columns).sort(([, a], [, b]) => placeOf(a) - placeOf(b)));
}

/** What an index or a unique constraint covers. */
export interface IndexDefinition {
  /** Declared names of columns and `_created_by`; in an index also flexible fields, dotted paths and other system fields. */
  readonly properties: readonly string[];
  /** `search`: serves `$search` on texts. Absent: serves equality, ranges and sorts. */
  readonly kind?: 'search';
}

/** All indexes and unique constraints of a collection. */
export interface IndexSet {
  readonly indexes: readonly IndexDefinition[];
  readonly uniques: readonly IndexDefinition[];
}

/** The parts of a collection that storage needs. The collections module owns the rest of its metadata. */
export interface CollectionShape {
  readonly id: string;
  readonly orgId: string;
  /** Version of the collection. Statements check it and do nothing when it has changed. */
  readonly version: number;
  readonly columns: Readonly<Record<string, ColumnDefinition>>;
  /** False when no record can expire. */
  readonly mayExpire: boolean;
  /** Columns whose values some records still have among their flexible fields too. Nothing reads them from there. */
  readonly leftovers?: readonly string[];
  /** Filters and sorts use those on paths. */
  readonly indexes?: readonly IndexDefinition[];
  /** Since when the collection keeps what writes replace; null or undefined when it keeps nothing. */
  readonly historySince?: Date | null;
  /** Columns of the table of versions that the table of records has no more. */
  readonly retiredColumns?: readonly RetiredColumn[];
  /** Takes the place of the table in reads of the past (`history/past.ts`). */
  readonly pastRecords?: Sql;
  /** Set for the reads of a restricted caller (`restricted/seen.ts`). */
  readonly seen?: SeenRecords;
  /** Set for a caller who is restricted in writing. Statements that do not keep its rules are refused (`versionCheck`). */
  readonly restricted?: Restricted;
  /** Set for a statement of such a caller: what it may write (`restricted/writing.ts`). */
  readonly writing?: WriteRules;
}

/** The rules of a caller, who needs a statement that keeps them. */
export interface Restricted extends Restrictions {
  /** The collection with everything. */
  readonly whole: CollectionShape;
}

/** What one write may do under the rules of its caller. */
export interface WriteRules {
  /** The collection with the records that the caller sees and may write in this way. */
  readonly targets: CollectionShape;
  /** SQL that is true if the record `t` is one of these; the columns of `t` are those of the table. */
  readonly isTarget: (condition: (targets: CollectionShape) => Sql) => Sql;
  /**
   * SQL of a list of booleans: which grants allow to write the record `t` as it is before. Undefined when `allowed` does
   * not depend on it.
   */
  readonly held: Sql | undefined;
  /** SQL that is true if the record `t` is allowed as it was written; undefined when everything is. `held`: SQL of `held`. */
  readonly allowed: ((held: Sql) => Sql) | undefined;
}

/** The collection with everything, for what depends on no rules. */
export function wholeOf<Shape extends Pick<CollectionShape, 'seen' | 'restricted'>>(
  shape: Shape,
): Shape | CollectionShape {
  return shape.seen?.whole ?? shape.restricted?.whole ?? shape;
}

/** What a restricted caller sees of a collection. */
export interface SeenRecords {
  /** The collection with everything. */
  readonly whole: CollectionShape;
  readonly grants: readonly Grant[];
  /** Takes the place of the table: the records that the caller sees, without the fields that it does not see. */
  readonly records: Sql;
  /**
   * SQL that is true for the records in which the caller sees a column or an author field, by name. One without an entry is
   * seen in all of these records.
   */
  readonly present: ReadonlyMap<string, Sql>;
  /** True for a field that the caller sees in some record, if there is such a field. */
  sees(name: string): boolean;
  /** Throws 403 `FieldForbidden` for fields that the caller sees in no record, whether or not they exist. */
  admit(names: Iterable<string>): void;
}

/** System columns, as they are named in the table and in a record. */
export const SYSTEM_FIELDS = ['_id', 'created_at', 'updated_at'] as const;

/** A system field of the author of a record, and its column in the table. */
type AuthorField = readonly [name: string, column: string];

/** Who inserted a record, and who wrote it last. A declared column of such a name takes the place of the field. */
export const AUTHOR_FIELDS: readonly AuthorField[] = [
  ['_created_by', 'created_by'],
  ['_updated_by', 'updated_by'],
];

/** The author fields that a collection has. */
export function authorFields(
  shape: Pick<CollectionShape, 'columns' | 'seen' | 'restricted'>,
): readonly AuthorField[] {
  const { columns } = wholeOf(shape);
  return AUTHOR_FIELDS.filter(([name]) => declaredColumn(columns, name) === undefined);
}

/** The columns of system fields that an index can cover. */
const INDEXED_SYSTEM_COLUMNS: ReadonlyMap<string, string> = new Map([
  ...AUTHOR_FIELDS,
  ['created_at', 'created_at'],
  ['updated_at', 'updated_at'],
]);

/** The column of a system field that an index can cover; undefined for other names, also for that of a declared column. */
export function systemColumn(columns: CollectionShape['columns'], name: string): string | undefined {
  return declaredColumn(columns, name) === undefined ? INDEXED_SYSTEM_COLUMNS.get(name) : undefined;
}

/** Fields that an answer adds to a record: its entity tag, and the paths of values that were cut. */
export const ANSWER_FIELDS = ['_etag', '_cut'] as const;

const RESERVED: ReadonlySet<string> = new Set([...SYSTEM_FIELDS, ...ANSWER_FIELDS]);

/** True for a name that no column can have. */
export function isSystemField(name: string): boolean {
  return RESERVED.has(name);
}

/** SQL that is true for records that have not expired. */
export const ALIVE = sql`(t.expires_at IS NULL OR t.expires_at > statement_timestamp())`;
const ALWAYS = sql`true`;

/** `ALIVE` for a statement with a version check. It is constant when no record can expire, so no clock is read. */
export function alive({ mayExpire }: CollectionShape): Sql {
  return mayExpire ? ALIVE : ALWAYS;
}

/** Physical name of a column. */
export function physicalColumn({ number }: Pick<ColumnDefinition, 'number'>): string {
  return `c${number}`;
}

/** Physical name of a declared column, or of the column of a system field. Throws when there is no such column. */
export function physicalOf(shape: CollectionShape, name: string): string {
  const definition = declaredColumn(shape.columns, name);
  const physical = definition === undefined ? systemColumn(shape.columns, name) : physicalColumn(definition);
  if (physical === undefined) throw new Error(`there is no column ${name}`);
  return physical;
}

/** The declared column of this name; undefined also for names that every object inherits. */
export function declaredColumn(
  columns: CollectionShape['columns'],
  name: string,
): ColumnDefinition | undefined {
  return ownValue(columns, name);
}

/** A path into a document: in a column (`root` is its physical name), or in the flexible fields (`x`). */
interface PathInDocument {
  readonly root: string;
  readonly path: FieldPath;
}

/** The path that a property of an index names; undefined for a column and for a system field. */
export function pathOf(
  { columns }: Pick<CollectionShape, 'columns'>,
  property: string,
): PathInDocument | undefined {
  const path = property.split('.');
  const column = declaredColumn(columns, path[0] as string);
  if (systemColumn(columns, property) !== undefined) return undefined;
  if (column === undefined) return { root: 'x', path };
  return path.length === 1 ? undefined : { root: physicalColumn(column), path: path.slice(1) };
}

/** The column of a declared name. Throws when there is no such column. */
export function columnOf(shape: CollectionShape, name: string): Sql {
  return identifier(physicalOf(shape, name));
}
