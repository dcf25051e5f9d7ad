import { identifier, joined, literal, type Sql, sql, typeName } from '../../base/sql/index.js';
import { collectionTable, orgSchema } from '../../platform/database/org-schema.js';
import { COLUMN_TYPES, id } from '../columns/index.js';
import { type FieldPath, pathKey, pathText, type ShapedColumn, type TableShape } from '../filter/index.js';
import {
  AUTHOR_FIELDS,
  type CollectionShape,
  type ColumnDefinition,
  type IndexDefinition,
  pathOf,
  physicalColumn,
  type SeenRecords,
} from './collection-shape.js';

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
    this.table = shape.seen?.records ?? shape.pastRecords ?? tableNamed(shape);
    this.flexible = flexibleFields(shape);
    this.columns = Object.entries(shape.columns).map(([name, definition]) => {
      const physical = physicalColumn(definition);
      return { name, physical, column: identifier(physical), definition };
    });
    this.filtered = filteredTable(this.columns, knownIndexes(shape), shape.seen);
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
type TableMetadata = Pick<
  CollectionShape,
  'id' | 'orgId' | 'columns' | 'leftovers' | 'indexes' | 'pastRecords' | 'seen' | 'restricted'
>;

const tables = new WeakMap<TableMetadata, TableSql>();

function tableSql(of: TableMetadata): TableSql {
  // A statement that writes has rules of its own, and the same table.
  const shape = of.restricted?.whole ?? of;
  let made = tables.get(shape);
  if (made === undefined) {
    made = new TableSql(shape);
    tables.set(shape, made);
  }
  return made;
}

/** What the name of the table of a collection is made of. */
export type Table = Pick<CollectionShape, 'id' | 'orgId'>;

/** The table of a collection of which only the id and the organization are known. */
export function tableNamed({ id, orgId }: Table): Sql {
  return identifier(orgSchema(orgId), collectionTable(id));
}

/** The table of a collection, or what takes its place in reads of the past and of restricted callers. */
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

/** Nullable: records from before have no author. */
const AUTHORS = AUTHOR_FIELDS.map(([name, column]): [string, ShapedColumn] => [
  name,
  { sql: sql`t.${identifier(column)}`, type: id, nullable: true },
]);

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

function filteredTable(
  columns: readonly TableColumn[],
  indexes: KnownIndexes,
  seen: SeenRecords | undefined,
): TableShape {
  const ifSeen = ([name, shaped]: [string, ShapedColumn]): [string, ShapedColumn] => {
    const present = seen?.present.get(name);
    return [name, present === undefined ? shaped : { ...shaped, nullable: true, present }];
  };
  const declared = columns.map(({ name, column, definition: { type, nullable } }) =>
    ifSeen([name, { sql: sql`t.${column}`, type: COLUMN_TYPES[type], nullable }]),
  );
  const byName = new Map([...AUTHORS.map(ifSeen), ...declared, ...SYSTEM_COLUMNS]);
  return {
    ...indexes,
    flexible: sql`t.x`,
    ...(seen && { admit: names => seen.admit(names) }),
    column: name => {
      seen?.admit([name]);
      return byName.get(name);
    },
    textColumns: declared.filter(([, { type }]) => type.name === 'text').map(([, { sql: column }]) => column),
  };
}
