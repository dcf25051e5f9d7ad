import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../../base/kernel/clock.js';
import { askedStatement, compareOffsets, type FeedOffset } from '../../engine/storage/changes/change-feed.js';
import { settledStatement } from '../../engine/storage/changes/frontier.js';
import { ifStale } from '../../engine/storage/stale.js';
import { OutageLog } from '../../platform/database/outage-log.js';
import { execute } from '../../platform/database/queryable.js';
import type { Collection } from '../collections/collection.entity.js';
import { FollowedFeeds, START } from './followed-feeds.js';

/** Polling interval: the shortest after a change, growing to the longest while nothing changes. */
const SHORTEST_MS = 200;
const LONGEST_MS = 1_000;
/** Longest interval of checks whether a feed with running transactions is settled. */
const LONGEST_UNSETTLED_MS = 1_000;
/** Interval in which feeds with followers are marked as used, so that they do not end. */
const RENEW_MS = 3_600_000;

type Watched = Pick<Collection, 'id' | 'orgId' | 'version'>;

/** Waits for a new version of the collection, or for a settled change after an offset. */
interface Waiter {
  readonly collection: Watched;
  readonly after: FeedOffset;
  readonly wake: () => void;
}

interface SettledRow extends FeedOffset {
  readonly id: string;
  readonly running: number | null;
}

/**
 * Wakes the followers of collections on this instance when there are changes to read. Polls with one statement for all
 * followed organizations, and others for organizations with changes. Writers send no notifications, so they never wait
 * for followers.
 */
@Injectable()
export class ChangeWatch implements BeforeApplicationShutdown {
  private readonly outage = new OutageLog(new Logger(ChangeWatch.name), 'looking for changes');
  // biome-ignore lint/plugin/bounded-maps: requests in progress
  private readonly waiters = new Set<Waiter>();
  /** Feeds with unsettled changes, and when to check them again. */
  // biome-ignore lint/plugin/bounded-maps: only of feeds that somebody waits for
  private readonly unsettled = new Map<string, { readonly pauseMs: number; readonly until: number }>();
  /** When the feed of a collection is marked as used again. The read that began to follow it has marked it. */
  // biome-ignore lint/plugin/bounded-maps: feeds of the last two hours that somebody waited for
  private readonly renewals = new Map<string, number>();
  private readonly feeds: FollowedFeeds;
  private timer: NodeJS.Timeout | undefined;
  private wait = SHORTEST_MS;
  private stopped = false;

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly clock: Clock,
  ) {
    this.feeds = new FollowedFeeds(source);
  }

  /** Resolves to true when there are changes or a new version of the collection; to false after `ms` or `gone`. */
  changed(collection: Watched, after: FeedOffset, ms: number, gone: AbortSignal): Promise<boolean> {
    return new Promise(resolve => {
      const end = (found: boolean) => {
        clearTimeout(timer);
        gone.removeEventListener('abort', leave);
        this.waiters.delete(waiter);
        resolve(found);
      };
      const waiter = { collection, after, wake: () => end(true) };
      const leave = () => end(false);
      const timer = setTimeout(leave, ms);
      gone.addEventListener('abort', leave);
      this.waiters.add(waiter);
      this.schedule();
    });
  }

  beforeApplicationShutdown(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    for (const { wake } of this.waiters) wake();
  }

  private schedule(): void {
    if (this.timer !== undefined || this.stopped || this.waiters.size === 0) return;
    this.timer = setTimeout(() => {
      this.look()
        .then(
          () => this.outage.succeeded(),
          error => this.outage.failed(error as Error),
        )
        .finally(() => {
          this.timer = undefined;
          this.schedule();
        });
    }, this.wait).unref();
  }

  private async look(): Promise<void> {
    this.wait = Math.min(this.wait * 1.25, LONGEST_MS);
    for (const [id] of this.unsettled) if (!this.isFollowed(id)) this.unsettled.delete(id);
    const now = this.clock.now().getTime();
    const followers = [...this.waiters];
    await this.feeds.look(followers.map(({ collection }) => collection));
    for (const [orgId, waiters] of byOrg(followers)) {
      await this.renew(orgId, idsOf(waiters), now);
      for (const waiter of await this.withNews(orgId, waiters)) {
        this.wait = SHORTEST_MS;
        waiter.wake();
      }
    }
    // A follower is absent for moments, so an entry stays for another interval.
    for (const [id, due] of this.renewals) if (due + RENEW_MS <= now) this.renewals.delete(id);
  }

  /** Marks followed feeds as used, because a follower without changes reads nothing. */
  private async renew(orgId: string, ids: readonly string[], now: number): Promise<void> {
    const due = ids.filter(id => (this.renewals.get(id) ?? now) < now);
    if (due.length > 0)
      await execute(this.source, askedStatement(orgId, due)).catch(ifStale(() => undefined));
    for (const id of ids)
      if (due.includes(id) || !this.renewals.has(id)) this.renewals.set(id, now + RENEW_MS);
  }

  private isFollowed(collectionId: string): boolean {
    for (const { collection } of this.waiters) if (collection.id === collectionId) return true;
    return false;
  }

  /** The waiters with a new version of their collection, or with settled changes after their offset. */
  private async withNews(orgId: string, waiters: readonly Waiter[]): Promise<Waiter[]> {
    const isChanged = ({ collection: { id, version } }: Waiter) => this.feeds.versionOf(id) !== version;
    const behind = waiters.filter(
      waiter => !isChanged(waiter) && isBehind(waiter, this.feeds.newestOf(waiter.collection.id)),
    );
    return [...waiters.filter(isChanged), ...(await this.settledBehind(orgId, behind))];
  }

  /**
   * The waiters whose next change is settled. While a long transaction keeps a feed unsettled, the feed is checked less
   * and less often.
   */
  private async settledBehind(orgId: string, behind: readonly Waiter[]): Promise<Waiter[]> {
    const now = performance.now();
    const asked = behind.filter(({ collection }) => (this.unsettled.get(collection.id)?.until ?? 0) <= now);
    if (asked.length === 0) return [];
    const statement = settledStatement(orgId, idsOf(asked));
    const rows: SettledRow[] = await execute(this.source, statement).catch(ifStale(() => []));
    const settled = new Map(rows.map(row => [row.id, settledOf(row)]));
    const woken = asked.filter(waiter => isBehind(waiter, settled.get(waiter.collection.id) ?? START));
    const isWoken = new Set(idsOf(woken));
    for (const id of idsOf(asked)) {
      const pauseMs = Math.min(
        2 * (this.unsettled.get(id)?.pauseMs ?? SHORTEST_MS / 2),
        LONGEST_UNSETTLED_MS,
      );
      if (isWoken.has(id)) this.unsettled.delete(id);
      else this.unsettled.set(id, { pauseMs, until: now + pauseMs });
    }
    return woken;
  }
}

function byOrg(waiters: readonly Waiter[]): Map<string, Waiter[]> {
  const orgs = new Map<string, Waiter[]>();
  for (const waiter of waiters) {
    const { orgId } = waiter.collection;
    const those = orgs.get(orgId);
    if (those === undefined) orgs.set(orgId, [waiter]);
    else those.push(waiter);
  }
  return orgs;
}

function idsOf(waiters: readonly Waiter[]): string[] {
  return [...new Set(waiters.map(({ collection }) => collection.id))];
}

function isBehind({ after }: Waiter, offset: FeedOffset): boolean {
  return compareOffsets(offset, after) > 0;
}

function settledOf({ xid, seq, running }: SettledRow): FeedOffset {
  return running !== null && running <= xid ? { xid: running, seq: 0 } : { xid, seq };
}
