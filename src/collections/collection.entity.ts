import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { JsonObject } from '../kernel/json.js';
import type { ColumnDefinition, IndexDefinition } from '../storage/collection-shape.js';

export interface CollectionSettings {
  /** Days after which a record expires; 0 = never. */
  readonly ttl_days: number;
  /** Most living records. */
  readonly max_records: number;
}

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
  @Column('jsonb') columns: Record<string, ColumnDefinition>;
  @Column('jsonb') indexes: IndexDefinition[];
  @Column('jsonb') uniques: IndexDefinition[];
  @Column('jsonb') charts: JsonObject[];
  @Column('text') status: 'ready' | 'building';
  /** Grows with every change of this row; record statements are fenced by it. */
  @Column('bigint', { transformer: { to: (value: number) => value, from: Number } }) version: number;
  @Column('timestamptz') createdAt: Date;
  @Column('timestamptz') updatedAt: Date;
}
