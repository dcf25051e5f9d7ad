import { describe, expect, it } from 'vitest';
import type { Notifications } from '../database/notifications.js';
import { LocalCredentialChanges } from '../identity/credential-changes.js';
import { Clock } from '../kernel/clock.js';
import type { Principal } from '../kernel/principal.js';
import { CredentialCache } from './credential-cache.js';

class SetClock extends Clock {
  seconds1970 = 1_000;
  now(): Date {
    return new Date(this.seconds1970 * 1000);
  }
}

function setUp() {
  const clock = new SetClock();
  const changes = new LocalCredentialChanges();
  const topics = new Map<string, () => void>();
  const notifications = {
    isListening: true,
    subscribe: (topic: string, handler: () => void) => topics.set(topic, handler),
  };
  const cache = new CredentialCache(clock, notifications as unknown as Notifications, changes);
  return { cache, clock, changes, topics, notifications };
}

const principal = (expiresAt?: number) => ({ id: 'somebody', expiresAt }) as Principal;

describe('the cache of verified credentials', () => {
  it('remembers who a credential proved, and nobody for another', async () => {
    const { cache } = setUp();
    const somebody = principal();
    await cache.verify('a', async () => somebody);
    expect(cache.get('a')).toBe(somebody);
    expect(cache.get('b')).toBeUndefined();
  });

  it('forgets a credential at the moment it expires', async () => {
    const { cache, clock } = setUp();
    await cache.verify('a', async () => principal(1_002));
    clock.seconds1970 = 1_001;
    expect(cache.get('a')).toBeDefined();
    clock.seconds1970 = 1_002;
    expect(cache.get('a')).toBeUndefined();
  });

  it.each(['jwks.updated', 'sessions.revoked', 'permissions.changed'])(
    'forgets all when told of %s',
    async topic => {
      const { cache, topics } = setUp();
      await cache.verify('a', async () => principal());
      topics.get(topic)?.();
      expect(cache.get('a')).toBeUndefined();
    },
  );

  it('remembers and shares nothing while changes by others are not heard of', async () => {
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

  it('forgets all at once after a write of this process', async () => {
    const { cache, changes } = setUp();
    await cache.verify('a', async () => principal());
    changes.announce();
    expect(cache.get('a')).toBeUndefined();
  });

  it('verifies once for all who ask meanwhile', async () => {
    const { cache } = setUp();
    let verifications = 0;
    const verification = async () => {
      verifications++;
      return principal();
    };
    await Promise.all([cache.verify('a', verification), cache.verify('a', verification)]);
    expect(verifications).toBe(1);
  });

  it('keeps nothing of a verification that began before a change, and shares it with nobody after it', async () => {
    const { cache } = setUp();
    let finish: (who: Principal) => void = () => {};
    const before = cache.verify('a', () => new Promise(resolve => (finish = resolve)));
    cache.clear();
    const fresh = principal();
    await cache.verify('a', async () => fresh);
    finish(principal());
    expect(await before).not.toBe(fresh);
    expect(cache.get('a')).toBe(fresh);
  });

  it('remembers no refusal', async () => {
    const { cache } = setUp();
    const refused = cache.verify('a', async () => Promise.reject(new Error('no')));
    await expect(refused).rejects.toThrow('no');
    const somebody = principal();
    expect(await cache.verify('a', async () => somebody)).toBe(somebody);
  });
});
