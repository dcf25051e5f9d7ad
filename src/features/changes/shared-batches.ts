import { compareOffsets, type FeedOffset } from '../../engine/storage/changes/change-feed.js';
import type { ChangeBatch } from './change-positions.js';

/**
 * Followers that wake at the same change read within moments of each other. Shorter than the time after which a follower
 * must not get what it may no longer see.
 */
const KEPT_MS = 2_500;
/** Bytes of the records of all batches that are kept. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

interface Running {
  readonly from: FeedOffset;
  readonly batch: Promise<ChangeBatch>;
}

/** The batches of followers with equal rules and filters. */
interface Group {
  running: Running | undefined;
  readonly kept: Set<ChangeBatch>;
}

/**
 * Batches that followers share: those with equal rules and filters that continue within moments evaluate each change
 * once. A batch does not depend on its follower, and was read at most `KEPT_MS` ago.
 */
export class SharedBatches {
  // biome-ignore lint/plugin/bounded-maps: groups that have read within the last seconds
  private readonly groups = new Map<string, Group>();
  private keptBytes = 0;

  /** The changes of a group after an offset. `read` reads them. */
  async read(key: string, after: FeedOffset, read: () => Promise<ChangeBatch>): Promise<ChangeBatch> {
    const group = this.groups.get(key) ?? { running: undefined, kept: new Set() };
    this.groups.set(key, group);
    for (const batch of group.kept)
      if (isWithin(batch, after) && !isEnd(batch, after)) return rest(batch, after);
    if (group.running !== undefined && compareOffsets(group.running.from, after) <= 0) {
      const batch = await group.running.batch;
      if (isWithin(batch, after)) return rest(batch, after);
    }
    return this.start(key, group, after, read);
  }

  private async start(
    key: string,
    group: Group,
    from: FeedOffset,
    read: () => Promise<ChangeBatch>,
  ): Promise<ChangeBatch> {
    const running = { from, batch: read() };
    group.running = running;
    try {
      const batch = await running.batch;
      this.keep(key, group, batch);
      return batch;
    } finally {
      if (group.running === running) group.running = undefined;
      this.forgetIfEmpty(key, group);
    }
  }

  private keep(key: string, group: Group, batch: ChangeBatch): void {
    const bytes = batch.changes.reduce((sum, { record }) => sum + (record?.length ?? 0), 0);
    if (isEnd(batch, batch.from) || this.keptBytes + bytes > MAX_KEPT_BYTES) return;
    this.keptBytes += bytes;
    group.kept.add(batch);
    setTimeout(() => {
      this.keptBytes -= bytes;
      group.kept.delete(batch);
      this.forgetIfEmpty(key, group);
    }, KEPT_MS).unref();
  }

  private forgetIfEmpty(key: string, group: Group): void {
    const isEmpty = group.running === undefined && group.kept.size === 0;
    if (isEmpty && this.groups.get(key) === group) this.groups.delete(key);
  }
}

function isWithin({ from, next }: ChangeBatch, offset: FeedOffset): boolean {
  return compareOffsets(from, offset) <= 0 && compareOffsets(offset, next) <= 0;
}

function isEnd({ next }: ChangeBatch, offset: FeedOffset): boolean {
  return compareOffsets(next, offset) === 0;
}

/** The part of a batch after an offset. Equal batches are the same object, whose text is made once. */
function rest(batch: ChangeBatch, after: FeedOffset): ChangeBatch {
  if (compareOffsets(batch.from, after) === 0) return batch;
  return {
    ...batch,
    from: { ...batch.from, ...{ xid: after.xid, seq: after.seq } },
    changes: batch.changes.filter(change => compareOffsets(change, after) > 0),
  };
}
