import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../../audit/audit-log.js';
import { platformCall } from '../../kernel/platform-call.js';
import { removeExpired } from '../../storage/alter.js';
import type { Collection } from '../collection.entity.js';

/** Expired records that nobody sees but NOT NULL and unique indexes. */
@Injectable()
export class RecordRemains {
  constructor(private readonly audit: AuditLog) {}

  /** Removes them all in the caller's transaction, with an audit event a batch. Returns how many. */
  async remove(manager: EntityManager, collection: Collection): Promise<number> {
    const target = { type: 'collection', id: collection.id, name: collection.name };
    for (let total = 0; ; ) {
      const ids = await removeExpired(manager, collection);
      if (ids.length === 0) return total;
      total += ids.length;
      const entry = { type: 'collections.records.expired', target, count: ids.length, recordIds: ids };
      await this.audit.record(manager, platformCall('job'), collection.orgId, entry);
    }
  }
}
