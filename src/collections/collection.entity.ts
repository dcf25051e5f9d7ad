import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ColumnDefinition, IndexDefinition } from '../storage/collection-shape.js';

export interface CollectionSettings {
  /** Days after which a record expires; 0 = never. */
  readonly ttl_days: number;
  /** Most living records. */
  readonly max_records: number;
}

/** jsonb keeps no order of keys; the columns' numbers do. */
const DECLARED_ORDER = {
  to: (columns: Record<string, ColumnDefinition>) => columns,
  from: (columns: Record<string, ColumnDefinition>) =>
    Object.fromEntries(Object.entries(columns).sort(([, a], [, b]) => a.number - b.number)),
};

/** One collection: its metadata. Its records live in a table of their own and go with this row. */
@Entity('collections')
export class Collection {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') orgId: string;
  @Column('text') name: string;
  @Column('text', { nullable: true }) description: string | null;
  @Column('text') ownerType: 'user' | 'agent';
  @Column('uuid') ownerId: string;
  /** Agents it is shared with, as editors. */
  @Column('uuid', { array: true }) agentIds: string[];
  @Column('jsonb') settings: CollectionSettings;
  @Column('jsonb', { transformer: DECLARED_ORDER }) columns: Record<string, ColumnDefinition>;
  @Column('jsonb') indexes: IndexDefinition[];
  @Column('jsonb') uniques: IndexDefinition[];
  /** Verbatim, so not jsonb, which keeps no order of keys. */
  @Column('json') charts: object[];
  /** Records may have a time to expire; once true it stays so. */
  @Column('boolean') mayExpire: boolean;
  @Column('text') status: 'ready' | 'building';
  /** Grows with every change of this row; record statements are fenced by it. */
  @Column('bigint', { transformer: { to: (value: number) => value, from: Number } }) version: number;
  @Column('timestamptz') createdAt: Date;
  @Column('timestamptz') updatedAt: Date;
}
