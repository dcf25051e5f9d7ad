import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { platformCall } from '../../base/kernel/call.js';
import { Stale } from '../../engine/storage/stale.js';
import { removeExpired } from '../../engine/storage/table/alter.js';
import { AuditLog } from '../../platform/audit/audit-log.js';
import { Collection } from './collection.entity.js';
import { collectionEvent } from './collection-event.js';

/** Tracks which collections have records that may expire, and removes expired records. */
@Injectable()
export class CollectionExpiry {
  constructor(
    @InjectRepository(Collection) private readonly collections: Repository<Collection>,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Marks the collection before the first record with a time to live is written to it. Throws `Stale` when the mark was
   * missing, because setting it gives the collection a new version.
   */
  async mark({ id, mayExpire }: Collection, ttlDays: number | undefined): Promise<void> {
    if (mayExpire || !ttlDays) return;
    await this.collections.query(
      'UPDATE collections SET may_expire = true, version = version + 1 WHERE id = $1 AND NOT may_expire',
      [id],
    );
    throw new Stale();
  }

  /**
   * Removes all expired records in the caller's transaction, with one audit event for each batch, and returns how many.
   * No read shows them any more, but they still count for NOT NULL and unique constraints.
   */
  async purge(manager: EntityManager, collection: Collection): Promise<number> {
    for (let total = 0; ; ) {
      const ids = await removeExpired(manager, collection);
      if (ids.length === 0) return total;
      total += ids.length;
      const written = { count: ids.length, recordIds: ids };
      const event = collectionEvent('collections.records.expired', collection, written);
      await this.audit.record(manager, platformCall('job'), collection.orgId, event);
    }
  }
}
