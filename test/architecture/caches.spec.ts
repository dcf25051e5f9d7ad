import type { DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { BoundedMap } from '../../src/base/kernel/bounds/bounded-map.js';
import { SystemClock } from '../../src/base/kernel/clock.js';
import type { ChangedIds } from '../../src/base/kernel/id.js';
import type { Principal } from '../../src/base/kernel/principal.js';
import type { CollectionShape } from '../../src/engine/storage/collection-shape.js';
import { TableStatistics } from '../../src/engine/storage/table/table-statistics.service.js';
import { CredentialCache } from '../../src/features/auth/credential-cache.js';
import { KeptDocuments } from '../../src/features/auth/providers/published-documents.js';
import { PreparedNames } from '../../src/platform/database/connections/prepared-names.js';
import { CredentialChanges } from '../../src/platform/database/credential-changes.js';
import type { Notifications } from '../../src/platform/database/notifications.js';
import { CallerWindows } from '../../src/platform/http/rate-limit/rate-limit.step.js';
import { SourceAttempts } from '../../src/platform/http/rate-limit/source-attempts.service.js';

/** More than any of the limits. */
const KEYS = 60_000;

interface Cache {
  readonly name: string;
  /** The most entries that one map of it may have. */
  readonly most: number;
  readonly cache: object;
  use(n: number): unknown;
}

/** The credential cache, and what tells it that rows have changed. */
function credentialCache() {
  let change: (changed: ChangedIds) => void = () => undefined;
  const notifications = {
    isListening: true,
    subscribe(_: string, handler: typeof change) {
      change = handler;
    },
  };
  const cache = new CredentialCache(
    new SystemClock(),
    notifications as unknown as Notifications,
    new CredentialChanges(),
  );
  return { cache, change: (id: string) => change([id]) };
}

const principal = (n: number) =>
  ({ id: `user ${n}`, credentialId: `key ${n}`, memberships: [] }) as unknown as Principal;

function caches(): Cache[] {
  const bounded = new BoundedMap<string, number>(1_000);
  const { cache: credentials } = credentialCache();
  const changing = credentialCache();
  // Changes are noted only while a verification runs.
  void changing.cache.verify('slow', () => new Promise(() => undefined));
  const names = new PreparedNames();
  const refused = { query: async () => [{ attempts: 2, ms_left: 60_000 }] } as unknown as DataSource;
  const attempts = new SourceAttempts(refused);
  const windows = new CallerWindows();
  const documents = new KeptDocuments<number>(new SystemClock(), () => undefined);
  const statistics = new TableStatistics(refused);
  const key = (n: number) => `key ${n}`;
  return [
    { name: 'BoundedMap', most: 1_000, cache: bounded, use: n => bounded.set(key(n), n) },
    {
      name: 'credentials',
      most: 20_000,
      cache: credentials,
      use: n => credentials.verify(key(n), async () => principal(n)),
    },
    { name: 'changes of rights', most: 10_000, cache: changing.cache, use: n => changing.change(key(n)) },
    {
      name: 'names of statements',
      most: 10_000,
      cache: names,
      use: n => [names.of(key(n)), names.of(key(n))],
    },
    {
      name: 'blocked sources',
      most: 10_000,
      cache: attempts,
      use: n => attempts.increment(key(n), 60_000, 1, 0, 'refusals'),
    },
    { name: 'windows of callers', most: 50_000, cache: windows, use: n => windows.count(key(n), 1_000) },
    {
      name: 'documents of providers',
      most: 1_000,
      cache: documents,
      use: n => documents.get(key(n), async () => n),
    },
    {
      name: 'tables that grow',
      most: 10_000,
      cache: statistics,
      use: n => statistics.grew({ id: key(n) } as CollectionShape, 1),
    },
  ];
}

/** The sizes of the maps and sets in the fields of an object, and in the fields of the objects there. */
function sizesIn(holder: object, depth = 3): number[] {
  if (depth === 0) return [];
  return Object.values(holder).flatMap((value: unknown) => {
    if (value instanceof Map || value instanceof Set) return [value.size];
    return typeof value === 'object' && value !== null ? sizesIn(value, depth - 1) : [];
  });
}

describe(`after ${KEYS} keys`, () => {
  it.each(caches())('the cache of $name has at most $most', async ({ cache, most, use }) => {
    for (let n = 0; n < KEYS; n++) await use(n);
    const sizes = sizesIn(cache);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(most);
    // It remembers something: otherwise this would look at the wrong fields.
    expect(Math.max(...sizes)).toBeGreaterThan(0);
  });
});
