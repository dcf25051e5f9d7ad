import { DateTimeField, IntegerField, TextField } from '../http/field.decorators.js';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../kernel/page.js';

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
    description: '`next_cursor` of the page before, with the same filters; absent or empty: the newest.',
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
    description: 'Only events at or after this instant.',
    example: '2026-01-01T00:00:00Z',
  })
  since?: string;

  @DateTimeField({
    optional: true,
    description: 'Only events at or before this instant.',
    example: '2099-12-31T23:59:59.999Z',
  })
  until?: string;
}
