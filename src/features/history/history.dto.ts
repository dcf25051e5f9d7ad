import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../base/kernel/limits.js';
import { FlagField, IntegerField, TextField } from '../../platform/http/field.decorators.js';
import { VIEW_AS } from '../../platform/http/query.fields.js';
import { DeletedRecordView } from '../records/records.dto.js';

/** A page of the versions as the caller itself sees them. */
export class RecordVersionsQuery {
  @IntegerField({
    optional: true,
    min: 1,
    max: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    description: 'Versions per page.',
  })
  limit: number = DEFAULT_LIMIT;

  @TextField({
    optional: true,
    min: 0,
    max: 1024,
    description: 'Empty for the first page, then `next_cursor` of the previous page.',
  })
  cursor?: string;
}

export class RecordHistoryQuery extends RecordVersionsQuery {
  @TextField(VIEW_AS)
  view_as?: string;
}

class HistoryActorView {
  @ApiProperty({
    enum: ['user', 'agent', 'key', 'service-account', 'workspace'],
    description: 'Kind of caller, as in the audit log.',
  })
  type: string;
  @ApiProperty({ example: '0199f3a2-7c41-7b1e-9d2a-3f5b8c6d7e01' }) id: string;
  @ApiProperty({ enum: ['rest', 'mcp', 'job', 'cli'] }) via: string;
}

export class RecordVersionView {
  @ApiProperty({
    type: 'integer',
    description: 'Number of the version. Later versions have greater numbers.',
  })
  version: number;
  @ApiProperty({ format: 'date-time', description: 'When the version was written.' }) valid_from: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the version was replaced; null for the present one.',
  })
  valid_to: string | null;
  @ApiProperty({
    enum: ['inserted', 'updated', 'upserted', 'written', 'deleted', 'undone', 'restored'],
    description: 'What the write that made the version did.',
  })
  operation: string;
  @ApiProperty({
    type: HistoryActorView,
    nullable: true,
    description: 'Who wrote the version; null when no audit event names the record.',
  })
  actor: HistoryActorView | null;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The audit event of that write.',
  })
  event_id: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The id of the request of that write.' })
  correlation_id: string | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'The record as it was; null while it was deleted.',
  })
  record: object | null;
  @ApiProperty({ type: [String], description: 'Top-level fields that the write changed.' }) changed: string[];
}

export class RecordHistoryView {
  @ApiProperty({ type: [RecordVersionView] }) items: RecordVersionView[];
  @ApiProperty({ type: String, nullable: true, description: 'Null on the last page.' }) next_cursor:
    | string
    | null;
}

export class DeleteRecordQuery {
  @FlagField({
    optional: true,
    default: false,
    description: 'true: erase the record with its history, for good. Needs the role admin.',
  })
  erase?: boolean;
}

export class ErasedRecordView extends DeletedRecordView {
  @ApiPropertyOptional({
    type: 'integer',
    description: 'Versions that were erased, without the present one. Only with `erase=true`.',
  })
  erased_versions?: number;
}
