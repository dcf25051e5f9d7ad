import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { EVENT_TYPES } from '../../engine/storage/changes/changes.js';
import { FlagField, IntegerField, JsonField, TextField } from '../../platform/http/field.decorators.js';
import { FILTER } from '../../platform/http/query.fields.js';

/** Maximum number of changes in one response. */
export const MAX_CHANGES = 1_000;
const DEFAULT_CHANGES = 100;

abstract class ReadChanges {
  @TextField({
    optional: true,
    min: 0,
    max: 200,
    description:
      'Position to read from: `next_since`, or the `id` of a change. Absent: changes from now on. Empty: all stored changes.',
  })
  since?: string;

  @IntegerField({
    optional: true,
    min: 1,
    max: MAX_CHANGES,
    default: DEFAULT_CHANGES,
    description: 'Maximum number of changes in one response. Does not limit a stream.',
  })
  limit: number = DEFAULT_CHANGES;

  @FlagField({
    optional: true,
    default: false,
    description:
      'true: also changes after which a record no longer matches the filter, as `left`. Callers whose access has rules always get these.',
  })
  left?: boolean;
}

const APPLIED_TO =
  'It is applied to the record after the change, or to the last version of a deleted or expired record; for `left` also to the record before.';

export class ListChangesQuery extends ReadChanges {
  @JsonField({ ...FILTER, description: `MongoDB-style filter, as JSON text. ${APPLIED_TO}` })
  filter?: unknown;
}

export class ListChangesBody extends ReadChanges {
  @JsonField({ ...FILTER, description: `MongoDB-style filter. ${APPLIED_TO}` })
  filter?: unknown;
}

export class ChangeView {
  @ApiProperty({ description: 'Position of this change in the feed (opaque).' }) id: string;
  @ApiProperty({
    enum: EVENT_TYPES,
    description:
      '`left`: the record no longer matches the filter or the rules of the caller. It has no `record`.',
  })
  type: string;
  @ApiProperty({ format: 'uuid' }) record_id: string;
  @ApiProperty({ format: 'date-time' }) changed_at: string;
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description:
      'The record after the change, or the last version of a deleted or expired record. Absent when it has `left`.',
  })
  record?: object;
}

export class ChangeListView {
  @ApiProperty({ type: [ChangeView], description: 'Changes in the order of the feed.' })
  changes: ChangeView[];
  @ApiProperty({ description: 'Position to send as `since` in the next request.' }) next_since: string;
  @ApiProperty({ description: 'true: more changes are available now.' }) has_more: boolean;
}
