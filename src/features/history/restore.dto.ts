import { ApiProperty } from '@nestjs/swagger';
import { DateTimeField, FlagField, JsonField } from '../../platform/http/field.decorators.js';
import { FILTER } from '../../platform/http/query.fields.js';

export class RestoreRecordsBody {
  @DateTimeField({
    description:
      'The instant to which the records return, after all writes up to that millisecond. It must lie within the `history_days` of the collection.',
    example: '2026-11-23T09:00:00Z',
  })
  as_of: string;

  @JsonField({
    ...FILTER,
    description: 'The records that match now or matched at that instant. Absent: all records.',
  })
  filter?: unknown;

  @FlagField({ optional: true, default: false, description: 'Only tell what the restore would do.' })
  dry_run?: boolean;
}

export class RestoredRecordsView {
  @ApiProperty({
    type: 'integer',
    description: 'Records that got their earlier values, including reinserted ones.',
  })
  restored: number;
  @ApiProperty({ type: 'integer', description: 'Records that did not exist then and were deleted.' })
  deleted: number;
  @ApiProperty({ type: 'integer', description: 'Matching records that were as they had been.' })
  unchanged: number;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The audit event of the restore, which can be undone; null when nothing was written.',
  })
  event_id: string | null;
}
