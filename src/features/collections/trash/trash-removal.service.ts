import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { type Call, platformCall } from '../../../base/kernel/call.js';
import { isLockTimeout } from '../../../base/kernel/sql-state.js';
import { dropTrashedTable } from '../../../engine/storage/table/trashed-table.js';
import { retryLockConflicts, TABLE_LOCKS } from '../../../engine/storage/table-lock.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { JobWalks } from '../../../platform/database/job-walks.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { Collection } from '../collection.entity.js';
import { collectionEvent } from '../collection-event.js';
import { describedCollection } from '../collection-view.js';
import { isDue, TrashedCollections } from './trashed-collections.js';

/** SQL conditions of the collections to remove: all in the trash, or those that cannot be restored any more. */
const IN_TRASH = 'c.deleted_at IS NOT NULL';
const DUE = isDue('$2');

/** Removes collections in the trash for good, each in a transaction of its own with its audit event. */
@Injectable()
export class TrashRemoval {
  constructor(
    @InjectRepository(Collection) private readonly collections: Repository<Collection>,
    private readonly trashed: TrashedCollections,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly walks: JobWalks,
  ) {}

  /** False when the collection has left the trash. */
  remove(call: Call, id: string): Promise<boolean> {
    return retryLockConflicts(() => this.removeIf(call, id, IN_TRASH));
  }

  /** Removes all collections that cannot be restored any more. Stops before the next one after `signal`. */
  async removeDue(signal: AbortSignal): Promise<{ removed: number }> {
    const counts = { removed: 0 };
    const dueTime = this.trashed.dueTime();
    const due: { id: string }[] = await this.collections.query(
      `SELECT c.id FROM collections c WHERE ${isDue('$1')} ORDER BY c.id`,
      [dueTime],
    );
    await this.walks.each('remove-deleted-collections', due, signal, async ({ id }) => {
      // While a backup reads the table, it cannot be dropped. The next run tries again.
      const removed = await this.removeIf(platformCall('job'), id, DUE, dueTime).catch(unlessLocked);
      if (removed) counts.removed += 1;
    });
    return counts;
  }

  private removeIf(call: Call, id: string, condition: string, ...values: Date[]): Promise<boolean> {
    return this.transactions.run(TABLE_LOCKS, async manager => {
      const locked = await manager.query(
        `SELECT FROM collections c WHERE c.id = $1 AND ${condition} FOR UPDATE OF c`,
        [id, ...values],
      );
      if (locked.length === 0) return false;
      const collection = await manager.findOneOrFail(Collection, { where: { id }, withDeleted: true });
      await manager.delete(Collection, { id });
      await dropTrashedTable(manager, collection);
      const changes = { before: describedCollection(collection) };
      const event = collectionEvent('collections.removed', collection, { changes });
      await this.audit.record(manager, call, collection.orgId, event);
      return true;
    });
  }
}

function unlessLocked(error: unknown): boolean {
  if (isLockTimeout(error)) return false;
  throw error;
}
