import { describe, expect, it } from 'vitest';
import { platformCall } from '../kernel/platform-call.js';
import { idempotencyKey, requestDigest, retryCaller } from './idempotency-key.js';

const digest = (body: unknown, method = 'POST', url = '/v1/collections') =>
  requestDigest(method, url, body).toString('hex');

describe('the digest of a request', () => {
  it.each([
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [{ a: { c: [{ y: 1, x: 2 }], d: null } }, { a: { d: null, c: [{ x: 2, y: 1 }] } }],
    [
      { 10: 'a', 9: 'b', a: 1 },
      { a: 1, 9: 'b', 10: 'a' },
    ],
  ])('is the same for %j and %j', (one, other) => {
    expect(digest(one)).toBe(digest(other));
  });

  it.each([
    [{ a: 1 }, { a: '1' }],
    [{ a: null }, {}],
    [{ a: [] }, { a: {} }],
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: '","b":"' }, { a: '', b: '' }],
    [{ a: { b: 1 }, c: 2 }, { a: { b: 1, c: 2 } }],
    [[], {}],
  ])('is another for %j and %j', (one, other) => {
    expect(digest(one)).not.toBe(digest(other));
  });

  it('is another for another method or URL, also where they run into the body', () => {
    const digests = [
      digest({}),
      digest({}, 'PATCH'),
      digest({}, 'POST', '/v1/collections?a=1'),
      digest({}, 'POST', '/v1/collections\n'),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });

  it('of a body that is nested without end is refused, not a failure', () => {
    let deep: unknown = {};
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(() => digest(deep)).toThrow('nested');
  });
});

describe('a caller', () => {
  const { principal } = platformCall('job');
  const user = { ...principal, type: 'user' as const, id: 'u' };

  it('is the same person by every session and token', () => {
    expect(retryCaller({ ...user, credential: 'access-token', credentialId: 't' })).toBe(retryCaller(user));
  });

  it('is another one by type, by a narrowed credential, and where somebody acts for an agent', () => {
    const callers = [
      user,
      { ...user, type: 'agent' as const },
      { ...user, type: 'agent' as const, actingUserId: 'u' },
      { ...user, narrowedTo: [], credentialId: 'k1' },
      { ...user, narrowedTo: [], credentialId: 'k2' },
    ].map(retryCaller);
    expect(new Set(callers).size).toBe(callers.length);
  });
});

it('takes a key that was sent once, and no list of them', () => {
  expect(idempotencyKey('a,b')).toBe('a,b');
  expect(() => idempotencyKey('a, b')).toThrow('Idempotency-Key');
  expect(() => idempotencyKey(['a', 'b'])).toThrow('Idempotency-Key');
});
