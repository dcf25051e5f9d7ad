import { describe, expect, it } from 'vitest';
import { endsAfter, grantable, slugFor } from './key-permissions.js';

describe('the slug of a key', () => {
  it.each([
    ['Monthly reports', 'monthly-reports-x1'],
    ['  Été à Paris! ', 'ete-a-paris-x1'],
    ['日本', 'key-x1'],
    ['a'.repeat(80), `${'a'.repeat(30)}-x1`],
  ])('of %j is %j', (name, slug) => {
    expect(slugFor(name, () => 'x1')).toBe(slug);
  });
});

describe('the permissions of a new key', () => {
  it('are those that its creator has', () => {
    const permissions = grantable({ my_rights: ['read', 'write', 'share', 'keys'] });
    expect(permissions.map(({ permission }) => permission)).toEqual([
      'collections:read',
      'collections:write',
    ]);
  });
});

it('a key of seven days ends 604,800 seconds after its creation', () => {
  expect(endsAfter(7, 1_700_000_000_999)).toBe(1_700_604_800);
});
