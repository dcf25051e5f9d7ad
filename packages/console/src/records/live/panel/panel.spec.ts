import { describe, expect, it } from 'vitest';
import { titleOfRecord } from '../../../values/names.js';
import type { RecordChange } from '../feed/ports.js';
import { actorOf } from './actors.js';

describe('the title of a record in the list of changes', () => {
  const schema = { year: { type: 'integer' }, title: { type: 'text' }, note: { type: 'text' } };

  it.each([
    [{ _id: '1', year: 1815, title: 'Emma', note: 'x' }, 'Emma'],
    [{ _id: '1', title: null, note: 'dry' }, 'dry'],
    [{ _id: '1', title: ' ', note: 7 }, '1'],
    [{ _id: '1', title: 'x'.repeat(100) }, `${'x'.repeat(59)}…`],
  ])('of %j is %s', (record, title) => {
    expect(titleOfRecord(record, schema)).toBe(title);
  });
});

describe('who made a change', () => {
  const change = { record_id: 'a', changed_at: '2026-01-31T09:30:00.250Z' } as RecordChange;
  const event = (id: string, createdAt: string, record_ids: string[] | null) => ({
    actor: { type: 'user', id },
    createdAt,
    record_ids,
  });

  it('is the actor of the nearest event that names the record', () => {
    const events = [
      event('later', '2026-01-31T09:31:00.000Z', ['a']),
      event('other', '2026-01-31T09:30:00.250Z', ['b']),
      event('import', '2026-01-31T09:30:00.250Z', null),
      event('it', '2026-01-31T09:30:00.200Z', ['b', 'a']),
    ];
    expect(actorOf(change, events)?.id).toBe('it');
  });

  it('is unknown if no event names the record', () => {
    expect(actorOf(change, [])).toBeUndefined();
  });
});
