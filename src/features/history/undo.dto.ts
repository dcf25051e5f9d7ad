import { ApiProperty } from '@nestjs/swagger';
import { UUID } from '../../base/kernel/id.js';
import {
  ChoiceField,
  DateTimeField,
  FlagField,
  NestedField,
  TextField,
  TextListField,
} from '../../platform/http/field.decorators.js';
import type { OnConflict } from './planned-records.js';

/** Events that one undo can name. */
const MAX_EVENTS = 100;

const ACTORS = ['user', 'agent', 'key', 'service-account', 'workspace'];

export class UndoneActor {
  @ChoiceField(ACTORS, { description: 'Type of the caller, as in the audit log.' }) type: string;
  @TextField({ max: 100, description: 'Id of the caller, as in the audit log.' }) id: string;
}

export class UndoWritesBody {
  @TextListField({
    optional: true,
    min: 1,
    max: MAX_EVENTS,
    pattern: UUID,
    hint: 'ids of audit events',
    description:
      'The audit events of the writes to undo. Send either this, `correlation_id`, or `actor` with `since`.',
  })
  event_ids?: string[];

  @TextField({ optional: true, description: 'The correlation id of the request whose writes to undo.' })
  correlation_id?: string;

  @NestedField(() => UndoneActor, {
    optional: true,
    description: 'The caller whose writes to undo.',
    example: { type: 'agent', id: '0199f3a2-7c41-7b1e-9d2a-3f5b8c6d7e01' },
  })
  actor?: UndoneActor;

  @DateTimeField({
    optional: true,
    description: 'With `actor`: the first instant of the writes to undo.',
    example: '2026-11-23T09:00:00Z',
  })
  since?: string;

  @DateTimeField({
    optional: true,
    description: 'With `actor`: the last instant of the writes to undo. Default: now.',
  })
  until?: string;

  @FlagField({ optional: true, default: false, description: 'Only tell what the undo would do.' })
  dry_run?: boolean;

  @ChoiceField(['stop', 'skip', 'force'], {
    optional: true,
    default: 'stop',
    description:
      'What to do when records were written since: `stop` writes nothing, `skip` leaves these records as they are, `force` discards the later writes.',
  })
  on_conflict?: OnConflict;
}

export class UndoConflictView {
  @ApiProperty({ format: 'uuid' }) record_id: string;
  @ApiProperty({
    enum: ['changed_since', 'deleted_since', 'unique', 'forbidden'],
    description:
      '`unique`: another record has its unique values, which `force` does not change. `forbidden`: the rules of your access do not allow it.',
  })
  reason: string;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The audit event of the latest write since; null when none is known.',
  })
  event_id: string | null;
}

export class UndoneView {
  @ApiProperty({ type: 'integer', description: 'Records that were put back, reinserted or deleted.' })
  undone: number;
  @ApiProperty({ type: 'integer', description: 'Records that were left as they are because of a conflict.' })
  skipped: number;
  @ApiProperty({
    type: [UndoConflictView],
    description: 'The first 1,000 conflicts; with `force` those that were overridden too.',
  })
  conflicts: readonly UndoConflictView[];
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The audit event of the undo, which can be undone in turn; null when nothing was written.',
  })
  event_id: string | null;
}
