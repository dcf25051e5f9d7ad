import { Injectable } from '@nestjs/common';
import { invalid, PlatformError } from '../../base/kernel/errors.js';
import { SignedCursor } from '../../base/kernel/signed-cursor.js';
import type { Filter } from '../../engine/filter/index.js';
import { compareOffsets, type FeedOffset } from '../../engine/storage/changes/change-feed.js';
import { type Change, changesStatement } from '../../engine/storage/changes/changes.js';
import type { FeedState } from '../../engine/storage/changes/frontier.js';
import { queryRefusal } from '../../engine/storage/query-refusal.js';
import { RecordStore } from '../../engine/storage/record-store.js';
import { Secrets } from '../../platform/config/secrets.js';
import type { Collection } from '../collections/collection.entity.js';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import { ChangeFeeds } from './change-feeds.service.js';

/** A position in a feed of a collection. A feed that has ended and begun again has another id. */
export interface ChangePosition extends FeedOffset {
  readonly feed: string;
}

/** A UUID and two numbers. */
const POSITION_BYTES = 16 + 8 + 8;

/** The text of positions for clients. */
@Injectable()
export class ChangePositions {
  private readonly cursor: SignedCursor;

  constructor(secrets: Secrets) {
    this.cursor = new SignedCursor(secrets.derive('change-position'), POSITION_BYTES);
  }

  sign(collectionId: string, { feed, xid, seq }: ChangePosition): string {
    const position = Buffer.alloc(POSITION_BYTES);
    position.write(feed.replaceAll('-', ''), 'hex');
    position.writeBigUInt64BE(BigInt(xid), 16);
    position.writeBigUInt64BE(BigInt(seq), 24);
    return this.cursor.sign(position, collectionId);
  }

  /** Throws 400 for a position that was altered, or belongs to another collection. */
  open(collectionId: string, text: string): ChangePosition {
    const position = this.cursor.open(text, collectionId);
    if (position === undefined) throw invalid('since: is not a position of this collection');
    const feed = position.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    return { feed, xid: Number(position.readBigUInt64BE(16)), seq: Number(position.readBigUInt64BE(24)) };
  }
}

/** Changes in order, and the position to continue from. */
export interface ChangeBatch {
  readonly from: ChangePosition;
  readonly changes: readonly Change[];
  readonly next: ChangePosition;
  /** True when more changes can be read now. */
  readonly more: boolean;
}

/** `now`: only new changes; `oldest`: all stored changes. */
type Since = ChangePosition | 'now' | 'oldest';

export interface ChangeQuestion {
  readonly since: Since;
  readonly filter: Filter | undefined;
  /** The filter as text, to recognise equal filters. */
  readonly filterText?: string | undefined;
  readonly limit: number;
  /** Maximum of changes that the filter examines. */
  readonly examined?: number | undefined;
}

/** Reads feeds up to the settled offset, so that no change is skipped. */
@Injectable()
export class ChangeReader {
  // biome-ignore lint/plugin/bounded-maps: requests in progress
  private readonly underWay = new Map<string, Promise<ChangeBatch>>();

  constructor(
    private readonly accesses: CollectionAccess,
    private readonly feeds: ChangeFeeds,
    private readonly store: RecordStore,
  ) {}

  /** Throws 410 for a position whose following changes were removed. */
  read(access: Access, question: ChangeQuestion): Promise<ChangeBatch> {
    return this.accesses.withVersionCheck(access, ({ collection }) => this.batch(collection, question));
  }

  /**
   * Like `read`, for streams: streams that continue from the same offset at the same time share one batch. The result
   * does not depend on the caller.
   */
  readTogether(access: Access, question: ChangeQuestion): Promise<ChangeBatch> {
    return this.accesses.withVersionCheck(access, ({ collection }) => {
      const { since, filterText, limit } = question;
      const from = typeof since === 'string' ? since : `${since.feed} ${since.xid} ${since.seq}`;
      const key = `${collection.id} ${collection.version} ${from} ${limit} ${filterText}`;
      let batch = this.underWay.get(key);
      if (batch === undefined) {
        batch = this.batch(collection, question).finally(() => this.underWay.delete(key));
        this.underWay.set(key, batch);
      }
      return batch;
    });
  }

  /** Like `read`, once. Throws `Stale` when the collection has changed. */
  async batch(collection: Collection, question: ChangeQuestion): Promise<ChangeBatch> {
    const { since, filter, limit, examined } = question;
    const frontier = await this.feeds.frontier(collection);
    const after = startOf(frontier, since);
    const upTo = frontier.settled;
    if (since === 'now' || compareOffsets(after, upTo) >= 0) {
      return { from: after, changes: [], next: after, more: false };
    }
    const query = { feed: after.feed, after, upTo, filter, limit, examined };
    const statement = changesStatement(collection, query);
    const { changes, last: next = upTo } = await this.store.readPrimary(collection, statement).catch(refuse);
    return {
      from: after,
      changes,
      next: { feed: after.feed, ...next },
      more: compareOffsets(next, upTo) < 0,
    };
  }
}

function startOf({ feed, kept, settled }: FeedState, since: Since): ChangePosition {
  if (since === 'now') return { feed, ...(compareOffsets(settled, kept) > 0 ? settled : kept) };
  if (since === 'oldest') return { feed, ...kept };
  if (since.feed === feed && compareOffsets(since, kept) >= 0) return since;
  throw new PlatformError(
    'PositionExpired',
    'The changes after this position have been removed. Read the collection again, then follow it from a new position.',
  );
}

function refuse(error: unknown): never {
  throw queryRefusal(error);
}

/** The positions and JSON texts of changes. The record is inserted as PostgreSQL's text without parsing it. */
export function positioned(
  positions: ChangePositions,
  collectionId: string,
  feed: string,
  changes: readonly Change[],
): (readonly [position: string, json: string])[] {
  return changes.map(({ type, recordId, changedAt, record, ...offset }) => {
    const position = positions.sign(collectionId, { feed, ...offset });
    const json = `{"id":"${position}","type":"${type}","record_id":"${recordId}","changed_at":"${changedAt}","record":${record}}`;
    return [position, json];
  });
}
