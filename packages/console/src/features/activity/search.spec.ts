import { describe, expect, it } from 'vitest';
import { activitySearch, auditFilters } from './search.js';

describe('the address of the page of activity', () => {
  it('keeps all filters', () => {
    const search = {
      action: 'collections.updated',
      actor: 'a',
      record: 'r',
      request: 'order-17',
      since: '2026-01-02',
      until: '2026-01-03',
    };
    expect(activitySearch(search)).toEqual(search);
  });

  it.each([
    { action: '' },
    { actor: 7 },
    { record: 'x'.repeat(201) },
    { since: 'yesterday' },
    { until: '2026-13-45' },
    { since: '2026-02-30' },
    { unknown: 'x' },
  ])('drops %j', search => {
    expect(activitySearch(search)).toEqual({});
  });
});

describe('the filters of a request', () => {
  it('cover whole days of the time zone of the browser', () => {
    const { since, until } = auditFilters({ since: '2026-01-02', until: '2026-01-02' });
    expect(Date.parse(until as string) - Date.parse(since as string)).toBe(86_400_000 - 1);
    expect(new Date(since as string).getHours()).toBe(0);
  });

  it('name a record, an actor and a request as the service does', () => {
    expect(auditFilters({ record: 'r', actor: 'a', request: 'q', action: 'x' })).toEqual({
      record_id: 'r',
      actor_id: 'a',
      correlation_id: 'q',
      action: 'x',
    });
  });
});
