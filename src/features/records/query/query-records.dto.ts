import { ApiProperty } from '@nestjs/swagger';
import type { JsonValue } from '../../../base/kernel/json.js';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../../base/kernel/limits.js';
import {
  DateTimeField,
  FlagField,
  IntegerField,
  JsonField,
  PlanField,
  TextField,
} from '../../../platform/http/field.decorators.js';
import { AS_OF, FIELDS, FILTER, SORT, VIEW_AS } from '../../../platform/http/query.fields.js';

/** Records of a page that is read with a cursor. */
const MAX_CURSOR_LIMIT = 1_000;
/** Characters that `preview` can leave of a value. */
const MAX_PREVIEW = 1_000;

const PAGE = { optional: true, min: 1, max: 1_000_000_000 } as const;

const HIGH_PAGES = 'Page number, from 1. High page numbers are slow; use `cursor` instead.';

const LIMIT = { optional: true, min: 1, default: DEFAULT_LIMIT } as const;

const CURSOR_LIMIT = {
  ...LIMIT,
  max: MAX_CURSOR_LIMIT,
  description: `Records per page: at most ${MAX_LIMIT}, with \`cursor\` or \`at\` at most 1,000.`,
};

const CURSOR = { optional: true, min: 0, max: 8192 } as const;

const BOTH_WAYS = {
  ...CURSOR,
  description:
    'Empty for the first page, `end` for the last one, then `next_cursor` or `prev_cursor` of another page. Filter and sort must stay the same.',
};

const AT = {
  optional: true,
  nullable: true,
  description:
    'Begins at the first record whose value of the sort field is not before this one. Needs a sort by one field, and takes the place of a cursor.',
  expects: 'a text, a number, true, false or null',
  check: (value: unknown) => typeof value !== 'object',
  schema: { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] } as object,
};

const PREVIEW = {
  optional: true,
  min: 20,
  max: MAX_PREVIEW,
  description:
    'Cuts strings and JSON of more characters to their beginning, as text. The names of cut fields are in `_cut` of the record.',
  example: 100,
} as const;

const WITH_ETAGS = {
  optional: true,
  default: false,
  description:
    'true: each record carries `_etag`, the `ETag` with which getRecord returns it. Reads with `as_of` have no entity tags.',
} as const;

export const WITH_AUTHORS = {
  optional: true,
  default: false,
  description:
    'true: each record carries `_created_by` and `_updated_by`, the ids of those who inserted it and who wrote it last.',
} as const;

export class QueryRecordsQuery {
  @JsonField({ ...FILTER, description: 'MongoDB-style filter, as JSON text.' })
  filter?: unknown;

  @JsonField({ ...SORT, description: 'Sort, as JSON text.' })
  sort?: unknown;

  @JsonField({ ...FIELDS, description: 'Projection, as JSON text.' })
  fields?: unknown;

  @IntegerField(CURSOR_LIMIT)
  limit: number = DEFAULT_LIMIT;

  @IntegerField({ ...PAGE, default: 1, description: HIGH_PAGES })
  page?: number;

  @TextField(BOTH_WAYS)
  cursor?: string;

  @JsonField({ ...AT, description: `${AT.description} As JSON text.` })
  at?: JsonValue;

  @IntegerField(PREVIEW)
  preview?: number;

  @FlagField(WITH_ETAGS)
  with_etags?: boolean;

  @FlagField(WITH_AUTHORS)
  with_authors?: boolean;

  @DateTimeField(AS_OF)
  as_of?: string;

  @TextField(VIEW_AS)
  view_as?: string;
}

export class GetRecordQuery {
  @DateTimeField({ ...AS_OF, description: `${AS_OF.description} Such an answer has no \`ETag\`.` })
  as_of?: string;

  @FlagField(WITH_AUTHORS)
  with_authors?: boolean;

  @TextField(VIEW_AS)
  view_as?: string;
}

abstract class QueriedRecords {
  @PlanField('query')
  operation?: 'query';

  @JsonField(FILTER)
  filter?: unknown;

  @JsonField(SORT)
  sort?: unknown;

  @JsonField(FIELDS)
  fields?: unknown;

  @IntegerField({ ...PAGE, description: HIGH_PAGES, example: 1 })
  page?: number;

  @FlagField({ optional: true, default: false, description: 'true: also count all matching records.' })
  with_total: boolean = false;

  @IntegerField(PREVIEW)
  preview?: number;

  @FlagField(WITH_ETAGS)
  with_etags?: boolean;

  @FlagField(WITH_AUTHORS)
  with_authors?: boolean;

  @DateTimeField(AS_OF)
  as_of?: string;
}

/** A search as the caller itself. */
export abstract class SearchedRecords extends QueriedRecords {
  @IntegerField(CURSOR_LIMIT)
  limit: number = DEFAULT_LIMIT;

  @TextField(BOTH_WAYS)
  cursor?: string;

  @JsonField(AT)
  at?: JsonValue;
}

export class SearchRecordsBody extends SearchedRecords {
  @TextField(VIEW_AS)
  view_as?: string;
}

/** The query of a plan: it reads forward, in pages of at most 100 records. */
export class RecordQueryBody extends QueriedRecords {
  @IntegerField({ ...LIMIT, max: MAX_LIMIT, description: 'Records per page.' })
  limit: number = DEFAULT_LIMIT;

  @TextField({
    ...CURSOR,
    description:
      'Empty for the first page, then `next_cursor` of the previous page. Filter and sort must stay the same.',
  })
  cursor?: string;
}

export class RecordView {
  @ApiProperty({ format: 'uuid' }) _id: string;
  @ApiProperty({ format: 'date-time', required: false }) created_at?: string;
  @ApiProperty({ format: 'date-time', required: false }) updated_at?: string;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    required: false,
    description:
      'With `with_authors`, or if `fields` names it: id of the user, agent, service account or ownerless key that inserted the record; null for records from before version 1.2.0.',
  })
  _created_by?: string | null;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    required: false,
    description: 'As `_created_by`: who wrote the record last.',
  })
  _updated_by?: string | null;
  @ApiProperty({
    required: false,
    description: 'With `with_etags` and without `as_of`: the `ETag` of the record.',
  })
  _etag?: string;
  @ApiProperty({
    type: [String],
    required: false,
    description: 'With `preview`, if values were cut: the names of their fields.',
  })
  _cut?: string[];
}

export class RecordPageView {
  @ApiProperty({ type: 'integer', description: 'Records in this page.' }) count: number;
  @ApiProperty({ type: [RecordView] }) records: RecordView[];
  @ApiProperty({
    type: String,
    nullable: true,
    required: false,
    description: 'Only with `cursor` or `at`: cursor of the next page; null on the last page.',
  })
  next_cursor?: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    required: false,
    description: 'Only with `cursor` or `at`: cursor of the previous page; null on the first page.',
  })
  prev_cursor?: string | null;
  @ApiProperty({
    type: 'integer',
    required: false,
    description: 'Only with `with_total`: number of all matching records.',
  })
  total?: number;
}

export class FoundRecordView {
  @ApiProperty({ example: true }) found: true;
  @ApiProperty({ type: RecordView }) record: RecordView;
}
