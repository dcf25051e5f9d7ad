import { Column, DeleteDateColumn, Entity, PrimaryColumn, type SelectQueryBuilder } from 'typeorm';
import {
  type CollectionShape,
  type ColumnDefinition,
  type IndexDefinition,
  inDeclaredOrder,
} from '../../engine/storage/collection-shape.js';
import type { RetiredColumn } from '../../engine/storage/retired-columns.js';
import { BINDINGS, type Bindings, type BoundGrant } from './collection-binding.entity.js';

export interface CollectionSettings {
  /** Days after which a record expires; 0 = never. */
  readonly ttl_days: number;
  /** Maximum number of records that have not expired. */
  readonly max_records: number;
  /** Days for which the collection keeps what updates and deletes replace; 0 = not at all. */
  readonly history_days: number;
}

const DECLARED_ORDER = {
  to: (columns: Record<string, ColumnDefinition>) => columns,
  from: inDeclaredOrder<ColumnDefinition>,
};

/** The metadata of a collection. Its records are in a table of their own, which is dropped with this row. */
@Entity('collections')
export class Collection {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') orgId: string;
  @Column('text') name: string;
  @Column('text', { nullable: true }) description: string | null;
  @Column('text') ownerType: 'user' | 'agent';
  @Column('uuid') ownerId: string;
  /**
   * Agents with an unrestricted binding as editor, kept by triggers for the version before bindings of agents. This version
   * uses the bindings.
   */
  @Column({ type: 'uuid', array: true, insert: false, update: false, select: false }) agentIds?: string[];
  @Column('jsonb') settings: CollectionSettings;
  @Column('jsonb', { transformer: DECLARED_ORDER }) columns: Record<string, ColumnDefinition>;
  /** Columns whose values some records still have among their flexible fields, after a change of the schema. */
  @Column('text', { array: true, default: () => "'{}'" }) leftovers: string[];
  /** Columns that had other types. The versions of the history still use them. */
  @Column('jsonb', { default: () => "'[]'" }) retiredColumns: RetiredColumn[];
  @Column('jsonb') indexes: IndexDefinition[];
  @Column('jsonb') uniques: IndexDefinition[];
  /** json instead of jsonb, because jsonb does not keep the order of keys. */
  @Column('json') charts: object[];
  /** True after any record was given an expiry time. Never becomes false again. */
  @Column('boolean') mayExpire: boolean;
  /** Since when the collection has kept what writes replace; null while it keeps nothing. */
  @Column('timestamptz', { nullable: true }) historySince: Date | null;
  /** Space that the history takes in the database, as last measured. Changes without a new version. */
  @Column('bigint', { transformer: { to: (value: number) => value, from: Number } }) historyBytes: number;
  @Column('text') status: 'ready' | 'building';
  /** Increases with every change of this row or its bindings; record statements check it. */
  @Column('bigint', { transformer: { to: (value: number) => value, from: Number } }) version: number;
  @Column('timestamptz') createdAt: Date;
  @Column('timestamptz') updatedAt: Date;
  /**
   * When the collection was moved to the trash; null while it is in use. TypeORM leaves out rows with a value here,
   * unless a query says `withDeleted`. Other SQL must leave them out itself.
   */
  @DeleteDateColumn({ type: 'timestamptz' }) deletedAt: Date | null;
}

/**
 * A collection with its bindings and the name of its owner, read by one statement. `version` changes with the collection
 * and its bindings, but not with the name of the owner or the progress of a change.
 */
export type BoundCollection = Collection &
  Pick<CollectionShape, 'seen' | 'restricted' | 'writing'> & {
    readonly bindings: Bindings;
    /** Name or e-mail address of a user, name of an agent; null when the owner is gone or has neither. */
    readonly ownerName: string | null;
    /** Null unless the schema is being changed, or its last change failed. */
    readonly change: ChangeProgress | null;
  };

/** A running change of the schema, or the last one if it failed. */
interface ChangeProgress {
  readonly state: 'running' | 'failed';
  /** Records that the change has read, of those that it has to read. */
  readonly done_rows: number;
  readonly total_rows: number;
  readonly started_at: string;
  /** The refusal as a response contains it; null unless the change failed. */
  readonly error: object | null;
}

/** SQL: the name of the owner of the collection `c`. */
const OWNER_NAME = `CASE c.owner_type
  WHEN 'agent' THEN (SELECT a.name FROM agents a WHERE a.id = c.owner_id)
  ELSE (SELECT coalesce(nullif(concat_ws(' ', u.first_name, u.last_name), ''), u.email) FROM users u
    WHERE u.id = c.owner_id) END`;

/** SQL: a JSON object of the change of the collection `c`, null when there is none to show. */
const CHANGE = `(
  SELECT json_build_object(
    'state', CASE s.phase WHEN 'failed' THEN 'failed' ELSE 'running' END,
    'done_rows', least(s.done_rows, s.total_rows), 'total_rows', s.total_rows,
    'started_at', to_char(s.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'error', s.error)
  FROM schema_changes s WHERE s.collection_id = c.id AND s.phase <> 'abandoned')`;

/** A selected row of `selectBound` beside the columns of the collection. */
interface BoundRow {
  readonly bindings: readonly (readonly [grantee: string, grant: BoundGrant])[] | null;
  readonly owner_name: string | null;
  readonly change: ChangeProgress | null;
}

/** Selects what `boundCollections` reads; the collection is `c`. */
export function selectBound(query: SelectQueryBuilder<Collection>): SelectQueryBuilder<Collection> {
  return query
    .addSelect(BINDINGS, 'bindings')
    .addSelect(OWNER_NAME, 'owner_name')
    .addSelect(CHANGE, 'change');
}

export function boundCollections({
  entities,
  raw,
}: {
  readonly entities: readonly Collection[];
  readonly raw: readonly BoundRow[];
}): BoundCollection[] {
  return entities.map((row, index) => {
    const { bindings, owner_name: ownerName, change } = raw[index] as BoundRow;
    return Object.assign(row, { bindings: new Map(bindings ?? []), ownerName, change });
  });
}
