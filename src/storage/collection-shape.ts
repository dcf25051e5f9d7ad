import { COLUMN_TYPES, type ColumnTypeName, id } from '../columns/index.js';
import { collectionTable } from '../database/org-schema.js';
import type { TableShape } from '../filter/index.js';
import { ownValue } from '../kernel/json.js';

/** A declared column. `number` names it physically (`c<number>`) for as long as the collection lives. */
export interface ColumnDefinition {
  readonly type: ColumnTypeName;
  readonly nullable: boolean;
  readonly number: number;
}

/** Columns that an index or a unique constraint covers, by their declared names. */
export interface IndexDefinition {
  readonly properties: readonly string[];
}

/** What storage knows of a collection; its metadata is the collections module's. */
export interface CollectionShape {
  readonly id: string;
  readonly orgId: string;
  /** Every statement carries it and does nothing when the collection is no longer in this version. */
  readonly version: number;
  readonly columns: Readonly<Record<string, ColumnDefinition>>;
  /** False where no record has a time to expire. */
  readonly mayExpire: boolean;
}

/** System columns, as they are named in the table and in a record. */
export const SYSTEM_FIELDS = ['_id', 'created_at', 'updated_at'] as const;

/** SQL that is true for records a client may see. */
export const ALIVE = '(t.expires_at IS NULL OR t.expires_at > statement_timestamp())';

/** `ALIVE` for a statement that carries the fence: no clock is looked at where nothing can expire. */
export function alive({ mayExpire }: CollectionShape): string {
  return mayExpire ? ALIVE : 'true';
}

/** Physical name of a column. */
export function physicalColumn(definition: ColumnDefinition): string {
  return `c${definition.number}`;
}

/** Physical name of a declared column. Throws when there is no such column. */
export function physicalOf(shape: CollectionShape, name: string): string {
  const definition = declaredColumn(shape.columns, name);
  if (definition === undefined) throw new Error(`there is no column ${name}`);
  return physicalColumn(definition);
}

/** The column of this name, if it is declared: a name may also be one that every object inherits. */
export function declaredColumn(
  columns: CollectionShape['columns'],
  name: string,
): ColumnDefinition | undefined {
  return ownValue(columns, name);
}

/** Qualified table name. */
export function tableOf(shape: CollectionShape): string {
  return collectionTable(shape.orgId, shape.id);
}

/** The declared columns as `[name, physical name, definition]`, in the order they were declared. */
export function columnsOf(shape: CollectionShape): readonly [string, string, ColumnDefinition][] {
  return Object.entries(shape.columns).map(([name, definition]) => [
    name,
    physicalColumn(definition),
    definition,
  ]);
}

const SYSTEM_COLUMNS = new Map([
  ['_id', { sql: 't._id', type: id, nullable: false }],
  ['created_at', { sql: 't.created_at', type: COLUMN_TYPES.datetime, nullable: false }],
  ['updated_at', { sql: 't.updated_at', type: COLUMN_TYPES.datetime, nullable: false }],
]);

/** The table as the filter language sees it; the table's alias is always `t`. */
export function tableShape(shape: CollectionShape): TableShape {
  return {
    flexible: 't.x',
    column(name) {
      const system = SYSTEM_COLUMNS.get(name);
      if (system !== undefined) return system;
      const definition = declaredColumn(shape.columns, name);
      if (definition === undefined) return undefined;
      const { type, nullable } = definition;
      return { sql: `t.${physicalColumn(definition)}`, type: COLUMN_TYPES[type], nullable };
    },
    textColumns: columnsOf(shape)
      .filter(([, , { type }]) => type === 'text')
      .map(([, physical]) => `t.${physical}`),
  };
}
