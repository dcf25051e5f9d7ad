import { ApiProperty } from '@nestjs/swagger';
import {
  FlagField,
  IntegerField,
  JsonField,
  TextField,
  TextListField,
} from '../../platform/http/field.decorators.js';

const TTL = {
  optional: true,
  min: 0,
  max: 36_500,
  description: "Days after which these records expire, instead of the collection's `ttl_days`; 0 = never.",
} as const;

const RECORD_SCHEMA = { type: 'object' as const, additionalProperties: true };

export class InsertRecordsBody {
  @JsonField({
    description: 'One record, or a list of 1 to 1,000 records.',
    example: [{ email: 'ada@example.com', age: 36, tags: ['math'], city: 'London' }],
    schema: {
      oneOf: [RECORD_SCHEMA, { type: 'array', items: RECORD_SCHEMA, minItems: 1, maxItems: 1000 }],
    } as object,
  })
  records: unknown;

  @IntegerField(TTL)
  ttl_days?: number;
}

export class BulkInsertRecordsBody {
  @JsonField({
    description: '1 to 5,000 records. Either all are written or none.',
    example: [
      { email: 'ada@example.com', age: 36 },
      { email: 'alan@example.com', age: 41 },
    ],
    schema: { type: 'array', items: RECORD_SCHEMA, minItems: 1, maxItems: 5000 },
  })
  records: unknown;

  @TextField({
    optional: true,
    max: 63,
    description: 'A column that has its own unique constraint. Records whose key exists are updated.',
    example: 'email',
  })
  upsert_key?: string;
}

export class InsertedView {
  @ApiProperty({ type: 'integer', example: 1 }) inserted_count: number;
  @ApiProperty({
    type: [String],
    description: 'Ids of the new records, in the order in which the records were sent.',
  })
  ids: string[];
}

export class BulkInsertedView {
  @ApiProperty({ type: 'integer', description: 'Records written.' }) inserted: number;
  @ApiProperty({ enum: ['append', 'upsert'] }) mode: string;
  @ApiProperty({ format: 'uuid' }) collection_id: string;
}

const FILTERED = {
  description: 'MongoDB-style filter. An empty one needs `allow_match_all`.',
  example: { status: 'open', age: { $lt: 18 } },
  schema: { type: 'object' as const, additionalProperties: true },
};

const MAX_AFFECTED = {
  optional: true,
  min: 0,
  description:
    'Maximum number of records to write. If more records match, nothing is written and the response is 400.',
  example: 100,
} as const;

const MATCH_ALL = { optional: true, default: false, description: 'Allows an empty filter.' } as const;

const DRY_RUN = {
  optional: true,
  default: false,
  description: 'true: report what would be written, and write nothing, not even an audit event.',
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
    description: 'Fields of the record, or update operators. `$setOnInsert` applies only to a new record.',
    example: { email: 'ada@example.com', age: 36, city: 'London' },
    schema: RECORD_SCHEMA,
  })
  data: unknown;

  @TextListField({
    min: 1,
    max: 10,
    description:
      'Fields whose values in `data` identify the record. If several records match, the oldest is updated.',
    example: ['email'],
  })
  match_fields: string[];

  @IntegerField({
    ...TTL,
    description:
      'Days from now after which the record expires; 0 = never. Absent: a new record uses the `ttl_days` of the collection; an existing record keeps its expiry.',
  })
  ttl_days?: number;
}

export class UpdatedView {
  @ApiProperty({ type: 'integer', example: 1 }) matched_count: number;
  @ApiProperty({ type: 'integer', example: 1, description: 'Number of records whose values changed.' })
  updated_count: number;
}

const DRY = {
  required: false,
  example: true,
  description: 'Present in a dry run: nothing was written.',
} as const;

export class UpdatedRecordsView extends UpdatedView {
  @ApiProperty(DRY) dry_run?: true;
}

class UpsertResultView {
  @ApiProperty({ format: 'uuid' }) _id: string;
  @ApiProperty({ description: 'true: the record is new.' }) inserted: boolean;
  @ApiProperty({ type: 'integer', example: 1 }) matched_count: number;
  @ApiProperty({ type: 'integer', example: 1, description: '1 if values of the record changed, else 0.' })
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
