import { Injectable } from '@nestjs/common';
import { PlatformError } from '../../base/kernel/errors.js';
import type { Filter } from '../../engine/filter/index.js';
import { compareOffsets } from '../../engine/storage/changes/change-feed.js';
import { changesStatement } from '../../engine/storage/changes/changes.js';
import type { FeedState } from '../../engine/storage/changes/frontier.js';
import { queryRefusal } from '../../engine/storage/query-refusal.js';
import { RecordStore } from '../../engine/storage/record-store.js';
import { rulesDigest } from '../../engine/storage/restricted/rules-digest.js';
import type { Collection } from '../collections/collection.entity.js';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import { ChangeFeeds } from './change-feeds.service.js';
import { type ChangeBatch, type ChangePosition, positionReset } from './change-positions.js';
import { SharedBatches } from './shared-batches.js';

/** `now`: only new changes; `oldest`: all stored changes. */
type Since = ChangePosition | 'now' | 'oldest';

export interface ChangeQuestion {
  readonly since: Since;
  readonly filter: Filter | undefined;
  /** The filter as text, to recognise equal filters. */
  readonly filterText?: string | undefined;
  /** True to get also what the filter no longer selects. Restricted callers always do. */
  readonly left?: boolean | undefined;
  readonly limit: number;
  /** Maximum of changes that the filter examines. */
  readonly examined?: number | undefined;
}

/** Reads feeds up to the settled offset, so that no change is skipped. */
@Injectable()
export class ChangeReader {
  private readonly shared = new SharedBatches();

  constructor(
    private readonly accesses: CollectionAccess,
    private readonly feeds: ChangeFeeds,
    private readonly store: RecordStore,
  ) {}

  /** Throws 410 for a position whose following changes were removed, or that was made under other rules. */
  read(access: Access, question: ChangeQuestion): Promise<ChangeBatch> {
    return this.accesses.withVersionCheck(access, ({ collection }) => this.batch(collection, question));
  }

  /** Like `read`, for streams: those with equal rules and filters share batches. The result does not depend on the caller. */
  readTogether(access: Access, question: ChangeQuestion & { since: ChangePosition }): Promise<ChangeBatch> {
    return this.accesses.withVersionCheck(access, ({ collection }) => {
      const { since, filterText, left, limit } = question;
      refuseOtherRules(collection, since);
      const { id, version } = collection;
      const key = `${id} ${version} ${since.feed} ${since.rules} ${left} ${limit} ${filterText}`;
      return this.shared.read(key, since, () => this.batch(collection, question));
    });
  }

  /** Like `read`, once. Throws `Stale` when the collection has changed. */
  async batch(collection: Collection, question: ChangeQuestion): Promise<ChangeBatch> {
    const { since, filter, left, limit, examined } = question;
    if (typeof since !== 'string') refuseOtherRules(collection, since);
    const frontier = await this.feeds.frontier(collection);
    const rules = rulesDigest(collection);
    const after = startOf(frontier, since, rules);
    const upTo = frontier.settled;
    if (since === 'now' || compareOffsets(after, upTo) >= 0) {
      return { from: after, changes: [], next: after, more: false };
    }
    const query = { feed: after.feed, after, upTo, filter, left, limit, examined };
    const statement = changesStatement(collection, query);
    const { changes, last: next = upTo } = await this.store.readPrimary(collection, statement).catch(refuse);
    return {
      from: after,
      changes,
      next: { feed: after.feed, rules, xid: next.xid, seq: next.seq },
      more: compareOffsets(next, upTo) < 0,
    };
  }
}

/** Throws 410 for a position that was made under other rules. */
function refuseOtherRules(collection: Collection, { rules }: ChangePosition): void {
  if (rules !== rulesDigest(collection)) throw positionReset();
}

function startOf({ feed, kept, settled }: FeedState, since: Since, rules: string): ChangePosition {
  if (since === 'now') return { feed, rules, ...(compareOffsets(settled, kept) > 0 ? settled : kept) };
  if (since === 'oldest') return { feed, rules, ...kept };
  if (since.feed === feed && compareOffsets(since, kept) >= 0) return since;
  throw new PlatformError(
    'PositionExpired',
    'The changes after this position have been removed. Read the collection again, then follow it from a new position.',
  );
}

function refuse(error: unknown): never {
  throw queryRefusal(error);
}
