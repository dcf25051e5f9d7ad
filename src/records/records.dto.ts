import { ApiProperty } from '@nestjs/swagger';
import { FlagField, IntegerField, JsonField, PlanField, TextField } from '../http/field.decorators.js';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../kernel/page.js';

const FILTER = {
  optional: true,
  description: 'MongoDB-style filter.',
  example: { age: { $gte: 18 } },
  schema: { type: 'object' as const, additionalProperties: true },
};

const SORT = {
  optional: true,
  description: 'Fields in order of weight, 1 ascending, -1 descending. Default: insertion order.',
  example: { age: -1 },
  schema: { type: 'object' as const, additionalProperties: { type: 'integer' as const, enum: [1, -1] } },
};

const FIELDS = {
  optional: true,
  description: 'Fields to show or to leave out: {"name": 1} or {"name": 0}, or a list of names.',
  example: { email: 1, age: 1 },
  schema: {
    oneOf: [
      { type: 'object', additionalProperties: { type: 'integer', enum: [0, 1] } },
      { type: 'array', items: { type: 'string' } },
    ],
  } as object,
};

export class QueryRecordsQuery {
  @JsonField({ ...FILTER, description: 'MongoDB-style filter, as JSON text.' })
  filter?: unknown;

  @JsonField({ ...SORT, description: 'Sort, as JSON text.' })
  sort?: unknown;

  @JsonField({ ...FIELDS, description: 'Projection, as JSON text.' })
  fields?: unknown;

  @IntegerField({
    optional: true,
    min: 1,
    max: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    description: 'Records per page.',
  })
  limit: number = DEFAULT_LIMIT;

  @IntegerField({
    optional: true,
    min: 1,
    max: 1_000_000_000,
    default: 1,
    description: 'Page number, from 1. Deep pages are slow: use `cursor`.',
  })
  page?: number;

  @TextField({
    optional: true,
    min: 0,
    max: 8192,
    description: 'Empty text starts; then `next_cursor` of the page before. Same filter and sort throughout.',
  })
  cursor?: string;
}

export class SearchRecordsBody {
  @PlanField('query')
  operation?: 'query';

  @JsonField(FILTER)
  filter?: unknown;

  @JsonField(SORT)
  sort?: unknown;

  @JsonField(FIELDS)
  fields?: unknown;

  @IntegerField({
    optional: true,
    min: 1,
    max: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    description: 'Records per page.',
  })
  limit: number = DEFAULT_LIMIT;

  @IntegerField({
    optional: true,
    min: 1,
    max: 1_000_000_000,
    description: 'Page number, from 1. Deep pages are slow: use `cursor`.',
    example: 1,
  })
  page?: number;

  @TextField({
    optional: true,
    min: 0,
    max: 8192,
    description: 'Empty text starts; then `next_cursor` of the page before. Same filter and sort throughout.',
  })
  cursor?: string;

  @FlagField({ optional: true, default: false, description: 'Count all matching records as well.' })
  with_total: boolean = false;
}

export const TTL = {
  optional: true,
  min: 0,
  max: 36_500,
  description: "Days after which these records expire, instead of the collection's `ttl_days`; 0 = never.",
} as const;

export const RECORD_SCHEMA = { type: 'object' as const, additionalProperties: true };

export class InsertRecordsBody {
  @JsonField({
    description: 'One record, or 1 to 1,000.',
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
    description: '1 to 5,000 records, all or nothing.',
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
    description: 'A column with a unique of its own: records whose key exists are updated.',
    example: 'email',
  })
  upsert_key?: string;
}

export class InsertedView {
  @ApiProperty({ type: 'integer', example: 1 }) inserted_count: number;
  @ApiProperty({ type: [String], description: 'In the order of the records sent.' }) ids: string[];
}

export class BulkInsertedView {
  @ApiProperty({ type: 'integer', description: 'Records written.' }) inserted: number;
  @ApiProperty({ enum: ['append', 'upsert'] }) mode: string;
  @ApiProperty({ format: 'uuid' }) collection_id: string;
}

export class RecordView {
  @ApiProperty({ format: 'uuid' }) _id: string;
  @ApiProperty({ format: 'date-time', required: false }) created_at?: string;
  @ApiProperty({ format: 'date-time', required: false }) updated_at?: string;
}

export class RecordPageView {
  @ApiProperty({ type: 'integer', description: 'Records in this page.' }) count: number;
  @ApiProperty({ type: [RecordView] }) records: RecordView[];
  @ApiProperty({
    type: String,
    nullable: true,
    required: false,
    description: 'With `cursor`: where to go on; null at the end.',
  })
  next_cursor?: string | null;
  @ApiProperty({ type: 'integer', required: false, description: 'With `with_total`: all matching records.' })
  total?: number;
}

export class FoundRecordView {
  @ApiProperty({ example: true }) found: true;
  @ApiProperty({ type: RecordView }) record: RecordView;
}
