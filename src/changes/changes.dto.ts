import { ApiProperty } from '@nestjs/swagger';
import { IntegerField, JsonField, TextField } from '../http/field.decorators.js';
import { CHANGE_TYPES } from './change-reader.service.js';

/** Maximum number of changes in one response. */
export const MAX_CHANGES = 1_000;
const DEFAULT_CHANGES = 100;

export class ListChangesQuery {
  @TextField({
    optional: true,
    min: 0,
    max: 200,
    description:
      'A position: `next_since`, or the `id` of a change. Absent: what comes from now on. Empty text: all changes that are kept.',
  })
  since?: string;

  @JsonField({
    optional: true,
    description:
      'MongoDB-style filter, as JSON text, on the record as it is after the change; of a deleted or expired one, as it was last.',
    example: { age: { $gte: 18 } },
    schema: { type: 'object', additionalProperties: true },
  })
  filter?: unknown;

  @IntegerField({
    optional: true,
    min: 1,
    max: MAX_CHANGES,
    default: DEFAULT_CHANGES,
    description: 'Changes in one answer; a stream has no end.',
  })
  limit: number = DEFAULT_CHANGES;
}

export class ChangeView {
  @ApiProperty({ description: 'Opaque: the position of this change.' }) id: string;
  @ApiProperty({ enum: CHANGE_TYPES }) type: string;
  @ApiProperty({ format: 'uuid' }) record_id: string;
  @ApiProperty({ format: 'date-time' }) changed_at: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The record after the change; of a deleted or expired one, as it was last.',
  })
  record: object;
}

export class ChangeListView {
  @ApiProperty({ type: [ChangeView], description: 'In order.' }) changes: ChangeView[];
  @ApiProperty({ description: 'Where to go on.' }) next_since: string;
  @ApiProperty({ description: 'There is more to be read at once.' }) has_more: boolean;
}
