import type { DataSource } from 'typeorm';
import type { FeedOffset } from '../../engine/storage/changes/change-feed.js';
import {
  isLaterThan,
  NOTES_UNKNOWN,
  type NotesOf,
  type NotesSeen,
  notesOfStatement,
} from '../../engine/storage/changes/change-notes.js';
import { newestStatement } from '../../engine/storage/changes/frontier.js';
import { ifStale } from '../../engine/storage/stale.js';
import { execute } from '../../platform/database/queryable.js';
import type { Collection } from '../collections/collection.entity.js';

/** A follower is absent while it reads. After a longer absence its collection is forgotten. */
const ABSENT_MS = 60_000;
/** After a longer pause between two looks all feeds are asked again, because there may be many notes. */
const LONGEST_PAUSE_MS = 60_000;
/** The position in a feed without a change. */
export const START: FeedOffset = { xid: 0, seq: 0 };

type Watched = Pick<Collection, 'id' | 'orgId'>;

/** What is known of the feed of one collection. */
interface Followed {
  readonly orgId: string;
  /** When it last had a follower, by `performance.now()`. */
  followedAt: number;
  /** The newest change; undefined when it must be asked. */
  newest: FeedOffset | undefined;
}

/**
 * The versions and newest changes of followed collections. Each look is one statement for all organizations. Those that
 * have made changes since, and those that are new here, are asked for their newest change.
 */
export class FollowedFeeds {
  // biome-ignore lint/plugin/bounded-maps: feeds of the last minute that somebody waited for
  private readonly feeds = new Map<string, Followed>();
  private seen = NOTES_UNKNOWN;
  private seenAt = Number.NEGATIVE_INFINITY;
  private versions: NotesOf['versions'] = {};

  constructor(private readonly source: DataSource) {}

  /** Reads what has changed since the last look. */
  async look(collections: readonly Watched[]): Promise<void> {
    const now = performance.now();
    for (const { id, orgId } of collections) {
      const { newest } = this.feeds.get(id) ?? { newest: undefined };
      this.feeds.set(id, { orgId, followedAt: now, newest });
    }
    for (const [id, { followedAt }] of this.feeds) if (now - followedAt > ABSENT_MS) this.feeds.delete(id);
    await this.readNotes(now - this.seenAt < LONGEST_PAUSE_MS ? this.seen : NOTES_UNKNOWN);
    this.seenAt = now;
    await this.readNewest();
  }

  /** The version at the last look; undefined when the collection was not there. */
  versionOf(collectionId: string): number | undefined {
    return this.versions[collectionId];
  }

  /** The newest change at the last look. It may not be settled. */
  newestOf(collectionId: string): FeedOffset {
    return this.feeds.get(collectionId)?.newest ?? START;
  }

  private async readNotes(seen: NotesSeen): Promise<void> {
    const asked = notesOfStatement(seen, [...this.feeds.keys()]);
    const [{ noted, versions, ...now }]: [NotesOf] = await execute(this.source, asked);
    for (const id of isLaterThan(now, seen) ? noted : this.feeds.keys()) {
      const feed = this.feeds.get(id);
      if (feed !== undefined) feed.newest = undefined;
    }
    this.versions = versions;
    this.seen = now;
  }

  private async readNewest(): Promise<void> {
    const asked = [...this.feeds].filter(([, { newest }]) => newest === undefined);
    for (const orgId of new Set(asked.map(([, feed]) => feed.orgId))) {
      const feeds = asked.filter(([, feed]) => feed.orgId === orgId);
      const statement = newestStatement(
        orgId,
        feeds.map(([id]) => id),
      );
      const rows: ({ id: string } & FeedOffset)[] = await execute(this.source, statement).catch(
        ifStale(() => []),
      );
      const found = new Map(rows.map(({ id, xid, seq }) => [id, { xid, seq }]));
      for (const [id, feed] of feeds) feed.newest = found.get(id) ?? START;
    }
  }
}
