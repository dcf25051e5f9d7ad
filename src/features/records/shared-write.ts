import type { Deadline } from '../../base/kernel/bounds/deadline.js';
import type { Renewable } from '../../base/kernel/decided-rights.js';
import type { RecordStore } from '../../engine/storage/record-store.js';
import type { Statement } from '../../engine/storage/statement.js';
import type { Collection } from '../collections/collection.entity.js';
import type { WriteDescription } from './record-writes.js';

/** Lock timeout of a shared statement. Another transaction may be writing a record that only one of its writes needs. */
export const SHARED_LOCK_TIMEOUT_MS = 500;
/** Writes with more characters of JSON do not share a statement. */
const SMALL = 8_192;

/** A small write of one record. */
export interface SharedWrite {
  readonly recordId: string;
  readonly description: WriteDescription;
  /** The request stops retrying the write at this time. */
  readonly until: Deadline;
}

/** A kind of writes that can share a statement. */
export interface WriteKind<Write extends SharedWrite, Result> {
  /** Writes share a statement only if they have the same key. */
  keyOf(write: Write): unknown;
  /** Writes all records or none, with an audit event for each. The records are different. */
  statement(collection: Collection, writes: readonly Write[]): Statement;
  /**
   * The result of each write, from the values that `RecordStore.write` returns. Undefined for a write that the statement
   * has left out because another record or request is in its way.
   */
  results(writes: readonly Write[], values: readonly unknown[]): readonly (Result | undefined)[];
  /** True when the version check of a shared statement may fail although that of the write alone holds. */
  isStaleOnlyTogether(write: Write): boolean;
}

/** The shared statement has failed, or has left out this write: nothing of it was written, and it may succeed alone. */
export class NotShared extends Error {}

/** True when a write may share a statement. */
export function mayShare(json: string): boolean {
  return json.length <= SMALL;
}

/** Ids that PostgreSQL returns separated by commas; null for none. */
export type Ids = string | null;

export function idSet(ids: Ids | undefined): ReadonlySet<string> {
  return new Set(ids?.split(','));
}

/** The rights of all callers that share a statement. */
class SharedRights implements Renewable {
  constructor(private readonly descriptions: readonly WriteDescription[]) {}

  areOld(now: number): boolean {
    return this.descriptions.some(({ call }) => call.rights?.areOld(now));
  }

  async renew(): Promise<void> {
    const now = performance.now();
    const old = this.descriptions.filter(({ call }) => call.rights?.areOld(now));
    await Promise.all(old.map(({ call }) => call.rights?.renew()));
  }
}

/** Executes the statement of writes. One write waits for row locks as long as its request may. */
export async function writeGroup<Write extends SharedWrite, Result>(
  store: RecordStore,
  collection: Collection,
  kind: WriteKind<Write, Result>,
  writes: readonly Write[],
  latest?: Deadline,
): Promise<readonly (Result | undefined)[]> {
  const [{ description, until }] = writes as readonly [Write];
  const isAlone = writes.length === 1;
  const rights = isAlone ? description.call.rights : new SharedRights(writes.map(each => each.description));
  const retry = { until: latest ?? until, rights, forRows: isAlone };
  const statement = kind.statement(collection, writes);
  return kind.results(writes, await store.write(collection, statement, retry));
}
