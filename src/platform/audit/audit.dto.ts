import { ApiProperty } from '@nestjs/swagger';
import { UUID } from '../../base/kernel/id.js';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../base/kernel/limits.js';
import { DateTimeField, IntegerField, TextField } from '../http/field.decorators.js';

class AuditActorView {
  @ApiProperty({ enum: ['user', 'agent', 'key', 'service-account', 'workspace'] }) type: string;
  @ApiProperty({ example: '0199f3a2-7c41-7b1e-9d2a-3f5b8c6d7e01' }) id: string;
  @ApiProperty({ enum: ['rest', 'mcp', 'job', 'cli'] }) via: string;
}

class AuditTargetView {
  @ApiProperty({ example: 'collection' }) type: string;
  @ApiProperty({ example: '0199f3a2-7c41-7b1e-9d2a-3f5b8c6d7e02' }) id: string;
  @ApiProperty({ type: String, nullable: true, example: 'customers' }) name: string | null;
}

class AuditChangesView {
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true }) before: unknown;
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true }) after: unknown;
  @ApiProperty({
    type: [String],
    required: false,
    description: 'The first 1,000 events that an undo has undone.',
  })
  undoes?: string[];
  @ApiProperty({
    type: 'integer',
    required: false,
    description: 'Records that a batch or an undo inserted.',
  })
  inserted?: number;
  @ApiProperty({ type: 'integer', required: false, description: 'Records that a batch or an undo changed.' })
  updated?: number;
  @ApiProperty({ type: 'integer', required: false, description: 'Records that a batch or an undo deleted.' })
  deleted?: number;
}

/** An event of the log as clients see it (collections contract, "Writes, audit, expiry"). */
export class AuditEventView {
  @ApiProperty({ format: 'uuid', description: 'Id of the event. Later events have greater ids.' }) id: string;
  @ApiProperty({ example: 'collections.records.inserted' }) type: string;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ example: 'acme' }) orgSlug: string;
  @ApiProperty({ type: AuditActorView }) actor: AuditActorView;
  @ApiProperty({ type: AuditTargetView }) target: AuditTargetView;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Number of records written; null if the event is not a record write.',
  })
  count: number | null;
  @ApiProperty({ type: [String], nullable: true, description: 'Ids of the first 1,000 records written.' })
  record_ids: string[] | null;
  @ApiProperty({
    type: AuditChangesView,
    nullable: true,
    description: 'Metadata that changed: the values before and after. Of a batch: the counts of each kind.',
  })
  changes: AuditChangesView | null;
  @ApiProperty({ type: String, nullable: true }) correlationId: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'IP address of the client; null for events caused by the service itself.',
  })
  ip: string | null;
}

export class AuditPageView {
  @ApiProperty({ type: [AuditEventView] }) items: AuditEventView[];
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Cursor of the next page; null on the last page.',
  })
  next_cursor: string | null;
}

/** A row of a log as the trail selects it. */
export interface AuditRow {
  readonly id: string;
  readonly type: string;
  readonly created_at: Date;
  readonly actor: AuditActorView;
  readonly target: { readonly type: string; readonly id: string; readonly name?: string };
  readonly count: number | null;
  readonly record_ids: string[] | null;
  readonly changes: Partial<AuditChangesView> | null;
  readonly correlation_id: string | null;
  readonly ip: string | null;
}

export function auditEventView(row: AuditRow, orgSlug: string): AuditEventView {
  const { id, type, created_at, actor, target, count, record_ids, changes, correlation_id, ip } = row;
  return {
    id,
    type,
    createdAt: created_at.toISOString(),
    orgSlug,
    actor: { type: actor.type, id: actor.id, via: actor.via },
    target: { type: target.type, id: target.id, name: target.name ?? null },
    count,
    record_ids,
    changes: changes && { before: null, after: null, ...changes },
    correlationId: correlation_id,
    ip,
  };
}

/** What the platform has signed about a log at one time. */
export class AuditCheckpointView {
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ type: 'integer', description: 'Number of events in the audit log at this checkpoint.' })
  seq: number;
  @ApiProperty({ description: 'Hash of the last of these events, hexadecimal.' }) hash: string;
  @ApiProperty({
    type: 'integer',
    description: 'Events up to this number may be deleted, because their retention time is over.',
  })
  prunedSeq: number;
  @ApiProperty({ description: 'The text that is signed.' }) statement: string;
  @ApiProperty({ description: 'Ed25519 signature of the statement, base64url.' }) signature: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Public key that verifies the signature, as a JWK (RFC 8037).',
  })
  key: Record<string, unknown>;
}

export class AuditCheckpointListView {
  @ApiProperty({ type: [AuditCheckpointView] }) results: AuditCheckpointView[];
  @ApiProperty() total: number;
}

export class ListAuditEventsQuery {
  @IntegerField({
    optional: true,
    min: 1,
    max: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    description: 'Events per page.',
  })
  limit: number = DEFAULT_LIMIT;

  @TextField({
    optional: true,
    min: 0,
    max: 200,
    description:
      '`next_cursor` of the previous page, with the same filters. Absent or empty: the newest events.',
  })
  cursor?: string;

  @TextField({
    optional: true,
    max: 100,
    description: 'Only events of this type.',
    example: 'collections.records.inserted',
  })
  action?: string;

  @DateTimeField({
    optional: true,
    description: 'Only events at or after this time.',
    example: '2026-01-01T00:00:00Z',
  })
  since?: string;

  @DateTimeField({
    optional: true,
    description: 'Only events at or before this time.',
    example: '2099-12-31T23:59:59.999Z',
  })
  until?: string;
}

export class ListCollectionAuditQuery extends ListAuditEventsQuery {
  @TextField({
    optional: true,
    pattern: UUID,
    description: 'Only events that name this record. Events name the first 1,000 records that they wrote.',
    example: '0199f3a2-7c41-7b1e-9d2a-3f5b8c6d7e02',
  })
  record_id?: string;

  @TextField({
    optional: true,
    max: 200,
    description: 'Only events of this user, agent, key or service account.',
    example: '0199f3a2-7c41-7b1e-9d2a-3f5b8c6d7e01',
  })
  actor_id?: string;

  @TextField({
    optional: true,
    max: 200,
    description: 'Only events of the requests with this correlation id.',
    example: 'order-17',
  })
  correlation_id?: string;
}
