import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Collection } from '../collections/collection.entity.js';
import { Settings } from '../config/settings.js';
import { PlatformError } from '../kernel/errors.js';
import { newId } from '../kernel/id.js';
import { beginFeed } from '../storage/change-feed.js';
import type { Place } from '../storage/change-place.js';
import { askedStatement } from '../storage/change-pruning.js';
import { frontierStatement } from '../storage/changes.js';
import { givingWay, LOCK_WITHIN } from '../storage/giving-way.js';
import { RecordStore } from '../storage/record-store.js';

/** A feed at one moment. */
export interface Frontier {
  readonly feed: string;
  /** What lies at or before it is no longer kept. */
  readonly kept: Place;
  /** No change will ever come to lie at or before it. */
  readonly settled: Place;
}

/** Feeds of collections: a feed begins when somebody asks for it first. */
@Injectable()
export class ChangeFeeds {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly store: RecordStore,
    private readonly settings: Settings,
  ) {}

  /** How far the feed is; it begins if there is none. Undefined when the collection is no longer in this version. */
  async frontier(collection: Collection): Promise<Frontier | undefined> {
    if (this.settings.DATABASE_CITUS === 'on') throw notFollowed();
    const rows = await this.store.read(collection, frontierStatement(collection));
    if (rows === undefined) return undefined;
    const [feed, keptXid, keptSeq, idle, newestXid, newestSeq, runningXid] = rows[0] as [
      string | null,
      ...[number, number, boolean, number | null, number | null, number | null],
    ];
    if (feed === null) return (await this.begin(collection)) ? this.frontier(collection) : undefined;
    if (idle) await this.asked(collection);
    const kept = { xid: keptXid, seq: keptSeq };
    const newest = newestXid === null ? kept : { xid: newestXid, seq: newestSeq as number };
    const settled = runningXid !== null && runningXid <= newest.xid ? { xid: runningXid, seq: 0 } : newest;
    return { feed, kept, settled };
  }

  /** Waits for those who are writing, gives way when that takes long, and fails with 55P03 when it takes too long. */
  private begin(collection: Collection): Promise<boolean> {
    return givingWay(() =>
      this.source.transaction(async manager => {
        await manager.query(LOCK_WITHIN);
        const unchanged = await manager.query(
          'SELECT FROM collections WHERE id = $1 AND version = $2 FOR SHARE',
          [collection.id, collection.version],
        );
        if (unchanged.length > 0) await beginFeed(manager, collection, newId());
        return unchanged.length > 0;
      }),
    );
  }

  private async asked({ id, orgId }: Collection): Promise<void> {
    const { text, values } = askedStatement(orgId, [id]);
    await this.source.query(text, values);
  }
}

/** Feeds are kept by triggers with transfers of rows, which Citus has not, in an order made of one server's transactions. */
function notFollowed(): PlatformError {
  return new PlatformError(
    'Conflict',
    'Here the data of organizations is spread over several database servers (DATABASE_CITUS), where changes of records cannot be followed: there are no change feeds and no webhooks.',
  );
}
