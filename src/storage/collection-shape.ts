import { COLUMN_TYPES, type ColumnTypeName, id } from '../columns/index.js';
import { collectionTable, orgSchema } from '../database/org-schema.js';
import { type FieldPath, pathKey, pathText, type ShapedColumn, type TableShape } from '../filter/index.js';
import { ownValue } from '../kernel/json.js';
import { identifier, joined, literal, type Sql, sql, typeName } from '../sql/index.js';
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
  /** Declared names of columns; in an index also flexible fields and dotted paths. */
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
  readonly past?: Sql;
}

/** System columns, as they are named in the table and in a record. */
export const SYSTEM_FIELDS = ['_id', 'created_at', 'updated_at'] as const;

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

/** Physical name of a declared column. Throws when there is no such column. */
export function physicalOf(shape: CollectionShape, name: string): string {
  const definition = declaredColumn(shape.columns, name);
  if (definition === undefined) throw new Error(`there is no column ${name}`);
  return physicalColumn(definition);
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

/** The path that a property of an index names; undefined for a column. */
export function pathOf(
  { columns }: Pick<CollectionShape, 'columns'>,
  property: string,
): PathInDocument | undefined {
  const path = property.split('.');
  const column = declaredColumn(columns, path[0] as string);
  if (column === undefined) return { root: 'x', path };
  return path.length === 1 ? undefined : { root: physicalColumn(column), path: path.slice(1) };
}

/** The column of a declared name. Throws when there is no such column. */
export function columnOf(shape: CollectionShape, name: string): Sql {
  return identifier(physicalOf(shape, name));
}

/** A declared column: its name for clients, and its column in the table. */
export interface TableColumn {
  readonly name: string;
  readonly physical: string;
  readonly column: Sql;
  readonly definition: ColumnDefinition;
}

/** The declared columns as lists of SQL, each with a comma before it. */
interface ColumnLists {
  /** `, c1, c2` */
  readonly names: Sql;
  /** `, r.c1, r.c2` */
  readonly ofRow: Sql;
  /** `, c1 text, c2 bigint` */
  readonly typed: Sql;
}

/** SQL that the statements of a collection have in common; made once for each version. */
class TableSql {
  readonly table: Sql;
  readonly flexible: Sql;
  readonly columns: readonly TableColumn[];
  readonly filtered: TableShape;
  readonly lists: ColumnLists;

  constructor(shape: TableMetadata) {
    this.table = shape.past ?? tableNamed(shape);
    this.flexible = flexibleFields(shape);
    this.columns = Object.entries(shape.columns).map(([name, definition]) => {
      const physical = physicalColumn(definition);
      return { name, physical, column: identifier(physical), definition };
    });
    this.filtered = filteredTable(this.columns, knownIndexes(shape));
    this.lists = {
      names: joined(
        this.columns.map(({ column }) => sql`, ${column}`),
        '',
      ),
      ofRow: joined(
        this.columns.map(({ column }) => sql`, r.${column}`),
        '',
      ),
      typed: joined(
        this.columns.map(
          ({ column, definition: { type } }) => sql`, ${column} ${typeName(COLUMN_TYPES[type].castType)}`,
        ),
        '',
      ),
    };
  }
}

/** What the SQL of a table depends on. */
type TableMetadata = Pick<CollectionShape, 'id' | 'orgId' | 'columns' | 'leftovers' | 'indexes' | 'past'>;

const known = new WeakMap<TableMetadata, TableSql>();

function tableSql(shape: TableMetadata): TableSql {
  let made = known.get(shape);
  if (made === undefined) {
    made = new TableSql(shape);
    known.set(shape, made);
  }
  return made;
}

/** What the name of the table of a collection is made of. */
export type Table = Pick<CollectionShape, 'id' | 'orgId'>;

/** The table of a collection of which only the id and the organization are known. */
export function tableNamed({ id, orgId }: Table): Sql {
  return identifier(orgSchema(orgId), collectionTable(id));
}

/** The table of a collection, or what takes its place in reads of the past. */
export function tableOf(shape: CollectionShape): Sql {
  return tableSql(shape).table;
}

/** The declared columns, in the order they were declared. */
export function columnsOf(shape: CollectionShape): readonly TableColumn[] {
  return tableSql(shape).columns;
}

/** SQL of a JSON object of the flexible fields of a record. */
export function flexibleOf(shape: CollectionShape): Sql {
  return tableSql(shape).flexible;
}

function flexibleFields({ leftovers = [] }: TableMetadata): Sql {
  if (leftovers.length === 0) return sql`t.x`;
  return sql`(t.x - ARRAY[${joined(leftovers.map(name => literal(name)))}])`;
}

/** Lists of the declared columns. */
export function columnLists(shape: CollectionShape): ColumnLists {
  return tableSql(shape).lists;
}

/** The table as the filter language needs it; the table's alias is always `t`. */
export function tableShape(shape: CollectionShape): TableShape {
  return tableSql(shape).filtered;
}

const SYSTEM_COLUMNS: readonly [string, ShapedColumn][] = [
  ['_id', { sql: sql`t._id`, type: id, nullable: false }],
  ['created_at', { sql: sql`t.created_at`, type: COLUMN_TYPES.datetime, nullable: false }],
  ['updated_at', { sql: sql`t.updated_at`, type: COLUMN_TYPES.datetime, nullable: false }],
];

/** What filters and sorts know of the indexes. */
type KnownIndexes = Pick<TableShape, 'pathKeys' | 'pathTexts' | 'orderedIndexes'>;

function knownIndexes(shape: TableMetadata): KnownIndexes {
  const { indexes = [] } = shape;
  const covered = (kind: IndexDefinition['kind']) =>
    indexes.filter(index => index.kind === kind).map(({ properties }) => properties);
  const onPaths = <Value>(
    lists: readonly (readonly string[])[],
    made: (root: Sql, path: FieldPath) => Value,
  ) =>
    new Map(
      lists.flat().flatMap((property): [string, Value][] => {
        const found = pathOf(shape, property);
        return found === undefined ? [] : [[property, made(sql`t.${identifier(found.root)}`, found.path)]];
      }),
    );
  const orderedIndexes = covered(undefined);
  const pathKeys = onPaths(orderedIndexes, pathKey);
  const pathTexts = onPaths(covered('search'), pathText);
  return {
    ...(orderedIndexes.length > 0 && { orderedIndexes }),
    ...(pathKeys.size > 0 && { pathKeys }),
    ...(pathTexts.size > 0 && { pathTexts }),
  };
}

function filteredTable(columns: readonly TableColumn[], indexes: KnownIndexes): TableShape {
  const declared = columns.map(({ name, column, definition: { type, nullable } }): [string, ShapedColumn] => [
    name,
    { sql: sql`t.${column}`, type: COLUMN_TYPES[type], nullable },
  ]);
  const byName = new Map([...declared, ...SYSTEM_COLUMNS]);
  return {
    ...indexes,
    flexible: sql`t.x`,
    column: name => byName.get(name),
    textColumns: declared.filter(([, { type }]) => type.name === 'text').map(([, { sql: column }]) => column),
  };
}
