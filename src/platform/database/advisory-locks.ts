import { literal, type Sql, sql } from '../../base/sql/index.js';

/*
 * The keys of all advisory locks of the service. A key is a number, or the hash of a text with the number of its kind.
 * Functions of the database take some of these locks too, so a number never changes and is never used again.
 */

/** Locks with a fixed key. */
export const LOCKS = {
  /** Held while migrating: of several instances that start together, one migrates and the others wait. */
  migrations: 4_207_001,
  /** Held while the first organization is created: of two first starts, one creates it. */
  firstStart: 4_207_002,
} as const;

/** Kinds of locks whose key is a hash. */
export const LOCK_KINDS = {
  /** One of LOCK_NAMES. */
  named: 0,
  /** A collection. Held shared by every insert (`quota_holds`, `quota_has_room`), alone to keep inserts out. */
  inserts: 1,
  /** A key of an upsert in a collection. */
  upsertKey: 2,
  /** A caller and its Idempotency-Key. Taken only by `claim_idempotency_key`. */
  idempotencyKey: 3,
  /** A collection. Held shared by transactions with changes in its feed, until they end. */
  changeFeed: 4,
  /** A collection. Held shared by inserts that use a quota lease (`quota_holds`). */
  leasedInserts: 5,
  /** A collection. Held shared by single upserts, alone by a bulk upsert. */
  upserts: 6,
  /** A collection. Held by transactions that put back what its history contains, and by those that erase from it. */
  history: 7,
} as const;

/** The texts of named locks. */
export const LOCK_NAMES = {
  job: (name: string) => `job ${name}`,
  email: (address: string) => `email ${address.toLowerCase()}`,
  /** Mails to one address are added one after another, so that they can be counted. */
  mail: (address: string) => `mail ${address}`,
  mailDelivery: () => 'mail delivery',
  indexBuild: (collectionId: string) => `index build ${collectionId}`,
  capacity: (tableAndOwner: string) => `capacity ${tableAndOwner}`,
  signingKeys: () => 'signing-keys',
} as const;

/** The key of a named lock, one of LOCK_NAMES. */
export function namedLock(name: string): Sql {
  return lockKey('named', literal(name));
}

/** The key of a lock: `text` is a collection's id or a name. */
export function lockKey(kind: keyof typeof LOCK_KINDS, text: Sql): Sql {
  return sql`hashtextextended(${text}, ${literal(LOCK_KINDS[kind])})`;
}
