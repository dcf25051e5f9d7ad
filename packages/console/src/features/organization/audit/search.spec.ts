import { describe, expect, it } from 'vitest';
import { auditSearch, filtersOf } from './search.js';

describe('the address of the audit log', () => {
  it('keeps every filter that is valid, and drops the others', () => {
    const search = { category: 'orgs.members', actor: 'a', since: '2026-01-31', until: '2026-02-28' };
    expect(auditSearch(search)).toEqual(search);
    expect(auditSearch({ category: '', actor: 7, since: '2026-02-30', until: 'today', more: 1 })).toEqual({});
  });

  it('covers whole days', () => {
    const { since, until } = filtersOf({ since: '2026-01-31', until: '2026-01-31' });
    expect(Date.parse(until ?? '') - Date.parse(since ?? '')).toBe(86_400_000 - 1);
  });
});
