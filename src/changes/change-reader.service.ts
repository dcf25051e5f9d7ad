import { Injectable } from '@nestjs/common';
import type { Collection } from '../collections/collection.entity.js';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import type { Filter } from '../filter/index.js';
import { PlatformError } from '../kernel/errors.js';
import { comparePlaces, type Place } from '../storage/change-place.js';
import { changesStatement, lookedAt } from '../storage/changes.js';
import { queryRefusal } from '../storage/query-refusal.js';
import { RecordStore } from '../storage/record-store.js';
import { ChangeFeeds, type Frontier } from './change-feeds.service.js';
import type { ChangePosition, ChangePositions } from './change-positions.js';

/** What can happen to a record; the triggers of a feed write these words. */
export const CHANGE_TYPES = ['inserted', 'updated', 'deleted', 'expired'] as const;

export type ChangeType = (typeof CHANGE_TYPES)[number];

/** A change of one record. */
interface Change extends Place {
  readonly type: ChangeType;
  readonly recordId: string;
  readonly changedAt: string;
  /** JSON text of the record as it was after the change, or last. */
  readonly record: string;
}

/** Some changes in order, and where to go on. */
export interface ChangeBatch {
  readonly from: ChangePosition;
  readonly changes: readonly Change[];
  readonly next: ChangePosition;
  /** More is to be read at once. */
  readonly more: boolean;
}

/** `now`: what comes from now on; `oldest`: all that is kept. */
type Since = ChangePosition | 'now' | 'oldest';

/** What of a feed to read. */
export interface ChangeQuestion {
  readonly since: Since;
  readonly filter: Filter | undefined;
  /** The filter as it was sent: what tells it from others. */
  readonly filterText?: string | undefined;
  readonly limit: number;
}

type Row = [string, number | null, number, ChangeType | null, string, string, number];

/** Reads feeds, only as far as they are settled: so nothing is ever overtaken. */
@Injectable()
export class ChangeReader {
  private readonly underWay = new Map<string, Promise<ChangeBatch | undefined>>();

  constructor(
    private readonly accesses: CollectionAccess,
    private readonly feeds: ChangeFeeds,
    private readonly store: RecordStore,
  ) {}

  /** Throws 410 for a position that the feed no longer goes back to. */
  read(access: Access, question: ChangeQuestion): Promise<ChangeBatch> {
    return this.accesses.fenced(access, ({ collection }) => this.batch(collection, question));
  }

  /**
   * As `read`, for streams: those that go on from the same place at the same time share one batch. What a read shows does
   * not depend on who reads.
   */
  readTogether(access: Access, question: ChangeQuestion): Promise<ChangeBatch> {
    return this.accesses.fenced(access, ({ collection }) => {
      const { since, filterText, limit } = question;
      const place = typeof since === 'string' ? since : `${since.feed} ${since.xid} ${since.seq}`;
      const key = `${collection.id} ${collection.version} ${place} ${limit} ${filterText}`;
      let batch = this.underWay.get(key);
      if (batch === undefined) {
        batch = this.batch(collection, question).finally(() => this.underWay.delete(key));
        this.underWay.set(key, batch);
      }
      return batch;
    });
  }

  /** As `read`; undefined when the collection is no longer in this version. */
  async batch(
    collection: Collection,
    { since, filter, limit }: ChangeQuestion,
  ): Promise<ChangeBatch | undefined> {
    const frontier = await this.feeds.frontier(collection);
    if (frontier === undefined) return undefined;
    const after = startOf(frontier, since);
    const upTo = frontier.settled;
    if (since === 'now' || comparePlaces(after, upTo) >= 0) {
      return { from: after, changes: [], next: after, more: false };
    }
    const query = { feed: after.feed, after, upTo, filter, limit };
    const rows = await this.store.read(collection, changesStatement(collection, query)).catch(refuse);
    if (rows === undefined) return undefined;
    const seen = (rows as Row[]).filter(([, xid]) => xid !== null);
    const [, xid, seq] = seen.at(-1) ?? [];
    const toTheEnd = seen.length < lookedAt(query) && seen.length === (seen[0]?.[6] ?? 0);
    const next = toTheEnd ? upTo : { xid: xid as number, seq: seq as number };
    return {
      from: after,
      changes: seen.flatMap(changeOf),
      next: { feed: after.feed, ...next },
      more: comparePlaces(next, upTo) < 0,
    };
  }
}

function startOf({ feed, kept, settled }: Frontier, since: Since): ChangePosition {
  if (since === 'now') return { feed, ...(comparePlaces(settled, kept) > 0 ? settled : kept) };
  if (since === 'oldest') return { feed, ...kept };
  if (since.feed === feed && comparePlaces(since, kept) >= 0) return since;
  throw new PlatformError(
    'PositionExpired',
    'The changes behind this position are no longer kept. Read the collection again, then follow it from a new position.',
  );
}

function changeOf([record, xid, seq, type, recordId, changedAt]: Row): Change[] {
  if (type === null) return [];
  return [{ xid: xid as number, seq, type, recordId, changedAt, record }];
}

function refuse(error: unknown): never {
  throw queryRefusal(error);
}

/** The changes of a feed by their positions, each as JSON text; the record in it is PostgreSQL's own text. */
export function positioned(
  positions: ChangePositions,
  collectionId: string,
  feed: string,
  changes: readonly Change[],
): (readonly [position: string, json: string])[] {
  return changes.map(({ type, recordId, changedAt, record, ...place }) => {
    const position = positions.seal(collectionId, { feed, ...place });
    const json = `{"id":"${position}","type":"${type}","record_id":"${recordId}","changed_at":"${changedAt}","record":${record}}`;
    return [position, json];
  });
}
