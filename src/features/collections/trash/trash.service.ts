import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { newId } from '../../../base/kernel/id.js';
import type { JsonText } from '../../../base/kernel/json.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { param, sql } from '../../../base/sql/index.js';
import { beginFeed, feedsTable } from '../../../engine/storage/changes/change-feed.js';
import { dropTable } from '../../../engine/storage/table/table.js';
import { moveTableFromTrash, moveTableToTrash } from '../../../engine/storage/table/trashed-table.js';
import { retryLockConflicts, TABLE_LOCKS } from '../../../engine/storage/table-lock.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Settings } from '../../../platform/config/settings.js';
import { execute } from '../../../platform/database/queryable.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { requireTag, type TagCondition } from '../../../platform/http/entity-tags.js';
import type { Page } from '../../../platform/http/list-page.js';
import { Collection } from '../collection.entity.js';
import type { Access } from '../collection-access.js';
import { boundAgents } from '../collection-binding.entity.js';
import { collectionEvent } from '../collection-event.js';
import { collectionNotFound } from '../collection-refusals.js';
import { collectionAnswer, collectionTag, describedCollection } from '../collection-view.js';
import { callerNow, lockTagged, withFreeName } from '../locked-collection.js';
import { IndexBuilds } from '../schema/index-builds.service.js';
import { OnlineChanges } from '../schema/online-changes.service.js';
import {
  type DeleteCollectionQuery,
  type DeletedCollectionView,
  type RestoreCollectionBody,
  type TrashListView,
  trashedView,
} from './trash.dto.js';
import { TrashRemoval } from './trash-removal.service.js';
import { TrashedCollections } from './trashed-collections.js';

/**
 * What does not outlive a deletion: the keys of the collection are revoked, its webhooks are switched off, and their
 * pending messages are not sent.
 */
const SILENCE = [
  'DELETE FROM org_api_keys WHERE collection_id = $1',
  `UPDATE webhooks SET status = 'paused', updated_at = now() WHERE collection_id = $1 AND status = 'active'`,
  `DELETE FROM webhook_deliveries d USING webhooks w
   WHERE w.id = d.webhook_id AND w.collection_id = $1 AND d.status = 'pending'`,
];

/** Deletes collections, lists those in the trash, and restores them. Each change is one transaction with one event. */
@Injectable()
export class Trash {
  constructor(
    private readonly trashed: TrashedCollections,
    private readonly removal: TrashRemoval,
    private readonly builds: IndexBuilds,
    private readonly online: OnlineChanges,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  async list({ principal }: Call, membership: Membership, page: Page): Promise<TrashListView> {
    const [callers, total] = await this.trashed.list(principal, membership, page);
    const items = callers.map(caller => {
      const { deletedAt } = caller.collection;
      return trashedView(caller, deletedAt as Date, this.trashed.restorableUntil(deletedAt as Date));
    });
    return { items, total, page: page.page, limit: page.limit };
  }

  /**
   * Moves the collection to the trash, or deletes it for good: with `permanent`, without a trash, and when it is in the
   * trash already. Throws 412 when the collection's entity tag does not satisfy the condition.
   */
  async delete(
    call: Call,
    access: Access,
    { permanent }: DeleteCollectionQuery,
    condition?: TagCondition,
  ): Promise<DeletedCollectionView> {
    if (access.collection.deletedAt !== null) {
      requireTag(condition, collectionTag(access));
      if (!(await this.removal.remove(call, access.collection.id))) throw collectionNotFound();
      return { deleted: true };
    }
    if (permanent || this.settings.TRASH_DAYS === 0) {
      await this.deleteForGood(call, access, condition);
      return { deleted: true };
    }
    return { deleted: true, restorable_until: await this.moveToTrash(call, access, condition) };
  }

  /**
   * The collection as it was, with its bindings, indexes, views and records. Its keys stay revoked, its webhooks are
   * switched off, and its feed begins anew. Throws 404 when the collection has left the trash, and 409 when its owner
   * has another collection with the name.
   */
  async restore(call: Call, access: Access, { name }: RestoreCollectionBody): Promise<JsonText> {
    const restored = await withFreeName({ name: name ?? access.collection.name }, () =>
      retryLockConflicts(() =>
        this.transactions.run(TABLE_LOCKS, async manager => {
          const before = await this.trashed.lock(manager, access.collection.id);
          const change = {
            name: name ?? before.name,
            deletedAt: null,
            version: before.version + 1,
            updatedAt: this.clock.now(),
          };
          await manager.update(Collection, { id: before.id }, change);
          await moveTableFromTrash(manager, before);
          await silence(manager, before);
          const after = Object.assign(new Collection(), before, change);
          await followAgain(manager, after);
          const changes = {
            before: { name: before.name },
            after: describedCollection(after, boundAgents(access.collection.bindings)),
          };
          const event = collectionEvent('collections.restored', after, { changes });
          await this.audit.record(manager, call, after.orgId, event);
          return after;
        }),
      ),
    );
    // The collection was deleted while its schema was changed or its indexes were built.
    if (restored.status === 'building') {
      this.online.resumeInterrupted();
      this.builds.resumeAbandoned();
    }
    return collectionAnswer(callerNow(access, restored));
  }

  private async moveToTrash(
    call: Call,
    access: Access,
    condition: TagCondition | undefined,
  ): Promise<string> {
    return retryLockConflicts(() =>
      this.transactions.run(TABLE_LOCKS, async manager => {
        const collection = await lockTagged(manager, access, condition);
        const deletedAt = this.clock.now();
        const restorableUntil = this.trashed.restorableUntil(deletedAt).toISOString();
        const change = { deletedAt, version: collection.version + 1 };
        await manager.update(Collection, { id: collection.id }, change);
        await moveTableToTrash(manager, collection);
        await silence(manager, collection);
        const agentIds = boundAgents(access.collection.bindings);
        const changes = { before: describedCollection(collection, agentIds), after: { restorableUntil } };
        const event = collectionEvent('collections.deleted', collection, { changes });
        await this.audit.record(manager, call, collection.orgId, event);
        return restorableUntil;
      }),
    );
  }

  private async deleteForGood(
    call: Call,
    access: Access,
    condition: TagCondition | undefined,
  ): Promise<void> {
    await retryLockConflicts(() =>
      this.transactions.run(TABLE_LOCKS, async manager => {
        const collection = await lockTagged(manager, access, condition);
        await manager.delete(Collection, { id: collection.id });
        await dropTable(manager, collection);
        const agentIds = boundAgents(access.collection.bindings);
        const changes = { before: describedCollection(collection, agentIds) };
        const event = collectionEvent('collections.deleted', collection, { changes });
        await this.audit.record(manager, call, collection.orgId, event);
      }),
    );
  }
}

/** Begins a new feed for the webhooks of a collection, if it has any. They continue there when they are switched on. */
async function followAgain(manager: EntityManager, collection: Collection): Promise<void> {
  const id = param(collection.id, 'uuid');
  const followers = await execute(manager, sql`SELECT FROM webhooks WHERE collection_id = ${id} LIMIT 1`);
  if (followers.length === 0) return;
  await beginFeed(manager, collection, newId());
  await execute(
    manager,
    sql`UPDATE webhooks w SET feed = f.feed, after_xid = f.kept_xid, after_seq = f.kept_seq
        FROM ${feedsTable(collection.orgId)} f WHERE f.collection_id = ${id} AND w.collection_id = ${id}`,
  );
}

async function silence(manager: EntityManager, { id }: Collection): Promise<void> {
  for (const statement of SILENCE) await manager.query(statement, [id]);
}
