import { describe, expect, it } from 'vitest';
import { platformCall } from '../kernel/call.js';
import { idempotencyKey, retryCaller } from './idempotency.step.js';

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
