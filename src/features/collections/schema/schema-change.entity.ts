import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { CallOrigin } from '../../../base/kernel/call.js';
import type { ColumnDefinition } from '../../../engine/storage/collection-shape.js';

/**
 * `copying`: values are copied into the new columns; the present schema is in effect. `cleaning`: the changed schema is in
 * effect, and what it does not need is removed. `abandoned`: the new columns are about to be removed. `failed`: they
 * have been removed, and `error` says why.
 */
export type ChangePhase = 'copying' | 'cleaning' | 'abandoned' | 'failed';

/** A change of the schema of a large collection, from its beginning until it has ended; a failed one until the next. */
@Entity('schema_changes')
export class SchemaChange {
  @PrimaryColumn('uuid') collectionId: string;
  /** Another one for each change, so that a step never continues a later change. */
  @Column('uuid') id: string;
  /** The columns of the changed schema. */
  @Column('jsonb') columns: Record<string, ColumnDefinition>;
  @Column('text') phase: ChangePhase;
  @Column('bigint') doneRows: number;
  @Column('bigint') totalRows: number;
  @Column('timestamptz') startedAt: Date;
  /** Who asked for the change, for its audit event; null when it has failed, or began in an earlier version. */
  @Column('jsonb', { nullable: true }) call: CallOrigin | null;
  /** The refusal as a response would contain it. */
  @Column('json', { nullable: true }) error: object | null;
}
