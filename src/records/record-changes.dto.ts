import { ApiProperty } from '@nestjs/swagger';
import { FlagField, IntegerField, JsonField, TextListField } from '../http/field.decorators.js';
import { RECORD_SCHEMA, TTL } from './records.dto.js';

const FILTERED = {
  description: 'MongoDB-style filter. An empty one needs `allow_match_all`.',
  example: { status: 'open', age: { $lt: 18 } },
  schema: { type: 'object' as const, additionalProperties: true },
};

const MAX_AFFECTED = {
  optional: true,
  min: 0,
  description: 'When more records match, nothing is written: 400.',
  example: 100,
} as const;

const MATCH_ALL = { optional: true, default: false, description: 'Allows an empty filter.' } as const;

const DRY_RUN = {
  optional: true,
  default: false,
  description: 'Answer what would happen; write nothing, no audit event either.',
} as const;

export class UpdateRecordsBody {
  @JsonField(FILTERED)
  filter: unknown;

  @JsonField({
    description: 'Fields to set, or update operators.',
    example: { $set: { status: 'closed' }, $inc: { version: 1 }, $push: { 'history.states': 'closed' } },
    schema: { type: 'object', additionalProperties: true },
  })
  update: unknown;

  @IntegerField(MAX_AFFECTED)
  max_affected?: number;

  @FlagField(MATCH_ALL)
  allow_match_all?: boolean;

  @FlagField(DRY_RUN)
  dry_run?: boolean;
}

export class DeleteRecordsBody {
  @JsonField(FILTERED)
  filter: unknown;

  @IntegerField(MAX_AFFECTED)
  max_affected?: number;

  @FlagField(MATCH_ALL)
  allow_match_all?: boolean;

  @FlagField(DRY_RUN)
  dry_run?: boolean;
}

export class UpsertRecordBody {
  @JsonField({
    description:
      'The fields of the record, or update operators; `$setOnInsert` counts for a new record only.',
    example: { email: 'ada@example.com', age: 36, city: 'London' },
    schema: RECORD_SCHEMA,
  })
  data: unknown;

  @TextListField({
    min: 1,
    max: 10,
    description: 'Fields whose values in `data` say which record is meant; of several the oldest is updated.',
    example: ['email'],
  })
  match_fields: string[];

  @IntegerField({
    ...TTL,
    description:
      'Days after which the record expires, from now on; 0 = never. Without it a new record lives as the collection says, an existing one as before.',
  })
  ttl_days?: number;
}

export class UpdatedView {
  @ApiProperty({ type: 'integer', example: 1 }) matched_count: number;
  @ApiProperty({ type: 'integer', example: 1, description: 'Records that were different before.' })
  updated_count: number;
}

const DRY = { required: false, example: true, description: 'There when nothing was written.' } as const;

export class UpdatedRecordsView extends UpdatedView {
  @ApiProperty(DRY) dry_run?: true;
}

class UpsertResultView {
  @ApiProperty({ format: 'uuid' }) _id: string;
  @ApiProperty({ description: 'The record is new.' }) inserted: boolean;
  @ApiProperty({ type: 'integer', example: 1 }) matched_count: number;
  @ApiProperty({ type: 'integer', example: 1, description: '1 when the record was different before.' })
  modified_count: number;
}

export class UpsertedView {
  @ApiProperty({ enum: ['upserted'] }) operation: 'upserted';
  @ApiProperty({ type: UpsertResultView }) result: UpsertResultView;
}

export class DeletedRecordView {
  @ApiProperty({ type: 'integer', example: 1 }) deleted_count: number;
}

export class DeletedRecordsView extends DeletedRecordView {
  @ApiProperty(DRY) dry_run?: true;
}
