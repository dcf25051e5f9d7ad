import { describe, expect, it } from 'vitest';
import { platformCall } from '../../base/kernel/call.js';
import { idempotencyKey, retryCaller } from './idempotency.step.js';

describe('a caller', () => {
  const { principal } = platformCall('job');
  const user = { ...principal, type: 'user' as const, id: 'u' };

  it('is the same for every session and token of a person', () => {
    expect(retryCaller({ ...user, credential: 'access-token', credentialId: 't' })).toBe(retryCaller(user));
  });

  it('differs by type, with a narrowed credential, and for a user who acts for an agent', () => {
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

it('accepts one key, not a list of keys', () => {
  expect(idempotencyKey('a,b')).toBe('a,b');
  expect(() => idempotencyKey('a, b')).toThrow('Idempotency-Key');
  expect(() => idempotencyKey(['a', 'b'])).toThrow('Idempotency-Key');
});
