import { describe, expect, it } from 'vitest';
import { Clock } from '../../base/kernel/clock.js';
import type { ChangedIds } from '../../base/kernel/id.js';
import type { Principal } from '../../base/kernel/principal.js';
import { CredentialChanges } from '../../platform/database/credential-changes.js';
import type { Notifications } from '../../platform/database/notifications.js';
import { CredentialCache } from './credential-cache.js';

class SetClock extends Clock {
  seconds1970 = 1_000;
  now(): Date {
    return new Date(this.seconds1970 * 1000);
  }
}

function setUp() {
  const clock = new SetClock();
  const changes = new CredentialChanges();
  const topics = new Map<string, (changed: ChangedIds) => void>();
  const notifications = {
    isListening: true,
    subscribe: (topic: string, handler: (changed: ChangedIds) => void) => topics.set(topic, handler),
  };
  const cache = new CredentialCache(clock, notifications as unknown as Notifications, changes);
  return { cache, clock, changes, topics, notifications };
}

const principal = (expiresAt?: number) =>
  ({ id: 'somebody', credentialId: 'session', memberships: [], expiresAt }) as unknown as Principal;

const of = (id: string, more: object = {}) => ({ ...principal(), id, ...more }) as Principal;
const memberOf = (orgId: string) => ({ memberships: [{ orgId }] });

describe('the cache of verified credentials', () => {
  it('returns the principal of a cached credential, and nothing for another credential', async () => {
    const { cache } = setUp();
    const somebody = principal();
    await cache.verify('a', async () => somebody);
    expect(cache.get('a')).toBe(somebody);
    expect(cache.get('b')).toBeUndefined();
  });

  it('drops a credential when it expires', async () => {
    const { cache, clock } = setUp();
    await cache.verify('a', async () => principal(1_002));
    clock.seconds1970 = 1_001;
    expect(cache.get('a')).toBeDefined();
    clock.seconds1970 = 1_002;
    expect(cache.get('a')).toBeUndefined();
  });

  it.each(['jwks.updated', 'sessions.revoked', 'permissions.changed'])(
    'forgets all when %s says that all may have changed',
    async topic => {
      const { cache, topics } = setUp();
      await cache.verify('a', async () => principal());
      topics.get(topic)?.('all');
      expect(cache.get('a')).toBeUndefined();
      expect(cache.counts.invalidations).toBe(1);
    },
  );

  it.each([
    ['the principal', of('u1'), 'u1'],
    ['the session, token or key', of('u1', { credentialId: 'k1' }), 'k1'],
    ['an organization of the principal', of('u1', memberOf('o1')), 'o1'],
    ['the person who acts for an agent', of('agent', { actingUserId: 'u1' }), 'u1'],
    [
      "the organization of a workspace's key",
      of('k1', { workspace: { id: 'w1', orgId: 'o1', rules: [] } }),
      'o1',
    ],
  ])('drops only the credentials that depend on %s when it changes', async (_, changing, id) => {
    const { cache, topics } = setUp();
    const other = of('u2', { credentialId: 's2', ...memberOf('o2') });
    await cache.verify('a', async () => changing);
    await cache.verify('b', async () => other);
    topics.get('permissions.changed')?.(['unknown']);
    expect(cache.get('a')).toBe(changing);
    topics.get('permissions.changed')?.([id, 'unknown']);
    expect(cache.get('a')).toBeUndefined();
    expect(cache.get('b')).toBe(other);
    expect(cache.counts.invalidations).toBe(1);
  });

  it('caches and shares nothing while the listener is not connected', async () => {
    const { cache, notifications } = setUp();
    await cache.verify('a', async () => principal());
    notifications.isListening = false;
    expect(cache.get('a')).toBeUndefined();
    const [one, two] = await Promise.all([
      cache.verify('b', async () => principal()),
      cache.verify('b', async () => principal()),
    ]);
    expect(one).not.toBe(two);
    notifications.isListening = true;
    expect(cache.get('b')).toBeUndefined();
  });

  it('drops at once the credentials that a write of this process changes', async () => {
    const { cache, changes } = setUp();
    await cache.verify('a', async () => principal());
    changes.announce(['another']);
    expect(cache.get('a')).toBeDefined();
    changes.announce(['somebody']);
    expect(cache.get('a')).toBeUndefined();
  });

  it('verifies once for concurrent requests with the same credential', async () => {
    const { cache } = setUp();
    let verifications = 0;
    const verification = async () => {
      verifications++;
      return principal();
    };
    await Promise.all([cache.verify('a', verification), cache.verify('a', verification)]);
    expect(verifications).toBe(1);
  });

  it.each(['all', ['somebody'], ['session']])(
    'keeps nothing of a verification during which %s changed, and shares it with nobody after that',
    async changed => {
      const { cache } = setUp();
      let finish: (who: Principal) => void = () => {};
      const before = cache.verify('a', () => new Promise(resolve => (finish = resolve)));
      cache.forget(changed as ChangedIds);
      const fresh = principal();
      await cache.verify('a', async () => fresh);
      finish(principal());
      expect(await before).not.toBe(fresh);
      expect(cache.get('a')).toBe(fresh);

      const late = cache.verify('b', () => new Promise(resolve => (finish = resolve)));
      cache.forget(changed as ChangedIds);
      cache.forget(['another']);
      finish(principal());
      await late;
      expect(cache.get('b')).toBeUndefined();
    },
  );

  it('caches a verification during which other principals changed', async () => {
    const { cache } = setUp();
    let finish: (who: Principal) => void = () => {};
    const running = cache.verify('a', () => new Promise(resolve => (finish = resolve)));
    cache.forget(['another']);
    finish(principal());
    await running;
    expect(cache.get('a')).toBeDefined();
  });

  it('evicts the credentials of a principal with very many before those of others', async () => {
    const { cache } = setUp();
    await cache.verify('other', async () => of('other'));
    for (let n = 0; n < 12_000; n++) await cache.verify(`key from address ${n}`, async () => of('key'));
    expect(cache.get('other')).toBeDefined();
    expect(cache.get('key from address 11999')).toBeDefined();
    expect(cache.get('key from address 10999')).toBeUndefined();
    expect(cache.counts.evictions).toBe(11_000);
  });

  it('does not cache refusals', async () => {
    const { cache } = setUp();
    const refused = cache.verify('a', async () => Promise.reject(new Error('no')));
    await expect(refused).rejects.toThrow('no');
    const somebody = principal();
    expect(await cache.verify('a', async () => somebody)).toBe(somebody);
  });
});
