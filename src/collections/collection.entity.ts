import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ColumnDefinition, IndexDefinition } from '../storage/collection-shape.js';

export interface CollectionSettings {
  /** Days after which a record expires; 0 = never. */
  readonly ttl_days: number;
  /** Maximum number of records that have not expired. */
  readonly max_records: number;
}

/** jsonb does not keep the order of keys, so columns are ordered by their numbers. */
const DECLARED_ORDER = {
  to: (columns: Record<string, ColumnDefinition>) => columns,
  from: (columns: Record<string, ColumnDefinition>) =>
    Object.fromEntries(Object.entries(columns).sort(([, a], [, b]) => a.number - b.number)),
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
  /** Agents that the collection is shared with, as editors. */
  @Column('uuid', { array: true }) agentIds: string[];
  @Column('jsonb') settings: CollectionSettings;
  @Column('jsonb', { transformer: DECLARED_ORDER }) columns: Record<string, ColumnDefinition>;
  @Column('jsonb') indexes: IndexDefinition[];
  @Column('jsonb') uniques: IndexDefinition[];
  /** json instead of jsonb, because jsonb does not keep the order of keys. */
  @Column('json') charts: object[];
  /** True after any record was given an expiry time. Never becomes false again. */
  @Column('boolean') mayExpire: boolean;
  @Column('text') status: 'ready' | 'building';
  /** Increases with every change of this row or its bindings; record statements check it. */
  @Column('bigint', { transformer: { to: (value: number) => value, from: Number } }) version: number;
  @Column('timestamptz') createdAt: Date;
  @Column('timestamptz') updatedAt: Date;
}
